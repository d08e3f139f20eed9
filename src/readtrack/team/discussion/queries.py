"""Queries on discussions: the threads of a page, one thread, all comments of a target, one comment.

Deleted comments stay as placeholders while they have replies. Hidden ones are readable by admins and their author.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comment, Paper, Person, Question, ReadMarker, Topic
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, has_permission, is_present
from readtrack.library.references.resolve import get_render_context
from readtrack.markdown.render_context import RenderContext
from readtrack.team.discussion.targets import DiscussionTarget, Kind, comments_filter, target_column

THREADS_PER_PAGE = 20  # per page, the newest
REPLIES_PER_THREAD = 10  # per thread on a page, the newest


class CommentRow(NamedTuple):
    """A comment.

    `parent_id`: the first comment of its thread. The text is "" if it may not be read.
    """

    id: int
    parent_id: int | None
    person_id: int
    person: str
    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    resolved_at: datetime | None
    resolved_by: str | None
    hidden: bool
    deleted: bool
    paper_id: int | None
    question_id: int | None
    topic: str | None  # its slug

    @property
    def thread_id(self) -> int:
        return self.parent_id or self.id

    @property
    def target(self) -> tuple[Kind, int | str]:
        """The kind of the target, and its id or slug in addresses."""
        if self.topic is not None:
            return "topic", self.topic
        return ("paper", self.paper_id or 0) if self.question_id is None else ("question", self.question_id)


@dataclass(frozen=True)
class Thread:
    """A comment with its replies in order. `earlier_count`: the number of earlier replies left out."""

    root: CommentRow
    replies: Sequence[CommentRow]
    earlier_count: int


@dataclass(frozen=True)
class Discussion:
    """The part of a discussion shown on a page.

    `newest_id`: the latest comment; `last_seen_id`: the latest that the user has seen.
    """

    subject: DiscussionTarget
    threads: Sequence[Thread]
    count: int
    new_count: int
    newest_id: int
    last_seen_id: int
    render_context: RenderContext
    next: tuple[Any, int] | None

    def is_new(self, comment: CommentRow, me_id: int) -> bool:
        """Return True if another person wrote the comment since the user's last visit."""
        return comment.id > self.last_seen_id and comment.person_id != me_id and not comment.deleted


_ME: Any = sa.bindparam("me", type_=sa.Integer())
_resolver: Any = aliased(Person)
_reply: Any = aliased(Comment)
_answered = sa.select(sa.literal(1)).where(_reply.parent_id == col(Comment.id), _reply.deleted_at.is_(None)).exists()
SHOWN = sa.or_(col(Comment.deleted_at).is_(None), _answered)


def get_discussion(tx: Read, me: CurrentUser, subject: DiscussionTarget, page_request: PageRequest) -> Discussion:
    """Return the newest threads, or those before the cursor, oldest first, with at most four statements."""
    roots = _thread_roots_query(subject.kind, is_first_page=page_request.after is None)
    bounds = (
        {"most": page_request.limit + 1}
        if page_request.after is None
        else {"most": page_request.limit + 1, "before": page_request.after[1]}
    )
    newest_roots, has_more = split_page(
        _fetch_comments(tx, me, roots, subject_id=subject.id, **bounds), page_request.limit
    )
    replies = _find_replies(tx, me, [root.id for root in newest_roots])
    threads = [_build_thread(root, replies.get(root.id, [])) for root in reversed(newest_roots)]
    comments = [comment for thread in threads for comment in (thread.root, *thread.replies)]
    count, new_count, newest_id, seen_id = _get_counts(tx, me, subject)
    return Discussion(
        subject=subject,
        threads=threads,
        count=count,
        new_count=new_count,
        newest_id=newest_id,
        last_seen_id=seen_id,
        render_context=build_render_context(tx, comments),
        next=(None, newest_roots[-1].id) if has_more else None,
    )


def list_comments(tx: Read, me: CurrentUser, subject: DiscussionTarget, page_request: PageRequest) -> Page[CommentRow]:
    """List all comments of a target in order."""
    return _list_page(tx, me, _comments_query().where(comments_filter(subject), SHOWN), page_request)


