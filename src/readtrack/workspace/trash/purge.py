"""Purging of items deleted over thirty days ago: their texts and search entries.

A paper's id and identifiers are kept because entries and events refer to it; adding it again restores it without
content.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import StorageUnavailable
from readtrack.infra.models import (
    Comment,
    Event,
    Notification,
    Paper,
    Person,
    SavedSearch,
    Summary,
    SummaryVersion,
    Token,
    UndoEntry,
)
from readtrack.infra.saved_texts import text_saved
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.library.images.cleanup import delete_unused_images
from readtrack.library.topics.versions.store import delete_versions
from readtrack.reading.drafts.reassign import delete_old_drafts
from readtrack.team.activity.verbs import VERBS
from readtrack.workspace.trash.erase_papers import erase_papers

BATCH_SIZE = 100  # items per transaction, so that other writers get their turn
Which = sa.ColumnElement[bool]

log = structlog.get_logger()


@dataclass
class Portion:
    """The next items to purge.

    `failed_ids`: items that failed and are skipped; `item_ids`: ids of the current portion.
    """

    limit: int = field(default_factory=lambda: BATCH_SIZE)
    failed_ids: set[int] = field(default_factory=set)
    item_ids: list[int] = field(default_factory=list)

    def select_ids(self, tx: Write, number: Any, query: sa.Select[Any]) -> list[int]:  # noqa: ANN401 - a column
        """Take the ids that the query finds."""
        self.item_ids = list(tx.scalars(query.where(number.not_in(self.failed_ids)).limit(self.limit)))
        return self.item_ids


Step = Callable[[Write, Portion], int]


def purge_trash(database: Database) -> int:
    """Purge expired items portion by portion and return their number.

    An item that fails is skipped; all errors are raised together at the end as an ExceptionGroup.
    """
    purged_count = 0
    errors: list[Exception] = []
    for step in STEPS:
        try:
            for portion_count in _purge_portions(database, step, errors):
                purged_count += portion_count
        except Exception as error:
            log.exception("some of what was deleted cannot be removed", step=step.__name__)
            errors.append(error)
    try:
        purged_count += delete_unused_images(database)
    except Exception as error:
        log.exception("images that no text shows cannot be removed")
        errors.append(error)
    if errors:
        message = f"some of what was deleted cannot be removed ({'; '.join(map(repr, errors))})"
        raise ExceptionGroup(message, errors)
    return purged_count


def _purge_portions(database: Database, step: Step, errors: list[Exception]) -> Iterator[int]:
    """Yield the size of each purged portion; after an error, retry items singly to isolate the faulty one."""
    portion = Portion()
    count = portion.limit
    while count >= portion.limit:
        try:
            with database.write() as tx:
                count = step(tx, portion)
        except StorageUnavailable:
            raise
        except Exception as error:
            if not portion.item_ids:
                raise
            if len(portion.item_ids) == 1:
                log.exception("a thing that was deleted cannot be removed", step=step.__name__, id=portion.item_ids[0])
                errors.append(error)
                portion.failed_ids.update(portion.item_ids)
                portion.limit = BATCH_SIZE
            else:
                portion.limit = 1
            count = portion.limit
        else:
            yield count


def _purge_papers(tx: Write, portion: Portion) -> int:
    ids = _take_expired(tx, portion, Paper, col(Paper.purged_at).is_(None))
    erase_papers(tx, ids)
    return len(ids)


def _purge_summaries(tx: Write, portion: Portion) -> int:
    """Erase the texts; the rows are kept because merges refer to them."""
    has_text = sa.or_(col(Summary.markdown) != "", col(Summary.tldr) != "")
    ids = _take_expired(tx, portion, Summary, has_text)
    erase_summaries(tx, ids)
    return len(ids)


def erase_summaries(tx: Write, ids: Sequence[int]) -> None:
    """Erase the texts and versions of summaries."""
    tx.bulk_execute(sa.delete(SummaryVersion).where(col(SummaryVersion.summary_id).in_(ids)))
    tx.bulk_execute(sa.delete(Notification).where(col(Notification.summary_id).in_(ids)))
    tx.bulk_execute(sa.update(Summary).where(col(Summary.id).in_(ids)).values(markdown="", tldr=""))
    text_saved(tx, "summary", ids)


def _purge_comments(tx: Write, portion: Portion) -> int:
    """Erase the texts; the rows are kept for the replies to them."""
    ids = _take_expired(tx, portion, Comment, col(Comment.markdown) != "")
    tx.bulk_execute(sa.update(Comment).where(col(Comment.id).in_(ids)).values(markdown=""))
    erase_events(tx, col(Event.data)["comment"].as_integer().in_(ids), "comment")
    text_saved(tx, "comment", ids)
    return len(ids)


def _purge_views(tx: Write, portion: Portion) -> int:
    """Delete saved searches with their feeds, and reset start pages that refer to them."""
    ids = _take_expired(tx, portion, SavedSearch)
    erase_events(tx, col(Event.data)["view"].as_integer().in_(ids), "view")
    tokens = sa.update(Token).where(col(Token.view_id).in_(ids))
    tx.bulk_execute(tokens.values(view_id=None, revoked_at=sa.func.coalesce(col(Token.revoked_at), now())))
    tx.bulk_execute(
        sa.update(Person).where(col(Person.start).in_([f"view:{number}" for number in ids])).values(start="")
    )
    tx.bulk_execute(sa.delete(SavedSearch).where(col(SavedSearch.id).in_(ids)))
    return len(ids)


def _purge_undo_entries(tx: Write, portion: Portion) -> int:
    """Delete undo entries, which contain texts, and erase the events and versions of what they deleted."""
    expired_query = (
        sa.select(col(UndoEntry.id))
        .where(col(UndoEntry.created_at) < now() - UNDO_PERIOD)
        .order_by(col(UndoEntry.created_at), col(UndoEntry.id))
    )
    ids = portion.select_ids(tx, col(UndoEntry.id), expired_query.with_for_update())
    entries_query = sa.select(
        col(UndoEntry.verb), col(UndoEntry.undo), col(UndoEntry.created_at), col(UndoEntry.undone_at)
    )
    entries = tx.execute(entries_query.where(col(UndoEntry.id).in_(ids))).all()
    for verb, (event_id, concepts) in NAMED_BY.items():
        named_rows = [
            (entry.undo["was"], entry.created_at) for entry in entries if entry.verb == verb and entry.undone_at is None
        ]
        if named_rows:  # a later object may reuse the name
            condition = sa.or_(
                *(sa.and_(event_id == row_id, col(Event.created_at) <= created_at) for row_id, created_at in named_rows)
            )
            erase_events(tx, condition, *concepts)
    topics = [
        entry.undo.get(TOPIC_OF[entry.verb], {}) for entry in entries if entry.verb in TOPIC_OF and not entry.undone_at
    ]
    delete_versions(tx, [topic["id"] for topic in topics if "id" in topic])
    tx.bulk_execute(sa.delete(UndoEntry).where(col(UndoEntry.id).in_(ids)))
    return len(ids)


_DATA, _BEFORE = col(Event.data), col(Event.before)
# The deletion event has the id in `before` only, as there is no page left to link to
_MEETING = sa.func.coalesce(_DATA["meeting"].as_integer(), _BEFORE["id"].as_integer())
# By verb: where the undo data has the id of the deleted topic
TOPIC_OF = {"topic.deleted": "again", "topic.merged": "row"}
# By verb: the field by which events refer to the deleted object, and their concepts.
NAMED_BY: Mapping[str, tuple[Any, Sequence[str]]] = {
    "topic.deleted": (_DATA["slug"].as_string(), ("topic",)),
    "topic.merged": (_DATA["slug"].as_string(), ("topic",)),
    "question.deleted": (_DATA["question"].as_integer(), ("question",)),
    "meeting.deleted": (_MEETING, ("meeting", "agenda")),
    "agenda.removed": (_DATA["item"].as_integer(), ("agenda",)),
    "comparison.deleted": (_DATA["comparison"].as_integer(), ("comparison",)),
}


def erase_events(tx: Write, condition: Which, *concepts: str) -> None:
    """Erase the content of events of these concepts; the events themselves are kept.

    The query uses the partial index of events with content.
    """
    has_concept = col(Event.verb).in_([verb for verb in VERBS if verb.partition(".")[0] in concepts])
    has_values = sa.or_(col(Event.before).is_not(None), col(Event.after).is_not(None))
    tx.bulk_execute(sa.update(Event).where(has_values, has_concept, condition).values(before=None, after=None))


def _purge_drafts(tx: Write, portion: Portion) -> int:
    """Delete drafts for topics that can no longer be restored."""
    return delete_old_drafts(tx, limit=portion.limit)


def _take_expired(tx: Write, portion: Portion, table: Any, *conditions: Which) -> list[int]:  # noqa: ANN401 - a model of what can be deleted
    """Take expired items and lock them, so that none is restored meanwhile.

    Items locked by others are skipped.
    """
    deleted_at, id_column = col(table.deleted_at), col(table.id)
    query = sa.select(id_column).where(deleted_at.is_not(None), deleted_at < now() - UNDO_PERIOD, *conditions)
    return portion.select_ids(tx, id_column, query.order_by(deleted_at, id_column).with_for_update(skip_locked=True))


STEPS: Sequence[Step] = (
    _purge_papers,
    _purge_summaries,
    _purge_comments,
    _purge_views,
    _purge_undo_entries,
    _purge_drafts,
)
