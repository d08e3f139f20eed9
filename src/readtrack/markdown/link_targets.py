"""The addresses that texts may lead to or show. Pure."""

import re
from typing import NamedTuple

ADDRESS = re.compile(r"(?:https?://[^/\\\s]|mailto:[^/\\\s])", re.IGNORECASE)
FOOTNOTE = re.compile(r"fn(?:ref)?-[0-9a-f]{12}-\d+(?::\d+)?")
OURS = re.compile(  # what mentions and references lead to; no text can say it otherwise
    r"/(?:people|papers)/[0-9]{1,18}|/topics/[\w.~%-]+|/papers/new\?text=[\w.~%-]+", re.ASCII
)
IMAGES = "/images/"
_IMAGE = re.compile(rf"{IMAGES}[0-9a-f]{{32}}-([1-9][0-9]{{0,3}})x([1-9][0-9]{{0,3}})")


class ImageSize(NamedTuple):
    """Of an image, in pixels."""

    width: int
    height: int


def image_address(secret: str, size: ImageSize) -> str:
    """Where an image of ours is. Its size is part of its name, so that a page leaves room before it has come."""
    return f"{IMAGES}{secret}-{size.width}x{size.height}"


def image_size(address: str) -> ImageSize | None:
    """The size of an image of ours by its address; None for any other address."""
    found = _IMAGE.fullmatch(address)
    return ImageSize(int(found[1]), int(found[2])) if found else None


def is_allowed_address(address: str) -> bool:
    """What people may write as an address; what they may not stays text."""
    return ADDRESS.match(address) is not None or image_size(address) is not None


def is_own_link(address: str) -> bool:
    """To a footnote of the same text, to who or what is named, or to an image of ours."""
    if address.startswith("#"):
        return FOOTNOTE.fullmatch(address[1:]) is not None
    return OURS.fullmatch(address) is not None or image_size(address) is not None
