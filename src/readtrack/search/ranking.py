"""Ranking of search results by the fields that match.

Titles count most, then authors, then other fields of the paper, then summaries. Only the newest matches are ranked,
because a common word matches the whole library; older ones follow, newest first. A score depends only on the paper's
own texts, so that pages neither skip nor repeat papers.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.search.ast import And, Node, Or, Query, TextTerm, iter_texts
from readtrack.search.conditions import paper_condition
from readtrack.search.context import Condition, SearchContext
from readtrack.search.documents import PAPERS
from readtrack.search.scopes import resolve_scopes
from readtrack.search.text_filters import paper_fields

RANKED = 1_000  # Maximum matches ranked.
MOST_SCORED = 8  # Maximum words that are scored, as each costs several lookups.
IN_TITLE, BY_AUTHOR, ELSEWHERE = 8, 4, 2  # Scores per word; summaries give none, because some are private.
_SCALE = 1_000  # Exceeds every score; a cursor combines floor and score in one number.
Statement = sa.Select[*tuple[Any, ...]]
Rows = Sequence[sa.Row[*tuple[Any, ...]]]


class _RankPosition(NamedTuple):
    """A position in the list: after paper `id` with that score, where papers from ID `floor` on are ranked."""

    floor: int
    score: int
    id: int


class PaperListing(NamedTuple):
    """A SELECT of papers that binds the user as `me`, and the condition for visible ones.

    The listing adds `sort_value`, which cursors contain together with the ID.
    """

    papers: Statement
    here: Condition


class _RankingRequest(NamedTuple):
    asker: SearchContext
    query: Query
    wanted: PaperListing
    place: _RankPosition | None
    falling: bool
    many: int  # Rows.

    def behind(self, place: _RankPosition) -> Condition:
        """Return the condition for papers after the position with the same score."""
        return col(Paper.id) < place.id if self.falling else col(Paper.id) > place.id

    def order(self, *keys: Any) -> list[sa.ColumnElement[Any]]:  # noqa: ANN401 - columns or expressions
        """Return the sort keys in the direction of the list."""
        return [key.desc() if self.falling else key.asc() for key in keys]


def can_rank(query: Query) -> bool:
    """Return True if the query contains words that can match in fields of different rank."""
    return any(len(word.fields) != 1 for word in iter_texts(resolve_scopes(query.condition)))


def list_by_relevance(
    tx: Read, me: CurrentUser, query: Query, wanted: PaperListing, *, cut: PageRequest, falling: bool
) -> Rows:
    """Return one row more than `cut` requests, best first if `falling`."""
    place = None if cut.after is None else _RankPosition(cut.after[0] // _SCALE, cut.after[0] % _SCALE, cut.after[1])
    asker = SearchContext(tx, me)
    floor = ranking_floor(asker, query) if place is None else place.floor
    found: list[sa.Row[Any]] = []
    for phase in (_ranked_statement, _unranked_statement) if falling else (_unranked_statement, _ranked_statement):
        asking = _RankingRequest(replace(asker, floor=floor), query, wanted, place, falling, cut.limit + 1 - len(found))
        statement = phase(asking) if asking.many else None
        found += tx.rows(statement, {"me": me.id}) if statement is not None else []
    return found


def ranking_floor(asker: SearchContext, query: Query) -> int:
    """Return the paper ID from which on matches are ranked; 0 if all are."""
    node = resolve_scopes(query.condition)
    return (_floor(node, asker) if node else None) or 0


def _ranked_statement(asking: _RankingRequest) -> Statement | None:
    """Return the query for ranked matches, best first; None if all are before the position."""
    asker, place = asking.asker, asking.place
    if asking.falling and place and place.score == 0 and place.id < asker.floor:
        return None
    score, row_id = _score(asking.query, asker), col(Paper.id)
    found = sa.select(row_id, score.label("score"))
    bounded = row_id + 0 >= asker.floor  # "+ 0" makes SQLite scan the matches instead of the primary key range.
    found = found.where(asking.wanted.here, bounded, paper_condition(asking.query, asker))
    if place:
        better = score < place.score if asking.falling else score > place.score
        found = found.where(sa.or_(better, sa.and_(score == place.score, asking.behind(place))))
    best = found.order_by(*asking.order(sa.literal_column("score"), row_id)).limit(asking.many).subquery()
    shown = asking.wanted.papers.add_columns((best.c.score + asker.floor * _SCALE).label("sort_value"))
    return shown.join(best, best.c.id == row_id).order_by(*asking.order(best.c.score, best.c.id))


def _unranked_statement(asking: _RankingRequest) -> Statement | None:
    """Return the query for older, unranked matches, newest first.

    Return None if there are none or all are before the position.
    """
    floor, place = asking.asker.floor, asking.place
    if not floor or (place and place.score and not asking.falling):
        return None
    asker, row_id = replace(asking.asker, floor=0, ceiling=floor), col(Paper.id)
    found = asking.wanted.papers.add_columns(sa.literal(floor * _SCALE).label("sort_value"))
    found = found.where(asking.wanted.here, row_id < floor, paper_condition(asking.query, asker))
    if place and place.score == 0:
        found = found.where(asking.behind(place))
    return found.order_by(*asking.order(row_id)).limit(asking.many)


def _floor(node: Node, asker: SearchContext) -> int | None:
    """Return the floor of a part of the query; None if its matches cannot be estimated."""
    match node:
        case TextTerm() if found := asker.needles(node):
            return _nth(asker.backend.hits(PAPERS, found, paper_fields(node)), asker)
        case And():
            return min(_floors(node, asker), default=None)
        case Or():
            return max(_floors(node, asker), default=None)
        case _:
            return None


def _floors(node: And | Or, asker: SearchContext) -> list[int]:
    return [floor for part in node.parts if (floor := _floor(part, asker)) is not None]


def _nth(hits: Any, asker: SearchContext) -> int:  # noqa: ANN401 - a select of ids
    (ids,) = hits.selected_columns
    return asker.tx.connection().execute(hits.order_by(ids.desc()).limit(1).offset(RANKED)).scalar() or 0


def _score(query: Query, asker: SearchContext) -> sa.ColumnElement[int]:
    words = islice(iter_texts(resolve_scopes(query.condition)), MOST_SCORED)
    worth = [_term_score(word, asker) for word in words]
    return sum(worth[1:], worth[0]) if worth else sa.literal(0)


def _term_score(word: TextTerm, asker: SearchContext) -> sa.ColumnElement[int]:
    found, fields = asker.needles(word), paper_fields(word)
    if not found or (word.fields and not fields):
        return sa.literal(0)
    places = [(IN_TITLE, ["title"]), (BY_AUTHOR, ["authors"]), (ELSEWHERE, fields)]
    inside = [
        (col(Paper.id).in_(asker.bounded(asker.backend.hits(PAPERS, found, named))), worth)
        for worth, named in places
        if not fields or set(named) <= set(fields)
    ]
    return sa.case(*inside, else_=0)
