"""Normalization of names for comparison, the same for people and topics."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_NO_SLUG = re.compile(r"[^\w]+")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


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
    return _UNSTORABLE.sub("\ufffd", text)
