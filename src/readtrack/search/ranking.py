"""What is looked for by words comes best first: title over authors over the rest of the paper over summaries.

Only the newest hits are ranked, since a common word has as many as the library; the older ones follow, newest first.
The score of a paper depends on nothing but its own texts, so no page skips or doubles what was there before.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper
from readtrack.infra.pagination import Cut
from readtrack.infra.permissions import Visitor
from readtrack.search.ast import And, Node, Or, Query, Text, texts_of
from readtrack.search.conditions import on_papers
from readtrack.search.context import Asker, Condition
from readtrack.search.documents import PAPERS
from readtrack.search.scopes import resolved
from readtrack.search.text_filters import of_papers

RANKED = 1_000  # of the hits: it is the title that counts, and there are enough of them
MOST_SCORED = 8  # words of a search that count: each costs some lookups
IN_TITLE, BY_AUTHOR, ELSEWHERE = 8, 4, 2  # what a word is worth; in a summary nothing, as some are private
_SCALE = 1_000  # above every score: where a paper stands is its score, and from which paper on there are any, in one
Statement = sa.Select[*tuple[Any, ...]]
Rows = Sequence[sa.Row[*tuple[Any, ...]]]


class _Place(NamedTuple):
    """Where a list goes on: behind the paper `id` of that score, those from `floor` on being ranked."""

    floor: int
    score: int
    id: int


class Wanted(NamedTuple):
    """A SELECT from papers that binds the asker as `me`, and the condition on those that are shown at all.

    `sort_value` is added to it, and stands with the id in cursors.
    """

    papers: Statement
    here: Condition


class _Asking(NamedTuple):
    asker: Asker
    query: Query
    wanted: Wanted
    place: _Place | None
    falling: bool
    many: int  # rows

    def behind(self, place: _Place) -> Condition:
        """What comes after the place among those of its score."""
        return col(Paper.id) < place.id if self.falling else col(Paper.id) > place.id

    def order(self, *keys: Any) -> list[sa.ColumnElement[Any]]:  # noqa: ANN401 - columns, and what is made of some
        """The direction in which the list goes."""
        return [key.desc() if self.falling else key.asc() for key in keys]


def can_rank(query: Query) -> bool:
    """Whether words are looked for that may stand in better and worse places."""
    return any(len(word.fields) != 1 for word in texts_of(resolved(query.condition)))


def by_relevance(tx: Read, me: Visitor, query: Query, wanted: Wanted, *, cut: Cut, falling: bool) -> Rows:
    """One row more than `cut` takes of what is wanted, the best first when `falling`."""
    place = None if cut.after is None else _Place(cut.after[0] // _SCALE, cut.after[0] % _SCALE, cut.after[1])
    asker = Asker(tx, me)
    floor = newest(asker, query) if place is None else place.floor
    found: list[sa.Row[Any]] = []
    for phase in (_ranked, _older) if falling else (_older, _ranked):
        asking = _Asking(replace(asker, floor=floor), query, wanted, place, falling, cut.limit + 1 - len(found))
        statement = phase(asking) if asking.many else None
        found += tx.rows(statement, {"me": me.id}) if statement is not None else []
    return found


def newest(asker: Asker, query: Query) -> int:
    """From which paper on there are as many hits as are ranked; 0 when there are fewer."""
    node = resolved(query.condition)
    return (_floor(node, asker) if node else None) or 0


def _ranked(asking: _Asking) -> Statement | None:
    """The newest hits, the best first; None when they are all before the place."""
    asker, place = asking.asker, asking.place
    if asking.falling and place and place.score == 0 and place.id < asker.floor:
        return None
    score, row_id = _score(asking.query, asker), col(Paper.id)
    found = sa.select(row_id, score.label("score"))
    bounded = row_id + 0 >= asker.floor  # "+ 0": SQLite goes through the hits, not through all papers from there on
    found = found.where(asking.wanted.here, bounded, on_papers(asking.query, asker))
    if place:
        better = score < place.score if asking.falling else score > place.score
        found = found.where(sa.or_(better, sa.and_(score == place.score, asking.behind(place))))
    best = found.order_by(*asking.order(sa.literal_column("score"), row_id)).limit(asking.many).subquery()
    shown = asking.wanted.papers.add_columns((best.c.score + asker.floor * _SCALE).label("sort_value"))
    return shown.join(best, best.c.id == row_id).order_by(*asking.order(best.c.score, best.c.id))


def _older(asking: _Asking) -> Statement | None:
    """Those that are not ranked, the newest first; None when there are none, or they are all before the place."""
    floor, place = asking.asker.floor, asking.place
    if not floor or (place and place.score and not asking.falling):
        return None
    asker, row_id = replace(asking.asker, floor=0, ceiling=floor), col(Paper.id)
    found = asking.wanted.papers.add_columns(sa.literal(floor * _SCALE).label("sort_value"))
    found = found.where(asking.wanted.here, row_id < floor, on_papers(asking.query, asker))
    if place and place.score == 0:
        found = found.where(asking.behind(place))
    return found.order_by(*asking.order(row_id)).limit(asking.many)


def _floor(node: Node, asker: Asker) -> int | None:
    """From where on a part of a search has that many hits; None when it cannot be told of it."""
    match node:
        case Text() if found := asker.needles(node):
            return _nth(asker.backend.hits(PAPERS, found, of_papers(node)), asker)
        case And():
            return min(_floors(node, asker), default=None)
        case Or():
            return max(_floors(node, asker), default=None)
        case _:
            return None


def _floors(node: And | Or, asker: Asker) -> list[int]:
    return [floor for part in node.parts if (floor := _floor(part, asker)) is not None]


def _nth(hits: Any, asker: Asker) -> int:  # noqa: ANN401 - a select of ids
    (ids,) = hits.selected_columns
    return asker.tx.connection().execute(hits.order_by(ids.desc()).limit(1).offset(RANKED)).scalar() or 0


def _score(query: Query, asker: Asker) -> sa.ColumnElement[int]:
    words = islice(texts_of(resolved(query.condition)), MOST_SCORED)
    worth = [_worth(word, asker) for word in words]
    return sum(worth[1:], worth[0]) if worth else sa.literal(0)


def _worth(word: Text, asker: Asker) -> sa.ColumnElement[int]:
    found, fields = asker.needles(word), of_papers(word)
    if not found or (word.fields and not fields):
        return sa.literal(0)
    places = [(IN_TITLE, ["title"]), (BY_AUTHOR, ["authors"]), (ELSEWHERE, fields)]
    inside = [
        (col(Paper.id).in_(asker.bounded(asker.backend.hits(PAPERS, found, named))), worth)
        for worth, named in places
        if not fields or set(named) <= set(fields)
    ]
    return sa.case(*inside, else_=0)
