"""The map: its nodes, the job that computes its layout, and whether that is outdated."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.models import Paper, PaperTopic, Relation, Topic
from readtrack.infra.permissions import CurrentUser, is_listed
from readtrack.workspace.graph.commands import MAP_SUBJECT, store_layout
from readtrack.workspace.graph.map_layout import lay_map
from readtrack.workspace.graph.model import PAPER, PLAIN, TOPIC, Edge, GraphNode, Network, build_network, split_key
from readtrack.workspace.graph.queries import (
    Face,
    StoredLayout,
    find_faces,
    find_layout,
    find_links_among,
    get_topic_node,
    group_by_kind,
)

MAX_NODES = 2_000  # nodes
KIND = "graph.map"


class MapFilter(NamedTuple):
    """The filter of the map: a topic and its subtopics; papers I have not read; papers with relations."""

    topic: str = ""  # slug
    unread: bool = False
    related: bool = False


class MapContents(NamedTuple):
    """The visible part of the map. `topic_key`: key of the topic it is limited to."""

    labels: Mapping[str, Face]
    edges: Sequence[Edge]
    topic_key: str


class MapState(NamedTuple):
    """The stored map. `is_outdated`: links have changed since; `is_pending`: a layout job is pending."""

    layout: StoredLayout | None
    is_outdated: bool
    is_pending: bool


_FILED = sa.select(col(PaperTopic.topic_id), sa.func.count().label("papers")).group_by(col(PaperTopic.topic_id))
_filed = _FILED.subquery()
_TOPICS = (
    sa.select(col(Topic.id))
    .join(_filed, _filed.c.topic_id == col(Topic.id), isouter=True)
    .order_by(sa.func.coalesce(_filed.c.papers, 0).desc(), col(Topic.id))
    .limit(MAX_NODES)
)


def _ends(column: Any) -> sa.Select[Any]:  # noqa: ANN401 - a column of papers
    return sa.select(column.label("id"), sa.func.count().label("links")).group_by(column)


_ends_of = [_ends(column) for column in (col(PaperTopic.paper_id), col(Relation.from_id), col(Relation.to_id))]
_all_ends = sa.union_all(*_ends_of).subquery()
_linked: Any = sa.select(_all_ends.c.id, sa.func.sum(_all_ends.c.links).label("links")).group_by(_all_ends.c.id)
_linked = _linked.subquery()
_PAPERS = (
    sa.select(col(Paper.id))
    .join(_linked, _linked.c.id == col(Paper.id))
    .where(is_listed(Paper))
    .order_by(_linked.c.links.desc(), col(Paper.id))
    .limit(sa.bindparam("room"))
)
# A fingerprint that changes with every link, name and removal.
_NOW = sa.select(
    *(sa.select(sa.func.count()).select_from(table).scalar_subquery() for table in (Topic, PaperTopic, Relation)),
    sa.select(sa.func.max(col(Topic.updated_at))).scalar_subquery(),
    sa.select(sa.func.max(col(Relation.id))).scalar_subquery(),
)


def get_map_state(tx: Read, me: CurrentUser) -> MapState:
    """Return the stored map and its state."""
    permissions.require(me, "see")
    layout, job = find_layout(tx, MAP_SUBJECT), queue.find_by_dedup_key(tx, KIND)
    is_outdated = layout is not None and layout.fingerprint != _current_counts(tx)
    return MapState(layout, is_outdated, job is not None and job.state != "failed")


def find_map_contents(tx: Read, me: CurrentUser, keys: Collection[str], map_filter: MapFilter) -> MapContents:
    """Return the nodes that still exist, and their current edges."""
    faces, topic_key = find_faces(tx, me, keys), ""
    edges = find_links_among(tx, group_by_kind(map(split_key, faces)))
    if map_filter.topic:
        topic_key = get_topic_node(tx, map_filter.topic).key
        faces = _filter_by_topic(topic_key, faces, edges)
    if map_filter.related:
        related_keys = {end for edge in edges if edge.kind not in PLAIN for end in edge[:2]}
        faces = {key: face for key, face in faces.items() if not face.state or key in related_keys}
    if map_filter.unread:
        faces = {key: face for key, face in faces.items() if face.state != "mine"}
    return MapContents(faces, [edge for edge in edges if edge.source in faces and edge.target in faces], topic_key)


def _filter_by_topic(top: str, faces: Mapping[str, Face], edges: Sequence[Edge]) -> dict[str, Face]:
    """Keep the topic, its subtopics, and their papers."""
    children: dict[str, list[str]] = {}
    for edge in edges:
        if edge.kind in PLAIN:
            children.setdefault(edge.target, []).append(edge.source)
    visited, pending = {top}, [top]
    for key in pending:
        unvisited = [child for child in children.get(key, ()) if child not in visited]
        visited.update(unvisited)
        pending += unvisited
    return {key: face for key, face in faces.items() if key in visited}


def enqueue_map_layout(tx: Write, me: CurrentUser) -> int:
    """Enqueue a new layout and return the job's id."""
    permissions.require(me, "keep")
    return queue.enqueue(tx, KIND, dedup_key=KIND, created_by=me.id)


def schedule_map_layout(database: Database) -> None:
    """Enqueue a new layout if anything has changed since the last one."""
    with database.read() as tx:
        layout, now = find_layout(tx, MAP_SUBJECT), _current_counts(tx)
        is_new = layout.fingerprint != now if layout else bool(tx.rows(_TOPICS.limit(1)))
    if is_new:
        with database.write() as tx:
            queue.enqueue(tx, KIND, dedup_key=KIND)


def map_network(tx: Read) -> Network:
    """Return all topics, and the papers with the most links up to the maximum."""
    topics = [row.id for row in tx.rows(_TOPICS)]
    papers = [row.id for row in tx.rows(_PAPERS, {"room": MAX_NODES - len(topics)})]
    nodes = [*(GraphNode(TOPIC, number) for number in topics), *(GraphNode(PAPER, number) for number in papers)]
    return build_network(nodes, find_links_among(tx, {TOPIC: topics, PAPER: papers}))


@queue.handler(KIND)
def draw_map(database: Database, _http: Http, job: queue.LeasedJob) -> None:
    """Compute and store the layout; no transaction is open while it is computed."""
    with database.read() as tx:
        network, now = map_network(tx), _current_counts(tx)
    positions = lay_map(network)
    with database.write() as tx:
        queue.extend_lease(tx, job, ending=True)
        store_layout(tx, StoredLayout(MAP_SUBJECT, now, positions))
        queue.finish_job(tx, job)


def _current_counts(tx: Read) -> str:
    return ":".join(str(count) for count in tx.rows(_NOW)[0])
