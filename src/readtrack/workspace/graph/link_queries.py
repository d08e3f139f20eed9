"""Statements for links between papers and topics, each taking all ids as one parameter."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import in_id_list
from readtrack.infra.models import Citation, CitedWork, Identifier, Paper, PaperTopic, Relation, Topic
from readtrack.infra.permissions import is_listed
from readtrack.reading.readings.queries import HIDDEN
from readtrack.workspace.graph.model import CITED, FILED, PAPER, TOPIC, WITHIN, Edge, End, node_key

MOST_ROWS = 10_000  # per statement; of nodes with more links, only the newest are considered

_paper: Any = col(PaperTopic.paper_id)
_topic: Any = col(PaperTopic.topic_id)
_PAPERS_UNDER = sa.select(_paper).where(in_id_list(_topic, "ids"), _paper.not_in(HIDDEN))
_PAPERS_UNDER = _PAPERS_UNDER.order_by(_paper.desc(), _topic).limit(MOST_ROWS)
_TOPICS_OF = sa.select(_paper, _topic).where(in_id_list(_paper, "ids")).order_by(_paper, _topic).limit(MOST_ROWS)
# Edges among given nodes are filtered on one side only: filtering both makes SQLite try every combination.
_FILED_OF = sa.select(_paper, _topic).where(in_id_list(_paper, "ids"))

_TREE = sa.select(col(Topic.id), col(Topic.parent_id)).where(col(Topic.parent_id).is_not(None))
_LINES = _TREE.where(sa.or_(in_id_list(col(Topic.id), "ids"), in_id_list(col(Topic.parent_id), "ids")))
_LINES = _LINES.order_by(col(Topic.id)).limit(MOST_ROWS)
_TREE_OF = _TREE.where(in_id_list(col(Topic.id), "ids"))

_from, _to = col(Relation.from_id), col(Relation.to_id)
_SAID: Any = sa.select(_from, _to, col(Relation.kind), col(Relation.note))
_RELATED = (
    _SAID.join(Paper, sa.and_(col(Paper.id) == _to, is_listed(Paper))).where(in_id_list(_from, "ids")).limit(MOST_ROWS),
    _SAID.join(Paper, sa.and_(col(Paper.id) == _from, is_listed(Paper))).where(in_id_list(_to, "ids")).limit(MOST_ROWS),
)
_RELATED_OF = _SAID.where(in_id_list(_from, "ids"))

_by, _cited = col(Citation.paper_id), col(Identifier.paper_id)
_named = sa.and_(col(Identifier.scheme) == col(CitedWork.scheme), col(Identifier.value) == col(CitedWork.value))
_CITING: Any = sa.select(_by.label("from_id"), _cited.label("to_id")).select_from(Citation)
_CITING = _CITING.join(CitedWork, col(CitedWork.id) == col(Citation.work_id)).join(Identifier, _named)
_CITING = _CITING.where(_by != _cited)
_theirs: Any = aliased(Paper)
_CITED = (
    _CITING.join(_theirs, sa.and_(col(_theirs.id) == _cited, is_listed(_theirs)))
    .where(in_id_list(_by, "ids"))
    .limit(MOST_ROWS),
    _CITING.join(_theirs, sa.and_(col(_theirs.id) == _by, is_listed(_theirs)))
    .where(in_id_list(_cited, "ids"))
    .limit(MOST_ROWS),
)
_CITED_OF = _CITING.where(in_id_list(_by, "ids"))


def _count_query(column: Any, *, paper_column: Any = None) -> sa.Select[Any]:  # noqa: ANN401 - columns of numbers
    """Return the query that counts rows by column, without hidden papers."""
    query = (
        sa.select(column.label("id"), sa.func.count().label("links")).where(in_id_list(column, "ids")).group_by(column)
    )
    return query if paper_column is None else query.where(paper_column.not_in(HIDDEN))


_DEGREES = {
    TOPIC: (_count_query(_topic, paper_column=_paper), _count_query(col(Topic.parent_id))),
    PAPER: (_count_query(_paper), _count_query(_from, paper_column=_to), _count_query(_to, paper_column=_from)),
}


def find_linked_ends(tx: Read, ids: Mapping[str, Collection[int]], *, citations: bool = False) -> set[End]:
    """Return listed papers and topics one link away, possibly including given ones. `ids`: by kind."""
    ends: set[End] = set()
    if topics := list(ids[TOPIC]):
        ends |= {(PAPER, row.paper_id) for row in tx.rows(_PAPERS_UNDER, {"ids": topics})}
        ends |= {(TOPIC, end) for row in tx.rows(_LINES, {"ids": topics}) for end in row}
    if papers := list(ids[PAPER]):
        ends |= {(TOPIC, row.topic_id) for row in tx.rows(_TOPICS_OF, {"ids": papers})}
        for statement in (*_RELATED, *(_CITED if citations else ())):
            ends |= {(PAPER, end) for row in tx.rows(statement, {"ids": papers}) for end in row[:2]}
    return ends


def find_links_among(tx: Read, ids: Mapping[str, Collection[int]], *, citations: bool = False) -> list[Edge]:
    """Return the edges among these topics and papers."""
    topics, papers = list(ids[TOPIC]), list(ids[PAPER])
    keys = {node_key(kind, number) for kind in ids for number in ids[kind]}
    edges = _filing_edges(tx.rows(_FILED_OF, {"ids": papers}))
    edges += _topic_edges(tx.rows(_TREE_OF, {"ids": topics}))
    edges += _relation_edges(tx.rows(_RELATED_OF, {"ids": papers}))
    if citations:
        known_pairs = {edge[:2] for edge in edges if edge.kind == "cites"}  # a relation by a person is drawn already
        edges += [edge for edge in _citation_edges(tx.rows(_CITED_OF, {"ids": papers})) if edge[:2] not in known_pairs]
    return [edge for edge in edges if edge.target in keys]


def count_links(tx: Read, ids: Mapping[str, Collection[int]]) -> dict[End, int]:
    """Return the number of links of each node: assignments, relations and subtopics. `ids`: by kind."""
    counts: dict[End, int] = {}
    for kind, statements in _DEGREES.items():
        for statement in statements if ids[kind] else ():
            for row in tx.rows(statement, {"ids": list(ids[kind])}):
                counts[kind, row.id] = counts.get((kind, row.id), 0) + row.links
    return counts


def _filing_edges(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(node_key(PAPER, row.paper_id), node_key(TOPIC, row.topic_id), FILED) for row in rows]


def _topic_edges(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(node_key(TOPIC, row.id), node_key(TOPIC, row.parent_id), WITHIN) for row in rows]


def _relation_edges(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(node_key(PAPER, row.from_id), node_key(PAPER, row.to_id), row.kind, row.note) for row in rows]


def _citation_edges(rows: Iterable[Any]) -> list[Edge]:
    return [Edge(node_key(PAPER, row.from_id), node_key(PAPER, row.to_id), CITED) for row in rows]
