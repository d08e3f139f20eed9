"""An uploaded image is made anew from its pixels: nothing else of the file gets through (A1, A8)."""

import struct
import warnings
import zlib
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, PngImagePlugin

from readtrack import errors
from readtrack.images.encoding import MOST_BYTES, MOST_WIDE, encode
from tests.depth import examples

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


def png_that_says(width, height):
    """A few bytes that say they are as large as that."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 1_000)) + chunk(b"IEND", b"")


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
def test_what_people_have_is_taken(form, mode, media_type):
    encoded = encode(saved(drawn(mode), form))
    assert encoded.media_type == media_type
    assert opened(encoded).size == (encoded.width, encoded.height) == (40, 20)


def test_sixteen_bits_of_grey_keep_their_greys():
    grey = Image.new("I;16", (4, 4), 0x8000)
    assert 120 < opened(encode(saved(grey, "PNG"))).convert("L").getpixel((1, 1)) < 136


def test_what_is_see_through_stays_so():
    assert opened(encode(saved(Image.new("RGBA", (4, 4), (255, 0, 0, 0)), "PNG"))).getpixel((0, 0))[3] == 0


def test_a_large_one_is_scaled_down_in_its_proportions():
    encoded = encode(saved(Image.new("L", (4_400, 1_100)), "PNG"))
    assert (encoded.width, encoded.height) == (MOST_WIDE, 500)


def test_a_large_picture_without_loss_is_made_smaller_with_some():
    noise = Image.effect_noise((1_600, 1_200), 90)
    encoded = encode(saved(noise, "PNG"))
    assert encoded.media_type == "image/webp"
    assert len(encoded.content) < 1_500_000


def test_one_that_was_taken_sideways_stands_upright_and_where_it_was_taken_is_not_kept():
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "at home"
    exif.get_ifd(0x8825)[1] = "N"
    encoded = encode(saved(drawn(), "JPEG", exif=exif, comment=b"secret"))
    assert (encoded.width, encoded.height) == (20, 40)
    assert not opened(encoded).getexif()
    assert b"at home" not in encoded.content
    assert b"secret" not in encoded.content


def test_words_in_a_png_are_not_kept():
    words = PngImagePlugin.PngInfo()
    words.add_text("Comment", SCRIPT.decode())
    encoded = encode(saved(drawn(), "PNG", pnginfo=words, icc_profile=b"profile" * 9))
    assert SCRIPT not in encoded.content
    assert set(opened(encoded).info) <= {"interlace"}


def test_an_animation_stands_still():
    first, second = Image.new("P", (8, 8), 0), Image.new("P", (8, 8), 1)
    encoded = encode(saved(first, "GIF", save_all=True, append_images=[second]))
    assert getattr(opened(encoded), "n_frames", 1) == 1


@pytest.mark.parametrize("tail", [SCRIPT, b"<?php system($_GET['x']); ?>", b"PK\x03\x04" + b"x" * 400, SVG])
def test_a_second_format_behind_the_picture_is_gone(tail):
    """A polyglot: a picture for one reader, a page or an archive for another."""
    for form in ("PNG", "JPEG", "GIF"):
        assert tail not in encode(saved(drawn("P" if form == "GIF" else "RGB"), form) + tail).content


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
def test_what_is_no_picture_is_refused_with_a_sentence(content):
    with pytest.raises(errors.Invalid, match="send a PNG, JPEG, GIF or WebP"):
        encode(content)


@pytest.mark.parametrize("size", [(5_001, 5_000), (30_000, 30_000), (2**31 - 1, 2**31 - 1), (1, 26_000_000)])
def test_one_that_says_it_is_as_large_as_a_house_is_refused_before_it_is_decoded(size):
    with warnings.catch_warnings(), pytest.raises((errors.TooLarge, errors.Invalid)):
        encode(png_that_says(*size))


def test_a_file_of_more_than_5_mb_is_refused_unread():
    with pytest.raises(errors.TooLarge, match="5,000,001 bytes; 5,000,000 is the most"):
        encode(b"\0" * (MOST_BYTES + 1))


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
def test_bytes_that_are_spoilt_give_a_picture_or_a_sentence(content, spoilt):
    changed = bytearray(content)
    for at, value in spoilt:
        changed[at % len(changed)] = value
    with suppress(errors.Invalid, errors.TooLarge):
        assert encode(bytes(changed)).content
