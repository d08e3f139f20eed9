"""Commands for the private weekly reading goal."""

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Write
from readtrack.infra.models import Person
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import TrimmedModel

MAX_WEEKLY_GOAL = 50  # papers per week


class GoalUpdate(TrimmedModel):
    """The number of papers to finish per week; null for no goal."""

    goal: int | None = Field(default=None, ge=1, le=MAX_WEEKLY_GOAL)


def set_goal(tx: Write, me: CurrentUser, update: GoalUpdate) -> None:
    """Set my goal. No event is recorded, because the goal is private."""
    permissions.require(me, "keep")
    tx.execute(sa.update(Person).where(col(Person.id) == me.id).values(goal=update.goal))
