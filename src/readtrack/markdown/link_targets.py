"""URLs allowed in links and images of texts."""

import re
from typing import NamedTuple

ADDRESS = re.compile(r"(?:https?://[^/\\\s]|mailto:[^/\\\s])", re.IGNORECASE)
FOOTNOTE = re.compile(r"fn(?:ref)?-[0-9a-f]{12}-\d+(?::\d+)?")
OURS = re.compile(  # Targets of mentions and references, which users cannot write themselves.
    r"/(?:people|papers)/[0-9]{1,18}|/topics/[\w.~%-]+|/papers/new\?text=[\w.~%-]+", re.ASCII
)
IMAGES = "/images/"
_IMAGE = re.compile(rf"{IMAGES}[0-9a-f]{{32}}-([1-9][0-9]{{0,3}})x([1-9][0-9]{{0,3}})")


class ImageSize(NamedTuple):
    """The size of an image in pixels."""

    width: int
    height: int


def image_address(secret: str, size: ImageSize) -> str:
    """Return the URL of an uploaded image.

    It contains the size, so that pages reserve space before the image loads.
    """
    return f"{IMAGES}{secret}-{size.width}x{size.height}"


def image_size(address: str) -> ImageSize | None:
    """Return the size in the URL of an uploaded image; None for any other URL."""
    match = _IMAGE.fullmatch(address)
    return ImageSize(int(match[1]), int(match[2])) if match else None


def is_allowed_address(address: str) -> bool:
    """Return True if users may link to the URL; other URLs stay plain text."""
    return ADDRESS.match(address) is not None or image_size(address) is not None


def is_own_link(address: str) -> bool:
    """Return True for a footnote of the same text, a mention or reference, or an uploaded image."""
    if address.startswith("#"):
        return FOOTNOTE.fullmatch(address[1:]) is not None
    return OURS.fullmatch(address) is not None or image_size(address) is not None
