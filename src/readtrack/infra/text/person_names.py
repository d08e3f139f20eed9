"""Names of authors: the parts that a source tells, and a careful guess at those of a name written as one.

A name is a string as it is shown everywhere. A `PersonName` also knows its parts, which exports and citations need.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from readtrack.infra.text.normalize import clean

_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|junior|senior)\.?", re.IGNORECASE)
_LAST_SUFFIX = re.compile(r"(?:Jr|Sr|JR|SR)\.?|II|III|IV|Junior|Senior")
_DEGREE = re.compile(
    r"(?:ph\.?\s?d|m\.?\s?d|d\.?\s?phil|d\.?\s?sc|m\.?\s?sc|b\.?\s?sc|m\.?\s?s|m\.?\s?a|m\.?\s?b\.?\s?a|esq|"
    r"r\.?\s?n|prof|dr)\.?",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[A-Z]\.\s?){2,4}")
_FIRM = re.compile(r"(?:inc|ltd|llc|llp|gmbh|co|corp|plc|ag|s\.?a|b\.?v|pty)\.?(?:\s?ltd\.?)?", re.IGNORECASE)
_GROUP = re.compile(
    r"\b(?:collaborations?|consortium|committee|group|team|university|institute|laborator(?:y|ies)|labs?|project|"
    r"working party|foundation|department|association|society|research|company|corporation)\b",
    re.IGNORECASE,
)
_ORGANIZATION_LAST = re.compile(
    r".*\b(?:organi[sz]ation|commission|institution|agency|ministry|bureau|council|alliance|federation|cent(?:er|re)|"
    r"academy|authority|administration|network|initiative|task force|contributors|developers|authors|"
    r"inc|ltd|llc|llp|gmbh|corp|plc)\.?",
    re.IGNORECASE,
)
_COMMA = re.compile("[,，、]")
_CJK = ("CJK ", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC")
_SPLIT_SCRIPTS = ("LATIN ", "CYRILLIC ", "GREEK ", "MODIFIER ", "COMBINING ")  # given name first, family name last
# Also written with a capital, where they begin the family name: Mike Del Balso, Robbert Van Renesse.
_PARTICLES = frozenset(
    (
        "von", "vom", "van", "de", "del", "della", "delle", "dello", "dei", "degli", "der", "den", "di", "da", "dal",
        "do", "dos", "das", "du", "la", "le", "lo", "el", "al", "ter", "ten", "te", "zu", "zum", "zur", "af", "av",
        "bin", "ibn", "ben", "st.", "saint",
    )
)  # fmt: skip
_NO_NAME_WORDS = frozenset(("and", "&", "the", "of", "for", "with", "in", "at", "others"))
_VIETNAMESE = frozenset(
    (
        "nguyen", "tran", "le", "pham", "huynh", "hoang", "phan", "vu", "vo", "dang", "bui", "do", "ho", "ngo", "duong",
        "ly", "dinh", "trinh",
    )
)  # fmt: skip


@dataclass(frozen=True)
class NameParts:
    """The parts of a name. A name that is not divided, such as that of an organization, is a family name alone."""

    family: str
    given: str = ""
    particle: str = ""  # "van der", before the family name
    suffix: str = ""  # "Jr.", "III"


class PersonName(str):
    """A name as it is shown that knows its parts."""

    parts: NameParts
    __slots__ = ("parts",)

    def __new__(cls, text: str, parts: NameParts) -> Self:
        name = super().__new__(cls, text)
        name.parts = parts
        return name

    def __getnewargs__(self) -> tuple[str, NameParts]:  # type: ignore[override]
        """Return the arguments of a copy."""
        return str(self), self.parts


def join_parts(parts: NameParts) -> PersonName:
    """Return a name shown with the given name first; a particle in front of the family name becomes its own part."""
    if not parts.particle and parts.given:
        particle, family = _split_particle(parts.family.split())
        parts = NameParts(family, parts.given, particle, parts.suffix)
    shown = (parts.given, parts.particle, parts.family, parts.suffix)
    return PersonName(" ".join(part for part in shown if part), parts)


def given_first(name: str) -> str:
    """Convert "Family, Given" and "Family, Jr, Given" to "Given Family Jr", keeping the parts.

    Chinese, Japanese and Korean names keep the family name first.
    """
    pieces = [piece for piece in (" ".join(piece.split()) for piece in _COMMA.split(name)) if piece]
    if len(pieces) < 2 or _GROUP.search(name) or _FIRM.fullmatch(pieces[-1]):
        return ", ".join(pieces)
    family, suffix = pieces[0], " ".join(piece for piece in pieces[1:] if _SUFFIX.fullmatch(piece))
    given_parts = [piece for piece in pieces[1:] if not _SUFFIX.fullmatch(piece)]
    given = " ".join(piece for piece in given_parts if not _DEGREE.fullmatch(piece)) or _initials(family, given_parts)
    if not given:
        return f"{family} {suffix}".strip()
    if is_east_asian(family) and is_east_asian(given):
        return PersonName(f"{family} {given}", NameParts(family, given))
    return join_parts(NameParts(family, given, suffix=suffix))


def _initials(family: str, given_parts: Sequence[str]) -> str:
    """Return what looks like a degree, but is all that is known of the given name: `Silva, M. A.`, `Li, M.D.`"""
    text = given_parts[0] if len(given_parts) == 1 else ""
    _, surname = _split_particle(family.split())
    return text if _INITIALS.fullmatch(text) and (" " in text or " " not in surname) else ""


def write_name(name: str) -> str:
    """Return a name for a list, from which `read_name` knows its parts: as it is shown if these are guessed right.

    Otherwise it is "Family, Given", or in braces if it is not divided: `{World Health Organization}`.
    """
    name = name if isinstance(name, PersonName) else given_first(name)  # `Lamport, L.` from an older version
    forms = (str(name), write_inverted(name))
    return next((text for text in forms if _is_same_name(read_name(text), name)), f"{{{name}}}")


def read_name(text: str) -> str:
    """Return the name that `write_name` wrote."""
    if text.startswith("{") and text.endswith("}"):
        return undivided(text[1:-1].strip())
    return read_inverted(text) if "," in text else text


def read_inverted(text: str) -> str:
    """Return the name of "Family, Given". In "山田,太郎", no space stands between the two when they are shown."""
    name = given_first(text)
    is_close = isinstance(name, PersonName) and is_spaced(name) and ", " not in text
    return PersonName(name.replace(" ", ""), name_parts(name)) if is_close else name


def write_inverted(name: str) -> str:
    """Return "Family, Given, Suffix", or an undivided name, for `read_inverted`."""
    parts = name_parts(name)
    comma = "," if name == parts.family + parts.given else ", "
    return comma.join(filter(None, (f"{parts.particle} {parts.family}".strip(), parts.given, parts.suffix)))


def is_spaced(name: str) -> bool:
    """Return True for a Chinese, Japanese or Korean name that is shown with a space: 山本 五十六."""
    parts = name_parts(name)
    return is_east_asian(parts.family) and is_east_asian(parts.given) and name == f"{parts.family} {parts.given}"


def _is_same_name(one: str, other: str) -> bool:
    return one == other and name_parts(one) == name_parts(other)


def undivided(text: str) -> str:
    """Return a name that its source does not divide, such as that of an organization."""
    return PersonName(text, NameParts(text)) if text else ""


def suffix(text: str) -> str:
    """Return the text if it is a suffix such as Jr. or III, else ""; degrees are no suffixes."""
    return text if _SUFFIX.fullmatch(text) else ""


def name_parts(name: str) -> NameParts:
    """Return the parts of a name: those that its source told, else a guess.

    Names of organizations, single words, and names in scripts whose order is not known stay undivided.
    """
    if isinstance(name, PersonName):
        return name.parts
    text = " ".join(name.split())
    if _COMMA.search(text):
        told = given_first(text)
        return told.parts if isinstance(told, PersonName) else NameParts(text)
    words = text.split()
    if (
        len(words) < 2
        or _GROUP.search(text)
        or _ORGANIZATION_LAST.fullmatch(text)
        or not _NO_NAME_WORDS.isdisjoint(words)
    ):
        return NameParts(text)
    if is_east_asian(text):
        return NameParts(words[0], " ".join(words[1:]))
    if not all(unicodedata.name(letter, "").startswith(_SPLIT_SCRIPTS) for letter in text if letter.isalpha()):
        return NameParts(text)
    return _guess_parts(words)


def encode_names(names: Iterable[str]) -> list[str | dict[str, str]]:
    """Return names as JSON: a string, or an object with the parts where these are known."""
    return [_encode_name(name) for name in names]


def decode_names(stored: Sequence[str | Mapping[str, str]]) -> list[str]:
    """Return the names of `encode_names`."""
    return [name if isinstance(name, str) else _decode_name(name) for name in stored]


def clean_names(names: Iterable[str]) -> list[str]:
    """Return names as both databases accept them, with their parts."""
    return decode_names(encode_names(names))


def is_same_value(old: Any, new: Any) -> bool:  # noqa: ANN401 - the value of any field
    """Compare two values of a field; of names also the parts, which `==` does not see."""
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return encode_names(old) == encode_names(new)
    return bool(old == new)


def is_east_asian(text: str) -> bool:
    """Return True if all letters are Chinese, Japanese or Korean."""
    letters = [letter for letter in text if letter.isalpha()]
    return bool(letters) and all(unicodedata.name(letter, "").startswith(_CJK) for letter in letters)


def _encode_name(name: str) -> str | dict[str, str]:
    if not isinstance(name, PersonName):
        return clean(name)
    parts = {field: clean(part) for field, part in asdict(name.parts).items() if part}
    return {"name": clean(name), **parts}


def _decode_name(stored: Mapping[str, str]) -> PersonName:
    parts = {field: text for field, text in stored.items() if field != "name"}
    return PersonName(stored["name"], NameParts(**parts))


def _guess_parts(words: list[str]) -> NameParts:
    """Guess the parts of a name with the given name first: the last word and the particles before it."""
    end = len(words) - 1 if len(words) > 2 and _LAST_SUFFIX.fullmatch(words[-1]) else len(words)
    *earlier_words, last_word = words[:end]
    start = next((number for number, word in enumerate(earlier_words[1:], 1) if _is_particle(word, words)), end - 1)
    particle, family = _split_particle([*earlier_words[start:], last_word])
    return NameParts(family, " ".join(words[:start]), particle, " ".join(words[end:]))


def _is_particle(word: str, words: Sequence[str]) -> bool:
    """Return True for "van", and for "Van" except as the middle name of a Vietnamese."""
    if word.islower() or word.lower() not in _PARTICLES:
        return word.islower() and len(word) > 1
    return not _VIETNAMESE.intersection(other.lower() for other in words if other != word)


def _split_particle(words: Sequence[str]) -> tuple[str, str]:
    """Split the words of a family name into particles in lower case and the rest."""
    count = next((number for number, word in enumerate(words[:-1]) if not word.islower()), max(len(words) - 1, 0))
    return " ".join(words[:count]), " ".join(words[count:])
