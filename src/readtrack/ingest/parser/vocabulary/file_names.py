"""Titles in the names of files.

Examples: `Caches for Engines.pdf`, `Babbage_Caches_for_Engines.pdf`, `NeurIPS-2020-caches-for-engines-Paper.pdf`.
"""

import re

from readtrack.ingest.parser.vocabulary.venues import Venue, known_tag_in

_FILE = re.compile(r"(?P<stem>[^/]{5,300})\.pdf", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_MIN_WORDS = 2


def read_file_name(name: str) -> Venue | None:
    """Return the words of a file's name, and the venue and year that proceedings put at either end of it.

    Return None for other texts, and for names such as `osdi20-king.pdf`, which are keys.
    """
    match = _FILE.fullmatch(name)
    if match is None:
        return None
    words = re.split(next((mark for mark in " _" if mark in match["stem"]), "-") + "+", match["stem"].strip())
    if words[-1].casefold() == "paper":
        words.pop()
    if sum(_WORD.fullmatch(word.replace("-", "")) is not None for word in words) < _MIN_WORDS:
        return None
    for tag, rest in ((words[:2], words[2:]), (words[-2:], words[:-2])):
        found = known_tag_in(" ".join(tag))
        if found and found.year and rest:
            return Venue(" ".join(rest), found.venue, found.year)
    return Venue(" ".join(words))
