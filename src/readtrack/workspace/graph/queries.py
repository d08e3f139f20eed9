"""Queries for the graph: links between papers and topics, neighbourhoods, data of nodes, and stored layouts.

Each statement takes all ids as one parameter.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    Citation,
    CitedWork,
    GraphLayout,
    Identifier,
    Paper,
    PaperTopic,
    Reading,
    Relation,
    Topic,
)
from readtrack.infra.permissions import CurrentUser, is_listed, is_present, shared_or_own
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.queries import HIDDEN, is_finished_pass
from readtrack.workspace.graph.model import (
    CITED,
    FILED,
    PAPER,
    TOPIC,
    WITHIN,
    Edge,
    End,
    GraphNode,
    Network,
    build_network,
    node_key,
    split_key,
)

MAX_ROWS = 10_000  # per statement; of nodes with more links, only the newest are considered

_paper: Any = col(PaperTopic.paper_id)
_topic: Any = col(PaperTopic.topic_id)
_PAPERS_UNDER = sa.select(_paper).where(in_id_list(_topic, "ids"), _paper.not_in(HIDDEN))
_PAPERS_UNDER = _PAPERS_UNDER.order_by(_paper.desc(), _topic).limit(MAX_ROWS)
_TOPICS_OF = sa.select(_paper, _topic).where(in_id_list(_paper, "ids")).order_by(_paper, _topic).limit(MAX_ROWS)
# Edges among given nodes are filtered on one side only: filtering both makes SQLite try every combination.
_FILED_OF = sa.select(_paper, _topic).where(in_id_list(_paper, "ids"))

_TREE = sa.select(col(Topic.id), col(Topic.parent_id)).where(col(Topic.parent_id).is_not(None))
_LINES = _TREE.where(sa.or_(in_id_list(col(Topic.id), "ids"), in_id_list(col(Topic.parent_id), "ids")))
_LINES = _LINES.order_by(col(Topic.id)).limit(MAX_ROWS)
_TREE_OF = _TREE.where(in_id_list(col(Topic.id), "ids"))

_from, _to = col(Relation.from_id), col(Relation.to_id)
_SAID: Any = sa.select(_from, _to, col(Relation.kind), col(Relation.note))
_RELATED = (
    _SAID.join(Paper, sa.and_(col(Paper.id) == _to, is_listed(Paper))).where(in_id_list(_from, "ids")).limit(MAX_ROWS),
    _SAID.join(Paper, sa.and_(col(Paper.id) == _from, is_listed(Paper))).where(in_id_list(_to, "ids")).limit(MAX_ROWS),
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
    .limit(MAX_ROWS),
    _CITING.join(_theirs, sa.and_(col(_theirs.id) == _by, is_listed(_theirs)))
    .where(in_id_list(_cited, "ids"))
    .limit(MAX_ROWS),
)
_CITED_OF = _CITING.where(in_id_list(_by, "ids"))
MAX_NODES = 300  # nodes of a neighbourhood
MAX_WIDTH = 1060.0  # maximum width of its picture in pixels
MAX_DEPTH = 3  # maximum distance in links
_TOPIC = sa.select(col(Topic.id)).where(col(Topic.slug) == sa.bindparam("slug"))
_TOPICS = sa.select(col(Topic.id), col(Topic.slug), col(Topic.name), col(Topic.parent_id)).where(
    in_id_list(col(Topic.id), "ids")
)
_PAPERS = sa.select(col(Paper.id), col(Paper.title), col(Paper.language)).where(
    in_id_list(col(Paper.id), "ids"), is_present(Paper)
)
_UNDER = (
    sa.select(col(PaperTopic.topic_id), sa.func.count().label("papers"))
    .where(
        in_id_list(col(PaperTopic.topic_id), "ids"),
        col(PaperTopic.paper_id).not_in(HIDDEN),
    )
    .group_by(col(PaperTopic.topic_id))
)
_LAYOUT = sa.select(col(GraphLayout.fingerprint), col(GraphLayout.positions), col(GraphLayout.made_at)).where(
    col(GraphLayout.subject) == sa.bindparam("subject")
)


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


Places = Mapping[str, tuple[float, ...]]  # x and y by key, with the radius on the map; unscaled, 1 is a pixel


class GraphOptions(NamedTuple):
    """What to show: central node, distance, whether service citations count as links, and limits."""

    centre: GraphNode
    depth: int = 1
    citations: bool = False
    max_nodes: int = MAX_NODES
    widest: float = MAX_WIDTH  # pixels

    @property
    def subject(self) -> str:
        """The key under which the layout is stored."""
        extras = [
            *(["cited"] if self.citations else []),
            *([str(self.max_nodes)] if self.max_nodes != MAX_NODES else []),
        ]
        return ":".join([self.centre.kind, str(self.centre.id), str(self.depth), *extras])


class Neighborhood(NamedTuple):
    """A part of the graph.

    `omitted_count`: nodes at the farthest distance that are not shown; `is_complete`: nothing is left out within
    `depth`.
    """

    network: Network
    omitted_count: int
    is_complete: bool


class Face(NamedTuple):
    """The display data of a node.

    `state`: of a paper, "mine", "someone" or "nobody" by who has visibly read it; `papers`: number in a topic itself.
    """

    key: str
    address: str
    name: str
    language: str = ""
    state: str = ""
    papers: int = 0
    parent: str = ""  # key of the parent topic


class StoredLayout(NamedTuple):
    """A stored layout with the fingerprint of its network."""

    subject: str
    fingerprint: str
    positions: Places
    made_at: datetime | None = None


_me: Any = sa.bindparam("me", type_=sa.Integer())
_READ = (
    sa.select(col(Reading.paper_id), sa.func.max(sa.case((col(Reading.person_id) == _me, 1), else_=0)).label("mine"))
    .where(in_id_list(col(Reading.paper_id), "ids"), is_finished_pass(), shared_or_own(Reading, _me))
    .group_by(col(Reading.paper_id))
)


def get_topic_node(tx: Read, slug: str) -> GraphNode:
    """Return a topic by slug. Raise NotFound."""
    rows = tx.rows(_TOPIC, {"slug": slug})
    if not rows:
        message = _("Topic “{slug}” not found.").format(slug=slug)
        raise NotFound(message)
    return GraphNode(TOPIC, rows[0].id)


def get_paper_node(tx: Read, paper_id: int) -> GraphNode:
    """Return a paper. Raise NotFound, or PaperMerged if it was merged."""
    permissions.require_present(tx, paper_id)
    return GraphNode(PAPER, paper_id)


def find_neighborhood(tx: Read, me: CurrentUser, options: GraphOptions) -> Neighborhood:
    """Return the nodes up to `depth` links away; if there are too many, those with the most links.

    Only nodes at the farthest distance are left out.
    """
    permissions.require(me, "see")
    outermost: Collection[End] = [(options.centre.kind, options.centre.id)]
    distances = dict.fromkeys(outermost, 0)  # distance by node
    omitted_count, distance = 0, 0
    for distance in range(1, options.depth + 1):
        neighbors = find_linked_ends(tx, group_by_kind(outermost), citations=options.citations) - distances.keys()
        capacity = options.max_nodes - len(distances)
        outermost = _most_linked(tx, neighbors, capacity) if len(neighbors) > capacity else neighbors
        omitted_count = len(neighbors) - len(outermost)
        distances |= dict.fromkeys(outermost, distance)
        if omitted_count or not neighbors:
            break
    edges = find_links_among(tx, group_by_kind(distances), citations=options.citations)
    nodes = [GraphNode(*end, node_distance) for end, node_distance in distances.items()]
    return Neighborhood(build_network(nodes, edges), omitted_count, not omitted_count or distance == options.depth)


def find_faces(tx: Read, me: CurrentUser, keys: Collection[str]) -> dict[str, Face]:
    """Return the display data of nodes by key, without those that are gone."""
    ids = group_by_kind(map(split_key, keys))
    return _find_topic_faces(tx, ids[TOPIC]) | _find_paper_faces(tx, me, ids[PAPER])


def find_layout(tx: Read, subject: str) -> StoredLayout | None:
    """Return the stored layout of a subject, or None."""
    for row in tx.rows(_LAYOUT, {"subject": subject}):
        positions = {key: tuple(map(float, position)) for key, position in row.positions.items()}
        return StoredLayout(subject, row.fingerprint, positions, row.made_at)
    return None


def _most_linked(tx: Read, ends: Collection[End], limit: int) -> list[End]:
    links = count_links(tx, group_by_kind(ends))
    return sorted(ends, key=lambda end: (-links.get(end, 0), end[0] != TOPIC, end[1]))[:limit]


def group_by_kind(ends: Iterable[End]) -> dict[str, list[int]]:
    """Group node ids by kind."""
    ids: dict[str, list[int]] = {TOPIC: [], PAPER: []}
    for kind, number in ends:
        ids[kind].append(number)
    return ids


def _find_topic_faces(tx: Read, ids: Sequence[int]) -> dict[str, Face]:
    papers = {row.topic_id: row.papers for row in tx.rows(_UNDER, {"ids": ids})}
    faces = {}
    for row in tx.rows(_TOPICS, {"ids": ids}):
        key, parent = node_key(TOPIC, row.id), node_key(TOPIC, row.parent_id) if row.parent_id else ""
        address = f"/topics/{quote(row.slug, safe='')}"
        faces[key] = Face(key, address, row.name, papers=papers.get(row.id, 0), parent=parent)
    return faces


def _find_paper_faces(tx: Read, me: CurrentUser, ids: Sequence[int]) -> dict[str, Face]:
    state_by_paper = {
        row.paper_id: "mine" if row.mine else "someone" for row in tx.rows(_READ, {"ids": ids, "me": me.id})
    }
    rows = tx.rows(_PAPERS, {"ids": ids})
    labels = labels_of(tx, [row.id for row in rows if not row.title])
    faces = {}
    for row in rows:
        key, name = node_key(PAPER, row.id), row.title or labels.get(row.id, f"#{row.id}")
        faces[key] = Face(key, f"/papers/{row.id}", name, row.language, state_by_paper.get(row.id, "nobody"))
    return faces
