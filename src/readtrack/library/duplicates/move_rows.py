"""Moving of rows that refer to a paper, when it is merged and back.

Readings and summaries have their own modules.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import (
    AgendaItem,
    Assignment,
    Candidate,
    Citation,
    Comment,
    ComparisonRow,
    DismissedRelation,
    Entry,
    Event,
    Identifier,
    Lead,
    Link,
    MatchSuggestion,
    Merge,
    MetadataRecord,
    MetadataRequest,
    Notification,
    PaperTopic,
    Question,
    ReadingEvent,
    Relation,
    Summary,
    TextReference,
    TranslatedTitle,
    Version,
)
from readtrack.library.citations.citation_lists import move_citation_lists, recount_papers

Keys = Mapping[str, Collection[Any]]  # by name of the MovableRows
Moved = dict[str, list[int]]  # name of the MovableRows -> ids
TOPICS = "topics"
BATCH_SIZE = 500  # ids in one statement


class MovableRows(NamedTuple):
    """The rows of one table that belong to a paper.

    `key`: unique per paper; a duplicate stays with the merged paper. `excluded_column`: a column that must not refer to
    the owning paper itself. `derived_column`: another column derived from the paper's id, and its expression.
    """

    name: str
    owner: Any
    key: tuple[Any, ...] = ()
    excluded_column: Any = None
    derived_column: tuple[str, Callable[[int], Any]] | None = None

    @property
    def table(self) -> Any:  # noqa: ANN401 - any table
        return self.owner.class_


def _open_key(paper_id: int) -> sa.ColumnElement[Any]:
    """Return the key of an open assignment with the new paper's id; NULL for a closed one."""
    new_key = sa.cast(col(Assignment.person_id), sa.String) + f":{paper_id}"
    return sa.case((col(Assignment.open_key).is_not(None), new_key), else_=sa.null())


_ASKED = sa.case((col(Assignment.open_key).is_not(None), col(Assignment.person_id)), else_=-col(Assignment.id))
_REFUSED_TO = (col(DismissedRelation.to_id), col(DismissedRelation.kind))
_REFUSED_FROM = (col(DismissedRelation.from_id), col(DismissedRelation.kind))
_CITED = (col(Citation.service), col(Citation.key), col(Citation.position), col(Citation.work_id))
MOVABLE_ROWS = (
    MovableRows("identifiers", col(Identifier.paper_id)),
    MovableRows("records", col(MetadataRecord.paper_id)),
    MovableRows("entries", col(Entry.paper_id)),
    MovableRows("leads", col(Lead.paper_id)),
    MovableRows("events", col(Event.paper_id)),
    MovableRows("reading_events", col(ReadingEvent.paper_id)),
    MovableRows("links", col(Link.paper_id), (col(Link.url),)),
    MovableRows("versions", col(Version.paper_id), (col(Version.label),)),
    MovableRows("inquiries", col(MetadataRequest.paper_id), (col(MetadataRequest.service), col(MetadataRequest.key))),
    MovableRows(
        "proposals", col(MatchSuggestion.paper_id), (col(MatchSuggestion.kind), col(MatchSuggestion.identifier))
    ),
    MovableRows("relations", col(Relation.from_id), (col(Relation.to_id), col(Relation.kind)), col(Relation.to_id)),
    MovableRows("related", col(Relation.to_id), (col(Relation.from_id), col(Relation.kind)), col(Relation.from_id)),
    MovableRows("refused", col(DismissedRelation.from_id), _REFUSED_TO, col(DismissedRelation.to_id)),
    MovableRows("refused_at", col(DismissedRelation.to_id), _REFUSED_FROM, col(DismissedRelation.from_id)),
    MovableRows("citations", col(Citation.paper_id), _CITED),
    MovableRows("glosses", col(TranslatedTitle.paper_id), (col(TranslatedTitle.language),)),
    MovableRows("comments", col(Comment.paper_id)),
    MovableRows("questions", col(Question.paper_id)),
    MovableRows("assignments", col(Assignment.paper_id), (_ASKED,), derived_column=("open_key", _open_key)),
    MovableRows("candidates", col(Candidate.paper_id), (col(Candidate.series_id),)),
    MovableRows("agenda", col(AgendaItem.paper_id), (col(AgendaItem.meeting_id),)),
    MovableRows("notices", col(Notification.paper_id)),
    MovableRows("comparison_rows", col(ComparisonRow.paper_id)),
    MovableRows("references", col(TextReference.paper_id)),
)
_ABOUT = (  # What a notification can be about besides the paper: it follows that row's paper.
    (col(Notification.comment_id), col(Comment.id), col(Comment.paper_id)),
    (col(Notification.question_id), col(Question.id), col(Question.paper_id)),
    (col(Notification.assignment_id), col(Assignment.id), col(Assignment.paper_id)),
    (col(Notification.summary_id), col(Summary.id), col(Summary.paper_id)),
)


