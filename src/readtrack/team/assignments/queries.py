"""Queries on assignments, and their grouping by the week in which they are due.

"Overdue" is defined here only, "finished" in is_finished.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from itertools import groupby
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra import clock, permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import format_day
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Assignment, Paper, Person
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.infra.text import normalize
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.completion import OPEN, is_finished

Which = Literal["open", "overdue", "done", "declined", "withdrawn", "all"]
NO_DAY = date.max  # sorts assignments without a date last
MAX_PER_PAPER = 50
_IS_HERE = col(Person.disabled_at).is_(None)
_DONE = is_finished(sa.bindparam("me"))
MAX_NAMES = 50  # offered for completion; other names can be typed
_NAMES = (
    sa.select(col(Person.name)).where(col(Person.disabled_at).is_(None)).order_by(col(Person.name_key)).limit(MAX_NAMES)
)


class AssignmentRow(NamedTuple):
    """A row of a list.

    `by`: the creator. `done`: the person has read the paper, as far as the user may know. `here`: the person is active.
    Assignments of inactive people are not open, but are again when the person returns.
    """

    id: int
    paper_id: int
    title: str
    label: str
    language: str
    person_id: int
    person: str
    by_id: int | None
    by: str
    state: str
    depth: str
    due_on: date | None
    note: str
    reason: str
    version: int
    created_at: datetime
    decided_at: datetime | None
    done: bool
    here: bool
    overdue: bool

    @property
    def open(self) -> bool:
        """True if the person still has to read the paper."""
        return self.state in OPEN and self.here and not self.done


@dataclass(frozen=True)
class AssignmentFilter:
    """A filter of assignments. None matches all."""

    person: int | None = None
    by: int | None = None
    paper: int | None = None
    which: Which = "open"

    @property
    def question(self) -> str:
        """The query identity for which a cursor is valid."""
        return f"assignments\0{self.person}\0{self.by}\0{self.paper}\0{self.which}"

    def conditions(self, me: CurrentUser) -> list[sa.ColumnElement[bool]]:
        """Return the conditions, which use the parameter `:me`."""
        filters = (
            (Assignment.person_id, self.person),
            (Assignment.created_by, self.by),
            (Assignment.paper_id, self.paper),
        )
        return [
            is_present(Paper),
            *(col(column) == value for column, value in filters if value is not None),
            *self._state_filters(me),
        ]

    def _state_filters(self, me: CurrentUser) -> list[sa.ColumnElement[bool]]:
        if self.which == "all":
            return []
        if self.which in {"declined", "withdrawn"}:
            return [col(Assignment.state) == self.which]
        conditions = [col(Assignment.state).in_(OPEN)]
        if self.which == "done":
            return [*conditions, _DONE]
        overdue = [col(Assignment.due_on) < local_today(me)] if self.which == "overdue" else []
        return [*conditions, sa.not_(_DONE), _IS_HERE, *overdue]


def local_today(me: CurrentUser) -> date:
    """Return the user's local date, for "overdue"."""
    return clock.today_of(me.time_zone)


def list_assignments(
    tx: Read, me: CurrentUser, assignment_filter: AssignmentFilter, page_request: PageRequest
) -> Page[AssignmentRow]:
    """List assignments: open and overdue ones by date, others newest first.

    Those of deleted papers are excluded.
    """
    permissions.require(me, "see")
    is_ascending = assignment_filter.which in {"open", "overdue"}
    day = sa.func.coalesce(col(Assignment.due_on), sa.literal(NO_DAY, sa.Date()))
    query = _assignments_query().where(*assignment_filter.conditions(me))
    if page_request.after is not None:
        last_day, last_id = page_request.after
        sort_key, last_key = (
            sa.tuple_(day, col(Assignment.id)),
            sa.tuple_(sa.literal(_parse_day(last_day), sa.Date()), last_id),
        )
        query = query.where(sort_key > last_key if is_ascending else sort_key < last_key)
    order = (day, col(Assignment.id)) if is_ascending else (day.desc(), col(Assignment.id).desc())
    rows, has_more = split_page(
        tx.rows(query.order_by(*order).limit(page_request.limit + 1), {"me": me.id}), page_request.limit
    )
    assignments = _build_rows(tx, me, rows)
    return Page(assignments, (assignments[-1].due_on or NO_DAY, assignments[-1].id) if has_more else None)


def list_for_paper(tx: Read, me: CurrentUser, paper_id: int) -> list[AssignmentRow]:
    """List the assignments of a paper by date, without withdrawn ones and inactive people."""
    return _build_rows(tx, me, tx.rows(_paper_assignments_query(), {"me": me.id, "paper_id": paper_id}))


