"""API endpoints for the graph: nodes and edges with their positions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import BackgroundTasks, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.schemas import StrictModel
from readtrack.library.topics.queries import find_slug
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx, write_after_response
from readtrack.web.responses.json import conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace.graph import map_job, queries
from readtrack.workspace.graph.layout_store import store_layout
from readtrack.workspace.graph.map_job import MapFilter
from readtrack.workspace.graph.model import Edge, GraphNode
from readtrack.workspace.graph.queries import MAX_DEPTH, Face, GraphOptions, Places
from readtrack.workspace.graph.view_model import build_graph_view

router = api_router("graph")


class GraphNodeRead(BaseModel):
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


class GraphEdgeRead(BaseModel):
    """An edge between two keys.

    `kind`: `filed`, `within`, `cited` (reported by services), or a kind of relation.
    """

    source: str
    target: str
    kind: str
    note: str


class GraphRead(BaseModel):
    """A neighbourhood.

    `left_out`: nodes at the farthest distance that are not included; `whole`: nothing is left out up to `depth`.
    """

    nodes: list[GraphNodeRead]
    edges: list[GraphEdgeRead]
    left_out: int
    whole: bool


class MapNode(BaseModel):
    """A node of the map. `x`, `y`, `radius`: in units of the map; a paper lies in its topic's region."""

    key: str
    address: str
    name: str
    read: Literal["mine", "someone", "nobody"] | None
    papers: int | None
    x: float
    y: float
    radius: float


class LibraryMap(BaseModel):
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
    known = find_slug(tx, slug)
    if known is not None and known != slug:
        return RedirectResponse(str(request.url.replace(path=f"/api/v1/topics/{known}/graph")), 301)
    wanted = GraphOptions(queries.get_topic_node(tx, slug), asked.depth, citations=asked.citations)
    return _graph_response(request, me, tx, wanted, afterwards=afterwards)


@router.get("/papers/{paper_id:int}/graph", responses={200: {"model": GraphRead}})
def get_paper_graph(
    request: Request, paper_id: int, asked: GraphParams, me: Me, tx: ReadTx, afterwards: BackgroundTasks
) -> Response:
    """Get the graph of a paper.

    What is linked with it, at most 300 nodes.
    """
    wanted = GraphOptions(queries.get_paper_node(tx, paper_id), asked.depth, citations=asked.citations)
    return _graph_response(request, me, tx, wanted, afterwards=afterwards)


@router.get("/graph", responses={200: {"model": LibraryMap}})
def get_library_graph(request: Request, me: Me, tx: ReadTx) -> Response:
    """Get the graph of the library.

    All topics and the papers with the most links, at most 2,000 nodes, as last drawn.
    """
    stand = map_job.get_map_state(tx, me)
    places = stand.laid.positions if stand.laid else {}
    found = map_job.find_map_contents(tx, me, places, MapFilter())
    nodes = [_map_node(face, places[key]) for key, face in found.faces.items()]
    said = {"nodes": nodes, "edges": [_edge(edge) for edge in found.edges]}
    drawn_at = stand.laid.made_at if stand.laid else None
    return conditional_response(
        request, {**said, "drawn_at": drawn_at, "outdated": stand.outdated, "underway": stand.underway}
    )


@router.post("/graph", status_code=202)
def request_library_graph(me: Me, tx: WriteTx) -> Response:
    """Have the graph of the library drawn again.

    By a job, soon. Safe to repeat.
    """
    map_job.enqueue_map_layout(tx, me)
    return Response(status_code=202)


def _graph_response(
    request: Request, me: CurrentUser, tx: Read, wanted: GraphOptions, *, afterwards: BackgroundTasks
) -> Response:
    shown = build_graph_view(tx, me, wanted)
    if shown.new is not None:
        afterwards.add_task(write_after_response, request.app.state.database, partial(store_layout, laid=shown.new))
    network = shown.around.network
    nodes = [_node(node, shown.faces, shown.places) for node in network.nodes if node.key in shown.faces]
    edges = [_edge(edge) for edge in network.edges]
    out = {"nodes": nodes, "edges": edges, "left_out": shown.around.left_out, "whole": shown.around.whole}
    return conditional_response(request, out)


def _node(node: GraphNode, faces: Mapping[str, Face], places: Places) -> dict[str, Any]:
    face, (x, y) = faces[node.key], places[node.key]
    of_kind = {"read": face.state or None, "papers": None if face.state else face.papers}
    said = {"key": node.key, "kind": node.kind, "id": node.id, "address": face.address, "name": face.name}
    return {**said, "distance": node.distance, **of_kind, "x": x, "y": y}


def _map_node(face: Face, place: Sequence[float]) -> dict[str, Any]:
    x, y, radius = place
    of_kind = {"read": face.state or None, "papers": None if face.state else face.papers}
    said = {"key": face.key, "address": face.address, "name": face.name, **of_kind}
    return {**said, "x": x, "y": y, "radius": radius}


def _edge(edge: Edge) -> dict[str, str]:
    return edge._asdict()
