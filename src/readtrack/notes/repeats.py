"""The same identifier again in one note: one paper, another mention."""

import difflib
from collections.abc import Iterable
from dataclasses import replace

from readtrack.notes.entry import Entry

_ALIKE = 0.6


def mark(entries: Iterable[Entry]) -> list[Entry]:
    """Later entries of an identifier become mentions; a clearly different title is for a person to look at."""
    first: dict[str, Entry] = {}
    marked: list[Entry] = []
    for entry in entries:
        known = next((first[name] for name in entry.identifiers if name in first), None)
        marked.append(_mention(entry, known) if known and entry.kind == "paper" else entry)
        for name in entry.identifiers:
            first.setdefault(name, entry)
    return marked


def _mention(entry: Entry, known: Entry) -> Entry:
    if entry.title and known.title and not _alike(entry.title, known.title):
        reason = f"Again: already on line {known.first}, but there under the title “{known.title[:200]}”: is one wrong?"
        return replace(entry, kind="mention", decision="review", reason=reason)
    return replace(entry, kind="mention", decision="add", reason=f"Again: already on line {known.first}.")


def _alike(one: str, other: str) -> bool:
    one, other = one.casefold()[:300], other.casefold()[:300]
    return one in other or other in one or difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE
