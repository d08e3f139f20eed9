"""Commands of questions, with their input for both forms and JSON.

The commands are: ask, edit, take, answer, drop, reopen, delete. Anyone who may discuss may change them.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack.infra import action_quotas, events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound, StaleVersion, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Comment, Entry, Notification, Paper, Person, Question, ReadMarker, Topic
from readtrack.infra.notifications import notify
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import OneLine, TrimmedModel
from readtrack.team.discussion.commands import CommentCreate, add_comment_once
from readtrack.team.discussion.notify import notify_mentioned
from readtrack.team.discussion.targets import DiscussionTarget

MAX_QUESTION_CHARS = 2_000
Text = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS), OneLine]
Number = Annotated[int, Field(ge=1, lt=2**31)]
State = Literal["open", "answered", "dropped"]
VERBS = {"open": "question.reopened", "answered": "question.answered", "dropped": "question.dropped"}
ALLOWED = {"open": ("answered", "dropped"), "answered": ("answered", "open"), "dropped": ("open",)}


class QuestionCreate(TrimmedModel):
    """A question, with its paper, the slug of its topic, and its owner."""

    text: Text
    paper: Number | None = None
    topic: str | None = None
    owner: Number | None = None


class QuestionUpdate(QuestionCreate):
    """The complete new values of a question.

    `answer`: the answering comment of an answered question.
    """

    state: State = "open"
    answer: Number | None = None


def ask_question(tx: Write, me: CurrentUser, data: QuestionCreate) -> Question:
    """Ask a question.

    Raise Invalid for an unknown paper, topic or person, TooManyRequests beyond the quota.
    """
    permissions.require(me, "discuss")
    action_quotas.require(tx, me, "question.asked")
    question = Question(text=data.text, created_by=me.id, **_resolve_columns(tx, data))
    tx.add(question)
    tx.flush()
    events.record_event(tx, me, "question.asked", paper_id=question.paper_id, data={"question": question.id})
    _notify_people(tx, me, question, old_text="", owner_before=None)
    return question


def ask_question_once(tx: Write, me: CurrentUser, data: QuestionCreate) -> Question:
    """Ask a question from a form.

    The user's same open question is not repeated, on a double click or reload.
    """
    permissions.require(me, "discuss")
    permissions.lock_person(tx, me)
    conditions = (col(Question.created_by) == me.id, col(Question.state) == "open", col(Question.text) == data.text)
    subject_conditions = (
        col(Question.paper_id).is_not_distinct_from(data.paper),
        col(Topic.slug).is_not_distinct_from(data.topic),
    )
    query = sa.select(Question).join(Topic, col(Topic.id) == col(Question.topic_id), isouter=True)
    existing = tx.scalar(query.where(*conditions, *subject_conditions).order_by(col(Question.id).desc()).limit(1))
    return existing or ask_question(tx, me, data)


def note_question(
    tx: Write,
    me: CurrentUser,
    text: str,
    *,
    topic_id: int | None = None,
    paper_id: int | None = None,
    author_id: int | None = None,
    asked_at: datetime | None = None,
) -> int:
    """Add a question from notes, of the user unless `author_id` is given. No quota applies to imports."""
    permissions.require(me, "import")
    question = Question(text=text, created_by=author_id or me.id, topic_id=topic_id, paper_id=paper_id)
    question.created_at = question.updated_at = asked_at or now()
    tx.add(question)
    tx.flush()
    events.record_event(tx, me, "question.noted", paper_id=paper_id, data={"question": question.id})
    return question.id or 0


def edit_question(tx: Write, me: CurrentUser, question_id: int, edit: QuestionUpdate, *, version: int) -> Question:
    """Change a question.

    Raise StaleVersion after a concurrent change, Conflict for a state transition that is not allowed.
    """
    permissions.require(me, "discuss")
    question = _get_for_update(tx, question_id)
    if question.version != version:
        raise _stale_error(question, version)
    _change(tx, me, question, edit)
    if (question.state, question.answer_id) != (edit.state, edit.answer):
        _set_state(tx, me, question, edit.state, answer=edit.answer)
    return question


def take_question(tx: Write, me: CurrentUser, question_id: int) -> Question:
    """Make the user the owner, who looks for the answer."""
    permissions.require(me, "discuss")
    question = _get_for_update(tx, question_id)
    if question.owner_id != me.id:
        _save_version(tx, me, question, verb="question.edited", changes={"owner_id": me.id})
    return question


def answer_question(tx: Write, me: CurrentUser, question_id: int, comment_id: int) -> Question:
    """Mark a comment of its discussion as the answer."""
    permissions.require(me, "discuss")
    question = _get_for_update(tx, question_id)
    _set_state(tx, me, question, "answered", answer=comment_id)
    return question


def post_answer(tx: Write, me: CurrentUser, question_id: int, data: CommentCreate) -> Comment:
    """Post a comment as the answer.

    Raise Conflict, without posting, if the question cannot be answered.
    """
    permissions.require(me, "discuss")
    question = _get_for_update(tx, question_id)
    _refuse_state(question, "answered")
    answer = add_comment_once(tx, me, DiscussionTarget("question", question_id, str(question_id)), data)
    if question.answer_id != answer.id:
        _set_state(tx, me, question, "answered", answer=answer.id)
    return answer


def drop_question(tx: Write, me: CurrentUser, question_id: int) -> Question:
    """Drop a question that is no longer needed."""
    permissions.require(me, "discuss")
    question = _get_for_update(tx, question_id)
    _set_state(tx, me, question, "dropped")
    return question


def reopen_question(tx: Write, me: CurrentUser, question_id: int) -> Question:
    """Reopen a question."""
    permissions.require(me, "discuss")
    question = _get_for_update(tx, question_id)
    _set_state(tx, me, question, "open")
    return question


def delete_question(tx: Write, me: CurrentUser, question_id: int) -> int:
    """Delete a question that is not used, as its author or an editor. Return the undo entry."""
    permissions.require(me, "discuss")
    question = _get_for_update(tx, question_id)
    tx.refresh(question, with_for_update=True)  # full lock, so that no comment is added at the same time
    if question.created_by != me.id:
        permissions.require(me, "delete")
    _refuse_used(tx, question)
    before = {"text": question.text, "state": question.state}
    events.record_event(
        tx, me, "question.deleted", paper_id=question.paper_id, data={"question": question.id}, before=before
    )
    tx.execute(sa.delete(Notification).where(col(Notification.question_id) == question.id))
    tx.execute(
        sa.delete(ReadMarker).where(col(ReadMarker.subject) == "question", col(ReadMarker.subject_id) == question.id)
    )
    undo_id = undo_log.record_undo_entry(tx, me, "question.deleted", _undo_data(question))
    tx.delete(question)
    tx.flush()
    return undo_id


def _undo_data(question: Question) -> dict[str, Any]:
    row = question.model_dump(mode="json", exclude={"id", "answer_id"})
    return {"title": question.text, "was": question.id, "row": row}


def _resolve_columns(tx: Write, data: QuestionCreate, *, owner_before: int | None = None) -> dict[str, Any]:
    """Return the columns for paper, topic and owner. Raise Invalid if one is unknown.

    The current owner stays valid even if they were disabled since.
    """
    topic_id = None
    if data.topic:
        query = sa.select(col(Topic.id)).where(col(Topic.slug) == data.topic)
        topic_id = tx.scalar(query.with_for_update(read=True, key_share=True))
        _refuse_missing("/topic", topic_id, _("Topic “{topic}” not found.").format(topic=data.topic))
    if data.paper is not None:
        try:
            permissions.lock_present_paper(tx, data.paper)
        except NotFound as error:
            _refuse_missing("/paper", None, error.message)
    if data.owner not in {None, owner_before}:
        person_query = sa.select(col(Person.id)).where(col(Person.id) == data.owner, col(Person.disabled_at).is_(None))
        _refuse_missing("/owner", tx.scalar(person_query), _("No such member: {list}.").format(list=data.owner))
    return {"paper_id": data.paper, "topic_id": topic_id, "owner_id": data.owner}


def _refuse_missing(pointer: str, row_id: int | None, detail: str) -> None:
    if row_id is None:
        raise invalid_field(pointer, "unknown", detail)


def _change(tx: Write, me: CurrentUser, question: Question, edit: QuestionUpdate) -> None:
    new_values: dict[str, Any] = {"text": edit.text, **_resolve_columns(tx, edit, owner_before=question.owner_id)}
    if edit.paper is None and question.paper_id is not None and not _is_seen(tx, question.paper_id):
        del new_values["paper_id"]  # the paper is deleted, so the form did not have it
    changes = {name: value for name, value in new_values.items() if getattr(question, name) != value}
    if changes:
        old_text, owner_before = question.text, question.owner_id
        _save_version(tx, me, question, verb="question.edited", changes=changes)
        _notify_people(tx, me, question, old_text=old_text, owner_before=owner_before)


def _is_seen(tx: Write, paper_id: int) -> bool:
    return (
        tx.scalar(sa.select(col(Paper.id)).where(col(Paper.id) == paper_id, permissions.is_present(Paper))) is not None
    )


def _set_state(tx: Write, me: CurrentUser, question: Question, state: str, *, answer: int | None = None) -> None:
    if (answer is not None) != (state == "answered"):
        detail = (
            _("Choose the comment that answers the question.")
            if answer is None
            else _("Only answered questions can have an answer.")
        )
        raise invalid_field("/answer", "bad-answer", detail)
    _refuse_state(question, state)
    if answer is not None:
        query = sa.select(col(Comment.id)).where(col(Comment.id) == answer, col(Comment.question_id) == question.id)
        answer_id = tx.scalar(query.where(col(Comment.deleted_at).is_(None)).with_for_update(read=True))
        _refuse_missing(
            "/answer",
            answer_id,
            _("Comment {answer} not found.").format(answer=answer),
        )
    closing: dict[str, Any] = {"closed_at": None, "closed_by": None}
    if state != "open":
        closing = {"closed_at": now(), "closed_by": me.id}
    _save_version(tx, me, question, verb=VERBS[state], changes={"state": state, "answer_id": answer, **closing})


def _refuse_state(question: Question, state: str) -> None:
    if state not in ALLOWED[question.state]:
        message = _("This question is already open.") if state == "open" else _("Reopen this question first.")
        raise Conflict(message, code="bad-transition", allowed=ALLOWED[question.state])


def _save_version(tx: Write, me: CurrentUser, question: Question, *, verb: str, changes: dict[str, Any]) -> None:
    """Save the next version with its event."""
    recorded_names = [name for name in changes if not name.startswith("closed_")]
    before = {name: getattr(question, name) for name in recorded_names}
    for name, value in changes.items():
        setattr(question, name, value)
    question.version, question.updated_at = question.version + 1, now()
    after, data = {name: changes[name] for name in recorded_names}, {"question": question.id}
    events.record_event(tx, me, verb, paper_id=question.paper_id, data=data, before=before, after=after)
    tx.flush()


def _notify_people(tx: Write, me: CurrentUser, question: Question, *, old_text: str, owner_before: int | None) -> None:
    """Notify the people mentioned, and a new owner."""
    subject_ids, group_key = {"question_id": question.id or 0}, f"question:{question.id}"
    notify_mentioned(tx, me, question.text, old_text, about=subject_ids, once=group_key)
    if question.owner_id is not None and question.owner_id != owner_before:
        notify(
            tx, me, "mention", [question.owner_id], subject_ids=subject_ids, group_key=group_key, data={"as": "owner"}
        )


def _refuse_used(tx: Write, question: Question) -> None:
    for column in (col(Comment.question_id), col(Entry.question_id), col(AgendaItem.question_id)):
        if tx.scalar(sa.select(column).where(column == question.id).limit(1)) is not None:
            message = _("Questions with comments, notes or agenda items can't be deleted. Drop it instead.")
            raise Conflict(message, code="question-in-use")


def _get_for_update(tx: Write, question_id: int) -> Question:
    # compatible with foreign key checks, so that comments and edits do not block each other
    lock_options: dict[str, bool] = {"key_share": True}
    question = tx.get(Question, question_id, with_for_update=lock_options, populate_existing=True)
    if question is None:
        message = _("Question {question_id} not found.").format(question_id=question_id)
        raise NotFound(message)
    return question


def _stale_error(question: Question, version: int) -> StaleVersion:
    message = _("Someone else edited this. Reload and try again.")
    current = {"version": question.version, "yours": version, "text": question.text, "state": question.state}
    return StaleVersion(message, current=current)
