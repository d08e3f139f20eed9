"""Queries for the graph: neighbourhoods, data of nodes, and stored layouts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.db.id_lists import in_id_list
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import GraphLayout, Paper, PaperTopic, Reading, Topic
from readtrack.infra.permissions import CurrentUser, is_present, shared_or_own
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.queries import HIDDEN, is_finished_pass
from readtrack.workspace.graph.link_queries import count_links, find_linked_ends, find_links_among
from readtrack.workspace.graph.model import PAPER, TOPIC, End, GraphNode, Network, build_network, node_key, split_key

MAX_NODES = 300  # nodes of a neighbourhood
MAX_WIDTH = 1060.0  # maximum width of its picture in pixels
MAX_DEPTH = 3  # maximum distance in links
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
_me: Any = sa.bindparam("me", type_=sa.Integer())
_READ = (
    sa.select(col(Reading.paper_id), sa.func.max(sa.case((col(Reading.person_id) == _me, 1), else_=0)).label("mine"))
    .where(in_id_list(col(Reading.paper_id), "ids"), is_finished_pass(), shared_or_own(Reading, _me))
    .group_by(col(Reading.paper_id))
)
_LAYOUT = sa.select(col(GraphLayout.fingerprint), col(GraphLayout.positions), col(GraphLayout.made_at)).where(
    col(GraphLayout.subject) == sa.bindparam("subject")
)


def get_topic_node(tx: Read, slug: str) -> GraphNode:
    """Return a topic by slug. Raise NotFound."""
    rows = tx.rows(_TOPIC, {"slug": slug})
    if not rows:
        message = _("There is no topic “{slug}”. Look at the list of topics, or add it there.").format(slug=slug)
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
    return _topics(tx, ids[TOPIC]) | _papers(tx, me, ids[PAPER])


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


def _topics(tx: Read, ids: Sequence[int]) -> dict[str, Face]:
    papers = {row.topic_id: row.papers for row in tx.rows(_UNDER, {"ids": ids})}
    faces = {}
    for row in tx.rows(_TOPICS, {"ids": ids}):
        key, parent = node_key(TOPIC, row.id), node_key(TOPIC, row.parent_id) if row.parent_id else ""
        address = f"/topics/{quote(row.slug, safe='')}"
        faces[key] = Face(key, address, row.name, papers=papers.get(row.id, 0), parent=parent)
    return faces


def _papers(tx: Read, me: CurrentUser, ids: Sequence[int]) -> dict[str, Face]:
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
