"""Names in bold or italics that are no titles: people's in lists of publications, and those of species in titles.

Examples: `J. Silva, **A. Abe**, C. Costa`, `Connectomes of both *C. elegans* sexes`.
"""

import re

_INITIALS = r"(?:[A-Z]\.[\s-]?){1,4}"
_WORD = r"[^\W\d_a-z][\w'’-]{1,30}"
_NAME = (
    rf"(?:{_INITIALS}{_WORD}(?:\s{_WORD})?|{_WORD}(?:\s{_WORD})?[.,]\s{_INITIALS}|"
    rf"(?<=,\s\*\*){_WORD}(?:\s[A-Z]\.)?\s{_WORD}(?=\*\*(?:,|\sand\b|\s&)))"
)
_EMPHASIZED = re.compile(  # in italics only beside other names: `*J. Cryptology* (2019)` is a journal
    rf"(?<![\w*\\])(?P<mark>\*\*|__|\*|_)(?P<name>{_NAME})\s?(?P<end>,?)(?P=mark)\*?"
    r"(?:(?<=\*\*)(?=[\s,;.:&(\\]|$)|(?<=__)(?=[\s,;.:&(\\]|$)|(?=,\s|\s(?:and|&)\s))"
)
_NOTE_MARK = re.compile(  # `Silva, A.\*, **Abe, B.**<sup>1</sup>`
    r"(?:(?<=[A-Z]\.)|(?<=[A-Z]\.\*\*))(?:<sup>[^\n]{1,60}?</sup>|\\\*|[*†‡§¶](?!\*)){1,3}(?=[,;\s]|$)|(?<=[a-z][a-z])(?:\\\*){1,3}(?=[,;\s]|$)"
)
_INVERTED_FIRST = re.compile(  # `**Hume, David.** *A Treatise*`, `**Putnam, Hilary.** ["The Nature"](address)`
    rf"^(?P<mark>(?:[-*+•]\s+|\d{{1,3}}[.)]\s+)?)\*\*(?P<name>{_WORD}, {_WORD}(?:\s(?:[A-Z]\.|{_WORD})){{0,2}})"
    r"(?P<stop>[.,]?)\*\*[.,]?\s(?=(?:\[|[\"“*_]).{8,400}\b(?:1[5-9]|20)\d\d\b)"
)
_SPECIES = re.compile(
    r"(?<![\w*\\])(?P<mark>[*_])(?P<name>[A-Z]\.\s?[a-z]{3,30}|[A-Z][a-z]{3,30}\s[a-z]{4,30}"
    r"(?:(?<=[a-z])(?=[*_]\s[a-z][^*_]{5,200}\.\s[*_][A-Z])))(?P=mark)(?![\w*])"  # before the journal in italics
)
_MIN_CHARS = 60  # a name alone on its line is a heading


def without_emphasis_on_names(text: str) -> str:
    """Return a line, such as a reference, with the names of people and species in it not in bold or italics."""
    if len(text) < _MIN_CHARS or not ("*" in text or "_" in text or "<sup>" in text):
        return text
    text = _INVERTED_FIRST.sub(r"\g<mark>\g<name>\g<stop> ", _SPECIES.sub(r"\g<name>", text))
    return _EMPHASIZED.sub(_plain, _NOTE_MARK.sub("", text))


def _plain(match: re.Match[str]) -> str:
    name = re.sub(r"(?<=[a-z])\.\s", ", ", match["name"])  # `Abe. A.`
    return f"{name.rstrip()}{match['end']}"
