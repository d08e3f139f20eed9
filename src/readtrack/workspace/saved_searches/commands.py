"""Commands for saved searches, with their input for both forms and JSON.

The commands are: save, edit, share, move, delete, restore, create a feed.
"""

import secrets
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import AfterValidator, Field
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotAllowed, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import SavedSearch
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.undo_log import UNDO_PERIOD
from readtrack.infra.validation import OneLine, StrictModel, TrimmedModel
from readtrack.library.papers.display_options import COLUMNS
from readtrack.library.papers.lists import SORTS
from readtrack.reading.readings.positions import move_by_step
from readtrack.team.accounts.commands import create_token
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.workspace.saved_searches import queries

MAX_NAME_CHARS, MAX_COLUMNS = 80, len(COLUMNS)
MAX_SEARCHES = 100  # saved searches per person
MAX_TOKEN_NAME_CHARS = 80
HIGHEST_FIRST = 2**30  # maximum initial version of a shared search, leaving room for later versions
_MINE = sa.select(sa.func.count(), sa.func.max(col(SavedSearch.position))).where(
    col(SavedSearch.person_id) == sa.bindparam("me"), col(SavedSearch.deleted_at).is_(None)
)
_IN_ORDER = (
    sa.select(SavedSearch)
    .where(col(SavedSearch.person_id) == sa.bindparam("me"), col(SavedSearch.deleted_at).is_(None))
    .order_by(col(SavedSearch.position), col(SavedSearch.created_at), col(SavedSearch.id))
)


def _canonical_query(q: str) -> str:
    """Return the query in canonical form. Raise ValueError with a message if it is invalid."""
    try:
        return search.canonicalize_query(q)
    except search.QueryError as error:
        raise ValueError(error.message) from error


def _validate_sort(sort: str) -> str:
    name, separator, direction = sort.partition("-")
    if sort and (name not in SORTS or (separator and direction not in {"asc", "desc"})):
        sort_names = ", ".join(SORTS)
        raise ValueError(
            _("Unknown sort order. Use one of {known}, optionally with -asc or -desc.").format(known=sort_names)
        )
    return sort


def _validate_column(column: str) -> str:
    if column not in COLUMNS:
        raise ValueError(_("Unknown column. Use one of {known}.").format(known=", ".join(COLUMNS)))
    return column


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), OneLine]
Question = Annotated[str, Field(max_length=search.MAX_QUERY_CHARS), AfterValidator(_canonical_query), OneLine]
Sort = Annotated[str, Field(max_length=30), AfterValidator(_validate_sort)]
Column = Annotated[str, AfterValidator(_validate_column)]
Display = Literal["list", "table", "board"]
Grouping = Literal["", "status", "topic", "venue", "year", "reader"]


class SavedSearchFields(TrimmedModel):
    """A named query with its display options. `display`: a list if not given; `shared`: visible to the team."""

    name: Name
    q: Question = ""
    sort: Sort = ""
    display: Display = "list"
    grouping: Grouping = ""
    columns: Annotated[list[Column], Field(max_length=MAX_COLUMNS)] = Field(default_factory=list)
    shared: bool = False


class SavedSearchMove(StrictModel):
    """The new position of a saved search in the sidebar."""

    to: Literal["top", "up", "down", "bottom"]


def save_view(tx: Write, me: CurrentUser, data: SavedSearchFields) -> int:
    """Add a saved search at the end of my sidebar and return its id.

    Raise Conflict if I have too many.
    """
    permissions.require(me, "keep")
    if data.shared:  # only members may create shared searches
        permissions.require(me, "edit")
    permissions.lock_person(tx, me)
    count, last_position = tx.execute(_MINE, {"me": me.id}).one()
    if count >= MAX_SEARCHES:
        message = _("You've reached the limit of {count} saved searches. Delete one first.")
        raise Conflict(message.format(count=MAX_SEARCHES), code="too-many")
    view = SavedSearch(person_id=me.id, position=(last_position or 0) + 1, **data.model_dump())
    tx.add(view)
    tx.flush()
    _record(tx, me, view, "view.saved")
    return view.id or 0


def save_view_once(tx: Write, me: CurrentUser, data: SavedSearchFields) -> int:
    """Save a search from a form; a double submission saves only one."""
    permissions.lock_person(tx, me)
    is_equal = [
        col(getattr(SavedSearch, name)) == value for name, value in data.model_dump(exclude={"columns"}).items()
    ]
    is_own = (col(SavedSearch.person_id) == me.id, col(SavedSearch.deleted_at).is_(None))
    view_id = tx.scalar(
        sa.select(col(SavedSearch.id)).where(*is_own, *is_equal).order_by(col(SavedSearch.created_at).desc()).limit(1)
    )
    return view_id or save_view(tx, me, data)


