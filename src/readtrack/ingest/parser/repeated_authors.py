"""Dashes for the authors of the reference above, as Chicago and MLA write them: `———. 1993. The Title`."""

import re

_DASHES = re.compile(
    r"(?P<mark>(?:[-*+•]\s+|\d{1,3}[.)]\s+|\[\d{1,3}\]\s+)?)(?:—{2,4}|–{3,6}|-{3,6}|_{3,6}|(?:\\_){3,6})[.,]{1,2}\s?(?=[\w(\"“*])"
)
_AUTHORS = re.compile(
    r"(?:[-*+•]\s+|\d{1,3}[.)]\s+|\[\d{1,3}\]\s+)?(?P<names>[^\W\d_a-z][^\d\"“”*_()]{2,300}?)[.,]?\s(?=\(?(?:1[5-9]|20)\d\d|[\"“*_])"
)
_MAX_LINES_APART = 6


def repeat_authors(texts: list[str]) -> None:
    """Replace the dashes by the names that the last reference above begins with."""
    names, last = "", -_MAX_LINES_APART
    for index, text in enumerate(texts):
        if not text:
            continue
        dashes = _DASHES.match(text)
        if dashes and names and index - last <= _MAX_LINES_APART:
            texts[index] = f"{dashes['mark']}{names}. {text[dashes.end() :]}"
            last = index
        elif authors := _AUTHORS.match(text):
            names, last = authors["names"].rstrip(" .,"), index
