"""Dashes for the authors of the reference above, as Chicago and MLA write them: `———. 1993. The Title`."""

import re

from readtrack.ingest.parser.citations.cited_names import names_before_title

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
