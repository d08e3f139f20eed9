"""Entries for others to look at: the JSON of a preview, and the count that shows that every line is accounted for."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from readtrack.notes.entry import Entry


def preview_json(entries: Iterable[Entry], file: str) -> list[dict[str, Any]]:
    """One object per entry, in the order of the lines; the names are those of the documented interface."""
    return [
        {
            "file": file,
            "lines": [entry.first, entry.last],
            "part": entry.part,
            "kind": shown_kind(entry),
            "identifiers": list(entry.identifiers),
            "links": [{"url": link.url, "role": link.role} for link in entry.links],
            "title": entry.title,
            "topics": list(entry.topics),
            "venue": entry.venue,
            "year": entry.year,
            "status": entry.status,
            "text": entry.text,
            "decision": entry.decision,
            "reason": entry.reason,
        }
        for entry in entries
    ]


def shown_kind(entry: Entry) -> str:
    """The paper's own kind for things that are kept (article, video …), else the entry's kind."""
    return entry.paper_kind or "paper" if entry.kind == "paper" else entry.kind


def tally(entries: Iterable[Entry]) -> dict[str, int]:
    """Lines per entry kind; their sum is the number of lines of the note."""
    lines: Counter[str] = Counter()
    for entry in entries:
        lines[entry.kind] += entry.last - entry.first + 1 if entry.part == 1 else 0
    return dict(lines)
