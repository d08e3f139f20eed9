"""Topics of the entries below a heading, which follow when it is renamed, moved, removed, ended or restored.

An entry belongs to a heading if the parser gave it a path of topics that begins with that heading, and no heading of
the same or a higher level comes between. `proposed` keeps that path, so that every change can be undone and a later
revision of the notes finds the same words under the same heading.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Entry
from readtrack.ingest.imports.queries import ENTRY_ORDER, IS_ACTIVE

_ROWS_PER_READ = 1_000
_IDS_PER_UPDATE = 500
_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]  # Core table for bulk updates
_WAS_HEADING = sa.or_(col(Entry.kind) == "topic", col(Entry.proposed)["kind"].as_string() == "topic")
Path = tuple[str, ...]
_Texts = tuple[str, str | None]


@dataclass(frozen=True)
class HeadingChange:
    """A heading whose entries get another path of topics.

    `original`: the path that the parser gave them. `inside`: the path that they have, None if the heading was removed.
    `outside`: the path of those that no longer have the heading and shall get it again, None if they shall not.
    `after`: the new path.
    """

    original: Path
    inside: Path | None
    outside: Path | None
    after: Path

    def covers(self, original_topics: Sequence[str]) -> bool:
        return tuple(original_topics[: len(self.original)]) == self.original

    def apply(self, topics: Path, original_topics: Sequence[str]) -> Path:
        """Return the topics with the new path in place of the old one, or unchanged if a person set other ones."""
        depth_below = len(original_topics) - len(self.original)
        is_outside = topics[: max(len(topics) - depth_below, 0)] == self.outside
        return self.apply_to_path(topics) if is_outside or _starts_with(topics, self.inside) else topics

    def apply_to_path(self, topics: Path) -> Path:
        """Return the path of a heading below, or of any entry of which it is known that it has the old path."""
        path = next((path for path in (self.inside, self.outside) if _starts_with(topics, path)), None)
        return topics if path is None else tuple(dict.fromkeys((*self.after, *topics[len(path) :])))


def _starts_with(topics: Path, path: Path | None) -> bool:
    return path is not None and topics[: len(path)] == path


def is_heading(entry: Any) -> bool:  # noqa: ANN401 - an entry or a row of the table
    """Return True if the entries below have its topic."""
    return bool(entry.kind == "topic" and entry.decision != "skip")


def heading_path(entry: Any) -> Path:  # noqa: ANN401 - an entry or a row of the table
    """Return the topics that a heading gives to the entries below it: without its own if it is removed."""
    return tuple(dict.fromkeys((*entry.topics, entry.title) if is_heading(entry) else entry.topics))


def original_path(entry: Any) -> Path | None:  # noqa: ANN401 - an entry or a row of the table
    """Return the topics that the parser gave to the entries below a heading, None if the entry was no heading."""
    proposed = entry.proposed or {}
    if proposed.get("kind", entry.kind) != "topic":
        return None
    return tuple(dict.fromkeys((*original_topics(entry), proposed.get("title", entry.title))))


def original_topics(entry: Any) -> Sequence[str]:  # noqa: ANN401 - an entry or a row of the table
    topics: Sequence[str] = (entry.proposed or {}).get("topics", entry.topics)
    return topics


def update_topics_below(tx: Write, import_id: int, changes: Mapping[int, HeadingChange]) -> int:
    """Update the topics of the entries below changed headings, by their positions. Return the number of entries."""
    query = sa.select(*ENTRY_ORDER).where(col(Entry.revision_id) == import_id, col(Entry.position).in_(changes))
    places = tx.execute(query.order_by(*ENTRY_ORDER)).all()
    return _update_topics(tx, import_id, places[0], [], changes) if places else 0


def end_heading(tx: Write, entry: Entry, name: str) -> int | None:
    """End the heading of that name above an entry, which is one of its topics.

    Return the number of entries that leave it, or None if the topic comes from no heading.
    """
    path = tuple(entry.topics[: entry.topics.index(name) + 1])
    heading = next((row for row in _iter_headings_above(tx, entry) if heading_path(row) == path), None)
    original = original_path(heading) if heading else None
    if heading is None or original is None:
        return None
    if heading.done_at is None and heading.proposed is None:  # so that the heading can be reset
        tx.execute(sa.update(_ENTRIES).where(_ENTRIES.c.id == heading.id).values(proposed={"topics": heading.topics}))
    change = HeadingChange(original, path, None, path[:-1])
    return _update_topics(tx, entry.revision_id, _place(entry), [change], {})


def follow_headings(tx: Read, entry: Entry) -> list[str]:
    """Return the topics of an entry as its headings give them now."""
    topics = tuple(original_topics(entry))
    for heading in _iter_headings_above(tx, entry):
        original = original_path(heading)
        if original and topics[: len(original)] == original:
            return list(dict.fromkeys((*heading_path(heading), *topics[len(original) :])))
    return list(topics)


def _update_topics(
    tx: Write,
    import_id: int,
    start: Sequence[int],
    open_changes: Sequence[HeadingChange],
    changes: Mapping[int, HeadingChange],
) -> int:
    """Update the entries from a place on, under the headings open there and those of `changes`."""
    tx.flush()
    groups: defaultdict[tuple[Path, _Texts], list[_Row]] = defaultdict(list)  # few, however many entries there are
    for row, topics in _iter_updates(_iter_rows(tx, import_id, start), open_changes, changes):
        if row.done_at is None:
            groups[topics, row.texts].append(row)
    for (topics, _), rows in groups.items():
        values = {"topics": list(topics), "proposed": _proposed_topics(rows[0], topics)}
        for first in range(0, len(rows), _IDS_PER_UPDATE):
            is_chosen = _ENTRIES.c.id.in_([row.id for row in rows[first : first + _IDS_PER_UPDATE]])
            tx.bulk_execute(sa.update(_ENTRIES).where(is_chosen).values(values))
    return sum(map(len, groups.values()))


def _iter_updates(
    rows: Iterable["_Row"], open_changes: Sequence[HeadingChange], changes: Mapping[int, HeadingChange]
) -> Iterator[tuple["_Row", Path]]:
    """Yield the entries whose topics change, with their new topics."""
    waiting = set(changes)
    new_topics: dict[_Texts, Path] = {}  # under the open changes
    for row in rows:
        if original_path(row) is not None:  # a heading: ends those that it does not belong to
            open_changes = [change for change in open_changes if change.covers(original_topics(row))]
            new_topics = {}
        if not (waiting or open_changes):
            return
        if row.texts not in new_topics:
            new_topics[row.texts] = _apply_changes(open_changes, row)
        if new_topics[row.texts] != tuple(row.topics):
            yield row, new_topics[row.texts]
        if row.position in waiting:
            waiting.discard(row.position)
            open_changes = [*open_changes, _move_with_outer(changes[row.position], open_changes)]
            new_topics = {}


def _apply_changes(changes: Sequence[HeadingChange], row: "_Row") -> Path:
    topics, original = tuple(row.topics), original_topics(row)
    for change in changes:
        topics = change.apply(topics, original) if change.covers(original) else topics
    return topics


def _move_with_outer(change: HeadingChange, outer_changes: Sequence[HeadingChange]) -> HeadingChange:
    """Return the change of a heading whose outer headings changed at the same time."""
    for outer in outer_changes:
        if outer.covers(change.original):
            inside, outside = (
                None if path is None else outer.apply_to_path(path) for path in (change.inside, change.outside)
            )
            change = replace(change, inside=inside, outside=outside, after=outer.apply_to_path(change.after))
    return change


def _proposed_topics(row: "_Row", topics: Path) -> dict[str, Any] | None:
    """Return `proposed` with the parser's topics, None if nothing differs from its proposal."""
    original = list(original_topics(row))
    proposed = {**(row.proposed or {}), "topics": original}
    return proposed if list(topics) != original or len(proposed) > 1 else None


