"""Removal of characters that cannot be displayed or stored."""

import re

# Removed: control characters, zero-width and bidi marks, BOM, object replacement and tag characters. Unusual spaces
# become one space.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffc\U000e0000-\U000e007f]",
)


_SPACES = re.compile("[\\s\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Remove control characters and bidi overrides, replace lone surrogates, and collapse spaces."""
    if text.isprintable() and "\ufffc" not in text and "  " not in text:  # Fast path for most lines.
        return text.strip()
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    return _SPACES.sub(" ", _UNSEEN.sub("", text)).strip()
