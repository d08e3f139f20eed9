"""Permanent erasure of papers: everything about them and everyone's data on them.

The id and identifiers are kept because entries, leads and events refer to them.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import (
    AgendaItem,
    Assignment,
    Candidate,
    Comment,
    DismissedRelation,
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
    Question,
    Reading,
    ReadingEvent,
    ReadMarker,
    Relation,
    Summary,
    SummaryVersion,
    TitleSearch,
    TranslatedTitle,
    Version,
    Vote,
)
from readtrack.infra.saved_texts import text_saved
from readtrack.library.citations.store import delete_paper_citations
from readtrack.library.references.index import unbind_papers
from readtrack.reading.drafts.reassign import delete_drafts_of_papers

NOTHING: dict[str, Any] = {
    "title": "", "title_key": "", "authors": [], "year": None, "published_on": None, "venue": "", "abstract": "",
    "language": "", "record_id": None, "field_sources": {}, "user_supplied": {}, "field_locks": {},
}  # fmt: skip
THEIRS: tuple[Any, ...] = (  # In an order that respects foreign keys.
    col(Notification.paper_id), col(Assignment.paper_id), col(AgendaItem.paper_id), col(Candidate.paper_id),
    col(Summary.paper_id), col(Reading.paper_id), col(ReadingEvent.paper_id), col(MetadataRecord.paper_id),
    col(Link.paper_id), col(Version.paper_id), col(MetadataRequest.paper_id), col(TitleSearch.paper_id),
    col(MatchSuggestion.paper_id),
    col(DuplicatePair.first_id), col(DuplicatePair.second_id), col(Relation.from_id), col(Relation.to_id),
    col(DismissedRelation.from_id), col(DismissedRelation.to_id), col(PaperTopic.paper_id),
    col(PaperVector.paper_id), col(TranslatedTitle.paper_id), col(Merge.from_id), col(Merge.into_id),
)  # fmt: skip


def erase_papers(tx: Write, ids: Sequence[int]) -> None:
    """Erase these papers and those merged into them."""
    paper_ids = _with_parts(tx, ids)
    if not paper_ids:
        return
    summary_ids = _ids(tx, col(Summary.id), col(Summary.paper_id).in_(paper_ids))
    delete_paper_citations(tx, paper_ids)
    unbind_papers(tx, paper_ids)
    _erase_discussion(tx, paper_ids, summary_ids)
    delete_drafts_of_papers(tx, paper_ids)
    for owner in THEIRS:
        tx.bulk_execute(sa.delete(owner.class_).where(owner.in_(paper_ids)))
    tx.bulk_execute(sa.update(Question).where(col(Question.paper_id).in_(paper_ids)).values(paper_id=None))
    _erase_events(tx, paper_ids)
    erased_values = {**NOTHING, "version": col(Paper.version) + 1, "purged_at": now()}
    tx.bulk_execute(sa.update(Paper).where(col(Paper.id).in_(paper_ids)).values(erased_values))
    tx.expire_all()
    search.update_papers(tx, paper_ids)
    text_saved(tx, "summary", summary_ids)


def _with_parts(tx: Write, ids: Sequence[int]) -> list[int]:
    all_ids, level = {*ids}, list(ids)
    while level:
        level = _ids(tx, col(Paper.id), col(Paper.merged_into).in_(level))
        all_ids |= {*level}
    return sorted(all_ids)


def _erase_discussion(tx: Write, paper_ids: Sequence[int], summary_ids: Sequence[int]) -> None:
    """Delete comments with their notifications, summary versions, and votes."""
    comment_ids = _ids(tx, col(Comment.id), col(Comment.paper_id).in_(paper_ids))
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


def _erase_events(tx: Write, paper_ids: Sequence[int]) -> None:
    """Erase the content of events; the events themselves are kept."""
    statement = sa.update(Event).where(col(Event.paper_id).in_(paper_ids))
    tx.bulk_execute(statement.values(before=None, after=None))
    tx.bulk_execute(statement.where(col(Event.verb).startswith("paper.")).values(data={}))


def _ids(tx: Write, id_column: Any, condition: sa.ColumnElement[bool]) -> list[int]:  # noqa: ANN401 - a column of ids
    return list(tx.scalars(sa.select(id_column).where(condition).order_by(id_column)))
