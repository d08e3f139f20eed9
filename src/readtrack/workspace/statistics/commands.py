"""What a person sets for themselves: a goal that nobody else ever sees."""

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Write
from readtrack.infra.models import Person
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.schemas import TrimmedModel

HIGHEST = 50  # papers in a week


class GoalUpdate(TrimmedModel):
    """How many papers to finish in a week; nothing, or null: no goal."""

    goal: int | None = Field(default=None, ge=1, le=HIGHEST)


def set_goal(tx: Write, me: CurrentUser, wanted: GoalUpdate) -> None:
    """Keeps it for my own eyes; it is no event, as nobody is to know."""
    permissions.require(me, "keep")
    tx.execute(sa.update(Person).where(col(Person.id) == me.id).values(goal=wanted.goal))
