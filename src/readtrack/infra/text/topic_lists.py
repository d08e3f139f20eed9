"""The names in a field that lists topics.

A comma is part of a name: in a heading, in a label, in the name of a topic. Only a field that lists several names
(tags, keywords, a column of topics) is split, by the separators of its format, and there quotes or double brackets keep
a name whole: `"Storage, caching", [[Serving, online]]`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_SEPARATORS = ",，、;；|\n"
_WHOLE = (
    r'"(?:[^"\n]|""){1,200}"|\[\[[^\[\]\n]{1,200}\]\]|`[^`\n]{1,200}`|'
    r"(?<![^\s,，;；])'[^'\n]{1,200}'(?!\w)"
)
_IN_BRACKETS = r"\([^()\n]{1,200}\)|（[^（）\n]{1,200}）"  # part of a name: `Serving (batching, paging)`
_MARKS = " \t\n'`"
# What would divide a name in a list, be taken from it, or join it with the next: `C#` and `O'Reilly` are safe.
_NEEDS_QUOTES = re.compile(rf"""[{re.escape(_SEPARATORS)}"`()（）\[\]]|(?<!\w)['#]|'(?!\w)""")


@dataclass(frozen=True)
class ListedName:
    """A name in a list. `is_quoted`: its marks are part of it, such as the slash in "CI/CD"."""

    text: str
    is_quoted: bool


def split_topic_names(text: str, separators: str = _SEPARATORS) -> list[str]:
    """Return the names in a field that lists topics, without quotes, brackets and the `#` of tags."""
    return [name.text for name in iter_topic_names(text, separators)]


def join_topic_names(names: Iterable[str]) -> str:
    """Return a list that `split_topic_names` reads back. A name with separators is quoted, quotes in it are doubled."""
    return ", ".join(map(_quote_if_needed, names))


def _quote_if_needed(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""')) if _NEEDS_QUOTES.search(name) else name


def iter_topic_names(text: str, separators: str = _SEPARATORS) -> Iterator[ListedName]:
    """Yield the names in a field that lists topics. A tag that follows a space, `#one #two`, is another name."""
    pieces: list[str] = []
    is_quoted = False
    for match in _pattern(separators).finditer(text):
        if match["end"] is None:
            pieces.append(_unwrap(match["whole"]) if match["whole"] else match[0])
            is_quoted = is_quoted or bool(match["whole"])
            continue
        yield from _name(pieces, is_quoted=is_quoted)
        pieces, is_quoted = [], False
    yield from _name(pieces, is_quoted=is_quoted)


@lru_cache(maxsize=8)
def _pattern(separators: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<whole>{_WHOLE})|{_IN_BRACKETS}|(?P<end>[{re.escape(separators)}]|\s(?=#))|.", re.DOTALL)


def _name(pieces: list[str], *, is_quoted: bool) -> Iterator[ListedName]:
    words = [piece for piece in pieces if piece.strip()]
    if is_quoted and len(words) == 1:
        yield ListedName(words[0].strip(), is_quoted)
    elif text := "".join(pieces).strip(_MARKS).lstrip("#").strip():
        yield ListedName(text, is_quoted)


def _unwrap(text: str) -> str:
    if text.startswith("[["):
        return text[2:-2].rpartition("|")[2]
    return text[1:-1].replace('""', '"')
