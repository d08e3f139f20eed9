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
    every = _with_parts(tx, ids)
    if not every:
        return
    summaries = _ids(tx, col(Summary.id), col(Summary.paper_id).in_(every))
    delete_paper_citations(tx, every)
    unbind_papers(tx, every)
    _erase_discussion(tx, every, summaries)
    delete_drafts_of_papers(tx, every)
    for owner in THEIRS:
        tx.bulk_execute(sa.delete(owner.class_).where(owner.in_(every)))
    tx.bulk_execute(sa.update(Question).where(col(Question.paper_id).in_(every)).values(paper_id=None))
    _erase_events(tx, every)
    husk = {**NOTHING, "version": col(Paper.version) + 1, "purged_at": now()}
    tx.bulk_execute(sa.update(Paper).where(col(Paper.id).in_(every)).values(husk))
    tx.expire_all()
    search.update_papers(tx, every)
    text_saved(tx, "summary", summaries)


def _with_parts(tx: Write, ids: Sequence[int]) -> list[int]:
    every, level = {*ids}, list(ids)
    while level:
        level = _ids(tx, col(Paper.id), col(Paper.merged_into).in_(level))
        every |= {*level}
    return sorted(every)


def _erase_discussion(tx: Write, every: Sequence[int], summaries: Sequence[int]) -> None:
    """Delete comments with their notifications, summary versions, and votes."""
    comments = _ids(tx, col(Comment.id), col(Comment.paper_id).in_(every))
    asked = sa.select(col(Assignment.id)).where(col(Assignment.paper_id).in_(every))
    told = (col(Notification.comment_id).in_(comments), col(Notification.summary_id).in_(summaries))
    tx.bulk_execute(sa.delete(Notification).where(sa.or_(*told, col(Notification.assignment_id).in_(asked))))
    tx.bulk_execute(
        sa.delete(ReadMarker).where(col(ReadMarker.subject) == "paper", col(ReadMarker.subject_id).in_(every))
    )
    answers = sa.delete(Comment).where(col(Comment.id).in_(comments))
    tx.bulk_execute(answers.where(col(Comment.parent_id).is_not(None)))
    tx.bulk_execute(answers)
    text_saved(tx, "comment", comments)
    tx.bulk_execute(sa.delete(SummaryVersion).where(col(SummaryVersion.summary_id).in_(summaries)))
    proposed = sa.select(col(Candidate.id)).where(col(Candidate.paper_id).in_(every))
    tx.bulk_execute(sa.delete(Vote).where(col(Vote.candidate_id).in_(proposed)))


def _erase_events(tx: Write, every: Sequence[int]) -> None:
    """Erase the content of events; the events themselves are kept."""
    theirs = sa.update(Event).where(col(Event.paper_id).in_(every))
    tx.bulk_execute(theirs.values(before=None, after=None))
    tx.bulk_execute(theirs.where(col(Event.verb).startswith("paper.")).values(data={}))


def _ids(tx: Write, number: Any, which: sa.ColumnElement[bool]) -> list[int]:  # noqa: ANN401 - a column of ids
    return list(tx.scalars(sa.select(number).where(which).order_by(number)))
