"""Which assignments stand, and which of them are done: derived here once, from the readings that who asks may see."""

from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.models import DEPTHS, Assignment, Person, Reading
from readtrack.infra.permissions import shared_or_own
from readtrack.reading.readings.queries import is_finished_pass

OPEN = ("proposed", "accepted")


def is_active_assignment() -> sa.ColumnElement[bool]:
    """Neither declined nor withdrawn."""
    return col(Assignment.state).in_(OPEN)


def is_finished(person_id: Any) -> sa.ColumnElement[bool]:  # noqa: ANN401 - a number, the name of one, or None
    """Who was asked has a finished pass as deep as was asked. A pass of which nobody said how deep counts.

    Of a private pass only its own reader knows, so that an assignment tells nobody of it.
    """
    deep_enough = sa.or_(
        col(Assignment.depth) == "",
        col(Reading.depth) == "",
        _rank(col(Reading.depth)) >= _rank(col(Assignment.depth)),
    )
    theirs = (col(Reading.person_id) == col(Assignment.person_id), col(Reading.paper_id) == col(Assignment.paper_id))
    return sa.exists().where(*theirs, is_finished_pass(), shared_or_own(Reading, person_id), deep_enough)


def is_open_for(person_id: int | None) -> sa.ColumnElement[bool]:
    """Somebody who is on the team is still to read it, as far as that person may know."""
    here = sa.select(col(Person.id)).where(col(Person.disabled_at).is_(None))
    return sa.and_(is_active_assignment(), col(Assignment.person_id).in_(here), sa.not_(is_finished(person_id)))


def _rank(depth: Any) -> sa.ColumnElement[int]:  # noqa: ANN401 - a column of either table
    return sa.case({word: place for place, word in enumerate(DEPTHS, 1)}, value=depth, else_=0)