def list_thread(tx: Read, me: CurrentUser, thread_id: int, page_request: PageRequest) -> Page[CommentRow]:
    """List the first comment of a thread and its replies in order."""
    is_in_thread = sa.or_(col(Comment.id) == thread_id, col(Comment.parent_id) == thread_id)
    return _list_page(tx, me, _comments_query().where(is_in_thread, SHOWN), page_request)


def get_comment(tx: Read, me: CurrentUser, comment_id: int) -> CommentRow:
    """Return a visible comment. Raise NotFound."""
    comment = find_comment(tx, me, comment_id)
    if comment is None:
        message = _("Comment {comment_id} not found.").format(comment_id=comment_id)
        raise NotFound(message)
    return comment


def find_comment(tx: Read, me: CurrentUser, comment_id: int) -> CommentRow | None:
    """Return a visible comment, or None."""
    return next(iter(_fetch_comments(tx, me, _comments_query().where(col(Comment.id) == comment_id, SHOWN))), None)


def find_comments(tx: Read, me: CurrentUser, comment_ids: Sequence[int]) -> dict[int, CommentRow]:
    """Return the visible ones of these comments by id."""
    rows = _fetch_comments(tx, me, _comments_query().where(col(Comment.id).in_(comment_ids), SHOWN))
    return {row.id: row for row in rows}


def count_after(tx: Read, subject: DiscussionTarget, thread_id: int) -> int:
    """Count the later threads, up to THREADS, to find the page of a thread."""
    query = sa.select(col(Comment.id)).where(comments_filter(subject), SHOWN, col(Comment.parent_id).is_(None))
    newer_threads = query.where(col(Comment.id) > thread_id).limit(THREADS_PER_PAGE).subquery()
    return tx.scalar(sa.select(sa.func.count()).select_from(newer_threads)) or 0


def count_later_answers(tx: Read, comment: CommentRow) -> int:
    """Count the later replies of a comment's thread, up to REPLIES_PER_THREAD."""
    conditions = (col(Comment.parent_id) == comment.thread_id, col(Comment.deleted_at).is_(None))
    later_answers = (
        sa.select(col(Comment.id)).where(*conditions, col(Comment.id) > comment.id).limit(REPLIES_PER_THREAD).subquery()
    )
    return tx.scalar(sa.select(sa.func.count()).select_from(later_answers)) or 0


def build_render_context(tx: Read, comments: Sequence[CommentRow]) -> RenderContext:
    """Return the context for rendering the comments."""
    return get_render_context(tx, [row.markdown for row in comments], [("comment", row.id) for row in comments])


def get_target_title(tx: Read, subject: DiscussionTarget) -> str:
    """Return the target's title, "" for a paper without one."""
    columns_by_kind: dict[str, Any] = {"paper": (Paper.title, Paper.id), "topic": (Topic.name, Topic.id)}
    title_column, id_column = columns_by_kind.get(subject.kind, (Question.text, Question.id))
    return tx.scalar(sa.select(col(title_column)).where(col(id_column) == subject.id)) or ""


@cache
def _comments_query() -> sa.Select[Any]:
    """Build the query of comments for `:me`. `:hides`: the user may read hidden comments."""
    can_see_hidden = sa.bindparam("hides", type_=sa.Boolean())
    is_readable = sa.or_(col(Comment.hidden_at).is_(None), col(Comment.person_id) == _ME, can_see_hidden)
    text = sa.case((sa.and_(col(Comment.deleted_at).is_(None), is_readable), col(Comment.markdown)), else_="")
    columns: list[Any] = [Comment.id, Comment.parent_id, Comment.person_id, Person.name, text, Comment.version]
    columns += [Comment.created_at, Comment.updated_at, Comment.resolved_at, _resolver.name]
    columns += [col(Comment.hidden_at).is_not(None), col(Comment.deleted_at).is_not(None)]
    columns += [Comment.paper_id, Comment.question_id, Topic.slug]
    query: sa.Select[Any] = sa.select(*columns).join(Person, col(Person.id) == col(Comment.person_id))
    return (
        query.join(_resolver, _resolver.id == col(Comment.resolved_by), isouter=True)
        .join(Topic, col(Topic.id) == col(Comment.topic_id), isouter=True)
        .join(Paper, col(Paper.id) == col(Comment.paper_id), isouter=True)
        .where(sa.or_(col(Comment.paper_id).is_(None), is_present(Paper)))
    )


