"""How names are compared: one rule for people and topics."""

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_NO_SLUG = re.compile(r"[^\w]+")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def key(name: str) -> str:
    """NFKC, casefolded, spaces single: two names with the same key are the same name."""
    return folded(name).strip()


def folded(part: str) -> str:
    """A part of a name as it is compared, with the blanks around it: the parts of a name give its key, joined."""
    same = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", part).casefold())  # folding may take apart
    return _SPACES.sub(" ", same)


def slug(name: str) -> str:
    """The name as part of an address: lower case, letters of any language, hyphens between."""
    return _NO_SLUG.sub("-", key(name)).strip("-_") or "topic"


def clean(text: str) -> str:
    """Text that both databases can store: NUL and lone surrogates become the replacement character."""
    return _UNSTORABLE.sub("\ufffd", text)