def move_rows_over(tx: Write, from_id: int, into_id: int, *, only_keys: Keys | None = None) -> Moved:
    """Move rows the survivor does not have yet and return their ids, optionally `only_keys` with these keys."""
    moved: Moved = {}
    for rows in MOVABLE_ROWS:
        if only_keys is None or only_keys.get(rows.name):
            moved[rows.name] = _find_movable_rows(tx, rows, from_id, into_id, only_keys=only_keys)
            _reassign_rows(tx, rows, moved[rows.name], into_id)
    recount_papers(tx, (from_id, into_id))
    moved[TOPICS] = _copy_topics(tx, from_id, into_id, only_keys)
    return {name: ids for name, ids in moved.items() if ids}


def move_rows_back(
    tx: Write, from_id: int, into_id: int, moved: Mapping[str, Sequence[int]], *, since: datetime
) -> Keys:
    """Move the rows back that still exist; return the keys that the survivor has lost.

    Records fetched after `since` follow the identifiers that move back, and replies follow their comments.
    """
    missing: dict[str, Collection[Any]] = {}
    for rows in MOVABLE_ROWS:
        ids = _filter_present_rows(tx, rows, into_id, moved.get(rows.name, ()))
        if rows.key:
            ids = _filter_unique_rows(tx, rows, from_id, ids)
            missing[rows.name] = {tuple(row)[1:] for row in _list_rows(tx, rows, ids)}
        _reassign_rows(tx, rows, ids, from_id)
    _move_back_records(tx, from_id, into_id, since)
    move_citation_lists(tx, into_id, from_id)
    recount_papers(tx, (from_id, into_id))
    _move_replies(tx, from_id, into_id)
    is_copied = (col(PaperTopic.paper_id) == into_id, col(PaperTopic.topic_id).in_(moved.get(TOPICS, ())))
    # Keep topics that a person assigned after the merge.
    tx.execute(sa.delete(PaperTopic).where(*is_copied, col(PaperTopic.added_at) <= since))
    return {**missing, TOPICS: set(moved.get(TOPICS, ()))}


def update_notification_papers(tx: Write, from_id: int, into_id: int) -> None:
    """Point notifications received since the merge to the restored paper.

    Call this after all rows are back.
    """
    for subject_id, key, owner in _ABOUT:
        subject_ids = sa.select(key).where(owner == from_id)
        statement = (
            sa.update(Notification)
            .where(col(Notification.paper_id) == into_id, subject_id.in_(subject_ids))
            .values(paper_id=from_id)
        )
        tx.bulk_execute(statement)


def latest_identifier_id(tx: Read) -> int:
    """Return the highest identifier id, to tell apart identifiers added later."""
    return tx.scalar(sa.select(sa.func.max(col(Identifier.id)))) or 0


def include_confirmed_identifiers(tx: Read, merge: Merge) -> Mapping[str, Sequence[int]]:
    """Return the moved rows plus identifiers the survivor got by accepting a moved proposal."""
    rows = merge.moved["rows"]
    query = sa.select(col(Identifier.id)).where(
        col(Identifier.paper_id) == merge.into_id,
        col(Identifier.id) > merge.moved["newest"],
        col(Identifier.scheme) + ":" + col(Identifier.value) == col(MatchSuggestion.identifier),
        col(MatchSuggestion.paper_id) == merge.into_id,
        col(MatchSuggestion.kind) == "is",
        col(MatchSuggestion.state) == "accepted",
        col(MatchSuggestion.id).in_(rows.get("proposals", ())),
    )
    identifier_ids = [name_id for name_id in tx.scalars(query) if name_id]
    return {**rows, "identifiers": [*rows.get("identifiers", ()), *identifier_ids]}


def _move_back_records(tx: Write, from_id: int, into_id: int, since: datetime) -> None:
    own_identifier = sa.select(col(Identifier.id)).where(
        col(Identifier.paper_id) == from_id,
        col(Identifier.scheme) == col(MetadataRecord.scheme),
        col(Identifier.value) == col(MetadataRecord.value),
    )
    statement = sa.update(MetadataRecord).where(
        col(MetadataRecord.paper_id) == into_id, col(MetadataRecord.fetched_at) >= since, own_identifier.exists()
    )
    tx.bulk_execute(statement.values(paper_id=from_id))


