"""Commands of comments: add, edit, delete and restore; hide and show; resolve threads; mark as seen."""

from datetime import datetime, timedelta
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import AfterValidator, Field
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.infra import action_quotas, events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, StaleVersion, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comment, Question, ReadMarker
from readtrack.infra.notifications import retract_notifications
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.saved_texts import text_saved
from readtrack.infra.validation import Markdown, StrictModel, TrimmedModel
from readtrack.team.discussion import notify, targets
from readtrack.team.discussion.targets import DiscussionTarget

RESTORE_DAYS = 30
REPEATED_WITHIN = timedelta(days=1)


def _require_text(text: str) -> str:
    if not text:
        message = _("This field is required.")
        raise ValueError(message)
    return text


Text = Annotated[Markdown, AfterValidator(_require_text)]


class CommentUpdate(TrimmedModel):
    """The complete new text."""

    markdown: Text


class CommentCreate(CommentUpdate):
    """A comment, or a reply in the thread of `parent`."""

    parent: int | None = None


class ReadMarkerUpdate(StrictModel):
    """The newest comment seen."""

    comment: Annotated[int, Field(ge=1, lt=2**31)]


def add_comment(tx: Write, me: CurrentUser, subject: DiscussionTarget, data: CommentCreate) -> Comment:
    """Add a comment.

    Raise Invalid if `parent` is not in the discussion, TooManyRequests beyond the quota.
    """
    permissions.require(me, "discuss")
    targets.lock_target(tx, subject)
    action_quotas.require(tx, me, "comment.added")
    thread_id = _find_thread_for_update(tx, subject, data.parent)
    comment = Comment(person_id=me.id, parent_id=thread_id, markdown=data.markdown)
    setattr(comment, subject.column, subject.id)
    tx.add(comment)
    tx.flush()
    text_saved(tx, "comment", [comment.id or 0])
    _record(tx, me, "comment.added", comment)
    notify.notify_of_comment(tx, me, comment)
    return comment


def add_comment_once(tx: Write, me: CurrentUser, subject: DiscussionTarget, data: CommentCreate) -> Comment:
    """Add a comment from a form.

    The user's last comment there is not repeated within a day, on a double click or reload.
    """
    permissions.require(me, "discuss")
    targets.lock_target(tx, subject)
    permissions.lock_person(tx, me)
    return _find_repeated(tx, me, subject, data) or add_comment(tx, me, subject, data)


def note_comment(
    tx: Write,
    me: CurrentUser,
    subject: DiscussionTarget,
    markdown: str,
    *,
    author_id: int,
    parent_id: int | None,
    written_at: datetime,
    is_resolved: bool,
) -> int:
    """Add a comment from an export. It notifies nobody, and no quota applies to imports.

    `parent_id`: the first comment of its thread. Raise ValidationError if the text is blank or too long.
    """
    permissions.require(me, "import")
    targets.lock_target(tx, subject)
    text = CommentUpdate(markdown=markdown).markdown
    comment = Comment(
        person_id=author_id, parent_id=parent_id, markdown=text, created_at=written_at, updated_at=written_at
    )
    comment.resolved_at = written_at if is_resolved else None
    setattr(comment, subject.column, subject.id)
    tx.add(comment)
    tx.flush()
    text_saved(tx, "comment", [comment.id or 0])
    _record(tx, me, "comment.noted", comment)
    return comment.id or 0


def edit_comment(tx: Write, me: CurrentUser, comment_id: int, edit: CommentUpdate, *, version: int) -> Comment:
    """Save the user's comment as its next version.

    Raise StaleVersion with the current text after a concurrent change.
    """
    permissions.require(me, "discuss")
    comment = _get_own_for_update(tx, me, comment_id)
    if comment.version != version:
        raise _stale_error(comment, version)
    old_markdown = comment.markdown
    if old_markdown == edit.markdown:
        return comment
    comment.markdown, comment.version, comment.updated_at = edit.markdown, version + 1, now()
    texts: dict[str, Any] = {"before": {"markdown": old_markdown}, "after": {"markdown": edit.markdown}}
    _record(tx, me, "comment.edited", comment, **texts)
    notify.notify_of_edit(tx, me, comment, before=old_markdown)
    text_saved(tx, "comment", [comment.id or 0])
    return comment


def delete_comment(tx: Write, me: CurrentUser, comment_id: int) -> Comment:
    """Delete the user's comment and reopen a question that it answers.

    With replies it stays as a placeholder.
    """
    permissions.require(me, "discuss")
    comment = _get_own_for_update(tx, me, comment_id)
    comment.deleted_at = now()
    _record(tx, me, "comment.deleted", comment)
    retract_notifications(tx, comment_id)
    _reopen_question(tx, me, comment)
    tx.flush()
    return comment


