"""Recognition of texts that are no names, and normalization of capitals and numbers in names."""

import re

_NOBODY = re.compile(
    r"\W*(?:(?:and\s)?(?:et\W{0,2}al|others)|(?:anonymous|unknown|guest)(?: authors?)?|admin(?:istrator)?|webmaster|"
    r"editors?|editorial(?: staff| team)?|staff|no authors? listed|not (?:available|provided)|n/a|null|none|undefined|"
    r"https?://.*|www\..*|@\w+)?\W*",
    re.IGNORECASE | re.DOTALL,
)
_MADE_BY = re.compile(
    r"\b(?:website|design(?:ed)?|develop(?:ed|ment)|powered|created|hosted|built) by\b", re.IGNORECASE
)
_MAX_NAME_CHARS = 300
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"(?<!\s)\s+\d{4}$")


def is_nobody(name: str) -> bool:
    """Return True for texts that are no author: "et al.", "admin", a profile URL, the maker of the website."""
    if len(name) > _MAX_NAME_CHARS or not any(map(str.isalpha, name)):
        return True
    return _NOBODY.fullmatch(name) is not None or _MADE_BY.search(name) is not None


def not_shouted(given: str, family: str) -> tuple[str, str]:
    """Convert names in capitals to title case.

    Short names may be initials, and a family name alone may be an acronym; both are kept.
    """
    words = _WORD.findall(f"{given} {family}")
    if not given or not f"{given}{family}".isupper() or all(len(word) < 4 for word in words):
        return given, family
    return _WORD.sub(_capitalised, given), _WORD.sub(_capitalised, family)


def _capitalised(word: re.Match[str]) -> str:
    return word[0] if len(word[0]) < 3 else word[0].capitalize()


def without_number(name: str) -> str:
    """Remove DBLP's number for namesakes: "Wei Liu 0008"."""
    return _NUMBER.sub("", name.strip())
