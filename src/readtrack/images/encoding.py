"""An uploaded image -> one of our own making: decoded, turned upright, scaled down, encoded. Pure.

Nothing of the file but its pixels gets through: no metadata, no second format hidden in it, no animation.
"""

from __future__ import annotations

import hashlib
import struct
import warnings
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from readtrack.errors import FieldError, Invalid, TooLarge
from readtrack.languages import gettext as _

if TYPE_CHECKING:
    from PIL import Image

MOST_BYTES = 5_000_000
MOST_PIXELS = 25_000_000
MOST_WIDE = 2_000  # pixels, wide and high; larger ones are scaled down
MOST_LOSSLESS = 1_500_000  # bytes of a PNG; what is larger is made a WebP, a fifth of it
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
QUALITY = 85
_FIELD = "/image"
_BROKEN: tuple[
    type[Exception], ...
] = (  # what the decoders of Pillow raise of bytes that are no image, or only look like one
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


class Encoded(NamedTuple):
    """An image as it is kept. `sha256`: of what was uploaded."""

    sha256: str
    media_type: str
    width: int
    height: int
    content: bytes


def encode(content: bytes) -> Encoded:
    """Raises TooLarge for more than 5 MB or 25 megapixels, Invalid for what is no PNG, JPEG, GIF or WebP."""
    if len(content) > MOST_BYTES:
        message = _("The image has {count:,} bytes; {most:,} is the most. Nothing was kept; make it smaller.")
        raise TooLarge(message.format(count=len(content), most=MOST_BYTES))
    from PIL import Image

    broken = (*_BROKEN, *_bombs())  # which makes the warning an error before anything is opened
    try:
        with Image.open(BytesIO(content), formats=FORMATS) as opened:
            _refuse_large(opened)
            return _encoded(opened, hashlib.sha256(content).hexdigest())
    except broken as error:
        detail = _("This is no image that can be shown here: send a PNG, JPEG, GIF or WebP, whole.")
        message = _("{detail} Nothing was kept.").format(detail=detail)
        raise Invalid(message, [FieldError(_FIELD, "no-image", detail)]) from error


@cache
def _bombs() -> tuple[type[Exception], ...]:
    """What Pillow raises of images that would fill the memory; its warning of such ones is an error here."""
    from PIL import Image

    warnings.simplefilter("error", Image.DecompressionBombWarning)
    return Image.DecompressionBombError, Image.DecompressionBombWarning


def _refuse_large(opened: Image.Image) -> None:
    """Before anything is decoded: a small file may say that it is as large as a house."""
    if opened.width * opened.height > MOST_PIXELS:
        message = _(
            "The image has {width} × {height} pixels, more than {most} million. Nothing was kept; scale it down."
        )
        raise TooLarge(message.format(width=opened.width, height=opened.height, most=MOST_PIXELS // 1_000_000))


def _encoded(opened: Image.Image, sha256: str) -> Encoded:
    from PIL import Image, ImageOps

    of_photo = opened.format == "JPEG"
    opened.draft("RGB", (MOST_WIDE, MOST_WIDE))  # a JPEG is decoded no larger than needed
    image = _plain(ImageOps.exif_transpose(opened))
    image.thumbnail((MOST_WIDE, MOST_WIDE), Image.Resampling.LANCZOS)
    media_type, content = _saved(image, "JPEG" if of_photo else "PNG")
    if not of_photo and len(content) > MOST_LOSSLESS:
        media_type, content = _saved(image, "WEBP")
    return Encoded(sha256, media_type, image.width, image.height, content)


def _plain(image: Image.Image) -> Image.Image:
    """The pixels of the first picture, in one of three modes, and no word about them."""
    if image.mode.startswith("I"):  # 16 bits of grey
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    see_through = image.has_transparency_data
    plain = image.convert("RGBA" if see_through else "L" if image.mode in {"1", "L"} else "RGB")
    plain.info = {}
    return plain


def _saved(image: Image.Image, form: str) -> tuple[str, bytes]:
    kept = BytesIO()
    image.save(kept, form, quality=QUALITY)
    return f"image/{form.lower()}", kept.getvalue()
