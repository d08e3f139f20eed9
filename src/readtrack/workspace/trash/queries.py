"""Queries for the trash: the items that a person may restore."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.models import Comment, Paper, SavedSearch, Summary, UndoEntry
from readtrack.infra.models.columns import Moment
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.workspace.trash.restore import restorable_filter

MAX_EXCERPT_CHARS = 160  # characters of a text shown to recognize it
_NONE = sa.literal("")
PREVIEW_ITEMS = 5  # per kind on the overview page


class TrashItem(NamedTuple):
    """An item in the trash.

    `about`: the verb of its deletion event; `title`: its name or the beginning of its text.
    """

    kind: str
    id: int
    about: str
    title: str
    language: str
    deleted_at: datetime

    @property
    def until(self) -> datetime:
        """The time when it is purged."""
        return self.deleted_at + UNDO_PERIOD


def list_kinds(me: CurrentUser) -> Sequence[str]:
    """Return the kinds of items that this person can have in the trash."""
    return [kind for kind in KINDS if kind != "papers" or permissions.has_permission(me, "delete")]


def question_of(kind: str) -> str:
    """Return the context that a pagination cursor is bound to."""
    return f"trash\0{kind}"


def list_trash(tx: Read, me: CurrentUser, kind: str, page_request: PageRequest) -> Page[TrashItem]:
    """Return a page of items of one kind, latest deletion first."""
    permissions.require(me, "delete" if kind == "papers" else "see")
    query, deleted_at, id_column = KINDS[kind](me)
    query = (
        query.where(deleted_at >= now() - UNDO_PERIOD)
        .order_by(deleted_at.desc(), id_column.desc())
        .limit(page_request.limit + 1)
    )
    if page_request.after is not None:
        last_deleted, last_id = page_request.after
        last_key = sa.tuple_(sa.literal(datetime.fromisoformat(last_deleted), Moment()), sa.literal(last_id))
        query = query.where(sa.tuple_(deleted_at, id_column) < last_key)
    rows, has_more = split_page(tx.execute(query).all(), page_request.limit)
    items = [TrashItem(kind, row.id, row.about, row.title[:MAX_EXCERPT_CHARS], row.language, row.at) for row in rows]
    return Page(items, (rows[-1].at.isoformat(), rows[-1].id) if has_more else None)


TrashQuery = tuple[sa.Select[Any], Any, Any]  # the query, and its sort columns


def _papers_query(me: CurrentUser) -> TrashQuery:  # noqa: ARG001 - all papers, for users who may delete
    query = _trash_select(
        Paper.id, sa.literal("paper.deleted"), Paper.title, language=Paper.language, deleted_at=Paper.deleted_at
    )
    conditions = (col(Paper.deleted_at).is_not(None), col(Paper.merged_into).is_(None))
    return query.where(*conditions), col(Paper.deleted_at), col(Paper.id)


def _summaries_query(me: CurrentUser) -> TrashQuery:
    verb, deleted_at = sa.literal("summary.deleted"), col(Summary.deleted_at)
    selection = _trash_select(Summary.id, verb, Paper.title, language=Paper.language, deleted_at=deleted_at)
    conditions = (col(Summary.person_id) == me.id, col(Summary.deleted_at).is_not(None))
    query = selection.join(Paper, col(Paper.id) == col(Summary.paper_id)).where(
        *conditions, permissions.is_present(Paper)
    )
    return query, deleted_at, col(Summary.id)


def _comments_query(me: CurrentUser) -> TrashQuery:
    """Query my comments, except those on deleted papers, which are restored with them."""
    text = sa.func.substr(col(Comment.markdown), 1, MAX_EXCERPT_CHARS)
    selection = _trash_select(
        Comment.id, sa.literal("comment.deleted"), text, language=_NONE, deleted_at=Comment.deleted_at
    )
    query = selection.join(Paper, col(Paper.id) == col(Comment.paper_id), isouter=True)
    is_visible = sa.or_(col(Comment.paper_id).is_(None), permissions.is_present(Paper))
    conditions = (col(Comment.person_id) == me.id, col(Comment.deleted_at).is_not(None), is_visible)
    return query.where(*conditions), col(Comment.deleted_at), col(Comment.id)


def _views_query(me: CurrentUser) -> TrashQuery:
    query = _trash_select(
        SavedSearch.id, sa.literal("view.deleted"), SavedSearch.name, language=_NONE, deleted_at=SavedSearch.deleted_at
    )
    is_own = col(SavedSearch.person_id) == me.id
    is_restorable = sa.or_(is_own, col(SavedSearch.shared)) if permissions.has_permission(me, "delete") else is_own
    return (
        query.where(is_restorable, col(SavedSearch.deleted_at).is_not(None)),
        col(SavedSearch.deleted_at),
        col(SavedSearch.id),
    )


def _others_query(me: CurrentUser) -> TrashQuery:
    title = col(UndoEntry.undo)["title"].as_string()
    query = _trash_select(UndoEntry.id, UndoEntry.verb, title, language=_NONE, deleted_at=UndoEntry.created_at)
    return (
        query.where(restorable_filter(me), col(UndoEntry.undone_at).is_(None)),
        col(UndoEntry.created_at),
        col(UndoEntry.id),
    )


def _trash_select(id_column: Any, verb: Any, title: Any, *, language: Any, deleted_at: Any) -> sa.Select[Any]:  # noqa: ANN401
    columns = zip(
        ("id", "about", "title", "language", "at"), (id_column, verb, title, language, deleted_at), strict=True
    )
    return sa.select(*(column.label(name) for name, column in columns))


KINDS: Mapping[str, Callable[[CurrentUser], TrashQuery]] = {
    "papers": _papers_query,
    "summaries": _summaries_query,
    "comments": _comments_query,
    "views": _views_query,
    "others": _others_query,
}