def restore_comment(tx: Write, me: CurrentUser, comment_id: int) -> Comment:
    """Restore the user's deleted comment within 30 days. Raise Conflict after that."""
    permissions.require(me, "discuss")
    comment = _get_own_for_update(tx, me, comment_id, deleted=True)
    if (now() - (comment.deleted_at or now())).days >= RESTORE_DAYS:
        message = _("It was deleted more than 30 days ago and can't be restored.")
        raise Conflict(message)
    comment.deleted_at = None
    _record(tx, me, "comment.restored", comment)
    tx.flush()
    return comment


def hide_comment(tx: Write, me: CurrentUser, comment_id: int) -> Comment:
    """Hide a comment, so that only its author and admins can read the text.

    No change if it is hidden.
    """
    permissions.require(me, "hide")
    comment = _get_for_update(tx, comment_id)
    if comment.hidden_at is None:
        comment.hidden_at, comment.hidden_by = now(), me.id
        _record(tx, me, "comment.hidden", comment)
        retract_notifications(tx, comment_id)
    tx.flush()
    return comment


def show_comment(tx: Write, me: CurrentUser, comment_id: int) -> Comment:
    """Show a hidden comment again. No change if it is shown."""
    permissions.require(me, "hide")
    comment = _get_for_update(tx, comment_id)
    if comment.hidden_at is not None:
        comment.hidden_at = comment.hidden_by = None
        _record(tx, me, "comment.shown", comment)
    tx.flush()
    return comment


def resolve_thread(tx: Write, me: CurrentUser, comment_id: int) -> Comment:
    """Resolve the comment's thread and return its first comment. No change if it is resolved."""
    permissions.require(me, "discuss")
    root = _get_thread_root(tx, comment_id)
    if root.resolved_at is None:
        root.resolved_at, root.resolved_by = now(), me.id
        _record(tx, me, "thread.resolved", root)
    tx.flush()
    return root


def reopen_thread(tx: Write, me: CurrentUser, comment_id: int) -> Comment:
    """Reopen the comment's thread and return its first comment. No change if it is open."""
    permissions.require(me, "discuss")
    root = _get_thread_root(tx, comment_id)
    if root.resolved_at is not None:
        root.resolved_at = root.resolved_by = None
        _record(tx, me, "thread.reopened", root)
    tx.flush()
    return root


def mark_seen(tx: Write, me: CurrentUser, subject: DiscussionTarget, update: ReadMarkerUpdate) -> None:
    """Mark the discussion as seen up to a comment.

    The mark never moves back. Raise Invalid for another discussion's comment.
    """
    permissions.require(me, "keep")
    targets.lock_target(tx, subject)
    query = sa.select(col(Comment.id)).where(col(Comment.id) == update.comment, targets.comments_filter(subject))
    if tx.scalar(query) is None:
        raise _wrong_parent_error("/comment", update.comment)
    if not _is_seen(tx, me, subject, update.comment):
        try:
            with tx.begin_nested():
                tx.add(
                    ReadMarker(person_id=me.id, subject=subject.kind, subject_id=subject.id, comment_id=update.comment)
                )
        except IntegrityError:  # another window of the user inserted it at this moment, perhaps with an older comment
            _is_seen(tx, me, subject, update.comment)


def _is_seen(tx: Write, me: CurrentUser, subject: DiscussionTarget, comment_id: int) -> bool:
    """Move an existing mark forward. Return False if there is none."""
    marker = tx.get(ReadMarker, (me.id, subject.kind, subject.id), with_for_update=True, populate_existing=True)
    if marker is not None:
        marker.comment_id, marker.seen_at = max(marker.comment_id, comment_id), now()
    return marker is not None


def _find_repeated(tx: Write, me: CurrentUser, subject: DiscussionTarget, data: CommentCreate) -> Comment | None:
    is_in_thread: sa.ColumnElement[bool] = col(Comment.parent_id).is_(None)
    if data.parent is not None:
        thread_query = sa.select(sa.func.coalesce(col(Comment.parent_id), col(Comment.id)))
        is_in_thread = col(Comment.parent_id) == thread_query.where(col(Comment.id) == data.parent).scalar_subquery()
    query = sa.select(Comment).where(targets.comments_filter(subject), col(Comment.person_id) == me.id, is_in_thread)
    last_comment = tx.scalar(query.where(col(Comment.deleted_at).is_(None)).order_by(col(Comment.id).desc()).limit(1))
    if (
        last_comment is None
        or last_comment.markdown != data.markdown
        or now() - last_comment.created_at > REPEATED_WITHIN
    ):
        return None
    return last_comment


