"""Validation of names, addresses and labels, and detection of names that look alike."""

import re
import string
import unicodedata
from functools import cache

from readtrack.infra.i18n import gettext as _

FORMER = "Former member"  # reserved for erased members
MAX_NAME_CHARS = 80
MAX_EMAIL_CHARS = 254
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # control, direction, zero width, surrogate, unassigned, line end
_BLANKS = re.compile(  # letters and marks that are invisible: fillers, joiners, variation selectors
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffc"
    "\U00016fe4\U0001d159\U000e0000-\U000e0fff]"
)
_ALIKE = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")  # alphabets with look-alike letters
MAX_MARKS = 4  # per letter: enough for Hebrew, Thai and Vietnamese, but no stacks
_ATOMS = r"[^@\s.()<>\[\]:;,\\\"]+(?:\.[^@\s.()<>\[\]:;,\\\"]+)*"  # other forms of RFC 5322 are unused, and risky
_EMAIL = re.compile(f"{_ATOMS}@{_ATOMS}")


def normalize_person_name(text: str) -> str:
    """Return the name in NFKC with single spaces.

    Raise ValueError with a sentence if it is invalid.
    """
    _refuse_hidden(text)
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    _refuse_hidden(name)
    if not 1 <= len(name) <= MAX_NAME_CHARS or not any(character.isalnum() for character in name):
        message = _("Use 1 to {max_chars} characters, including a letter or digit.").format(max_chars=MAX_NAME_CHARS)
        raise ValueError(message)
    if any(len(_alphabets(word)) > 1 for word in name.split()):
        message = _("Don't mix alphabets within a word.")
        raise ValueError(message)
    if "@" in name:
        message = _("A name can't contain @.")
        raise ValueError(message)
    if name.casefold().startswith(FORMER.casefold()):
        message = _("A name can't start with “{former}”.").format(former=FORMER)
        raise ValueError(message)
    if _most_marks(name) > MAX_MARKS:
        message = _("Use at most {max_marks} accents per letter.").format(max_marks=MAX_MARKS)
        raise ValueError(message)
    return name


def skeleton(name: str) -> str:
    """Return the same text for names that look the same, in any alphabet."""
    look_alikes = _find_look_alikes()
    skeleton_text = "".join(
        look_alikes.get(character) or character.casefold() for character in unicodedata.normalize("NFKC", name)
    )
    return " ".join(skeleton_text.replace(look_alikes["r"] + look_alikes["n"], look_alikes["m"]).split())


@cache
def _find_look_alikes() -> dict[str, str]:
    """Return a representative for each letter or sign that looks like others.

    Latin letters are treated alike in upper and lower case.
    """
    from confusable_homoglyphs import confusables

    look_alikes = {character: character for character in "mnr"}
    for letter, homoglyphs in confusables.confusables_data.items():
        for homoglyph in (letter, *(homoglyph["c"] for homoglyph in homoglyphs)):
            if len(letter) == len(homoglyph) == 1:
                _join(look_alikes, letter, homoglyph)
    for letter in string.ascii_uppercase.replace("I", ""):  # "I" looks like "l" and "1", but "i" does not
        _join(look_alikes, letter, letter.casefold())
    return {letter: _first(look_alikes, letter) for letter in look_alikes}


def _first(parents: dict[str, str], character: str) -> str:
    while parents.setdefault(character, character) != character:
        character = parents[character]
    return character


def _join(parents: dict[str, str], left: str, right: str) -> None:
    low_root, high_root = sorted((_first(parents, left), _first(parents, right)))
    parents[high_root] = low_root


def normalize_email(text: str) -> str:
    """Return the address if it is valid. Raise ValueError with a sentence if it is not."""
    _refuse_hidden(text)
    if not _EMAIL.fullmatch(text) or len(text) > MAX_EMAIL_CHARS:
        message = _("Enter an email address like ken@example.org.")
        raise ValueError(message)
    return text


def normalize_label(text: str) -> str:
    """Return a one-line label such as the name of a token.

    Raise ValueError with a sentence if it is invalid.
    """
    _refuse_hidden(text)
    return text


def _refuse_hidden(text: str) -> None:
    if _BLANKS.search(text) or any(unicodedata.category(character) in _HIDDEN for character in text):
        message = _("This contains invisible characters. Type it again.")
        raise ValueError(message)


def _most_marks(name: str) -> int:
    pattern = "".join("m" if unicodedata.category(character).startswith("M") else " " for character in name)
    return max((len(run) for run in pattern.split()), default=0)


def _alphabets(word: str) -> set[str]:
    alphabets = {unicodedata.name(character, "").split(" ")[0] for character in word if character.isalpha()}
    return alphabets.intersection(_ALIKE)
