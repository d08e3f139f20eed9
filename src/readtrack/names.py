"""How names are compared: one rule for people, topics and titles."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_NO_SLUG = re.compile(r"[^\w]+")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SUBTITLE = re.compile(r"[:：–—]|\s[-‐‑]+\s")
_TELLING = 12  # letters that a beginning must have to be telling


def key(name: str) -> str:
    """NFKC, casefolded, spaces single: two names with the same key are the same name."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())  # folding may take apart
    return _SPACES.sub(" ", folded).strip()


def slug(name: str) -> str:
    """The name as part of an address: lower case, letters of any language, hyphens between."""
    return _NO_SLUG.sub("-", key(name)).strip("-_") or "topic"


def same_title(one: str, other: str) -> bool:
    """Whether two titles name the same work: the same letters and digits, or one is the other up to a colon or dash."""
    a, b = _letters(one), _letters(other)
    return bool(a and b) and (a == b or a in _beginnings(other) or b in _beginnings(one))


def _beginnings(title: str) -> set[str]:
    """The letters before each colon or dash, where they are telling."""
    cut = (_letters(title[: place.start()]) for place in _SUBTITLE.finditer(title))
    return {letters for letters in cut if len(letters) >= _TELLING}


def _letters(title: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", title).casefold() if c.isalnum())


def clean(text: str) -> str:
    """Text that both databases can store: NUL and lone surrogates become the replacement character."""
    return _UNSTORABLE.sub("\ufffd", text)
