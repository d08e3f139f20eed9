"""Names in references: people's in bold or italics, which are no titles, and dashes for the authors of the one above.

Examples: `J. Silva, **A. Abe**, C. Costa`, `Connectomes of both *C. elegans* sexes`, `———. 1993. The Title`, as Chicago
and MLA write it.
"""

import re

from readtrack.ingest.parser.citations.cited_names import names_before_title

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
_MARK = r"(?P<mark>(?:[-*+•]\s+|\d{1,3}[.)]\s+|\[\d{1,3}\]\s+)?)"
_DASH = r"(?:—{2,4}|–{3,6}|-{3,6}|_{3,6}|(?:\\_){3,6})"
_DASHES = re.compile(
    rf"{_MARK}{_DASH}(?:(?P<more>,(?=\s(?:and|with)\s(?!{_DASH})))|[.,]{{1,2}}\s?(?=[\w(*]|[\"“][^\[]))"
)
_AUTHORS = re.compile(
    rf"{_MARK}(?P<names>[^\W\d_a-z][^\d\"“”*_()\[\]]{{2,300}}?)[.,]?\s(?=\(?(?:1[5-9]|20)\d\d|[\"“*_])"
)
_MARKED = re.compile(rf"{_MARK}(?<=\s)")
_SENTENCE = re.compile(r"\w{3}\.\s\w{3}")
_MAX_LINES_APART = 6


def without_emphasis_on_names(text: str) -> str:
    """Return a line, such as a reference, with the names of people and species in it not in bold or italics."""
    if len(text) < _MIN_CHARS or not ("*" in text or "_" in text or "<sup>" in text):
        return text
    text = _INVERTED_FIRST.sub(r"\g<mark>\g<name>\g<stop> ", _SPECIES.sub(r"\g<name>", text))
    return _EMPHASIZED.sub(_plain, _NOTE_MARK.sub("", text))


def _plain(match: re.Match[str]) -> str:
    name = re.sub(r"(?<=[a-z])\.\s", ", ", match["name"])  # `Abe. A.`
    return f"{name.rstrip()}{match['end']}"


def repeat_authors(texts: list[str]) -> None:
    """Replace the dashes by the names that the last reference above begins with.

    What begins without names that can be read, such as an item with a link, stands between: its authors are unknown.
    """
    names, last = "", -_MAX_LINES_APART
    for index, text in enumerate(texts):
        if not text:
            continue
        dashes = _DASHES.match(text)
        if dashes and names and index - last <= _MAX_LINES_APART:
            texts[index] = f"{dashes['mark']}{names}{dashes['more'] or '. '}{text[dashes.end() :]}"
            last = index
            continue
        authors = _AUTHORS.match(text)
        if authors and names_before_title(authors["names"]) and not _SENTENCE.search(authors["names"]):
            names, last = authors["names"].rstrip(" .,"), index
        elif not index or not texts[index - 1] or _MARKED.match(text):
            names = ""
