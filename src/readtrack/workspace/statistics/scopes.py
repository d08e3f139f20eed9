"""Whose readings the figures count, as conditions. The team's are those that are shared, the asker's own no exception:
its figures are the same for everybody.
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
    """One person's readings, or (None) the team's; of papers under these topics, or (None) of all."""

    person: int | None = None
    topics: tuple[int, ...] | None = None

    @property
    def kind(self) -> tuple[bool, bool]:
        """What a statement has to know: whether it is about one person, and about one topic."""
        return self.person is not None, self.topics is not None

    @property
    def bound(self) -> dict[str, Any]:
        """What is filled in when it is asked."""
        given = {"person": self.person, "topics": self.topics}
        return {name: value for name, value in given.items() if value is not None}


Kind: TypeAlias = tuple[bool, bool]
Rows: TypeAlias = sa.Select[*tuple[Any, ...]]


def reader_filter(kind: Kind, reading: Any = Reading) -> sa.ColumnElement[bool]:  # noqa: ANN401 - the table, or an alias of it
    """Mine, or what is shared."""
    condition: sa.ColumnElement[bool] = reading.person_id == _person if kind[0] else sa.not_(reading.private)
    return condition


def paper_filters(kind: Kind, paper_id: Any) -> list[sa.ColumnElement[bool]]:  # noqa: ANN401 - a column with papers
    """Papers that lists show; of the topics, if there are any."""
    shown = paper_id.not_in(_UNLISTED)
    return [shown, paper_id.in_(_FILED)] if kind[1] else [shown]


def reading_filters(kind: Kind) -> list[sa.ColumnElement[bool]]:
    """The readings that the figures are about."""
    return [reader_filter(kind), *paper_filters(kind, col(Reading.paper_id))]


def latest_first() -> tuple[sa.UnaryExpression[Any], ...]:
    """What ended last first. Those of one day stand as the indexes have them, so that none is sorted to find a few."""
    return tuple(col(name).desc() for name in (Reading.finished_on, Reading.depth, Reading.paper_id, Reading.id))
