"""API endpoints for the graph: nodes and edges with their positions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import BackgroundTasks, Query, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.library.topics.queries import find_slug
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx, write_after_response
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace.graph import map_job, queries
from readtrack.workspace.graph.commands import store_layout
from readtrack.workspace.graph.map_job import MapFilter
from readtrack.workspace.graph.model import Edge, GraphNode
from readtrack.workspace.graph.queries import MAX_DEPTH, Face, GraphOptions, Places
from readtrack.workspace.graph.view_model import build_graph_view

router = api_router("graph")


class GraphNodeRead(ResponseModel):
    """A topic or a paper.

    `read`: of a paper, as far as visible to you; `papers`: number in the topic itself; `x`, `y`: centre of its box in
    pixels from the top left.
    """

    key: str
    kind: Literal["topic", "paper"]
    id: int
    address: str
    name: str
    distance: int
    read: Literal["mine", "someone", "nobody"] | None
    papers: int | None
    x: float
    y: float


class GraphEdgeRead(ResponseModel):
    """An edge between two keys.

    `kind`: `filed`, `within`, `cited` (reported by services), or a kind of relation.
    """

    source: str
    target: str
    kind: str
    note: str


class GraphRead(ResponseModel):
    """A neighbourhood.

    `left_out`: nodes at the farthest distance that are not included; `whole`: nothing is left out up to `depth`.
    """

    nodes: list[GraphNodeRead]
    edges: list[GraphEdgeRead]
    left_out: int
    whole: bool


class MapNode(ResponseModel):
    """A node of the map. `x`, `y`, `radius`: in units of the map; a paper lies in its topic's region."""

    key: str
    address: str
    name: str
    read: Literal["mine", "someone", "nobody"] | None
    papers: int | None
    x: float
    y: float
    radius: float


class LibraryMap(ResponseModel):
    """The map.

    `drawn_at`: null if there is no layout yet; `outdated`: links have changed since; `underway`: a new layout is being
    computed.
    """

    nodes: list[MapNode]
    edges: list[GraphEdgeRead]
    drawn_at: datetime | None
    outdated: bool
    underway: bool


class GraphQuery(StrictModel):
    """`depth`: distance in links; `citations`: include citations reported by services."""

    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)] = 1
    citations: bool = False


GraphParams = Annotated[GraphQuery, Query()]


@router.get("/topics/{slug}/graph", responses={200: {"model": GraphRead}})
def get_topic_graph(
    request: Request, slug: str, asked: GraphParams, me: Me, tx: ReadTx, afterwards: BackgroundTasks
) -> Response:
    """Get the graph of a topic.

    What is linked with it, at most 300 nodes; 301 if the address has another of its names.
    """
    current_slug = find_slug(tx, slug)
    if current_slug is not None and current_slug != slug:
        return RedirectResponse(str(request.url.replace(path=f"/api/v1/topics/{current_slug}/graph")), 301)
    options = GraphOptions(queries.get_topic_node(tx, slug), asked.depth, citations=asked.citations)
    return _graph_response(request, me, tx, options, background_tasks=afterwards)


@router.get("/papers/{paper_id:int}/graph", responses={200: {"model": GraphRead}})
def get_paper_graph(
    request: Request, paper_id: int, asked: GraphParams, me: Me, tx: ReadTx, afterwards: BackgroundTasks
) -> Response:
    """Get the graph of a paper.

    What is linked with it, at most 300 nodes with positions, edges, and how many are left out.
    """
    options = GraphOptions(queries.get_paper_node(tx, paper_id), asked.depth, citations=asked.citations)
    return _graph_response(request, me, tx, options, background_tasks=afterwards)


@router.get("/graph", responses={200: {"model": LibraryMap}})
def get_library_graph(request: Request, me: Me, tx: ReadTx) -> Response:
    """Get the graph of the library.

    All topics and the papers with the most links, at most 2,000 nodes, as last drawn; with that time, and whether
    links were added since.
    """
    state = map_job.get_map_state(tx, me)
    positions = state.layout.positions if state.layout else {}
    contents = map_job.find_map_contents(tx, me, positions, MapFilter())
    nodes = [_map_node(face, positions[key]) for key, face in contents.labels.items()]
    payload = {"nodes": nodes, "edges": [_edge(edge) for edge in contents.edges]}
    drawn_at = state.layout.made_at if state.layout else None
    return conditional_response(
        request, {**payload, "drawn_at": drawn_at, "outdated": state.is_outdated, "underway": state.is_pending}
    )


@router.post("/graph", status_code=202, response_class=Response)
def request_library_graph(me: Me, tx: WriteTx) -> Response:
    """Have the graph of the library drawn again.

    By a job, soon. Safe to repeat.
    """
    map_job.enqueue_map_layout(tx, me)
    return Response(status_code=202)


def _graph_response(
    request: Request, me: CurrentUser, tx: Read, options: GraphOptions, *, background_tasks: BackgroundTasks
) -> Response:
    view = build_graph_view(tx, me, options)
    if view.new_layout is not None:
        background_tasks.add_task(
            write_after_response, request.app.state.database, partial(store_layout, layout=view.new_layout)
        )
    network = view.neighborhood.network
    nodes = [_node(node, view.labels, view.positions) for node in network.nodes if node.key in view.labels]
    edges = [_edge(edge) for edge in network.edges]
    payload = {
        "nodes": nodes,
        "edges": edges,
        "left_out": view.neighborhood.omitted_count,
        "whole": view.neighborhood.is_complete,
    }
    return conditional_response(request, payload)


def _node(node: GraphNode, faces: Mapping[str, Face], positions: Places) -> dict[str, Any]:
    face, (x, y) = faces[node.key], positions[node.key]
    kind_fields = {"read": face.state or None, "papers": None if face.state else face.papers}
    data = {"key": node.key, "kind": node.kind, "id": node.id, "address": face.address, "name": face.name}
    return {**data, "distance": node.distance, **kind_fields, "x": x, "y": y}


def _map_node(face: Face, position: Sequence[float]) -> dict[str, Any]:
    x, y, radius = position
    kind_fields = {"read": face.state or None, "papers": None if face.state else face.papers}
    data = {"key": face.key, "address": face.address, "name": face.name, **kind_fields}
    return {**data, "x": x, "y": y, "radius": radius}


def _edge(edge: Edge) -> dict[str, str]:
    return edge._asdict()
