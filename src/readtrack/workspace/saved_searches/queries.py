"""Queries for saved searches: the sidebar, single ones, and their counts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.errors import FieldError, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper, Person, SavedSearch
from readtrack.infra.permissions import CurrentUser, has_permission
from readtrack.library.papers.display_options import DisplayOptions
from readtrack.library.papers.lists import visible_papers_filter

MAX_IN_SIDEBAR = 12  # shown in the sidebar; the others have a page
MAX_SHOWN = 200  # on that page, the user's own first
MAX_COUNTED = 2_000  # papers per saved search


class ViewRow(NamedTuple):
    """A saved search with its owner."""

    id: int
    name: str
    q: str
    sort: str
    display: str
    grouping: str
    columns: Sequence[str]
    shared: bool
    version: int
    created_at: datetime
    updated_at: datetime
    person_id: int
    person: str

    @property
    def href(self) -> str:
        """The URL of the list or board with this query."""
        options = DisplayOptions(self.q, self.sort, self.display, self.grouping, tuple(self.columns))
        return options.address(view=str(self.id))


_COLUMNS = [
    col(column)
    for column in (
        SavedSearch.id,
        SavedSearch.name,
        SavedSearch.q,
        SavedSearch.sort,
        SavedSearch.display,
        SavedSearch.grouping,
        SavedSearch.columns,
        SavedSearch.shared,
        SavedSearch.version,
        SavedSearch.created_at,
        SavedSearch.updated_at,
        SavedSearch.person_id,
        Person.name,
    )
]
_SEEN = sa.or_(col(SavedSearch.shared), col(SavedSearch.person_id) == sa.bindparam("me"))
_ROWS = sa.select(*_COLUMNS).join(Person, col(Person.id) == col(SavedSearch.person_id))
_VISIBLE = _ROWS.where(col(SavedSearch.deleted_at).is_(None), _SEEN)
_THEIRS = sa.case((col(SavedSearch.person_id) == sa.bindparam("me"), 0), else_=1)  # mine first, in my order
_MY_PLACE = sa.case((col(SavedSearch.person_id) == sa.bindparam("me"), col(SavedSearch.position)), else_=0.0)
_ORDER = (_THEIRS, _MY_PLACE, col(SavedSearch.created_at), col(SavedSearch.id))
_ORDERED: sa.Select[*tuple[Any, ...]] = _VISIBLE.order_by(*_ORDER).limit(sa.bindparam("most"))
_NAMES: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(SavedSearch.id), col(SavedSearch.name), col(SavedSearch.shared))
    .where(col(SavedSearch.deleted_at).is_(None), _SEEN)
    .order_by(*_ORDER)
    .limit(sa.bindparam("most"))
)
_ONE: sa.Select[*tuple[Any, ...]] = _VISIBLE.where(col(SavedSearch.id) == sa.bindparam("view_id"))


class SidebarSearch(NamedTuple):
    """A saved search in the sidebar."""

    id: int
    name: str
    shared: bool

    @property
    def href(self) -> str:
        """Its own address, which redirects to the list."""
        return f"/views/{self.id}"


def list_sidebar_searches(tx: Read, me: CurrentUser) -> list[SidebarSearch]:
    """Return the first entries of my sidebar with only the columns it shows, because every page needs it."""
    return [SidebarSearch(*row) for row in tx.rows(_NAMES, {"me": me.id, "most": MAX_IN_SIDEBAR})]


def list_views(tx: Read, me: CurrentUser, *, limit: int = MAX_SHOWN) -> list[ViewRow]:
    """Return my saved searches in my order, then shared ones of others, oldest first."""
    return [ViewRow(*row) for row in tx.rows(_ORDERED, {"me": me.id, "most": limit})]


def find_view(tx: Read, me: CurrentUser, view_id: int) -> ViewRow | None:
    """Return a saved search that is mine or shared, and not deleted; else None."""
    rows = tx.rows(_ONE, {"me": me.id, "view_id": view_id})
    return ViewRow(*rows[0]) if rows else None


def get_view(tx: Read, me: CurrentUser, view_id: int) -> ViewRow:
    """Return a saved search. Raise NotFound."""
    view = find_view(tx, me, view_id)
    if view is None:
        raise NotFound(_("Saved search {number} not found.").format(number=view_id))
    return view


def resolve_saved_search(tx: Read, me: CurrentUser, view_id: int | None, *, q: str, sort: str = "") -> tuple[str, str]:
    """Return query and sort, from the saved search if one is given.

    An explicit sort takes precedence. Raise NotFound if the saved search is not visible, or Invalid if a query is given
    as well.
    """
    if view_id is None:
        return q.strip(), sort
    if q.strip():
        detail = _("Use either `q` or `view`, not both.")
        raise Invalid(detail, [FieldError("/q", "twice", detail)])
    view = get_view(tx, me, view_id)
    return view.q, sort or view.sort


def can_edit_view(me: CurrentUser, view: ViewRow) -> bool:
    """Return True if the user owns the saved search, or it is shared and they are an editor."""
    return has_permission(me, "keep") and (view.person_id == me.id or (view.shared and has_permission(me, "delete")))


def count_papers(tx: Read, me: CurrentUser, views: Sequence[ViewRow]) -> Mapping[int, str]:
    """Return the number of papers in each saved search, up to "2,000+", in one statement.

    A search whose query is invalid, for example after a topic was renamed, has no count.
    """
    counts = {view.id: _count_query(tx, me, view.q) for view in views}
    count_columns = {view_id: count.label(f"v{view_id}") for view_id, count in counts.items() if count is not None}
    if not count_columns:
        return {}
    row = tx.execute(sa.select(*count_columns.values())).one()
    return {view_id: _format_count(count) for view_id, count in zip(count_columns, row, strict=True)}


def _count_query(tx: Read, me: CurrentUser, query: str) -> Any:  # noqa: ANN401 - a number, as an expression
    try:
        condition = visible_papers_filter(tx, me, search.parse(query))
    except search.QueryError:
        return None
    matches = sa.select(col(Paper.id)).where(condition).limit(MAX_COUNTED + 1).subquery()
    return sa.select(sa.func.count()).select_from(matches).scalar_subquery()


def _format_count(count: int) -> str:
    return f"{MAX_COUNTED:,}+" if count > MAX_COUNTED else f"{count:,}"
