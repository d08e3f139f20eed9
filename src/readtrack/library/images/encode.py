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

MOST_BYTES = 5_000_000
MOST_PIXELS = 9_000_000  # pixels of an image decoded at once: takes up to 140 MB, for WebP 180 MB
MOST_PIXELS_IN_STRIPS = 25_000_000  # pixels of a single-scan JPEG, which is decoded and scaled down strip by strip
MOST_SEGMENTS = 1_000  # segments of a JPEG before its picture; a colour profile takes 255 at most
MOST_SCANS = 100  # scans of a JPEG: each is decoded over the whole picture, and real files have about ten
MOST_WIDE = 2_000  # width and height in pixels; larger images are scaled down
MOST_LOSSLESS = 1_500_000  # bytes of a PNG; larger ones become a WebP of about a fifth of the size
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
QUALITY = 85
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
    if len(content) > MOST_BYTES:
        message = _("The image has {count:,} bytes; {most:,} is the most. Nothing was kept; make it smaller.")
        raise TooLarge(message.format(count=len(content), most=MOST_BYTES))
    from PIL import Image

    broken = (*_BROKEN, *_bomb_errors())  # call this first: it turns Pillow's decompression bomb warning into an error
    try:
        most = MOST_PIXELS_IN_STRIPS if _is_decoded_in_strips(content) else MOST_PIXELS
        with Image.open(BytesIO(content), formats=FORMATS) as opened:
            _check_pixel_limit(opened, most)
            return _encode_opened(opened, hashlib.sha256(content).hexdigest())
    except broken as error:
        detail = _("This is no image that can be shown here: send a PNG, JPEG, GIF or WebP, whole.")
        message = _("{detail} Nothing was kept.").format(detail=detail)
        raise Invalid(message, [FieldError(_FIELD, "no-image", detail)]) from error


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
    if content.count(bytes((0xFF, _START_OF_SCAN))) > MOST_SCANS:  # within a scan, 0xFF is always followed by 0
        message = "too many scans"
        raise ValueError(message)
    position, colours = 0, 0
    for _segment in range(MOST_SEGMENTS):
        found = _MARKER.search(content, position)
        if found is None:
            break
        marker, body = found[1][0], found.end() + 2
        if marker in _SEQUENTIAL_FRAMES:
            colours = int.from_bytes(content[body + 5 : body + 6])
        if marker == _START_OF_SCAN:
            return colours > 0 and int.from_bytes(content[body : body + 1]) == colours
        length = 0 if marker in _WITHOUT_LENGTH else int.from_bytes(content[found.end() : body])
        position = found.end() + length
    message = "no scan among so many segments"
    raise ValueError(message)


@cache
def _bomb_errors() -> tuple[type[Exception], ...]:
    """Return Pillow's decompression bomb exceptions, and make its warning an error."""
    from PIL import Image

    warnings.simplefilter("error", Image.DecompressionBombWarning)
    return Image.DecompressionBombError, Image.DecompressionBombWarning


def _check_pixel_limit(opened: Image.Image, most: int) -> None:
    """Raise TooLarge before decoding: a small file may declare huge dimensions (decompression bomb)."""
    if opened.width * opened.height > most:
        message = _(
            "The image has {width} × {height} pixels, more than {most} million. Nothing was kept; scale it down."
        )
        raise TooLarge(message.format(width=opened.width, height=opened.height, most=most // 1_000_000))


def _encode_opened(opened: Image.Image, sha256: str) -> EncodedImage:
    from PIL import Image, ImageOps

    of_photo = opened.format == "JPEG"
    opened.draft(None, _size_within(opened, MOST_WIDE))  # decode a JPEG no larger than needed
    image = _to_plain_mode(opened)
    image.thumbnail((MOST_WIDE, MOST_WIDE), Image.Resampling.LANCZOS)  # scale down before any further copy
    image = _strip_metadata(ImageOps.exif_transpose(image))
    media_type, content = _save_as(image, "JPEG" if of_photo else "PNG")
    if not of_photo and len(content) > MOST_LOSSLESS:
        media_type, content = _save_as(image, "WEBP")
    return EncodedImage(sha256, media_type, image.width, image.height, content)


def _size_within(image: Image.Image, most: int) -> tuple[int, int]:
    """Return the dimensions scaled down to the limit, keeping proportions."""
    factor = min(1.0, most / max(image.size))
    return max(1, round(image.width * factor)), max(1, round(image.height * factor))


def _to_plain_mode(opened: Image.Image) -> Image.Image:
    """Convert to a mode that can be resized, copying only if necessary to limit memory."""
    opened.load()
    if opened.mode.startswith("I"):  # 16-bit greyscale
        return opened.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if "transparency" in opened.info or opened.mode in {"P", "PA"}:
        return opened.convert("RGBA" if opened.has_transparency_data else "RGB")
    return opened.convert("L") if opened.mode == "1" else opened


def _strip_metadata(image: Image.Image) -> Image.Image:
    """Return only the pixels of the first frame, in one of three modes, without metadata."""
    plain = image.convert("RGBA" if image.has_transparency_data else "L" if image.mode == "L" else "RGB")
    plain.info = {}
    return plain


def _save_as(image: Image.Image, form: str) -> tuple[str, bytes]:
    kept = BytesIO()
    image.save(kept, form, quality=QUALITY)
    return f"image/{form.lower()}", kept.getvalue()
