"""Purging of items deleted over thirty days ago: their texts and search entries.

With a paper, everything about it and everyone's data on it are erased. Its id and identifiers are kept because entries,
leads and events refer to it; adding it again restores it without content.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import StorageUnavailable
from readtrack.infra.models import (
    AgendaItem,
    Assignment,
    Candidate,
    Comment,
    DismissedRelation,
    DuplicateKey,
    DuplicatePair,
    Event,
    Link,
    MatchSuggestion,
    Merge,
    MetadataRecord,
    MetadataRequest,
    Notification,
    Paper,
    PaperTopic,
    PaperVector,
    Person,
    Question,
    Reading,
    ReadingEvent,
    ReadMarker,
    Relation,
    SavedSearch,
    Summary,
    SummaryVersion,
    TitleSearch,
    Token,
    TranslatedTitle,
    UndoEntry,
    Version,
    Vote,
)
from readtrack.infra.saved_texts import text_saved
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.library.citations.citation_lists import delete_paper_citations
from readtrack.library.images.commands import delete_unused_images
from readtrack.library.references.index import unbind_papers
from readtrack.library.topics.commands import delete_versions
from readtrack.reading.drafts.commands import delete_drafts_of_papers, delete_old_drafts
from readtrack.team.activity.verbs import VERBS

ERASED_PAPER_VALUES: dict[str, Any] = {
    "title": "", "title_key": "", "citation_key": None, "authors": [], "year": None, "published_on": None, "venue": "",
    "publication_type": "", "abstract": "", "language": "", "record_id": None, "field_sources": {}, "user_supplied": {},
    "field_locks": {},
}  # fmt: skip
COLUMNS_OF_OWNED_ROWS: tuple[Any, ...] = (  # In an order that respects foreign keys.
    col(Notification.paper_id), col(Assignment.paper_id), col(AgendaItem.paper_id), col(Candidate.paper_id),
    col(Summary.paper_id), col(Reading.paper_id), col(ReadingEvent.paper_id), col(MetadataRecord.paper_id),
    col(Link.paper_id), col(Version.paper_id), col(MetadataRequest.paper_id), col(TitleSearch.paper_id),
    col(MatchSuggestion.paper_id), col(DuplicateKey.paper_id),
    col(DuplicatePair.first_id), col(DuplicatePair.second_id), col(Relation.from_id), col(Relation.to_id),
    col(DismissedRelation.from_id), col(DismissedRelation.to_id), col(PaperTopic.paper_id),
    col(PaperVector.paper_id), col(TranslatedTitle.paper_id), col(Merge.from_id), col(Merge.into_id),
)  # fmt: skip
BATCH_SIZE = 100  # items per transaction, so that other writers get their turn
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


def erase_papers(tx: Write, ids: Sequence[int]) -> None:
    """Erase these papers and those merged into them."""
    paper_ids = _with_merged_papers(tx, ids)
    if not paper_ids:
        return
    summary_ids = _list_ids(tx, col(Summary.id), col(Summary.paper_id).in_(paper_ids))
    delete_paper_citations(tx, paper_ids)
    unbind_papers(tx, paper_ids)
    _erase_paper_discussion(tx, paper_ids, summary_ids)
    delete_drafts_of_papers(tx, paper_ids)
    for owner in COLUMNS_OF_OWNED_ROWS:
        tx.bulk_execute(sa.delete(owner.class_).where(owner.in_(paper_ids)))
    tx.bulk_execute(sa.update(Question).where(col(Question.paper_id).in_(paper_ids)).values(paper_id=None))
    _erase_paper_events(tx, paper_ids)
    erased_values = {**ERASED_PAPER_VALUES, "version": col(Paper.version) + 1, "purged_at": now()}
    tx.bulk_execute(sa.update(Paper).where(col(Paper.id).in_(paper_ids)).values(erased_values))
    tx.expire_all()
    search.update_papers(tx, paper_ids)
    text_saved(tx, "summary", summary_ids)


def _with_merged_papers(tx: Write, ids: Sequence[int]) -> list[int]:
    all_ids, level = {*ids}, list(ids)
    while level:
        level = _list_ids(tx, col(Paper.id), col(Paper.merged_into).in_(level))
        all_ids |= {*level}
    return sorted(all_ids)


def _erase_paper_discussion(tx: Write, paper_ids: Sequence[int], summary_ids: Sequence[int]) -> None:
    """Delete comments with their notifications, summary versions, and votes."""
    comment_ids = _list_ids(tx, col(Comment.id), col(Comment.paper_id).in_(paper_ids))
    assignment_ids = sa.select(col(Assignment.id)).where(col(Assignment.paper_id).in_(paper_ids))
    notification_filters = (
        col(Notification.comment_id).in_(comment_ids),
        col(Notification.summary_id).in_(summary_ids),
    )
    tx.bulk_execute(
        sa.delete(Notification).where(
            sa.or_(*notification_filters, col(Notification.assignment_id).in_(assignment_ids))
        )
    )
    tx.bulk_execute(
        sa.delete(ReadMarker).where(col(ReadMarker.subject) == "paper", col(ReadMarker.subject_id).in_(paper_ids))
    )
    statement = sa.delete(Comment).where(col(Comment.id).in_(comment_ids))
    tx.bulk_execute(statement.where(col(Comment.parent_id).is_not(None)))
    tx.bulk_execute(statement)
    text_saved(tx, "comment", comment_ids)
    tx.bulk_execute(sa.delete(SummaryVersion).where(col(SummaryVersion.summary_id).in_(summary_ids)))
    candidate_ids = sa.select(col(Candidate.id)).where(col(Candidate.paper_id).in_(paper_ids))
    tx.bulk_execute(sa.delete(Vote).where(col(Vote.candidate_id).in_(candidate_ids)))


def _erase_paper_events(tx: Write, paper_ids: Sequence[int]) -> None:
    """Erase the content of events; the events themselves are kept."""
    statement = sa.update(Event).where(col(Event.paper_id).in_(paper_ids))
    tx.bulk_execute(statement.values(before=None, after=None))
    tx.bulk_execute(statement.where(col(Event.verb).startswith("paper.")).values(data={}))


def _list_ids(tx: Write, id_column: Any, condition: sa.ColumnElement[bool]) -> list[int]:  # noqa: ANN401 - a column of ids
    return list(tx.scalars(sa.select(id_column).where(condition).order_by(id_column)))


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
            log.exception("failed to purge deleted items", step=step.__name__)
            errors.append(error)
    try:
        purged_count += delete_unused_images(database)
    except Exception as error:
        log.exception("failed to delete unused images")
        errors.append(error)
    if errors:
        message = f"failed to purge deleted items ({'; '.join(map(repr, errors))})"
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
                log.exception("failed to purge deleted item", step=step.__name__, id=portion.item_ids[0])
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