def edit_view(tx: Write, me: CurrentUser, view_id: int, edit: SavedSearchFields, *, version: int) -> None:
    """Replace a saved search. Raise StaleVersion if it was saved in the meantime."""
    view = _get_for_update(tx, me, view_id)
    if view.version != version:
        message = _("Someone else edited this. Reload and try again.")
        raise StaleVersion(message, current=view.version)
    if edit.shared and not view.shared:
        permissions.require(me, "edit")
    changes = {name: value for name, value in edit.model_dump().items() if getattr(view, name) != value}
    if changes:
        _save(tx, me, view, changes)


def share_view(tx: Write, me: CurrentUser, view_id: int, *, shared: bool) -> None:
    """Share a saved search with the team, or make it private again."""
    view = _get_for_update(tx, me, view_id)
    if shared:
        permissions.require(me, "edit")
    if view.shared != shared:
        _save(tx, me, view, {"shared": shared})


def delete_view(tx: Write, me: CurrentUser, view_id: int) -> None:
    """Move a saved search to the trash; its feeds return 404 until it is restored."""
    view = _get_for_update(tx, me, view_id)
    view.deleted_at = now()
    _record(tx, me, view, "view.deleted")
    tx.flush()


def restore_view(tx: Write, me: CurrentUser, view_id: int) -> None:
    """Restore a saved search.

    Raise NotFound if it is not mine to restore or its thirty days are over.
    """
    view = _get_for_update(tx, me, view_id, deleted=True)
    if view.deleted_at is not None and view.deleted_at < now() - UNDO_PERIOD:
        raise _not_found_error(view_id)
    if view.deleted_at is not None:
        view.deleted_at = None
        _record(tx, me, view, "view.restored")
        tx.flush()


def move_view(tx: Write, me: CurrentUser, view_id: int, move: SavedSearchMove) -> None:
    """Move one of my saved searches within my sidebar."""
    permissions.require(me, "keep")
    permissions.lock_person(tx, me)
    views_by_id = {view.id or 0: view for view in tx.scalars(_IN_ORDER, {"me": me.id})}
    if view_id not in views_by_id:
        raise NotFound(_("You can't change this saved search. Save your own copy instead."))
    for position, moved_id in enumerate(move_by_step(list(views_by_id), view_id, move.to), start=1):
        views_by_id[moved_id].position = position
    tx.flush()


def make_feed(tx: Write, me: CurrentUser, view_id: int) -> str:
    """Create and return a secret for the feed of a saved search; it is shown only once."""
    view = queries.get_view(tx, me, view_id)
    token_name = (_("Feed for “%(name)s”") % {"name": view.name})[:MAX_TOKEN_NAME_CHARS]
    _token, secret = create_token(tx, me, TokenCreate(name=token_name, scopes=["feed"], days=None), view_id=view_id)
    return secret


def _get_for_update(tx: Write, me: CurrentUser, view_id: int, *, deleted: bool = False) -> SavedSearch:
    """Return the saved search and lock it.

    Raise NotFound if it is not visible, or NotAllowed if it is another person's.
    """
    permissions.require(me, "keep")
    view = tx.get(SavedSearch, view_id, with_for_update=True)
    is_hidden = view is None or (view.person_id != me.id and not view.shared)
    if view is None or is_hidden or (view.deleted_at is not None and not deleted):
        raise _not_found_error(view_id)
    if view.person_id != me.id and not permissions.has_permission(me, "delete"):
        raise NotAllowed(_("You can't change this saved search. Save your own copy instead."))
    return view


def _not_found_error(view_id: int) -> NotFound:
    return NotFound(_("Saved search {number} not found.").format(number=view_id))


def _verb(changes: dict[str, Any]) -> str:
    if "shared" in changes:
        return "view.shared" if changes["shared"] else "view.unshared"
    return "view.edited"


def _save(tx: Write, me: CurrentUser, view: SavedSearch, changes: dict[str, Any]) -> None:
    verb = _verb(changes)
    before = {name: getattr(view, name) for name in changes}
    was_shared, name = view.shared, view.name
    for field, value in changes.items():
        setattr(view, field, value)
    # Start at a random version, so that the number of private edits is not revealed.
    view.version = 1 + secrets.randbelow(HIGHEST_FIRST) if verb == "view.shared" else view.version + 1
    view.updated_at = now()
    if verb == "view.unshared":  # the team learns that it is no longer shared, but nothing of its new content
        events.record_event(tx, me, verb, data={"view": view.id, "name": name})
    else:
        _record(tx, me, view, verb, before=before if was_shared else None, after=changes)
    tx.flush()


def _record(tx: Write, me: CurrentUser, view: SavedSearch, verb: str, **values: Any) -> None:  # noqa: ANN401 - before and after
    """Record an event, private if the saved search is."""
    events.record_event(tx, me, verb, data={"view": view.id, "name": view.name}, private=not view.shared, **values)
