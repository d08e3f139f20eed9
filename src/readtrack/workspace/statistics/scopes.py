"""Scopes of the statistics as SQL conditions.

The team's figures count shared readings only, also for the current user, so that everyone sees the same.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.models import Paper, PaperTopic, Reading
from readtrack.infra.permissions import is_unlisted

_person: Any = sa.bindparam("person")
_topics: Any = sa.bindparam("topics", expanding=True)
_UNLISTED = sa.select(col(Paper.id)).where(is_unlisted(Paper))
_FILED = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id).in_(_topics))


@dataclass(frozen=True)
class StatisticsScope:
    """The readings of a person, or of the team (None); of papers in topics, or of all papers (None)."""

    person: int | None = None
    topics: tuple[int, ...] | None = None

    @property
    def kind(self) -> tuple[bool, bool]:
        """The form of the statement: whether it has a person, and topics."""
        return self.person is not None, self.topics is not None

    @property
    def bound(self) -> dict[str, Any]:
        """The parameters of the statement."""
        parameters = {"person": self.person, "topics": self.topics}
        return {name: value for name, value in parameters.items() if value is not None}


Kind: TypeAlias = tuple[bool, bool]
Rows: TypeAlias = sa.Select[*tuple[Any, ...]]


def reader_filter(kind: Kind, reading: Any = Reading) -> sa.ColumnElement[bool]:  # noqa: ANN401 - the table, or an alias of it
    """Return the condition for the person's readings, or for shared ones."""
    condition: sa.ColumnElement[bool] = reading.person_id == _person if kind[0] else sa.not_(reading.private)
    return condition


def paper_filters(kind: Kind, paper_id: Any) -> list[sa.ColumnElement[bool]]:  # noqa: ANN401 - a column with papers
    """Return the conditions for listed papers, in the topics if there are any."""
    is_listed_paper = paper_id.not_in(_UNLISTED)
    return [is_listed_paper, paper_id.in_(_FILED)] if kind[1] else [is_listed_paper]


def reading_filters(kind: Kind) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for readings in the scope."""
    return [reader_filter(kind), *paper_filters(kind, col(Reading.paper_id))]


def latest_first() -> tuple[sa.UnaryExpression[Any], ...]:
    """Order by latest completion. Ties follow the columns of the index, so that no sort is needed."""
    return tuple(col(name).desc() for name in (Reading.finished_on, Reading.depth, Reading.paper_id, Reading.id))
