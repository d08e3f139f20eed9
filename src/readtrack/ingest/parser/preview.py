"""Entries for others to look at: the JSON of a preview, and the count that shows that every line is accounted for."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from readtrack.ingest.parser.deduplicate import name_key, title_key
from readtrack.ingest.parser.entry import ParsedEntry


def preview_json(entries: Iterable[ParsedEntry], file: str) -> list[dict[str, Any]]:
    """One object per entry, in the order of the lines; the names are those of the documented interface.

    An identifier of a work stands in one object only: the paper's. Its mentions name it under `mentions`.
    """
    told = list(entries)
    gathered = _group_papers(told)
    return [_record(entry, gathered, file) for entry in told]


def display_kind(entry: ParsedEntry) -> str:
    """The paper's own kind for things that are kept (article, video …), else the entry's kind."""
    return entry.paper_kind or "paper" if entry.kind == "paper" else entry.kind


def tally(entries: Iterable[ParsedEntry]) -> dict[str, int]:
    """Lines per entry kind; their sum is the number of lines of the note."""
    lines: Counter[str] = Counter()
    for entry in entries:
        lines[entry.kind] += entry.last - entry.first + 1 if entry.part == 1 else 0
    return dict(lines)


class _PaperGroups:
    """What a paper has together with its mentions: all topics, and the identifiers of its twins."""

    def __init__(self) -> None:
        self.papers: dict[str, str] = {}  # identifier or title -> the name under which the paper is gathered
        self.topics: dict[str, dict[str, None]] = {}
        self.names: dict[str, dict[str, None]] = {}

    def begin(self, paper: ParsedEntry) -> None:
        own = _keys(paper)[0]
        for key in _keys(paper):
            self.papers.setdefault(key, own)
        self.topics.setdefault(own, {}).update(dict.fromkeys([*paper.headings, *paper.topics]))
        self.names.setdefault(own, {}).update(dict.fromkeys(paper.identifiers))

    def join(self, mention: ParsedEntry) -> None:
        own = self.paper_of(mention)
        if own is None:
            return
        self.topics[own].update(dict.fromkeys([*mention.headings, *mention.topics]))
        if mention.twin:
            fresh = [name for name in mention.identifiers if name_key(name) not in self.papers]
            self.names[own].update(dict.fromkeys(fresh))
            self.papers.update(dict.fromkeys(map(name_key, fresh), own))

    def paper_of(self, entry: ParsedEntry) -> str | None:
        keys = [name_key(entry.twin)] if entry.twin else _keys(entry)
        return next((self.papers[key] for key in keys if key in self.papers), None)


def _group_papers(entries: Sequence[ParsedEntry]) -> _PaperGroups:
    gathered = _PaperGroups()
    for entry in entries:
        if entry.kind == "paper" and _keys(entry):
            gathered.begin(entry)
    for entry in entries:
        if entry.kind == "mention":
            gathered.join(entry)
    return gathered


def _keys(entry: ParsedEntry) -> list[str]:
    if entry.identifiers:
        return [name_key(name) for name in entry.identifiers]
    return [f"title:{title_key(entry.title)}"] if entry.title else []


def _is_place(name: str, entry: ParsedEntry) -> bool:
    """Where a copy lies, or a page that two titles were found on and that may be a list of works: no name of one."""
    return name.startswith("file:") or (name.startswith("url:") and entry.decision == "review")


def _record(entry: ParsedEntry, gathered: _PaperGroups, file: str) -> dict[str, Any]:
    own = gathered.paper_of(entry) if entry.kind in {"paper", "mention"} else None
    identifiers, topics, mentions = list(entry.identifiers), [*entry.headings, *entry.topics], []
    if own is not None and entry.kind == "paper":
        identifiers, topics = list(gathered.names[own]), list(gathered.topics[own])
    elif own is not None:
        mentions = list(entry.identifiers)
        identifiers = [name for name in mentions if name_key(name) not in gathered.papers or _is_place(name, entry)]
    return {
        "file": file,
        "lines": [entry.first, entry.last],
        "part": entry.part,
        "kind": display_kind(entry),
        "identifiers": identifiers,
        "mentions": mentions,
        "twin": entry.twin,
        "links": [{"url": link.url, "role": link.role} for link in entry.links],
        "title": entry.title,
        "topics": topics,
        "aliases": list(entry.aliases),
        "venue": entry.venue,
        "year": entry.year,
        "authors": list(entry.authors),
        "date": entry.published,
        "read_on": entry.read_on,
        "rating": entry.rating,
        "abstract": entry.abstract,
        "status": entry.status,
        "text": entry.text,
        "decision": entry.decision,
        "reason": entry.reason,
    }