def _find_thread_for_update(tx: Write, subject: DiscussionTarget, parent: int | None) -> int | None:
    """Return the id of the thread's first comment, locked so that it cannot be deleted at the same time."""
    if parent is None:
        return None
    query = sa.select(col(Comment.id), col(Comment.parent_id)).where(
        col(Comment.id) == parent, targets.comments_filter(subject)
    )
    parent_row = tx.execute(query).one_or_none()
    if parent_row is None:
        raise _wrong_parent_error("/parent", parent)
    thread_id: int = parent_row.parent_id or parent_row.id
    root = tx.get_one(Comment, thread_id, with_for_update=True, populate_existing=True)
    if root.deleted_at is not None and not _is_answered(tx, thread_id):
        message = _("The comment you replied to was deleted. Start a new thread.")
        raise Conflict(message)
    return thread_id


def _get_own_for_update(tx: Write, me: CurrentUser, comment_id: int, *, deleted: bool = False) -> Comment:
    """Return the user's comment, locked.

    Raise NotAllowed for another's, NotFound if it is missing.
    """
    comment = _get_for_update(tx, comment_id, deleted=deleted)
    if comment.person_id != me.id:
        message = _("Only the author can edit this comment.")
        raise NotAllowed(message)
    return comment


def _get_thread_root(tx: Write, comment_id: int) -> Comment:
    """Return the first comment of the thread, locked."""
    row = sa.select(col(Comment.parent_id)).where(col(Comment.id) == comment_id)
    return _get_for_update(tx, tx.scalar(row) or comment_id, placeholders=True)


def _get_for_update(tx: Write, comment_id: int, *, deleted: bool = False, placeholders: bool = False) -> Comment:
    """Return the comment, locked until the transaction ends. Raise NotFound.

    `deleted`: return only a deleted comment. `placeholders`: also a deleted comment with replies.
    """
    comment = tx.get(Comment, comment_id)
    if comment is None:
        raise _not_found_error(comment_id)
    targets.lock_target(tx, targets.get_comment_target(tx, comment))
    tx.refresh(comment, with_for_update=True)
    is_expected = (comment.deleted_at is not None) is deleted
    if not is_expected and not (placeholders and _is_answered(tx, comment_id)):
        raise _not_found_error(comment_id)
    return comment


def _is_answered(tx: Read, thread_id: int) -> bool:
    query = sa.select(col(Comment.id)).where(col(Comment.parent_id) == thread_id, col(Comment.deleted_at).is_(None))
    return tx.scalar(query.limit(1)) is not None


def _reopen_question(tx: Write, me: CurrentUser, comment: Comment) -> None:
    """Reopen the question that the deleted comment answered."""
    query = sa.select(Question).where(col(Question.answer_id) == comment.id).with_for_update()
    for question in tx.scalars(query.execution_options(populate_existing=True)).all():
        question.state, question.answer_id, question.closed_at, question.closed_by = "open", None, None, None
        question.version, question.updated_at = question.version + 1, now()
        states: dict[str, Any] = {"before": {"state": "answered"}, "after": {"state": "open"}}
        data = {"question": question.id}
        events.record_event(tx, me, "question.reopened", paper_id=question.paper_id, data=data, **states)


def _record(
    tx: Write,
    me: CurrentUser,
    verb: str,
    comment: Comment,
    *,
    before: dict[str, str] | None = None,
    after: dict[str, str] | None = None,
) -> None:
    """Record the event with ids only: the text may be hidden later."""
    subject_ids = {"question": comment.question_id, "topic": comment.topic_id}
    data = {"comment": comment.id, "thread": comment.parent_id or comment.id}
    data |= {name: number for name, number in subject_ids.items() if number is not None}
    events.record_event(tx, me, verb, paper_id=comment.paper_id, data=data, before=before, after=after)


def _wrong_parent_error(pointer: str, comment_id: int) -> Invalid:
    detail = _("Comment {comment_id} not found.").format(comment_id=comment_id)
    return invalid_field(pointer, "unknown", detail)


def _not_found_error(comment_id: int) -> NotFound:
    return NotFound(_("Comment {comment_id} not found.").format(comment_id=comment_id))


def _stale_error(comment: Comment, version: int) -> StaleVersion:
    message = _("You saved a newer version in another window or app. What you wrote here isn't saved yet.")
    current = {"version": comment.version, "yours": version, "markdown": comment.markdown}
    return StaleVersion(message, current=current)