@cache
def _thread_roots_query(kind: Kind, *, is_first_page: bool) -> sa.Select[Any]:
    """Build the query of threads from the newest, or from before a later one."""
    conditions = [] if is_first_page else [col(Comment.id) < sa.bindparam("before")]
    roots = _comments_query().where(
        target_column(kind) == sa.bindparam("subject_id"), SHOWN, col(Comment.parent_id).is_(None), *conditions
    )
    return roots.order_by(col(Comment.id).desc()).limit(sa.bindparam("most"))


@cache
def _counts_query(kind: Kind) -> sa.Select[Any]:
    subject_id = sa.bindparam("subject_id", type_=sa.Integer())
    conditions = (
        col(ReadMarker.person_id) == _ME,
        col(ReadMarker.subject) == kind,
        col(ReadMarker.subject_id) == subject_id,
    )
    seen_id = sa.func.coalesce(sa.select(col(ReadMarker.comment_id)).where(*conditions).scalar_subquery(), 0)
    is_new = sa.and_(col(Comment.id) > seen_id, col(Comment.person_id) != _ME)
    columns = (sa.func.count(), sa.func.count(sa.case((is_new, 1))), sa.func.max(col(Comment.id)), sa.func.max(seen_id))
    return sa.select(*columns).where(target_column(kind) == subject_id, col(Comment.deleted_at).is_(None))


def _fetch_comments(tx: Read, me: CurrentUser, query: sa.Select[Any], **parameters: Any) -> list[CommentRow]:  # noqa: ANN401
    return [_build_row(row) for row in tx.rows(query, {**_viewer_params(me), **parameters})]


def _viewer_params(me: CurrentUser) -> dict[str, Any]:
    return {"me": me.id, "hides": has_permission(me, "hide")}


def _build_row(row: Any) -> CommentRow:  # noqa: ANN401 - of _rows, perhaps with more behind
    values = list(row[: len(CommentRow._fields)])
    values[10:12] = bool(values[10]), bool(values[11])
    return CommentRow(*values)


def _list_page(tx: Read, me: CurrentUser, query: sa.Select[Any], page_request: PageRequest) -> Page[CommentRow]:
    if page_request.after is not None:
        query = query.where(col(Comment.id) > page_request.after[1])
    rows, has_more = split_page(
        _fetch_comments(tx, me, query.order_by(col(Comment.id)).limit(page_request.limit + 1)), page_request.limit
    )
    return Page(rows, (None, rows[-1].id) if has_more else None)


def _find_replies(tx: Read, me: CurrentUser, thread_ids: Sequence[int]) -> dict[int, list[tuple[CommentRow, int]]]:
    """Return the newest replies of each thread in order, each with the total number of replies."""
    if not thread_ids:
        return {}
    window: Any = {"partition_by": col(Comment.parent_id)}
    position = sa.func.row_number().over(**window, order_by=col(Comment.id).desc()).label("place")
    conditions = (col(Comment.parent_id).in_(thread_ids), col(Comment.deleted_at).is_(None))
    counted_query = sa.select(
        col(Comment.id).label("id"), position, sa.func.count().over(**window).label("all_of")
    ).where(*conditions)
    numbered = counted_query.subquery()
    query = (
        _comments_query().join(numbered, numbered.c.id == col(Comment.id)).where(numbered.c.place <= REPLIES_PER_THREAD)
    )
    replies_by_thread: dict[int, list[tuple[CommentRow, int]]] = {}
    for row in tx.rows(query.add_columns(numbered.c.all_of).order_by(col(Comment.id)), _viewer_params(me)):
        comment = _build_row(row)
        replies_by_thread.setdefault(comment.thread_id, []).append((comment, row.all_of))
    return replies_by_thread


def _build_thread(root: CommentRow, replies: Sequence[tuple[CommentRow, int]]) -> Thread:
    total = replies[0][1] if replies else 0
    return Thread(root, [comment for comment, _ in replies], total - len(replies))


def _get_counts(tx: Read, me: CurrentUser, subject: DiscussionTarget) -> tuple[int, int, int, int]:
    """Return the number of comments and of unseen ones, the latest id, and the latest seen id.

    Deleted comments are not counted.
    """
    row: Any = tx.rows(_counts_query(subject.kind), {"me": me.id, "subject_id": subject.id})[0]
    return row[0], row[1], row[2] or 0, row[3] or 0