def _move_replies(tx: Write, from_id: int, into_id: int) -> None:
    """Move replies to the paper of the comment they answer."""
    comment_ids = sa.select(col(Comment.id)).where(col(Comment.paper_id) == from_id)
    statement = sa.update(Comment).where(col(Comment.paper_id) == into_id, col(Comment.parent_id).in_(comment_ids))
    tx.bulk_execute(statement.values(paper_id=from_id))


def _find_movable_rows(tx: Read, rows: MovableRows, from_id: int, into_id: int, *, only_keys: Keys | None) -> list[int]:
    own_rows = sa.select(rows.table.id, *rows.key).where(rows.owner == from_id).order_by(rows.table.id)
    if not rows.key:
        return list(tx.scalars(own_rows))
    if rows.excluded_column is not None:
        own_rows = own_rows.where(rows.excluded_column != into_id)
    taken_keys = {tuple(row) for row in tx.execute(sa.select(*rows.key).where(rows.owner == into_id))}
    wanted_keys = None if only_keys is None else only_keys[rows.name]
    ids = []
    for row_id, *key_values in tx.execute(own_rows):
        key = tuple(key_values)
        if key not in taken_keys and (wanted_keys is None or key in wanted_keys):
            taken_keys.add(key)
            ids.append(row_id)
    return ids


def _copy_topics(tx: Write, from_id: int, into_id: int, only_keys: Keys | None) -> list[int]:
    """Assign the survivor to the topics of the merged paper.

    The merged paper keeps its assignments, because topics may be merged before it is restored.
    """
    _copy_reading_order(tx, from_id, into_id)
    topic_ids = sa.select(col(PaperTopic.topic_id)).where(col(PaperTopic.paper_id) == into_id)
    query = sa.select(PaperTopic).where(col(PaperTopic.paper_id) == from_id, col(PaperTopic.topic_id).not_in(topic_ids))
    copied = [row for row in tx.scalars(query).all() if only_keys is None or row.topic_id in only_keys[TOPICS]]
    for row in copied:
        values: dict[str, Any] = {
            "topic_id": row.topic_id,
            "position": row.position,
            "added_by": row.added_by,
            "added_at": row.added_at,
        }
        tx.add(PaperTopic(paper_id=into_id, **values))
    tx.flush()
    return [row.topic_id for row in copied]


def _copy_reading_order(tx: Write, from_id: int, into_id: int) -> None:
    """Copy the position in the reading order if only the merged paper has one in a shared topic."""
    merged_row: Any = aliased(PaperTopic)
    position = sa.select(merged_row.position).where(
        merged_row.paper_id == from_id, merged_row.topic_id == col(PaperTopic.topic_id)
    )
    is_unordered = (col(PaperTopic.paper_id) == into_id, col(PaperTopic.position).is_(None))
    tx.bulk_execute(sa.update(PaperTopic).where(*is_unordered).values(position=position.scalar_subquery()))


def _filter_present_rows(tx: Read, rows: MovableRows, owner_id: int, ids: Sequence[int]) -> list[int]:
    query = sa.select(rows.table.id).where(rows.owner == owner_id)
    return [row_id for batch in _portions(ids) for row_id in tx.scalars(query.where(rows.table.id.in_(batch)))]


def _list_rows(tx: Read, rows: MovableRows, ids: Sequence[int]) -> list[sa.Row[Any]]:
    query: sa.Select[Any] = sa.select(rows.table.id, *rows.key)
    return [row for batch in _portions(ids) for row in tx.execute(query.where(rows.table.id.in_(batch)))]


def _filter_unique_rows(tx: Read, rows: MovableRows, owner_id: int, ids: Sequence[int]) -> list[int]:
    """Return the ids without those whose key the owner has by now."""
    taken_keys = {tuple(row) for row in tx.execute(sa.select(*rows.key).where(rows.owner == owner_id))}
    return [row[0] for row in _list_rows(tx, rows, ids) if tuple(row)[1:] not in taken_keys]


def _reassign_rows(tx: Write, rows: MovableRows, ids: Sequence[int], owner_id: int) -> None:
    values = {rows.owner.key: owner_id}
    if rows.derived_column is not None:
        name, build_value = rows.derived_column
        values[name] = build_value(owner_id)
    for batch in _portions(ids):
        statement = sa.update(rows.table).where(rows.table.id.in_(batch)).values(values)
        tx.bulk_execute(statement)


def _portions(ids: Sequence[int]) -> Sequence[Sequence[int]]:
    return [ids[start : start + BATCH_SIZE] for start in range(0, len(ids), BATCH_SIZE)]
