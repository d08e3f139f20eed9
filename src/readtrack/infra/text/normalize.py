"""Normalization of names for comparison, the same for people and topics, and removal of unusable characters."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_NO_SLUG = re.compile(r"[^\w]+")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# Removed: control characters, zero-width and bidi marks, BOM, object replacement and tag characters. Unusual spaces
# become one space.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffc\U000e0000-\U000e007f]",
)
_UNUSUAL_SPACES = re.compile("[\\s\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def key(name: str) -> str:
    """Return the NFKC-normalized, casefolded name with single spaces.

    Names with equal keys are the same name.
    """
    return folded(name).strip()


def folded(part: str) -> str:
    """Normalize a part of a name but keep surrounding spaces, so that joined parts form the key of the whole."""
    # Normalize again because casefolding may decompose characters.
    normalized = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", part).casefold())
    return _SPACES.sub(" ", normalized)


def slug(name: str) -> str:
    """Return the name as a URL slug: lower case, letters of any language, separated by hyphens."""
    return _NO_SLUG.sub("-", key(name)).strip("-_") or "topic"


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which databases cannot store, by the replacement character."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub("\ufffd", text)


def clean_line(text: str) -> str:
    """Remove control characters and bidi overrides, replace lone surrogates, and collapse spaces."""
    text = text.strip()
    if text.isprintable() and "\ufffc" not in text and "  " not in text:  # Fast path for most lines.
        return text
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    return _UNUSUAL_SPACES.sub(" ", _UNSEEN.sub("", text)).strip()
