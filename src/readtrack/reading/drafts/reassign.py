"""Reassignment of drafts when their subject is merged, split or purged.

They stay visible only to their author.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import Draft, Summary, Topic
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.reading.drafts.commands import DraftSubject


def list_draft_ids(tx: Read, subject: DraftSubject) -> list[int]:
    """Return the ids of all people's drafts, for reassigning and not for display."""
    conditions = (col(Draft.subject) == subject.subject, col(Draft.subject_id) == subject.id)
    return [
        draft_id
        for draft_id in tx.scalars(sa.select(col(Draft.id)).where(*conditions).order_by(col(Draft.id)))
        if draft_id
    ]


def move_drafts(tx: Write, subject: DraftSubject, into_id: int) -> list[int]:
    """Move the drafts to the subject that theirs was merged into, and return their ids."""
    ids = list_draft_ids(tx, subject)
    reassign_drafts(tx, ids, subject, to_id=into_id)
    return ids


def reassign_drafts(tx: Write, ids: Sequence[int], subject: DraftSubject, *, to_id: int) -> None:
    """Move these drafts to another subject. Call it after the texts were moved.

    A draft whose text stayed behind loses its version, so that saving it shows the other text as a conflict.
    """
    summary_query = sa.select(col(Summary.id)).where(
        col(Summary.person_id) == col(Draft.person_id), col(Summary.paper_id) == subject.id
    )
    has_stayed = summary_query.exists() if subject.subject == "summary" else sa.true()
    statement = sa.update(Draft).where(
        col(Draft.id).in_(ids), col(Draft.subject) == subject.subject, col(Draft.subject_id) == subject.id
    )
    tx.bulk_execute(
        statement.values(subject_id=to_id, version=sa.case((has_stayed, sa.null()), else_=col(Draft.version)))
    )


def delete_drafts_of_papers(tx: Write, paper_ids: Sequence[int]) -> None:
    """Delete drafts of summaries of purged papers."""
    conditions = (col(Draft.subject) == "summary", col(Draft.subject_id).in_(paper_ids))
    tx.bulk_execute(sa.delete(Draft).where(*conditions))


def delete_old_drafts(tx: Write, *, limit: int) -> int:
    """Delete drafts of topics that can no longer be restored, and return how many."""
    topic_exists = sa.select(col(Topic.id)).where(col(Topic.id) == col(Draft.subject_id)).exists()
    conditions = (col(Draft.subject) == "topic", col(Draft.saved_at) < now() - UNDO_PERIOD, sa.not_(topic_exists))
    ids = list(tx.scalars(sa.select(col(Draft.id)).where(*conditions).order_by(col(Draft.id)).limit(limit)))
    tx.bulk_execute(sa.delete(Draft).where(col(Draft.id).in_(ids)))
    return len(ids)
