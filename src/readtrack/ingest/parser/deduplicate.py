"""Detection of the same paper within a note: one paper, several mentions.

Linear: lookup by identifier and title.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from readtrack.infra.text.titles.cjk import CJK
from readtrack.ingest.parser.entry import ParsedEntry

_NO_LETTERS = re.compile(r"[\W_]+")
_LEAST_WORDS, _LEAST_LETTERS, _LEAST_CJK = 4, 20, 8  # shorter titles are shared by different works
_SHORT_NAME_WORDS, _SHORT_NAME_LETTERS = 2, 24
_SHOWN, _COMPARED = 200, 300
_ALIKE = 0.45
_FILLED = ("title", "venue", "year", "status", "authors", "published", "read_on", "rating", "abstract")


@dataclass
class _PaperIndex:
    """The papers so far by identifier and title.

    Values are indexes in the list of entries, to fill in blanks later.
    """

    by_name: dict[str, int] = field(default_factory=dict)
    by_title: dict[str, int] = field(default_factory=dict)
    unlinked: dict[str, int] = field(default_factory=dict)


def mark_duplicates(entries: Iterable[ParsedEntry]) -> list[ParsedEntry]:
    """Mark later entries of a paper as mentions, and fill in blank fields of the first entry from them."""
    marked = list(entries)
    seen = _PaperIndex()
    for at, entry in enumerate(marked):
        if entry.kind == "paper" and entry.identifiers:
            _mark_by_identifier(marked, at, seen)
    for at, entry in enumerate(marked):
        if entry.kind == "paper" and not entry.identifiers:
            _mark_by_title(marked, at, seen)
    return marked


def title_key(title: str) -> str:
    """Return a key that ignores case, width, spaces and punctuation."""
    plain = title if title.isascii() else unicodedata.normalize("NFKC", title)
    return _NO_LETTERS.sub("", plain.casefold())


def name_key(identifier: str) -> str:
    """Return the key of an identifier. `file:./a.pdf` and `file:a.pdf` are the same file."""
    return (
        "file:" + identifier.removeprefix("file:").removeprefix("./") if identifier.startswith("file:") else identifier
    )


def _mark_by_identifier(marked: list[ParsedEntry], at: int, seen: _PaperIndex) -> None:
    entry = marked[at]
    names = [name_key(name) for name in entry.identifiers]
    known = next((seen.by_name[name] for name in names if name in seen.by_name), None)
    telling = _telling_key(entry)
    if known is not None:
        marked[at] = _to_mention(entry, marked[known])
        if marked[at].decision == "add":
            marked[known] = _fill_blanks(marked[known], entry, seen)
    elif telling in seen.by_title:
        known = seen.by_title[telling]
        marked[at] = _to_twin(entry, marked[known])
    here = at if known is None else known
    for name in names:
        seen.by_name.setdefault(name, here)
    if telling:
        seen.by_title.setdefault(telling, here)


def _mark_by_title(marked: list[ParsedEntry], at: int, seen: _PaperIndex) -> None:
    """Mark a paper without links as a mention if another entry has the same title."""
    entry, key = marked[at], title_key(marked[at].title)
    known = seen.by_title.get(key, seen.unlinked.get(key)) if key else None
    if known is None:
        seen.unlinked[key] = at
        return
    first = marked[known]
    marked[at] = replace(
        entry, kind="mention", decision="add", identifiers=first.identifiers, reason=_duplicate_reason(first, at=entry)
    )
    marked[known] = _fill_blanks(first, entry, seen)


def _fill_blanks(first: ParsedEntry, later: ParsedEntry, seen: _PaperIndex) -> ParsedEntry:
    """Fill in blank fields and further identifiers of the first entry from a later one."""
    more = {name: getattr(later, name) for name in _FILLED if not getattr(first, name) and getattr(later, name)}
    names = tuple(name for name in later.identifiers if name_key(name) not in seen.by_name)
    if names:
        more["identifiers"] = first.identifiers + names
    return replace(first, **more) if more else first


def _to_mention(entry: ParsedEntry, known: ParsedEntry) -> ParsedEntry:
    if entry.title and known.title and not is_similar_title(entry.title, known.title):
        shown = known.title[:_SHOWN]
        reason = (
            f"Again: already on line {known.first}, but there under the title “{shown}”: is one of the links wrong?"
        )
        return replace(entry, kind="mention", decision="review", reason=reason)
    return replace(entry, kind="mention", decision="add", reason=_duplicate_reason(known, at=entry))


def _duplicate_reason(known: ParsedEntry, *, at: ParsedEntry) -> str:
    return (
        f"Again: already on line {known.first}." if known.first <= at.first else f"The same as on line {known.first}."
    )


def _to_twin(entry: ParsedEntry, known: ParsedEntry) -> ParsedEntry:
    first = known.identifiers[0]
    reason = f"The title of line {known.first} again, there as {first}, here as {entry.identifiers[0]}: one work?"
    return replace(entry, kind="mention", decision="review", twin=first, reason=reason)


def _telling_key(entry: ParsedEntry) -> str:
    """Return the key of a paper's title if it is long enough to identify one work, otherwise ""."""
    if entry.paper_kind != "paper":
        return ""
    title, key = entry.title, title_key(entry.title)
    if len(key) >= _LEAST_LETTERS and title.count(" ") >= _LEAST_WORDS - 1:
        return key
    return key if len(CJK.findall(title)) >= _LEAST_CJK else ""


def is_similar_title(one: str, other: str) -> bool:
    """Return True if two titles may name one work.

    One may be renamed, shortened, without the subtitle, or in another script.
    """
    if bool(CJK.search(one)) != bool(CJK.search(other)) or _is_short_name(one) or _is_short_name(other):
        return True
    first, second = title_key(one[:_COMPARED]), title_key(other[:_COMPARED])
    if first in second or second in first:
        return True
    pieces, others = _letter_ngrams(first), _letter_ngrams(second)
    return len(pieces & others) >= _ALIKE * min(len(pieces), len(others))


def _is_short_name(title: str) -> bool:
    return len(title) <= _SHORT_NAME_LETTERS and len(title.split()) <= _SHORT_NAME_WORDS and not CJK.search(title)


@lru_cache(maxsize=64)
def _letter_ngrams(key: str) -> frozenset[str]:
    """Return the letter trigrams of a key, bigrams for CJK."""
    size = 2 if CJK.search(key) else 3
    return frozenset(key[place : place + size] for place in range(max(1, len(key) - size + 1)))
