"""Preview of entries as JSON, and line counts that show that every line is covered."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from readtrack.ingest.parser.deduplicate import name_key, title_key
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.paper_details import details_to_json


def preview_json(entries: Iterable[ParsedEntry], file: str) -> list[dict[str, Any]]:
    """Return one object per entry in line order, as documented.

    An identifier is in one object only, the paper's. Its mentions list it under `mentions`.
    """
    all_entries = list(entries)
    groups = _group_papers(all_entries)
    return [_record(entry, groups, file) for entry in all_entries]


def display_kind(entry: ParsedEntry) -> str:
    """Return the paper's own kind (article, video, …) for papers, otherwise the entry's kind."""
    return entry.paper_kind or "paper" if entry.kind == "paper" else entry.kind


def tally(entries: Iterable[ParsedEntry]) -> dict[str, int]:
    """Count lines per kind of entry. The sum is the number of lines of the note."""
    lines: Counter[str] = Counter()
    for entry in entries:
        lines[entry.kind] += entry.last - entry.first + 1 if entry.part == 1 else 0
    return dict(lines)


class _PaperGroups:
    """The topics and identifiers of papers, combined with those of their mentions and twins."""

    def __init__(self) -> None:
        self.papers: dict[str, str] = {}  # identifier or title -> the name under which the paper is grouped
        self.topics: dict[str, dict[str, None]] = {}
        self.names: dict[str, dict[str, None]] = {}

    def begin(self, paper: ParsedEntry) -> None:
        paper_key = _keys(paper)[0]
        for key in _keys(paper):
            self.papers.setdefault(key, paper_key)
        self.topics.setdefault(paper_key, {}).update(dict.fromkeys([*paper.headings, *paper.topics]))
        self.names.setdefault(paper_key, {}).update(dict.fromkeys(paper.identifiers))

    def join(self, mention: ParsedEntry) -> None:
        paper_key = self.paper_of(mention)
        if paper_key is None:
            return
        self.topics[paper_key].update(dict.fromkeys([*mention.headings, *mention.topics]))
        if mention.twin:
            new_names = [name for name in mention.identifiers if name_key(name) not in self.papers]
            self.names[paper_key].update(dict.fromkeys(new_names))
            self.papers.update(dict.fromkeys(map(name_key, new_names), paper_key))

    def paper_of(self, entry: ParsedEntry) -> str | None:
        keys = [name_key(entry.twin)] if entry.twin else _keys(entry)
        return next((self.papers[key] for key in keys if key in self.papers), None)


def _group_papers(entries: Sequence[ParsedEntry]) -> _PaperGroups:
    groups = _PaperGroups()
    for entry in entries:
        if entry.kind == "paper" and _keys(entry):
            groups.begin(entry)
    for entry in entries:
        if entry.kind == "mention":
            groups.join(entry)
    return groups


def _keys(entry: ParsedEntry) -> list[str]:
    if entry.identifiers:
        return [name_key(name) for name in entry.identifiers]
    return [f"title:{title_key(entry.title)}"] if entry.title else []


def _is_place(name: str, entry: ParsedEntry) -> bool:
    """Return True for names that do not identify a work: files, and web pages found under two titles."""
    return name.startswith("file:") or (name.startswith("url:") and entry.decision == "review")


def _record(entry: ParsedEntry, groups: _PaperGroups, file: str) -> dict[str, Any]:
    paper_key = groups.paper_of(entry) if entry.kind in {"paper", "mention"} else None
    identifiers, topics, mentions = list(entry.identifiers), [*entry.headings, *entry.topics], []
    if paper_key is not None and entry.kind == "paper":
        identifiers, topics = list(groups.names[paper_key]), list(groups.topics[paper_key])
    elif paper_key is not None:
        mentions = list(entry.identifiers)
        identifiers = [name for name in mentions if name_key(name) not in groups.papers or _is_place(name, entry)]
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
        "details": details_to_json(entry.details) if entry.details is not None else None,
        "text": entry.text,
        "decision": entry.decision,
        "reason": entry.reason,
    }
