"""Sort orders: keys that every paper has, and orders in which most papers are equal."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import values_by_id
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Assignment, Identifier, Paper, Reading
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser, is_present, shared_or_own
from readtrack.reading.readings import completion
from readtrack.reading.readings.queries import is_finished_pass
from readtrack.search.ast import Query, QueryError
from readtrack.search.conditions import paper_condition
from readtrack.search.context import SearchContext
from readtrack.search.ranking import PaperListing, Rows, Statement
from readtrack.search.similarity import MAX_SCORE, nearest

KEYS: Mapping[str, Any] = {
    "relevance": col(Paper.id),  # Without words in the query, see ranking.
    "added": col(Paper.id),
    "updated": col(Paper.updated_at),
    "year": sa.func.coalesce(col(Paper.year), sa.literal_column("0")),
    "title": col(Paper.title_key),
}


NO_DAY = date.max  # Sort value of papers that nobody has to read.
_ID: Any = col(Paper.id)
_ME: Any = sa.bindparam("me")
_STATUSES = ("reading", "to_read", "paused", "read", "dropped")  # Order of statuses, before papers without one.
_READ = (is_finished_pass(), shared_or_own(Reading, _ME))
_ASKED = (col(Assignment.due_on).is_not(None), completion.is_open_for(_ME))


class _SortStage(NamedTuple):
    """A stage of the list.

    It holds the papers that match `condition`, with a single value, or those of `subquery` with `paper_id` and
    `value`. `row_id` is the ID column of the table that provides the order.
    """

    value: Any
    condition: sa.ColumnElement[bool] = sa.true()
    row_id: Any = _ID
    subquery: sa.Subquery | None = None

    def select(self, papers: Statement) -> Statement:
        """Return the SELECT of its papers, with the value as `sort_value`."""
        if self.subquery is None:
            return papers.add_columns(sa.literal(self.value).label("sort_value")).where(self.condition)
        return papers.add_columns(self.value.label("sort_value")).join(self.subquery, self.row_id == _ID)

    @property
    def keys(self) -> list[Any]:
        """Return its sort keys."""
        return [self.row_id] if self.subquery is None else [self.value, self.row_id]


def is_sparse_sort(name: str) -> bool:
    """Return True if the sort key is one of these orders."""
    return name == "near" or name in STAGES


def list_by_stages(
    tx: Read,
    me: CurrentUser,
    query: Query,
    listing: PaperListing,
    *,
    name: str,
    page_request: PageRequest,
    descending: bool,
) -> Rows:
    """Return one row more than `page_request` requests, in one of these orders.

    Raise QueryError if the reference paper of `near` does not exist.
    """
    ascending_stages = _by_nearness(tx, query.sort.to) if name == "near" and query.sort else STAGES[name]
    stages = ascending_stages[::-1] if descending else ascending_stages
    first_stage, condition = _first_stage(stages, page_request), paper_condition(query, SearchContext(tx, me))
    result: list[sa.Row[Any]] = []
    for stage in stages[first_stage:]:
        rows = stage.select(listing.papers).where(listing.visible, condition)
        if page_request.after and stage is stages[first_stage]:
            rows = rows.where(_after_condition(stage, page_request.after, descending=descending))
        rows = rows.order_by(*(key.desc() if descending else key.asc() for key in stage.keys))
        result += tx.rows(rows.limit(page_request.limit + 1 - len(result)), {"me": me.id})
        if len(result) > page_request.limit:
            break
    return result


def _by_nearness(tx: Read, identifier: str) -> Sequence[_SortStage]:
    """Return the stages for similarity to a paper, with the paper itself as the most similar one."""
    scheme, _separator, key = identifier.partition(":")
    query = sa.select(col(Identifier.paper_id)).join(Paper, col(Identifier.paper_id) == _ID)
    paper_id = tx.scalar(query.where(col(Identifier.scheme) == scheme, col(Identifier.value) == key, is_present(Paper)))
    if paper_id is None:
        message = _("{identifier} isn't in the library, so papers can't be sorted by similarity to it.")
        raise QueryError(message.format(identifier=identifier), position=0, length=0)
    scores = {paper_id: 2 * MAX_SCORE, **nearest(tx, paper_id)}
    score_table = values_by_id(tx, scores, "near")
    return _SortStage(0, _ID.not_in(scores)), _SortStage(
        score_table.c.value, row_id=score_table.c.number, subquery=score_table
    )


def _first_stage(stages: Sequence[_SortStage], page_request: PageRequest) -> int:
    """Return the index of the stage in which a page starts.

    It is the stage with the value of the cursor, or else the one with varying values.
    """
    if page_request.after is None:
        return 0
    matching = [
        index for index, stage in enumerate(stages) if stage.subquery is None and stage.value == page_request.after[0]
    ]
    return next(iter(matching), next((index for index, stage in enumerate(stages) if stage.subquery is not None), 0))


def _after_condition(stage: _SortStage, after: tuple[Any, int], *, descending: bool) -> sa.ColumnElement[bool]:
    row_key = sa.tuple_(*stage.keys)
    cursor_key = sa.tuple_(
        *(sa.literal(value, key.type) for value, key in zip(after[-len(stage.keys) :], stage.keys, strict=True))
    )
    return row_key < cursor_key if descending else row_key > cursor_key


def _grouped_stage(query: sa.Select[*tuple[Any, ...]]) -> _SortStage:
    subquery = query.group_by(query.selected_columns[0]).subquery()
    return _SortStage(subquery.c.value, row_id=subquery.c.paper_id, subquery=subquery)


def _status_stage(position: int, status: str) -> _SortStage:
    """Return the stage of a status of the user's current pass, a table that lists already join."""
    return _SortStage(position, col(Reading.status) == status, col(Reading.paper_id))


def _absence_condition(column: Any, conditions: Sequence[sa.ColumnElement[bool]]) -> sa.ColumnElement[bool]:  # noqa: ANN401
    """Return the condition for papers without a matching row, as a correlated NOT EXISTS."""
    return sa.not_(sa.select(column).where(column == _ID, *conditions).correlate(Paper).exists())


_readers = sa.func.count(sa.distinct(col(Reading.person_id)))
_first = sa.func.min(col(Assignment.due_on))
STAGES: Mapping[str, Sequence[_SortStage]] = {  # In ascending order.
    "status": (
        *(_status_stage(place, status) for place, status in enumerate(_STATUSES, 1)),
        _SortStage(len(_STATUSES) + 1, col(Reading.status).is_(None)),
    ),
    "readers": (
        _SortStage(0, _absence_condition(col(Reading.paper_id), _READ)),
        _grouped_stage(sa.select(col(Reading.paper_id), _readers.label("value")).where(*_READ)),
    ),
    "due": (
        _grouped_stage(sa.select(col(Assignment.paper_id), _first.label("value")).where(*_ASKED)),
        _SortStage(NO_DAY, _absence_condition(col(Assignment.paper_id), _ASKED)),
    ),
}
