"""Re-encoding of uploaded images: decode, rotate upright, scale down, encode.

Only pixels get through: no metadata, no embedded second format (polyglot files), no animation.
"""

from __future__ import annotations

import hashlib
import re
import struct
import warnings
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from readtrack.infra.errors import FieldError, Invalid, TooLarge
from readtrack.infra.i18n import gettext as _

if TYPE_CHECKING:
    from PIL import Image

MAX_BYTES = 5_000_000
MAX_PIXELS = 9_000_000  # pixels of an image decoded at once: takes up to 140 MB, for WebP 180 MB
MAX_PIXELS_IN_STRIPS = 25_000_000  # pixels of a single-scan JPEG, which is decoded and scaled down strip by strip
MAX_SEGMENTS = 1_000  # segments of a JPEG before its picture; a colour profile takes 255 at most
MAX_SCANS = 100  # scans of a JPEG: each is decoded over the whole picture, and real files have about ten
MAX_SIDE_PIXELS = 2_000  # width and height in pixels; larger images are scaled down
MAX_PNG_BYTES = 1_500_000  # bytes of a PNG; larger ones become a WebP of about a fifth of the size
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
JPEG_QUALITY = 85
_FIELD = "/image"
_BROKEN: tuple[
    type[Exception], ...
    # Exceptions that Pillow's decoders raise for invalid or truncated files.
] = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    TypeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    struct.error,
)


class EncodedImage(NamedTuple):
    """An encoded image. `sha256`: of the uploaded file."""

    sha256: str
    media_type: str
    width: int
    height: int
    content: bytes


def encode_image(content: bytes) -> EncodedImage:
    """Re-encode an uploaded image.

    Raise TooLarge for over 5 MB or too many pixels, or Invalid if it is not a PNG, JPEG, GIF or WebP.
    """
    if len(content) > MAX_BYTES:
        message = _("The image is too large ({count:,} bytes). The limit is {most:,} bytes.")
        raise TooLarge(message.format(count=len(content), most=MAX_BYTES))
    from PIL import Image

    # Call this first: it turns Pillow's decompression bomb warning into an error.
    image_errors = (
        *_BROKEN,
        *_bomb_errors(),
    )
    try:
        max_pixels = MAX_PIXELS_IN_STRIPS if _is_decoded_in_strips(content) else MAX_PIXELS
        with Image.open(BytesIO(content), formats=FORMATS) as source_image:
            _check_pixel_limit(source_image, max_pixels)
            return _encode_opened(source_image, hashlib.sha256(content).hexdigest())
    except image_errors as error:
        detail = _("This image can't be read. Upload a PNG, JPEG, GIF or WebP file.")
        raise Invalid(detail, [FieldError(_FIELD, "no-image", detail)]) from error


_MARKER = re.compile(rb"\xff([^\x00\xff])")
_START_OF_IMAGE, _START_OF_SCAN, _SEQUENTIAL_FRAMES = 0xD8, 0xDA, (0xC0, 0xC1)
_WITHOUT_LENGTH = {0x01, *range(0xD0, 0xDA)}


def _is_decoded_in_strips(content: bytes) -> bool:
    """Return True for a JPEG whose first scan contains all colours.

    For any other JPEG, the decoder holds every coefficient in memory. Markers are read as libjpeg does. Raise
    ValueError for more segments or scans than real files have.
    """
    if not content.startswith(b"\xff\xd8"):
        return False
    if content.count(bytes((0xFF, _START_OF_SCAN))) > MAX_SCANS:  # within a scan, 0xFF is always followed by 0
        message = "too many scans"
        raise ValueError(message)
    position, component_count = 0, 0
    for _segment in range(MAX_SEGMENTS):
        segment_match = _MARKER.search(content, position)
        if segment_match is None:
            break
        marker, body = segment_match[1][0], segment_match.end() + 2
        if marker in _SEQUENTIAL_FRAMES:
            component_count = int.from_bytes(content[body + 5 : body + 6])
        if marker == _START_OF_SCAN:
            return component_count > 0 and int.from_bytes(content[body : body + 1]) == component_count
        length = 0 if marker in _WITHOUT_LENGTH else int.from_bytes(content[segment_match.end() : body])
        position = segment_match.end() + length
    message = "no scan among so many segments"
    raise ValueError(message)


@cache
def _bomb_errors() -> tuple[type[Exception], ...]:
    """Return Pillow's decompression bomb exceptions, and make its warning an error."""
    from PIL import Image

    warnings.simplefilter("error", Image.DecompressionBombWarning)
    return Image.DecompressionBombError, Image.DecompressionBombWarning


def _check_pixel_limit(image: Image.Image, max_pixels: int) -> None:
    """Raise TooLarge before decoding: a small file may declare huge dimensions (decompression bomb)."""
    if image.width * image.height > max_pixels:
        message = _("The image is too large ({width} × {height} pixels). The limit is {most} megapixels.")
        raise TooLarge(message.format(width=image.width, height=image.height, most=max_pixels // 1_000_000))


def _encode_opened(source: Image.Image, sha256: str) -> EncodedImage:
    from PIL import Image, ImageOps

    is_photo = source.format == "JPEG"
    source.draft(None, _size_within(source, MAX_SIDE_PIXELS))  # decode a JPEG no larger than needed
    image = _to_plain_mode(source)
    image.thumbnail((MAX_SIDE_PIXELS, MAX_SIDE_PIXELS), Image.Resampling.LANCZOS)  # scale down before any further copy
    image = _strip_metadata(ImageOps.exif_transpose(image))
    media_type, content = _save_as(image, "JPEG" if is_photo else "PNG")
    if not is_photo and len(content) > MAX_PNG_BYTES:
        media_type, content = _save_as(image, "WEBP")
    return EncodedImage(sha256, media_type, image.width, image.height, content)


def _size_within(image: Image.Image, max_side: int) -> tuple[int, int]:
    """Return the dimensions scaled down to the limit, keeping proportions."""
    factor = min(1.0, max_side / max(image.size))
    return max(1, round(image.width * factor)), max(1, round(image.height * factor))


def _to_plain_mode(image: Image.Image) -> Image.Image:
    """Convert to a mode that can be resized, copying only if necessary to limit memory."""
    image.load()
    if image.mode.startswith("I"):  # 16-bit greyscale
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if "transparency" in image.info or image.mode in {"P", "PA"}:
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image.convert("L") if image.mode == "1" else image


def _strip_metadata(image: Image.Image) -> Image.Image:
    """Return only the pixels of the first frame, in one of three modes, without metadata."""
    pixels = image.convert("RGBA" if image.has_transparency_data else "L" if image.mode == "L" else "RGB")
    pixels.info = {}
    return pixels


def _save_as(image: Image.Image, form: str) -> tuple[str, bytes]:
    buffer = BytesIO()
    image.save(buffer, form, quality=JPEG_QUALITY)
    return f"image/{form.lower()}", buffer.getvalue()
