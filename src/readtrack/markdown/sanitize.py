"""The HTML sanitizer, the last step of rendering: only what is listed here reaches a page.

The URLs allowed in links and images of texts are listed here too.
"""

import re
from html import escape
from typing import NamedTuple

import nh3

from readtrack.markdown.code_highlight import COLOURS
from readtrack.markdown.math import CELLS

ADDRESS = re.compile(r"(?:https?://[^/\\\s]|mailto:[^/\\\s])", re.IGNORECASE)
FOOTNOTE = re.compile(r"fn(?:ref)?-[0-9a-f]{12}-\d+(?::\d+)?")
OURS = re.compile(  # Targets of mentions and references, which users cannot write themselves.
    r"/(?:people|papers)/[0-9]{1,18}|/topics/[\w.~%-]+|/papers/new\?text=[\w.~%-]+", re.ASCII
)
IMAGES = "/images/"
_IMAGE = re.compile(rf"{IMAGES}[0-9a-f]{{32}}-([1-9][0-9]{{0,3}})x([1-9][0-9]{{0,3}})")
_ALIGNED = {"align-left", "align-center", "align-right"}
_CLASSES = {
    "a": {"mention", "reference", "missing", "outward"},
    "div": {"math"},
    "span": {"math", *COLOURS},
    "code": {"math-error"},
    "section": {"footnotes"},
    "sup": {"footnote-ref"},
    "li": {"footnote-item", "task"},
    "td": _ALIGNED,
    "th": _ALIGNED,
    "mtd": {*CELLS.values()},
}
MAX_ROUNDS = 8  # Normally two: one that cleans and one that changes nothing.


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


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MATHML = _names(
    "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace "
    "msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover"
)
_HTML = _names(
    "a blockquote br code del div em h3 h4 h5 h6 hr img li ol p pre s section span strong sub sup "
    "table tbody td th thead tr ul"
)
_MATH_ATTRIBUTES = _names(
    "accent accentunder columnspan depth display displaystyle fence form height largeop linethickness lspace "
    "mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric "
    "voffset width"
)
_ATTRIBUTES: dict[str, set[str]] = {
    **{tag: set(_MATH_ATTRIBUTES) for tag in _MATHML},
    "math": {*_MATH_ATTRIBUTES, "tabindex"},
    "*": set(),
    "a": {"href", "id", "title"},
    "code": {"title"},
    "img": {"src", "alt", "width", "height", "loading"},
    "li": {"id"},
    "ol": {"start"},
}


def sanitize_html(html: str) -> str:
    """Remove everything not listed above, repeatedly until nothing changes.

    A result that would still change could be parsed differently by a browser (mutation XSS).
    """
    for _ in range(MAX_ROUNDS):
        before, html = html, _CLEANER.clean(html)
        if html == before:
            return html
    return _CLEANER.clean(escape(html))


def _keep_attribute(tag: str, name: str, value: str) -> str | None:
    if name == "id":
        return value if FOOTNOTE.fullmatch(value) else None
    if name == "tabindex":
        return value if value == "0" else None
    if name == "href":
        return value if ADDRESS.match(value) or is_own_link(value) else None
    return _of_image(name, value) if tag == "img" else value


def _of_image(name: str, value: str) -> str | None:
    if name == "src":
        return value if image_size(value) else None
    if name == "loading":
        return value if value == "lazy" else None
    return value if name == "alt" or value.isdecimal() else None


_CLEANER = nh3.Cleaner(
    tags=_HTML | _MATHML,
    attributes=_ATTRIBUTES,
    attribute_filter=_keep_attribute,
    allowed_classes=_CLASSES,
    # Focusable, so that wide tables can be scrolled with the keyboard.
    set_tag_attribute_values={"table": {"tabindex": "0"}},
    url_schemes={"http", "https", "mailto"},
    url_relative=lambda address: address if is_own_link(address) else None,
    link_rel="noopener noreferrer nofollow ugc",
)
