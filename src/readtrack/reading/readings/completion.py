"""Conditions for active, finished and open assignments, from readings visible to the user."""

from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.models import DEPTHS, Assignment, Person, Reading
from readtrack.infra.permissions import shared_or_own
from readtrack.reading.readings.queries import is_finished_pass

OPEN = ("proposed", "accepted")


def is_active_assignment() -> sa.ColumnElement[bool]:
    """Return the condition that an assignment is neither declined nor withdrawn."""
    return col(Assignment.state).in_(OPEN)


def is_finished(person_id: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - an id, a bind parameter, or None
    """Return the condition that the assignee has a finished pass of the requested depth.

    A pass without a depth counts. A private pass counts only for its own reader, so that assignments do not reveal it.
    """
    is_deep_enough = sa.or_(
        col(Assignment.depth) == "",
        col(Reading.depth) == "",
        _rank(col(Reading.depth)) >= _rank(col(Assignment.depth)),
    )
    is_assignee = (
        col(Reading.person_id) == col(Assignment.person_id),
        col(Reading.paper_id) == col(Assignment.paper_id),
    )
    return sa.exists().where(*is_assignee, is_finished_pass(), shared_or_own(Reading, person_id), is_deep_enough)


def is_open_for(person_id: int | None) -> sa.ColumnElement[bool]:
    """Return the condition that an active person, as far as the user may know, still has to read."""
    active_people = sa.select(col(Person.id)).where(col(Person.disabled_at).is_(None))
    return sa.and_(
        is_active_assignment(), col(Assignment.person_id).in_(active_people), sa.not_(is_finished(person_id))
    )


def _rank(depth: Any) -> sa.ColumnElement[int]:  # noqa: ANN401 - a column of either table
    return sa.case({word: rank for rank, word in enumerate(DEPTHS, 1)}, value=depth, else_=0)
