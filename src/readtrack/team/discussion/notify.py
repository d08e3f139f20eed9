"""Whom a text concerns: who is mentioned in it, and who takes part in the thread."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Comment, Question, Summary
from readtrack.infra.notifications import tell
from readtrack.infra.permissions import Visitor
from readtrack.infra.saved_texts import Edit, Kind, on_text_saved
from readtrack.library.references.people import people_meant


def tell_of_comment(tx: Write, me: Visitor, comment: Comment) -> None:
    """Tells who is mentioned, and of the others who talk in the thread or wait for an answer to the question."""
    meant = people_meant(tx, comment.markdown)
    told: dict[str, Any] = {"about": _about(comment), "once": f"thread:{comment.parent_id or comment.id}"}
    tell(tx, me, "mention", meant, **told)
    tell(tx, me, "reply", _concerned(tx, comment) - meant, **told)


def tell_of_edit(tx: Write, me: Visitor, comment: Comment, *, before: str) -> None:
    """Tells who is mentioned now and was not before."""
    added = people_meant(tx, comment.markdown) - people_meant(tx, before)
    tell(tx, me, "mention", added, about=_about(comment), once=f"thread:{comment.parent_id or comment.id}")


@on_text_saved("mentions")
def tell_of_summary(tx: Write, kind: Kind, ids: Sequence[int], edit: Edit | None) -> None:
    """Tells who is mentioned in a summary that everybody may read, and was not before. Comments tell more people."""
    if kind != "summary" or edit is None:
        return
    for summary in tx.scalars(sa.select(Summary).where(col(Summary.id).in_(ids), col(Summary.private).is_(False))):
        about = {"paper_id": summary.paper_id, "summary_id": summary.id or 0}
        tell_of_text(tx, edit.by, summary.markdown, edit.before, about=about, once=f"summary:{summary.id}")


def tell_of_text(tx: Write, me: Visitor, text: str, before: str, *, about: dict[str, int], once: str) -> None:
    """Tells who is mentioned in another text that everybody may read, and was not in what stood there before."""
    tell(tx, me, "mention", people_meant(tx, text) - people_meant(tx, before), about=about, once=once)


def _about(comment: Comment) -> dict[str, int]:
    place = {"paper_id": comment.paper_id, "question_id": comment.question_id, "topic_id": comment.topic_id}
    return {"comment_id": comment.id or 0} | {name: number for name, number in place.items() if number is not None}


def _concerned(tx: Read, comment: Comment) -> set[int]:
    """Who wrote in the thread, and who owns or asked the question that it is about."""
    people: set[int] = set()
    if comment.parent_id is not None:
        thread = sa.or_(col(Comment.id) == comment.parent_id, col(Comment.parent_id) == comment.parent_id)
        wrote = sa.select(col(Comment.person_id)).where(thread, col(Comment.deleted_at).is_(None)).distinct()
        people |= set(tx.scalars(wrote))
    if comment.question_id is not None:
        whose = sa.select(col(Question.owner_id), col(Question.created_by)).where(
            col(Question.id) == comment.question_id
        )
        people |= {person_id for person_id in tx.execute(whose).one() if person_id is not None}
    return people
