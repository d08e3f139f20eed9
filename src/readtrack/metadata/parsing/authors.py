"""Normalization of author names, and recognition of texts that are no names."""

import re
import unicodedata

_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|junior|senior)\.?", re.IGNORECASE)
_DEGREE = re.compile(
    r"(?:ph\.?\s?d|m\.?\s?d|d\.?\s?phil|d\.?\s?sc|m\.?\s?sc|b\.?\s?sc|m\.?\s?s|m\.?\s?a|m\.?\s?b\.?\s?a|esq|"
    r"r\.?\s?n|prof|dr)\.?",
    re.IGNORECASE,
)
_FIRM = re.compile(r"(?:inc|ltd|llc|llp|gmbh|co|corp|plc|ag|s\.?a|b\.?v|pty)\.?(?:\s?ltd\.?)?", re.IGNORECASE)
_GROUP = re.compile(
    r"\b(?:collaborations?|consortium|committee|group|team|university|institute|laborator(?:y|ies)|project|"
    r"working party|foundation|department|association|society)\b",
    re.IGNORECASE,
)
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
_CJK = ("CJK ", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC")


def given_first(name: str) -> str:
    """Convert "Family, Given" to "Given Family".

    Chinese, Japanese and Korean names keep the family name first.
    """
    parts = [part for part in (" ".join(piece.split()) for piece in re.split(r"[,，、]", name)) if part]
    if len(parts) < 2 or _GROUP.search(name) or _FIRM.fullmatch(parts[-1]):
        return ", ".join(parts)
    suffixes = [part for part in parts[1:] if _SUFFIX.fullmatch(part)]
    given = [part for part in parts[1:] if not _SUFFIX.fullmatch(part) and not _DEGREE.fullmatch(part)]
    family = parts[0]
    if given and _east_asian(family) and all(map(_east_asian, given)):
        return " ".join([family, *given])
    return " ".join([*given, family, *suffixes])


def is_nobody(name: str) -> bool:
    """Return True for texts that are no author: "et al.", "admin", a profile URL, the maker of the website."""
    if len(name) > _MAX_NAME_CHARS or not any(map(str.isalpha, name)):
        return True
    return _NOBODY.fullmatch(name) is not None or _MADE_BY.search(name) is not None


def suffix(text: str) -> str:
    """Return the text if it is a suffix such as Jr. or III, else ""; degrees are no suffixes."""
    return text if _SUFFIX.fullmatch(text) else ""


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


def _east_asian(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return bool(letters) and all(unicodedata.name(char, "").startswith(_CJK) for char in letters)
