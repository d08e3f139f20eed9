"""Statements that find what is linked: made once, each with the numbers it is asked about as one parameter."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import among
from readtrack.infra.models import Citation, CitedWork, Identifier, Paper, PaperTopic, Relation, Topic
from readtrack.infra.permissions import listed
from readtrack.reading.readings.queries import HIDDEN
from readtrack.workspace.graph.model import CITED, FILED, PAPER, TOPIC, WITHIN, Edge, End, key_of

MOST_ROWS = 10_000  # that one statement gives: of what has more links, the newest are looked at

_paper: Any = col(PaperTopic.paper_id)
_topic: Any = col(PaperTopic.topic_id)
_PAPERS_UNDER = sa.select(_paper).where(among(_topic, "ids"), _paper.not_in(HIDDEN))
_PAPERS_UNDER = _PAPERS_UNDER.order_by(_paper.desc(), _topic).limit(MOST_ROWS)
_TOPICS_OF = sa.select(_paper, _topic).where(among(_paper, "ids")).order_by(_paper, _topic).limit(MOST_ROWS)
# Of what is linked on both sides, one side is asked for: asked for both, SQLite tries each with each.
_FILED_OF = sa.select(_paper, _topic).where(among(_paper, "ids"))

_TREE = sa.select(col(Topic.id), col(Topic.parent_id)).where(col(Topic.parent_id).is_not(None))
_LINES = _TREE.where(sa.or_(among(col(Topic.id), "ids"), among(col(Topic.parent_id), "ids")))
_LINES = _LINES.order_by(col(Topic.id)).limit(MOST_ROWS)
_TREE_OF = _TREE.where(among(col(Topic.id), "ids"))

_from, _to = col(Relation.from_id), col(Relation.to_id)
_SAID: Any = sa.select(_from, _to, col(Relation.kind), col(Relation.note))
_RELATED = (
    _SAID.join(Paper, sa.and_(col(Paper.id) == _to, listed(Paper))).where(among(_from, "ids")).limit(MOST_ROWS),
    _SAID.join(Paper, sa.and_(col(Paper.id) == _from, listed(Paper))).where(among(_to, "ids")).limit(MOST_ROWS),
)
_RELATED_OF = _SAID.where(among(_from, "ids"))

_by, _cited = col(Citation.paper_id), col(Identifier.paper_id)
_named = sa.and_(col(Identifier.scheme) == col(CitedWork.scheme), col(Identifier.value) == col(CitedWork.value))
_CITING: Any = sa.select(_by.label("from_id"), _cited.label("to_id")).select_from(Citation)
_CITING = _CITING.join(CitedWork, col(CitedWork.id) == col(Citation.work_id)).join(Identifier, _named)
_CITING = _CITING.where(_by != _cited)
_theirs: Any = aliased(Paper)
_CITED = (
    _CITING.join(_theirs, sa.and_(col(_theirs.id) == _cited, listed(_theirs)))
    .where(among(_by, "ids"))
    .limit(MOST_ROWS),
    _CITING.join(_theirs, sa.and_(col(_theirs.id) == _by, listed(_theirs)))
    .where(among(_cited, "ids"))
    .limit(MOST_ROWS),
)
_CITED_OF = _CITING.where(among(_by, "ids"))


def _counting(column: Any, *, of_papers: Any = None) -> sa.Select[Any]:  # noqa: ANN401 - columns of numbers
    """Rows by that column; those of papers that lists do not show are left out."""
    query = sa.select(column.label("id"), sa.func.count().label("links")).where(among(column, "ids")).group_by(column)
    return query if of_papers is None else query.where(of_papers.not_in(HIDDEN))


_DEGREES = {
    TOPIC: (_counting(_topic, of_papers=_paper), _counting(col(Topic.parent_id))),
    PAPER: (_counting(_paper), _counting(_from, of_papers=_to), _counting(_to, of_papers=_from)),
}


def ends_of(tx: Read, ids: Mapping[str, Collection[int]], *, citations: bool = False) -> set[End]:
    """Listed papers and topics that are one link away from these, and perhaps some of these. `ids`: by kind."""
    found: set[End] = set()
    if topics := list(ids[TOPIC]):
        found |= {(PAPER, row.paper_id) for row in tx.rows(_PAPERS_UNDER, {"ids": topics})}
        found |= {(TOPIC, end) for row in tx.rows(_LINES, {"ids": topics}) for end in row}
    if papers := list(ids[PAPER]):
        found |= {(TOPIC, row.topic_id) for row in tx.rows(_TOPICS_OF, {"ids": papers})}
        for statement in (*_RELATED, *(_CITED if citations else ())):
            found |= {(PAPER, end) for row in tx.rows(statement, {"ids": papers}) for end in row[:2]}
    return found


def links_among(tx: Read, ids: Mapping[str, Collection[int]], *, citations: bool = False) -> list[Edge]:
    """What links these topics and papers with one another."""
    topics, papers = list(ids[TOPIC]), list(ids[PAPER])
    here = {key_of(kind, number) for kind in ids for number in ids[kind]}
    found = _filed(tx.rows(_FILED_OF, {"ids": papers}))
    found += _tree(tx.rows(_TREE_OF, {"ids": topics}))
    found += _related(tx.rows(_RELATED_OF, {"ids": papers}))
    if citations:
        said = {edge[:2] for edge in found if edge.kind == "cites"}  # by a person: that is drawn already
        found += [edge for edge in _citing(tx.rows(_CITED_OF, {"ids": papers})) if edge[:2] not in said]
    return [edge for edge in found if edge.target in here]


def degrees_of(tx: Read, ids: Mapping[str, Collection[int]]) -> dict[End, int]:
    """How many links each of these has: filings, relations and topics right below. `ids`: by kind."""
    found: dict[End, int] = {}
    for kind, statements in _DEGREES.items():
        for statement in statements if ids[kind] else ():
            for row in tx.rows(statement, {"ids": list(ids[kind])}):
                found[kind, row.id] = found.get((kind, row.id), 0) + row.links
    return found


def _filed(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(key_of(PAPER, row.paper_id), key_of(TOPIC, row.topic_id), FILED) for row in rows]


def _tree(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(key_of(TOPIC, row.id), key_of(TOPIC, row.parent_id), WITHIN) for row in rows]


def _related(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(key_of(PAPER, row.from_id), key_of(PAPER, row.to_id), row.kind, row.note) for row in rows]


def _citing(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(key_of(PAPER, row.from_id), key_of(PAPER, row.to_id), CITED) for row in rows]
