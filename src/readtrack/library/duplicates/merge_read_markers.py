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
    merged_marks, survivor_marks = _find_read_markers(tx, from_id), _find_read_markers(tx, into_id)
    discussions = _list_comment_ids(tx, from_id), _list_comment_ids(tx, into_id)
    moved: Moved = []
    for person_id in sorted({*merged_marks, *survivor_marks}):
        marks = merged_marks.get(person_id, 0), survivor_marks.get(person_id, 0)
        first_unread = [
            next((comment_id for comment_id in comment_ids if comment_id > mark), None)
            for comment_ids, mark in zip(discussions, marks, strict=True)
        ]
        first_comment_id = min((comment_id for comment_id in first_unread if comment_id is not None), default=None)
        after = max(marks) if first_comment_id is None else first_comment_id - 1
        moved.append([person_id, survivor_marks.get(person_id), after])
        _set_read_marker(tx, into_id, person_id, after)
    return moved


def unmerge_read_markers(tx: Write, from_id: int, into_id: int, moved: Moved) -> None:
    """Restore the markers; people who have read on since the merge get their new marker on both papers."""
    markers = _find_read_markers(tx, into_id)
    for person_id, before, after in moved:
        if person_id is None or after is None or person_id not in markers:
            continue
        if markers[person_id] == after:
            _set_read_marker(tx, into_id, person_id, before)
        else:
            _set_read_marker(tx, from_id, person_id, markers[person_id])


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
    conditions = (col(ReadMarker.subject) == "paper", col(ReadMarker.subject_id) == paper_id)
    rows = tx.execute(sa.select(col(ReadMarker.person_id), col(ReadMarker.comment_id)).where(*conditions))
    return {row.person_id: row.comment_id for row in rows}


def _list_comment_ids(tx: Read, paper_id: int) -> list[int]:
    query = sa.select(col(Comment.id)).where(col(Comment.paper_id) == paper_id).order_by(col(Comment.id))
    return [comment_id for comment_id in tx.scalars(query) if comment_id]
