"""The context for which search conditions are built: user, transaction and bounds."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read
from readtrack.infra.models import Paper, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.search.ast import TextTerm, Value
from readtrack.search.dates import LocalTime
from readtrack.search.han_variants import needles
from readtrack.search.index import Backend, backend
from readtrack.search.tokens import Needle

Condition: TypeAlias = sa.ColumnElement[bool]
NO_ONE = -1  # An ID that no person has.


@dataclass(frozen=True)
class SearchContext:
    """The user (None if unknown), the transaction, and a range of paper IDs.

    The range is from `floor` to below `ceiling`. `clustered`: matches may be adjacent in the order of the list, far
    from its start.
    """

    tx: Read
    me: CurrentUser | None
    floor: int = 0
    ceiling: int | None = None
    clustered: bool = False

    @property
    def id(self) -> int | None:
        """Return the user's ID."""
        return self.me.id if self.me else None

    @cached_property
    def backend(self) -> Backend:
        """Return the search backend of the database."""
        return backend(self.tx)

    @cached_property
    def local_time(self) -> LocalTime:
        """Return the current time in the user's time zone."""
        return LocalTime(now(), self.me.time_zone if self.me else "")

    def in_subquery(self, papers: Any) -> Condition:  # noqa: ANN401 - a SELECT or UNION
        """Return the condition for papers in the subquery.

        A range with a floor contains few papers, so the backend need not estimate their number.
        """
        if self.floor:
            return col(Paper.id).in_(papers)
        return self.backend.in_subquery(self.tx, col(Paper.id), papers, clustered=self.clustered)

    def by_index(self, condition: Condition) -> Condition:
        """Return a condition on indexed columns of papers, with the index used only if few rows match."""
        return self.backend.by_index(self.tx, col(Paper.id), condition, clustered=self.clustered)

    def limit_to_range(self, papers: Any) -> Any:  # noqa: ANN401 - a select of ids
        """Restrict a SELECT of paper IDs to the range."""
        (ids,) = papers.selected_columns
        papers = papers.where(ids >= self.floor) if self.floor else papers
        return papers if self.ceiling is None else papers.where(ids < self.ceiling)

    def needles(self, text: TextTerm) -> list[Needle]:
        """Return the token sequences that match the text."""
        return needles(text, variants=self.me is not None and self.me.variants)

    def person_condition(self, names: tuple[Value, ...], column: Any) -> Condition:  # noqa: ANN401 - a column of people
        """Return the condition that the column is one of these people.

        `@team` matches anybody, no name the user.
        """
        terms = set(map(str, names))
        if "@team" in terms:
            anyone: Condition = column.is_not(None)
            return anyone
        own_conditions = [column == (self.id or NO_ONE)] if not terms or "@me" in terms else []
        keys = [name.removeprefix("@") for name in sorted(terms - {"@me"})]
        other_conditions = [column.in_(sa.select(col(Person.id)).where(col(Person.name_key).in_(keys)))] if keys else []
        return sa.or_(*own_conditions, *other_conditions)

    def names(self, names: tuple[Value, ...]) -> list[str]:
        """Return the names by which these people are mentioned."""
        return [(self.me.name if self.me else "") if name == "@me" else str(name).removeprefix("@") for name in names]
