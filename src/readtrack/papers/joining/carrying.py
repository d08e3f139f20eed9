"""The rows that go over to another paper when two are merged, and come back. Readings and summaries: see their own."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.db import Read, Write
from readtrack.models import (
    Entry,
    Event,
    Identifier,
    Inquiry,
    Lead,
    Link,
    Merge,
    PaperTopic,
    Proposal,
    ReadingEvent,
    Record,
    Relation,
    Version,
)

Keys = Mapping[str, Collection[Any]]  # by name of Rows
Moved = dict[str, list[int]]  # name of Rows -> ids
TOPICS = "topics"
PORTION = 500  # ids in one statement


class Rows(NamedTuple):
    """Rows of one table that a paper has. `key`: what no paper has twice; the double of the one that goes stays there.

    `never`: the column that says of whom they are about; they never are about the paper that has them.
    """

    name: str
    owner: Any
    key: tuple[Any, ...] = ()
    never: Any = None

    @property
    def table(self) -> Any:  # noqa: ANN401 - any table
        return self.owner.class_


GO_OVER = (
    Rows("identifiers", col(Identifier.paper_id)),
    Rows("records", col(Record.paper_id)),
    Rows("entries", col(Entry.paper_id)),
    Rows("leads", col(Lead.paper_id)),
    Rows("events", col(Event.paper_id)),
    Rows("reading_events", col(ReadingEvent.paper_id)),
    Rows("links", col(Link.paper_id), (col(Link.url),)),
    Rows("versions", col(Version.paper_id), (col(Version.label),)),
    Rows("inquiries", col(Inquiry.paper_id), (col(Inquiry.service), col(Inquiry.key))),
    Rows("proposals", col(Proposal.paper_id), (col(Proposal.kind), col(Proposal.identifier))),
    Rows("relations", col(Relation.from_id), (col(Relation.to_id), col(Relation.kind)), col(Relation.to_id)),
    Rows("related", col(Relation.to_id), (col(Relation.from_id), col(Relation.kind)), col(Relation.from_id)),
)


def go_over(tx: Write, from_id: int, into_id: int, *, only: Keys | None = None) -> Moved:
    """Gives the survivor what it has not; what went. `only`: nothing but these keys, and no rows without one."""
    moved: Moved = {}
    for rows in GO_OVER:
        if only is None or only.get(rows.name):
            moved[rows.name] = _going(tx, rows, from_id, into_id, only=only)
            _give(tx, rows, moved[rows.name], into_id)
    moved[TOPICS] = _file(tx, from_id, into_id, only)
    return {name: ids for name, ids in moved.items() if ids}


def come_back(tx: Write, from_id: int, into_id: int, moved: Mapping[str, Sequence[int]], *, since: datetime) -> Keys:
    """What went and is still there comes back; the keys that the survivor is without now.

    So does what services said meanwhile, `since` then, of identifiers that come back.
    """
    missing: dict[str, Collection[Any]] = {}
    for rows in GO_OVER:
        ids = _still_there(tx, rows, into_id, moved.get(rows.name, ()))
        if rows.key:
            missing[rows.name] = {tuple(row)[1:] for row in _told(tx, rows, ids)}
        _give(tx, rows, ids, from_id)
    _follow_names(tx, from_id, into_id, since)
    filed = (col(PaperTopic.paper_id) == into_id, col(PaperTopic.topic_id).in_(moved.get(TOPICS, ())))
    tx.execute(sa.delete(PaperTopic).where(*filed, col(PaperTopic.added_at) <= since))  # not by a person since then
    return {**missing, TOPICS: set(moved.get(TOPICS, ()))}


def newest_name(tx: Read) -> int:
    """Identifiers that papers get later have higher numbers."""
    return tx.scalar(sa.select(sa.func.max(col(Identifier.id)))) or 0


def with_confirmed(tx: Read, merge: Merge) -> Mapping[str, Sequence[int]]:
    """What went, and the identifiers that the survivor got since by a proposal that went and a person accepted."""
    rows = merge.moved["rows"]
    named = sa.select(col(Identifier.id)).where(
        col(Identifier.paper_id) == merge.into_id,
        col(Identifier.id) > merge.moved["newest"],
        col(Identifier.scheme) + ":" + col(Identifier.value) == col(Proposal.identifier),
        col(Proposal.paper_id) == merge.into_id,
        col(Proposal.kind) == "is",
        col(Proposal.state) == "accepted",
        col(Proposal.id).in_(rows.get("proposals", ())),
    )
    found = [name_id for name_id in tx.scalars(named) if name_id]
    return {**rows, "identifiers": [*rows.get("identifiers", ()), *found]}


def _follow_names(tx: Write, from_id: int, into_id: int, since: datetime) -> None:
    own = sa.select(col(Identifier.id)).where(
        col(Identifier.paper_id) == from_id,
        col(Identifier.scheme) == col(Record.scheme),
        col(Identifier.value) == col(Record.value),
    )
    said = sa.update(Record).where(col(Record.paper_id) == into_id, col(Record.fetched_at) >= since, own.exists())
    tx.execute(said.values(paper_id=from_id).execution_options(synchronize_session=False))


def _going(tx: Read, rows: Rows, from_id: int, into_id: int, *, only: Keys | None) -> list[int]:
    mine = sa.select(rows.table.id, *rows.key).where(rows.owner == from_id).order_by(rows.table.id)
    if not rows.key:
        return list(tx.scalars(mine))
    if rows.never is not None:
        mine = mine.where(rows.never != into_id)
    taken = {tuple(row) for row in tx.execute(sa.select(*rows.key).where(rows.owner == into_id))}
    wanted = None if only is None else only[rows.name]
    ids = []
    for row_id, *said in tx.execute(mine):
        key = tuple(said)
        if key not in taken and (wanted is None or key in wanted):
            taken.add(key)
            ids.append(row_id)
    return ids


def _file(tx: Write, from_id: int, into_id: int, only: Keys | None) -> list[int]:
    """Files the survivor where the other is. That one stays filed, too: topics may be merged meanwhile."""
    there = sa.select(col(PaperTopic.topic_id)).where(col(PaperTopic.paper_id) == into_id)
    query = sa.select(PaperTopic).where(col(PaperTopic.paper_id) == from_id, col(PaperTopic.topic_id).not_in(there))
    filed = [row for row in tx.scalars(query).all() if only is None or row.topic_id in only[TOPICS]]
    for row in filed:
        tx.add(PaperTopic(paper_id=into_id, topic_id=row.topic_id, added_by=row.added_by, added_at=row.added_at))
    tx.flush()
    return [row.topic_id for row in filed]


def _still_there(tx: Read, rows: Rows, owner_id: int, ids: Sequence[int]) -> list[int]:
    query = sa.select(rows.table.id).where(rows.owner == owner_id)
    return [found for portion in _portions(ids) for found in tx.scalars(query.where(rows.table.id.in_(portion)))]


def _told(tx: Read, rows: Rows, ids: Sequence[int]) -> list[sa.Row[Any]]:
    query: sa.Select[Any] = sa.select(rows.table.id, *rows.key)
    return [row for portion in _portions(ids) for row in tx.execute(query.where(rows.table.id.in_(portion)))]


def _give(tx: Write, rows: Rows, ids: Sequence[int], owner_id: int) -> None:
    for portion in _portions(ids):
        these = sa.update(rows.table).where(rows.table.id.in_(portion)).values({rows.owner.key: owner_id})
        tx.execute(these.execution_options(synchronize_session=False))


def _portions(ids: Sequence[int]) -> Sequence[Sequence[int]]:
    return [ids[start : start + PORTION] for start in range(0, len(ids), PORTION)]
