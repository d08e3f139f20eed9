"""Who asks, and where: what conditions are made for."""

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
from readtrack.search.backend import Backend, backend
from readtrack.search.dates import LocalTime
from readtrack.search.han_variants import needles
from readtrack.search.tokens import Needle

Condition: TypeAlias = sa.ColumnElement[bool]
NO_ONE = -1  # the number of nobody


@dataclass(frozen=True)
class SearchContext:
    """Who asks (None: nobody known), in which transaction; and from which paper on, before which other one.

    `clustered`: for a list in whose order what is found may stand close together, and far from its head.
    """

    tx: Read
    me: CurrentUser | None
    floor: int = 0
    ceiling: int | None = None
    clustered: bool = False

    @property
    def id(self) -> int | None:
        """Their number."""
        return self.me.id if self.me else None

    @cached_property
    def backend(self) -> Backend:
        """What searches this database."""
        return backend(self.tx)

    @cached_property
    def local_time(self) -> LocalTime:
        """The time it is where they are."""
        return LocalTime(now(), self.me.time_zone if self.me else "")

    def in_subquery(self, papers: Any) -> Condition:  # noqa: ANN401 - a select, or several in one
        """The papers of that select; of a bounded list they are so few that nobody asks how many."""
        if self.floor:
            return col(Paper.id).in_(papers)
        return self.backend.in_subquery(self.tx, col(Paper.id), papers, clustered=self.clustered)

    def by_index(self, condition: Condition) -> Condition:
        """A condition on columns of papers that an index has."""
        return self.backend.by_index(self.tx, col(Paper.id), condition, clustered=self.clustered)

    def bounded(self, papers: Any) -> Any:  # noqa: ANN401 - a select of ids
        """The same within the bounds."""
        (ids,) = papers.selected_columns
        papers = papers.where(ids >= self.floor) if self.floor else papers
        return papers if self.ceiling is None else papers.where(ids < self.ceiling)

    def needles(self, text: TextTerm) -> list[Needle]:
        """What to look for to find that text."""
        return needles(text, variants=self.me is not None and self.me.variants)

    def person_condition(self, names: tuple[Value, ...], column: Any) -> Condition:  # noqa: ANN401 - a column of people
        """Where it is one of these people: `@team` is anybody, no name the asker."""
        said = set(map(str, names))
        if "@team" in said:
            anybody: Condition = column.is_not(None)
            return anybody
        mine = [column == (self.id or NO_ONE)] if not said or "@me" in said else []
        keys = [name.removeprefix("@") for name in sorted(said - {"@me"})]
        theirs = [column.in_(sa.select(col(Person.id)).where(col(Person.name_key).in_(keys)))] if keys else []
        return sa.or_(*mine, *theirs)

    def names(self, names: tuple[Value, ...]) -> list[str]:
        """The names by which these people are mentioned."""
        return [(self.me.name if self.me else "") if name == "@me" else str(name).removeprefix("@") for name in names]
