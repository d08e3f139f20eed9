"""An uploaded image is made anew from its pixels: nothing else of the file gets through (A1, A8)."""

import struct
import subprocess
import sys
import warnings
import zlib
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, PngImagePlugin

from readtrack.infra import errors
from readtrack.library.images.encode import MAX_BYTES, MAX_SCANS, MAX_SEGMENTS, MAX_SIDE_PIXELS, encode_image
from tests.depth import examples

pytestmark = pytest.mark.slow

SCRIPT = b"<script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def drawn(mode="RGB", size=(40, 20)):
    image = Image.new(mode, size)
    ImageDraw.Draw(image).rectangle((0, 0, size[0] // 2, size[1]), fill=1 if mode == "1" else "white")
    return image


def saved(image, form, **options):
    kept = BytesIO()
    image.save(kept, form, **options)
    return kept.getvalue()


def opened(encoded):
    return Image.open(BytesIO(encoded.content))


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, height, *before, kind=2, bits=8, pixels=b"\0" * 1_000):
    """Of a header, the chunks `before` the picture, and as much of the picture as is given."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0))
    end = chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(before) + end


def resized(jpeg, width, height, *, frame):
    """A JPEG whose frame header says another size."""
    at = jpeg.index(b"\xff" + bytes([frame])) + 5
    return jpeg[:at] + struct.pack(">HH", height, width) + jpeg[at + 4 :]


def with_one_colour_a_scan(jpeg):
    """Its first scan says that it has one of the three colours."""
    at = jpeg.index(b"\xff\xda") + 2
    return jpeg[:at] + struct.pack(">HB", 8, 1) + jpeg[at + 3 : at + 5] + jpeg[at + 9 :]


@pytest.mark.parametrize(
    ("form", "mode", "media_type"),
    [
        ("PNG", "RGB", "image/png"),
        ("PNG", "RGBA", "image/png"),
        ("PNG", "P", "image/png"),
        ("PNG", "1", "image/png"),
        ("GIF", "P", "image/png"),
        ("WEBP", "RGB", "image/png"),
        ("JPEG", "RGB", "image/jpeg"),
        ("JPEG", "L", "image/jpeg"),
        ("JPEG", "CMYK", "image/jpeg"),
    ],
)
def test_common_image_formats_are_accepted(form, mode, media_type):
    encoded = encode_image(saved(drawn(mode), form))
    assert encoded.media_type == media_type
    assert opened(encoded).size == (encoded.width, encoded.height) == (40, 20)


def test_sixteen_bit_greyscale_keeps_its_levels():
    grey = Image.new("I;16", (4, 4), 0x8000)
    assert 120 < opened(encode_image(saved(grey, "PNG"))).convert("L").getpixel((1, 1)) < 136


def test_transparency_is_kept():
    assert opened(encode_image(saved(Image.new("RGBA", (4, 4), (255, 0, 0, 0)), "PNG"))).getpixel((0, 0))[3] == 0


@pytest.mark.deep
def test_a_large_image_is_scaled_down_proportionally():
    encoded = encode_image(saved(Image.new("L", (4_400, 1_100)), "PNG"))
    assert (encoded.width, encoded.height) == (MAX_SIDE_PIXELS, 500)


def test_a_large_lossless_image_is_reencoded_lossily():
    noise = Image.effect_noise((1_600, 1_200), 90)
    encoded = encode_image(saved(noise, "PNG"))
    assert encoded.media_type == "image/webp"
    assert len(encoded.content) < 1_500_000


def test_a_rotated_photo_is_turned_upright_and_its_location_removed():
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "at home"
    exif.get_ifd(0x8825)[1] = "N"
    encoded = encode_image(saved(drawn(), "JPEG", exif=exif, comment=b"secret"))
    assert (encoded.width, encoded.height) == (20, 40)
    assert not opened(encoded).getexif()
    assert b"at home" not in encoded.content
    assert b"secret" not in encoded.content


def test_text_chunks_of_a_png_are_removed():
    words = PngImagePlugin.PngInfo()
    words.add_text("Comment", SCRIPT.decode())
    encoded = encode_image(saved(drawn(), "PNG", pnginfo=words, icc_profile=b"profile" * 9))
    assert SCRIPT not in encoded.content
    assert set(opened(encoded).info) <= {"interlace"}


def test_an_animation_becomes_a_still_image():
    first, second = Image.new("P", (8, 8), 0), Image.new("P", (8, 8), 1)
    encoded = encode_image(saved(first, "GIF", save_all=True, append_images=[second]))
    assert getattr(opened(encoded), "n_frames", 1) == 1


@pytest.mark.parametrize("tail", [SCRIPT, b"<?php system($_GET['x']); ?>", b"PK\x03\x04" + b"x" * 400, SVG])
def test_a_second_format_appended_to_the_image_is_removed(tail):
    """A polyglot: a picture for one reader, a page or an archive for another."""
    for form in ("PNG", "JPEG", "GIF"):
        assert tail not in encode_image(saved(drawn("P" if form == "GIF" else "RGB"), form) + tail).content


@pytest.mark.parametrize(
    "content",
    [
        SVG,
        b"<!doctype html>" + SCRIPT,
        b"GIF89a=1;alert(1)//",
        b"\xff\xd8\xff\xe0" + SCRIPT,
        b"%PDF-1.7",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"II*\0" + b"\0" * 80,
        b"%!PS-Adobe-3.0 EPSF-3.0\n",
        b"\0",
        saved(drawn(), "PNG")[:60],
        saved(drawn("RGB", (400, 400)), "JPEG")[:300],
        saved(drawn(), "BMP"),
        saved(drawn(), "TIFF"),
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_file_that_is_not_an_image_is_refused_with_a_message(content):
    with pytest.raises(errors.Invalid, match="Upload a PNG, JPEG, GIF or WebP"):
        encode_image(content)


@pytest.mark.parametrize("size", [(5_001, 5_000), (30_000, 30_000), (2**31 - 1, 2**31 - 1), (1, 26_000_000)])
def test_an_image_declaring_huge_dimensions_is_refused_before_decoding(size):
    with warnings.catch_warnings(), pytest.raises((errors.TooLarge, errors.Invalid)):
        encode_image(png(*size))


PROGRESSIVE, SEQUENTIAL = 0xC2, 0xC0
LARGER_THAN_9 = {
    "16 bits": png(3_001, 3_000, bits=16),
    "16 bits of grey": png(3_001, 3_000, kind=0, bits=16),
    "16 bits, see-through": png(3_001, 3_000, kind=6, bits=16),
    "palette": png(3_001, 3_000, chunk(b"PLTE", b"abc" * 256), chunk(b"tRNS", b"\x80" * 256), kind=3),
    "animated PNG": png(3_001, 3_000, chunk(b"acTL", struct.pack(">II", 2, 0))),
    "GIF": b"GIF89a" + struct.pack("<HHBBB", 3_001, 3_000, 0, 0, 0) + b",\0\0\0\0\1\0\1\0\0\x02\x02D\x01\0;",
    "GIF with a larger frame": b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0, 0, 0)
    + b"," + struct.pack("<HHHH", 0, 0, 3_001, 3_000) + b"\0\x02\x02D\x01\0;",
    "WebP": saved(Image.new("L", (3_001, 3_000)), "WEBP", method=0),
    "progressive JPEG": resized(saved(drawn(), "JPEG", progressive=True), 3_001, 3_000, frame=PROGRESSIVE),
    "progressive CMYK": resized(saved(drawn("CMYK"), "JPEG", progressive=True), 3_001, 3_000, frame=PROGRESSIVE),
    "JPEG of a colour a scan": resized(with_one_colour_a_scan(saved(drawn(), "JPEG")), 3_001, 3_000, frame=SEQUENTIAL),
}  # fmt: skip


@pytest.mark.parametrize("content", LARGER_THAN_9.values(), ids=LARGER_THAN_9)
def test_images_decoded_at_full_size_are_limited_to_9_megapixels(content):
    with pytest.raises(errors.TooLarge, match=r"\(3001 × 3000 pixels\)\. The limit is 9 megapixels"):
        encode_image(content)


def test_a_photo_scaled_while_decoding_may_have_25_megapixels():
    photo = saved(Image.new("L", (5_000, 5_000)), "JPEG")
    assert encode_image(photo).width == MAX_SIDE_PIXELS
    with pytest.raises(errors.TooLarge, match="The limit is 25 megapixels"):
        encode_image(resized(photo, 5_001, 5_000, frame=SEQUENTIAL))


@pytest.mark.parametrize(
    "content",
    [
        saved(drawn(), "JPEG")[:2] + b"\xff\xe5\0\x03x" * (MAX_SEGMENTS + 1) + saved(drawn(), "JPEG")[2:],
        saved(drawn(), "JPEG")[:-2] + b"\xff\xda\0\x08\x01\x01\0\0\x3f\0" * MAX_SCANS + b"\xff\xd9",
    ],
    ids=["segments", "scans"],
)
def test_a_jpeg_with_thousands_of_scans_is_refused_with_a_message(content):
    with pytest.raises(errors.Invalid, match="Upload a PNG, JPEG, GIF or WebP"):
        encode_image(content)


PEAK = """
import struct, sys
from readtrack.library.images.encode import encode_image

def megabytes(what):
    return int(next(line for line in open("/proc/self/status") if line.startswith(what)).split()[1]) // 1024

files = sys.stdin.buffer.read()
while files:
    (length,), files = struct.unpack(">I", files[:4]), files[4:]
    content, files = files[:length], files[length:]
    open("/proc/self/clear_refs", "w").write("5")
    before = megabytes("VmRSS")
    encode_image(content)
    print(megabytes("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell the peak of memory otherwise")
def test_processing_an_image_takes_no_more_than_200_mb():
    row = b"\0" + bytes(3_000 * 3)
    files = [
        png(3_000, 3_000, chunk(b"tRNS", b"\0\1\0\1\0\1"), pixels=row * 3_000),
        saved(Image.new("RGBA", (3_000, 3_000), (1, 2, 3, 4)), "WEBP", lossless=True, method=0),
        saved(Image.new("CMYK", (3_999, 3_999)), "JPEG"),
        png(2, 2, *(chunk(b"iTXt", b"k\0\1\0\0\0" + zlib.compress(bytes(900_000))),) * 60, pixels=bytes(14)),
        png(2, 2, chunk(b"eXIf", b"MM\0*\0\0\0\x08" + b"\x01\x12" * 2_400_000), pixels=bytes(14)),
        saved(Image.new("RGB", (2, 2)), "JPEG", icc_profile=bytes(4_900_000)),
    ]
    told = b"".join(struct.pack(">I", len(file)) + file for file in files)
    ran = subprocess.run([sys.executable, "-c", PEAK], input=told, capture_output=True, check=True)
    peaks = list(map(int, ran.stdout.split()))
    assert len(peaks) == len(files)
    assert max(peaks) <= 200, peaks


def test_a_file_of_more_than_5_mb_is_refused_unread():
    with pytest.raises(errors.TooLarge, match=r"\(5,000,001 bytes\)\. The limit is 5,000,000 bytes"):
        encode_image(b"\0" * (MAX_BYTES + 1))


SOUND = [
    saved(drawn(), "PNG"),
    saved(drawn("P"), "PNG"),
    saved(drawn(), "JPEG"),
    saved(drawn("P"), "GIF"),
    saved(drawn(), "WEBP"),
    saved(drawn(), "WEBP", lossless=True),
]


@given(st.sampled_from(SOUND), st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), max_size=8))
@settings(max_examples=examples(50), deadline=None)
def test_corrupted_bytes_give_an_image_or_an_error_message(content, spoilt):
    changed = bytearray(content)
    for at, value in spoilt:
        changed[at % len(changed)] = value
    with suppress(errors.Invalid, errors.TooLarge):
        assert encode_image(bytes(changed)).content