class _Row(NamedTuple):
    """An entry. `texts`: its topics and `proposed` as stored, which most entries below a heading have in common."""

    id: int
    position: int
    first_line: int
    part: int
    kind: str
    decision: str
    title: str
    done_at: Any
    texts: _Texts

    @property
    def topics(self) -> Sequence[str]:
        return _parse(self.texts[0]) or ()

    @property
    def proposed(self) -> Mapping[str, Any] | None:
        proposed: Mapping[str, Any] | None = _parse(self.texts[1])
        return proposed


@lru_cache(maxsize=1024)
def _parse(text: str | None) -> Any:  # noqa: ANN401 - JSON, not to be changed
    return json.loads(text) if text else None


def _iter_rows(tx: Read, import_id: int, start: Sequence[int]) -> Iterator[_Row]:
    """Yield the entries from a place on, in document order."""
    names = ("id", "position", "first_line", "part", "kind", "decision", "title", "done_at")
    texts = (sa.cast(_ENTRIES.c[name], sa.String) for name in ("topics", "proposed"))
    query = sa.select(*(_ENTRIES.c[name] for name in names), *texts)
    query = query.where(col(Entry.revision_id) == import_id, IS_ACTIVE).order_by(*ENTRY_ORDER).limit(_ROWS_PER_READ)
    is_next = sa.tuple_(*ENTRY_ORDER) >= sa.tuple_(*start)
    while rows := [_Row._make((*row[:-2], row[-2:])) for row in map(tuple, tx.execute(query.where(is_next)))]:
        yield from rows
        is_next = sa.tuple_(*ENTRY_ORDER) > sa.tuple_(*_place(rows[-1]))


def _iter_headings_above(tx: Read, entry: Entry) -> Iterator[Any]:
    """Yield the headings above an entry, the nearest first. Those that a person removed are included."""
    conditions = (col(Entry.revision_id) == entry.revision_id, IS_ACTIVE, _WAS_HEADING)
    query = sa.select(_ENTRIES).where(*conditions).order_by(*(column.desc() for column in ENTRY_ORDER))
    place = _place(entry)
    while rows := tx.execute(query.where(sa.tuple_(*ENTRY_ORDER) < sa.tuple_(*place)).limit(_ROWS_PER_READ)).all():
        yield from rows
        place = _place(rows[-1])


def _place(entry: Any) -> tuple[int, int, int]:  # noqa: ANN401 - an entry or a row of the table
    return entry.first_line, entry.part, entry.position