def get_assignment(tx: Read, me: CurrentUser, assignment_id: int) -> AssignmentRow:
    """Return an assignment. Raise NotFound, also if its paper is deleted."""
    assignment = find_assignments(tx, me, [assignment_id]).get(assignment_id)
    if assignment is None:
        raise assignment_not_found(assignment_id)
    return assignment


def find_assignments(tx: Read, me: CurrentUser, assignment_ids: Sequence[int]) -> dict[int, AssignmentRow]:
    """Return assignments by id; missing ones and those of deleted papers are left out."""
    permissions.require(me, "see")
    query = _assignments_query().where(col(Assignment.id).in_(assignment_ids), is_present(Paper))
    return {row.id: row for row in _build_rows(tx, me, tx.rows(query, {"me": me.id}))}


def assignment_not_found(assignment_id: int) -> NotFound:
    """Build the error for a missing assignment."""
    return NotFound(_("Assignment {assignment_id} not found.").format(assignment_id=assignment_id))


def list_names(tx: Read, me: CurrentUser) -> Sequence[str]:
    """List some names of people to whom the user may assign papers."""
    if not permissions.has_permission(me, "discuss"):
        return []
    return [row.name for row in tx.rows(_NAMES)]


def find_reader(tx: Read, name: str) -> int | None:
    """Return the id of the active person of that name, compared as at sign-in, or None."""
    query = sa.select(col(Person.id)).where(
        col(Person.name_key) == normalize.key(name), col(Person.disabled_at).is_(None)
    )
    return tx.scalar(query)


def _parse_day(text: object) -> date:
    return text if isinstance(text, date) else date.fromisoformat(str(text))


@cache
def _paper_assignments_query() -> sa.Select[*tuple[Any, ...]]:
    conditions = (col(Assignment.paper_id) == sa.bindparam("paper_id"), col(Assignment.state) != "withdrawn", _IS_HERE)
    order = (col(Assignment.due_on).is_(None), col(Assignment.due_on), col(Assignment.id))
    return _assignments_query().where(*conditions).order_by(*order).limit(MAX_PER_PAPER)


@cache
def _assignments_query() -> sa.Select[*tuple[Any, ...]]:
    """Build the query of assignments with names, as visible to `:me`."""
    creator = aliased(Person)
    columns: Sequence[Any] = (
        Assignment.id, Assignment.paper_id, Paper.title, Paper.language, Assignment.person_id,
        col(Person.name).label("person"), col(Assignment.created_by).label("by_id"),
        sa.func.coalesce(creator.name, "").label("by"), Assignment.state, Assignment.depth, Assignment.due_on,
        Assignment.note, Assignment.reason, Assignment.version, Assignment.created_at, Assignment.decided_at,
        _DONE.label("done"), _IS_HERE.label("here"),
    )  # fmt: skip
    query: sa.Select[*tuple[Any, ...]] = sa.select(*columns).join(Paper, col(Paper.id) == col(Assignment.paper_id))
    query = query.join(Person, col(Person.id) == col(Assignment.person_id))
    return query.join(creator, creator.id == Assignment.created_by, isouter=True)  # type: ignore[arg-type]


def _build_rows(tx: Read, me: CurrentUser, rows: Sequence[Any]) -> list[AssignmentRow]:
    today = local_today(me)
    labels = labels_of(tx, sorted({row.paper_id for row in rows}))
    return [
        AssignmentRow(
            **row._mapping,  # noqa: SLF001 - SQLAlchemy's public name
            label=labels.get(row.paper_id, ""),
            overdue=row.state in OPEN and row.here and not row.done and row.due_on is not None and row.due_on < today,
        )
        for row in rows
    ]


class HasDueDate(Protocol):
    """An object with an optional due date."""

    @property
    def due_on(self) -> date | None: ...

    @property
    def overdue(self) -> bool: ...


Row = TypeVar("Row", bound=HasDueDate)


def group_by_week(rows: Iterable[Row], today: date) -> list[tuple[str, Sequence[Row]]]:
    """Group the rows in order by week, each under the week's label."""
    return [(label, list(group)) for label, group in groupby(rows, key=lambda row: _due_week_label(row, today))]


def _due_week_label(row: HasDueDate, today: date) -> str:
    if row.due_on is None:
        return _("No due date")
    if row.overdue:
        return _("Overdue")
    monday = _monday_of(row.due_on)
    near_weeks = {timedelta(): _("This week"), timedelta(days=7): _("Next week")}
    return near_weeks.get(monday - _monday_of(today), _("Week of {day}").format(day=format_day(monday)))


def _monday_of(day: date) -> date:
    return date.fromordinal(max(day.toordinal() - day.weekday(), 1))
