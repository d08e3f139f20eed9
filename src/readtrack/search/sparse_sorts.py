"""Orders in which most papers are alike: by my status, by readers, by the day they are due, by nearness to one.

Those that differ are read off the table that says so; the rest stands behind or before them, by number. So nobody looks
at each paper of the library, and a list is paged by key through its stages, one after the other.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import numbered
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Assignment, Identifier, Paper, Reading
from readtrack.infra.pagination import Cut
from readtrack.infra.permissions import Visitor, present, shared_or_own
from readtrack.reading.readings import completion
from readtrack.reading.readings.queries import finished
from readtrack.search.ast import Query, QueryError
from readtrack.search.conditions import on_papers
from readtrack.search.context import Asker
from readtrack.search.ranking import Rows, Statement, Wanted
from readtrack.search.similarity import NEAREST, nearest

NO_DAY = date.max  # of what nobody is to read
_ID: Any = col(Paper.id)
_ME: Any = sa.bindparam("me")
_STATUSES = ("reading", "to_read", "paused", "read", "dropped")  # what is on the list before the rest
_READ = (finished(), shared_or_own(Reading, _ME))
_ASKED = (col(Assignment.due_on).is_not(None), completion.open_to(_ME))


class _Stage(NamedTuple):
    """Papers for which the condition holds, all of one value; or those of a subquery `of` with `paper_id` and `value`.

    `row_id`: their number, from where it is in order.
    """

    value: Any
    condition: sa.ColumnElement[bool] = sa.true()
    row_id: Any = _ID
    of: sa.Subquery | None = None

    def select(self, papers: Statement) -> Statement:
        """Its papers, with the value as `sort_value`."""
        if self.of is None:
            return papers.add_columns(sa.literal(self.value).label("sort_value")).where(self.condition)
        return papers.add_columns(self.value.label("sort_value")).join(self.of, self.row_id == _ID)

    @property
    def keys(self) -> list[Any]:
        """What they are sorted by."""
        return [self.row_id] if self.of is None else [self.value, self.row_id]


def is_staged(name: str) -> bool:
    """Whether it is one of these orders."""
    return name == "near" or name in STAGES


def by_stages(tx: Read, me: Visitor, query: Query, wanted: Wanted, *, name: str, cut: Cut, falling: bool) -> Rows:
    """One row more than `cut` takes of what is wanted, in one of these orders. Raises QueryError: near to no paper."""
    rising = _by_nearness(tx, query.sort.to) if name == "near" and query.sort else STAGES[name]
    stages = rising[::-1] if falling else rising
    begun, condition = _begun(stages, cut), on_papers(query, Asker(tx, me))
    found: list[sa.Row[Any]] = []
    for stage in stages[begun:]:
        rows = stage.select(wanted.papers).where(wanted.here, condition)
        if cut.after and stage is stages[begun]:
            rows = rows.where(_behind(stage, cut.after, falling=falling))
        rows = rows.order_by(*(key.desc() if falling else key.asc() for key in stage.keys))
        found += tx.rows(rows.limit(cut.limit + 1 - len(found)), {"me": me.id})
        if len(found) > cut.limit:
            break
    return found


def _by_nearness(tx: Read, identifier: str) -> Sequence[_Stage]:
    """The papers near that one, itself the nearest; of all others nobody knows."""
    scheme, _colon, key = identifier.partition(":")
    named = sa.select(col(Identifier.paper_id)).join(Paper, col(Identifier.paper_id) == _ID)
    paper_id = tx.scalar(named.where(col(Identifier.scheme) == scheme, col(Identifier.value) == key, present(Paper)))
    if paper_id is None:
        message = _("No paper here is called {identifier}, so nothing can be near it. Add it first, or name another.")
        raise QueryError(message.format(identifier=identifier), position=0, length=0)
    near = {paper_id: 2 * NEAREST, **nearest(tx, paper_id)}
    of = numbered(tx, near, "near")
    return _Stage(0, _ID.not_in(near)), _Stage(of.c.value, row_id=of.c.number, of=of)


def _begun(stages: Sequence[_Stage], cut: Cut) -> int:
    """Which stage the list goes on in: that of the value, or else the one that holds all others."""
    if cut.after is None:
        return 0
    alike = [place for place, stage in enumerate(stages) if stage.of is None and stage.value == cut.after[0]]
    return next(iter(alike), next((place for place, stage in enumerate(stages) if stage.of is not None), 0))


def _behind(stage: _Stage, after: tuple[Any, int], *, falling: bool) -> sa.ColumnElement[bool]:
    here = sa.tuple_(*stage.keys)
    there = sa.tuple_(
        *(sa.literal(at, key.type) for at, key in zip(after[-len(stage.keys) :], stage.keys, strict=True))
    )
    return here < there if falling else here > there


def _those_of(select: sa.Select[*tuple[Any, ...]]) -> _Stage:
    of = select.group_by(select.selected_columns[0]).subquery()
    return _Stage(of.c.value, row_id=of.c.paper_id, of=of)


def _with_status(place: int, status: str) -> _Stage:
    """Of my present pass, which lists join to each paper."""
    return _Stage(place, col(Reading.status) == status, col(Reading.paper_id))


def _without(column: Any, conditions: Sequence[sa.ColumnElement[bool]]) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Papers of which no row of that table holds; asked of each as it comes."""
    return sa.not_(sa.select(column).where(column == _ID, *conditions).correlate(Paper).exists())


_readers = sa.func.count(sa.distinct(col(Reading.person_id)))
_first = sa.func.min(col(Assignment.due_on))
STAGES: Mapping[str, Sequence[_Stage]] = {  # from the first to the last
    "status": (
        *(_with_status(place, status) for place, status in enumerate(_STATUSES, 1)),
        _Stage(len(_STATUSES) + 1, col(Reading.status).is_(None)),
    ),
    "readers": (
        _Stage(0, _without(col(Reading.paper_id), _READ)),
        _those_of(sa.select(col(Reading.paper_id), _readers.label("value")).where(*_READ)),
    ),
    "due": (
        _those_of(sa.select(col(Assignment.paper_id), _first.label("value")).where(*_ASKED)),
        _Stage(NO_DAY, _without(col(Assignment.paper_id), _ASKED)),
    ),
}
