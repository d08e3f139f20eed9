"""Links in texts, as readtrack has them and as a folder has them: `[[ckpt]]` is `[[Checkpointing|ckpt]]` there. Pure.

A folder's link names a file; what was between the brackets is shown, so that it comes back as it was.
"""

import re
from collections.abc import Callable
from functools import partial

from readtrack import names
from readtrack.references.naming import BRACKETS, parts

Places = Callable[[str], str]  # what stands between brackets -> the name of its note; blank when there is none
Titles = Callable[[str], str]  # the name of a note -> what readtrack calls it; blank for another note


def outward(text: str, places: Places) -> str:
    """The text as the folder has it."""
    return BRACKETS.sub(partial(_out, places), text)


def inward(text: str, titles: Titles, places: Places) -> str:
    """The text as readtrack has it."""
    return BRACKETS.sub(partial(_in, titles, places), text)


def _out(places: Places, found: re.Match[str]) -> str:
    name, shown = parts(found[1])
    file = places(name)
    if not file or (file == name and name == shown):
        return found[0]
    return f"[[{file}|{shown}]]"


def _in(titles: Titles, places: Places, found: re.Match[str]) -> str:
    file, shown = parts(found[1])
    title = titles(file)
    if not title or (file == shown and names.key(title) == names.key(file)):
        return found[0]
    if file == shown:
        return f"[[{title}]]"
    return f"[[{shown}]]" if places(shown) == file else f"[[{title}|{shown}]]"
