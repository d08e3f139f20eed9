"""Reassignment of drafts when their subject is merged, split or purged.

They stay visible only to their author.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import Draft, Summary, Topic
from readtrack.infra.undo_log import WITHIN
from readtrack.reading.drafts.commands import DraftSubject


def list_draft_ids(tx: Read, about: DraftSubject) -> list[int]:
    """Return the ids of all people's drafts, for reassigning and not for display."""
    theirs = (col(Draft.subject) == about.subject, col(Draft.subject_id) == about.id)
    return [found for found in tx.scalars(sa.select(col(Draft.id)).where(*theirs).order_by(col(Draft.id))) if found]


def move_drafts(tx: Write, about: DraftSubject, into_id: int) -> list[int]:
    """Move the drafts to the subject that theirs was merged into, and return their ids."""
    ids = list_draft_ids(tx, about)
    reassign_drafts(tx, ids, about, to=into_id)
    return ids


def reassign_drafts(tx: Write, ids: Sequence[int], about: DraftSubject, *, to: int) -> None:
    """Move these drafts to another subject. Call it after the texts were moved.

    A draft whose text stayed behind loses its version, so that saving it shows the other text as a conflict.
    """
    mine = sa.select(col(Summary.id)).where(
        col(Summary.person_id) == col(Draft.person_id), col(Summary.paper_id) == about.id
    )
    stayed = mine.exists() if about.subject == "summary" else sa.true()
    theirs = sa.update(Draft).where(
        col(Draft.id).in_(ids), col(Draft.subject) == about.subject, col(Draft.subject_id) == about.id
    )
    tx.bulk_execute(theirs.values(subject_id=to, version=sa.case((stayed, sa.null()), else_=col(Draft.version))))


def delete_drafts_of_papers(tx: Write, paper_ids: Sequence[int]) -> None:
    """Delete drafts of summaries of purged papers."""
    theirs = (col(Draft.subject) == "summary", col(Draft.subject_id).in_(paper_ids))
    tx.bulk_execute(sa.delete(Draft).where(*theirs))


def delete_old_drafts(tx: Write, *, most: int) -> int:
    """Delete drafts of topics that can no longer be restored, and return how many."""
    there = sa.select(col(Topic.id)).where(col(Topic.id) == col(Draft.subject_id)).exists()
    lost = (col(Draft.subject) == "topic", col(Draft.saved_at) < now() - WITHIN, sa.not_(there))
    ids = list(tx.scalars(sa.select(col(Draft.id)).where(*lost).order_by(col(Draft.id)).limit(most)))
    tx.bulk_execute(sa.delete(Draft).where(col(Draft.id).in_(ids)))
    return len(ids)
