"""Notifications of mentions and of replies in threads."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Comment, Question, Summary
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.saved_texts import Kind, TextEdit, on_text_saved
from readtrack.library.references.people import find_mentioned_people


def notify_of_comment(tx: Write, me: CurrentUser, comment: Comment) -> None:
    """Notify the people mentioned, and the other participants of the thread or question."""
    mentioned = find_mentioned_people(tx, comment.markdown)
    participants = _find_participants(tx, comment) - mentioned
    subject_ids, group_key = _target_ids(comment), _thread_key(comment)
    notify(tx, me, "mention", mentioned, subject_ids=subject_ids, group_key=group_key)
    notify(tx, me, "reply", participants, subject_ids=subject_ids, group_key=group_key)


def notify_of_edit(tx: Write, me: CurrentUser, comment: Comment, *, before: str) -> None:
    """Notify the people who are newly mentioned."""
    new_mentions = find_mentioned_people(tx, comment.markdown) - find_mentioned_people(tx, before)
    notify(tx, me, "mention", new_mentions, subject_ids=_target_ids(comment), group_key=_thread_key(comment))


@on_text_saved("mentions")
def notify_of_summary(tx: Write, kind: Kind, ids: Sequence[int], edit: TextEdit | None) -> None:
    """Notify the people newly mentioned in a shared summary.

    Comments have their own notifications.
    """
    if kind != "summary" or edit is None:
        return
    for summary in tx.scalars(sa.select(Summary).where(col(Summary.id).in_(ids), col(Summary.private).is_(False))):
        subject_ids = {"paper_id": summary.paper_id, "summary_id": summary.id or 0}
        notify_mentioned(
            tx, edit.author, summary.markdown, edit.before, about=subject_ids, once=f"summary:{summary.id}"
        )


def notify_mentioned(tx: Write, me: CurrentUser, text: str, before: str, *, about: dict[str, int], once: str) -> None:
    """Notify the people mentioned in a text that everyone can read, but not in its previous version."""
    notify(
        tx,
        me,
        "mention",
        find_mentioned_people(tx, text) - find_mentioned_people(tx, before),
        subject_ids=about,
        group_key=once,
    )


def _thread_key(comment: Comment) -> str:
    return f"thread:{comment.parent_id or comment.id}"


def _target_ids(comment: Comment) -> dict[str, int]:
    ids = {"paper_id": comment.paper_id, "question_id": comment.question_id, "topic_id": comment.topic_id}
    return {"comment_id": comment.id or 0} | {name: value for name, value in ids.items() if value is not None}


def _find_participants(tx: Read, comment: Comment) -> set[int]:
    """Return the authors in the thread, and the owner and author of the question."""
    people: set[int] = set()
    if comment.parent_id is not None:
        is_in_thread = sa.or_(col(Comment.id) == comment.parent_id, col(Comment.parent_id) == comment.parent_id)
        query = sa.select(col(Comment.person_id)).where(is_in_thread, col(Comment.deleted_at).is_(None)).distinct()
        people |= set(tx.scalars(query))
    if comment.question_id is not None:
        question_query = sa.select(col(Question.owner_id), col(Question.created_by)).where(
            col(Question.id) == comment.question_id
        )
        people |= {person_id for person_id in tx.execute(question_query).one() if person_id is not None}
    return people
