"""Merging of read markers of discussions, such that no unread comment becomes read."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import Comment, ReadMarker

Marks = dict[int, int]  # person -> newest comment read
Moved = list[list[int | None]]  # person, the surviving paper's marker before (None: no marker), and after


def merge_read_markers(tx: Write, from_id: int, into_id: int) -> Moved:
    """Set each reader's marker before their first unread comment in either discussion; return the changes.

    Call this before the comments move. The markers of `from_id` are kept for undoing the merge.
    """
    gone, kept = _find_read_markers(tx, from_id), _find_read_markers(tx, into_id)
    talks = _list_comment_ids(tx, from_id), _list_comment_ids(tx, into_id)
    moved: Moved = []
    for person_id in sorted({*gone, *kept}):
        sides = gone.get(person_id, 0), kept.get(person_id, 0)
        unseen = [next((one for one in talk if one > mark), None) for talk, mark in zip(talks, sides, strict=True)]
        first = min((one for one in unseen if one is not None), default=None)
        after = max(sides) if first is None else first - 1
        moved.append([person_id, kept.get(person_id), after])
        _set_read_marker(tx, into_id, person_id, after)
    return moved


def unmerge_read_markers(tx: Write, from_id: int, into_id: int, moved: Moved) -> None:
    """Restore the markers; people who have read on since the merge get their new marker on both papers."""
    kept = _find_read_markers(tx, into_id)
    for person_id, before, after in moved:
        if person_id is None or after is None or person_id not in kept:
            continue
        if kept[person_id] == after:
            _set_read_marker(tx, into_id, person_id, before)
        else:
            _set_read_marker(tx, from_id, person_id, kept[person_id])


def _set_read_marker(tx: Write, paper_id: int, person_id: int, comment_id: int | None) -> None:
    mark = tx.get(ReadMarker, (person_id, "paper", paper_id), populate_existing=True)
    if comment_id is None:
        if mark is not None:
            tx.delete(mark)
    elif mark is None:
        tx.add(
            ReadMarker(person_id=person_id, subject="paper", subject_id=paper_id, comment_id=comment_id, seen_at=now())
        )
    else:
        mark.comment_id = comment_id
    tx.flush()


def _find_read_markers(tx: Read, paper_id: int) -> Marks:
    of = (col(ReadMarker.subject) == "paper", col(ReadMarker.subject_id) == paper_id)
    rows = tx.execute(sa.select(col(ReadMarker.person_id), col(ReadMarker.comment_id)).where(*of))
    return {row.person_id: row.comment_id for row in rows}


def _list_comment_ids(tx: Read, paper_id: int) -> list[int]:
    query = sa.select(col(Comment.id)).where(col(Comment.paper_id) == paper_id).order_by(col(Comment.id))
    return [comment_id for comment_id in tx.scalars(query) if comment_id]
