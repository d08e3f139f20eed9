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

MAX_RANKED = 1_000  # Maximum matches ranked.
MAX_SCORED = 8  # Maximum words that are scored, as each costs several lookups.
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
    visible: Condition


class _RankingRequest(NamedTuple):
    asker: SearchContext
    query: Query
    listing: PaperListing
    position: _RankPosition | None
    falling: bool
    limit: int  # Rows.

    def after_position(self, position: _RankPosition) -> Condition:
        """Return the condition for papers after the position with the same score."""
        return col(Paper.id) < position.id if self.falling else col(Paper.id) > position.id

    def order(self, *keys: Any) -> list[sa.ColumnElement[Any]]:  # noqa: ANN401 - columns or expressions
        """Return the sort keys in the direction of the list."""
        return [key.desc() if self.falling else key.asc() for key in keys]


def can_rank(query: Query) -> bool:
    """Return True if the query contains words that can match in fields of different rank."""
    return any(len(word.fields) != 1 for word in iter_texts(resolve_scopes(query.condition)))


def list_by_relevance(
    tx: Read, me: CurrentUser, query: Query, listing: PaperListing, *, page_request: PageRequest, descending: bool
) -> Rows:
    """Return one row more than `page_request` requests, best first if `descending`."""
    position = (
        None
        if page_request.after is None
        else _RankPosition(page_request.after[0] // _SCALE, page_request.after[0] % _SCALE, page_request.after[1])
    )
    context = SearchContext(tx, me)
    floor = ranking_floor(context, query) if position is None else position.floor
    rows: list[sa.Row[Any]] = []
    for phase in (_ranked_statement, _unranked_statement) if descending else (_unranked_statement, _ranked_statement):
        request = _RankingRequest(
            replace(context, floor=floor), query, listing, position, descending, page_request.limit + 1 - len(rows)
        )
        statement = phase(request) if request.limit else None
        rows += tx.rows(statement, {"me": me.id}) if statement is not None else []
    return rows


def ranking_floor(context: SearchContext, query: Query) -> int:
    """Return the paper ID from which on matches are ranked; 0 if all are."""
    node = resolve_scopes(query.condition)
    return (_floor(node, context) if node else None) or 0


def _ranked_statement(request: _RankingRequest) -> Statement | None:
    """Return the query for ranked matches, best first; None if all are before the position."""
    context, position = request.asker, request.position
    if request.falling and position and position.score == 0 and position.id < context.floor:
        return None
    score, row_id = _score(request.query, context), col(Paper.id)
    matches = sa.select(row_id, score.label("score"))
    # "+ 0" makes SQLite scan the matches instead of the primary key range.
    is_above_floor = row_id + 0 >= context.floor
    matches = matches.where(request.listing.visible, is_above_floor, paper_condition(request.query, context))
    if position:
        is_after = score < position.score if request.falling else score > position.score
        matches = matches.where(sa.or_(is_after, sa.and_(score == position.score, request.after_position(position))))
    best = matches.order_by(*request.order(sa.literal_column("score"), row_id)).limit(request.limit).subquery()
    listing = request.listing.papers.add_columns((best.c.score + context.floor * _SCALE).label("sort_value"))
    return listing.join(best, best.c.id == row_id).order_by(*request.order(best.c.score, best.c.id))


def _unranked_statement(request: _RankingRequest) -> Statement | None:
    """Return the query for older, unranked matches, newest first.

    Return None if there are none or all are before the position.
    """
    floor, position = request.asker.floor, request.position
    if not floor or (position and position.score and not request.falling):
        return None
    context, row_id = replace(request.asker, floor=0, ceiling=floor), col(Paper.id)
    matches = request.listing.papers.add_columns(sa.literal(floor * _SCALE).label("sort_value"))
    matches = matches.where(request.listing.visible, row_id < floor, paper_condition(request.query, context))
    if position and position.score == 0:
        matches = matches.where(request.after_position(position))
    return matches.order_by(*request.order(row_id)).limit(request.limit)


def _floor(node: Node, context: SearchContext) -> int | None:
    """Return the floor of a part of the query; None if its matches cannot be estimated."""
    match node:
        case TextTerm() if needles := context.needles(node):
            return _nth(context.backend.hits(PAPERS, needles, paper_fields(node)), context)
        case And():
            return min(_floors(node, context), default=None)
        case Or():
            return max(_floors(node, context), default=None)
        case _:
            return None


def _floors(node: And | Or, context: SearchContext) -> list[int]:
    return [floor for part in node.parts if (floor := _floor(part, context)) is not None]


def _nth(hits: Any, context: SearchContext) -> int:  # noqa: ANN401 - a select of ids
    (ids,) = hits.selected_columns
    return context.tx.connection().execute(hits.order_by(ids.desc()).limit(1).offset(MAX_RANKED)).scalar() or 0


def _score(query: Query, context: SearchContext) -> sa.ColumnElement[int]:
    words = islice(iter_texts(resolve_scopes(query.condition)), MAX_SCORED)
    term_scores = [_term_score(word, context) for word in words]
    return sum(term_scores[1:], term_scores[0]) if term_scores else sa.literal(0)


def _term_score(word: TextTerm, context: SearchContext) -> sa.ColumnElement[int]:
    needles, fields = context.needles(word), paper_fields(word)
    if not needles or (word.fields and not fields):
        return sa.literal(0)
    weighted_fields = [(IN_TITLE, ["title"]), (BY_AUTHOR, ["authors"]), (ELSEWHERE, fields)]
    cases = [
        (col(Paper.id).in_(context.limit_to_range(context.backend.hits(PAPERS, needles, field_names))), weight)
        for weight, field_names in weighted_fields
        if not fields or set(field_names) <= set(fields)
    ]
    return sa.case(*cases, else_=0)
