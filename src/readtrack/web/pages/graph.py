"""Pages for the graph: the neighbourhood of a topic or paper, as a drawing or a table, and the map of the library."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

from fastapi import BackgroundTasks, Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics.queries import find_slug
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx, write_after_response
from readtrack.web.dependencies.forms import parse_int
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render, with_query
from readtrack.workspace.graph import map_job, map_shapes, queries, view_model
from readtrack.workspace.graph.commands import store_layout
from readtrack.workspace.graph.map_job import MapFilter
from readtrack.workspace.graph.map_shapes import ZOOM_STEP, MapViewport
from readtrack.workspace.graph.model import GraphNode
from readtrack.workspace.graph.neighborhood_shapes import draw_neighborhood
from readtrack.workspace.graph.queries import MAX_DEPTH, GraphOptions
from readtrack.workspace.graph.view_model import GraphView, build_graph_view

router = page_router()
FRAGMENT_NODES, FRAGMENT_WIDTH = 30, 690.0  # nodes, and width in pixels, of the graph on a topic's page
MAP_ADDRESS = "/graph"
PAN_FRACTION = 0.25  # fraction of the viewport by which an arrow moves it


@router.get("/topics/{slug}/graph")
def topic_page(request: Request, slug: str, me: Me, tx: ReadTx, afterwards: BackgroundTasks) -> Response:
    """Show the neighbourhood of a topic. Aliases redirect to the slug."""
    current_slug = find_slug(tx, slug)
    if current_slug not in {None, slug}:
        query = f"?{request.url.query}" if request.url.query else ""
        return redirect_with_flash(request, f"/topics/{quote(current_slug or '')}/graph{query}")
    return _neighborhood_page(
        request, me, tx, _graph_options(request, queries.get_topic_node(tx, slug)), background_tasks=afterwards
    )


@router.get("/papers/{paper_id:int}/graph")
def paper_page(request: Request, paper_id: int, me: Me, tx: ReadTx, afterwards: BackgroundTasks) -> Response:
    """Show the neighbourhood of a paper."""
    return _neighborhood_page(
        request, me, tx, _graph_options(request, queries.get_paper_node(tx, paper_id)), background_tasks=afterwards
    )


def _graph_options(request: Request, center: GraphNode) -> GraphOptions:
    """Return the options from the URL; invalid values are ignored."""
    if is_fragment(request) and not _is_table(request):
        return GraphOptions(center, max_nodes=FRAGMENT_NODES, widest=FRAGMENT_WIDTH)
    parameters = request.query_params
    depth = min(max(parse_int(parameters.get("depth", "")), 1), MAX_DEPTH)
    return GraphOptions(center, depth, citations=parameters.get("citations") == "1")


def _is_table(request: Request) -> bool:
    return request.query_params.get("as") == "table"


def _neighborhood_page(
    request: Request, me: CurrentUser, tx: Read, options: GraphOptions, *, background_tasks: BackgroundTasks
) -> Response:
    view = build_graph_view(tx, me, options)
    if view.new_layout is not None:
        background_tasks.add_task(
            write_after_response, request.app.state.database, partial(store_layout, layout=view.new_layout)
        )
    network, faces, as_table = view.neighborhood.network, view.labels, _is_table(request)
    context: dict[str, Any] = {
        "view": view,
        "centre": faces[options.centre.key],
        "shapes": None if as_table else draw_neighborhood(network, view.positions, faces),
        "lines": view_model.build_node_rows(network.nodes, network.edges, faces) if as_table else [],
        "edge_words": view_model.EDGE_WORDS,
        "sentence": view_model.edge_sentence,
        **_neighborhood_links(view, as_table=as_table),
    }
    if is_fragment(request):
        return render(request, "graph/_table.html" if as_table else "graph/_small.html", **context)
    return render(request, "graph/show.html", **context)


def _neighborhood_links(view: GraphView, *, as_table: bool) -> dict[str, Any]:
    """Return the links to variants of the page: depth, citations, table."""
    options, path = view.options, f"{view.labels[view.options.centre.key].address}/graph"
    current = {"depth": options.depth, "citations": "1" if options.citations else "", "as": "table" if as_table else ""}

    def link(text: str, *, on: bool, **changes: object) -> dict[str, Any]:
        return {"href": with_query(path, **{**current, **changes}), "text": text, "count": "", "on": on, "status": ""}

    return {
        "here": path,
        "depths": [link(str(depth), on=depth == options.depth, depth=depth) for depth in range(1, MAX_DEPTH + 1)],
        "other_form": with_query(path, **{**current, "as": "" if as_table else "table"}),
        "other_links": with_query(path, **{**current, "citations": "" if options.citations else "1"}),
        "as_table": as_table,
    }


class MapRequest(NamedTuple):
    """The view requested by the URL, without invalid values.

    `view`: None to fit the topic; `unknown_topic`: a topic name that does not exist.
    """

    filter: MapFilter
    view: MapViewport | None
    unknown_topic: str = ""

    def address(self, view: MapViewport | None = None, **changes: object) -> str:
        """Return the URL with other parameters."""
        filter_fields = {
            "topic": self.filter.topic,
            "unread": self.filter.unread,
            "related": self.filter.related,
        }
        viewport = view._asdict() if view else {}
        return with_query(
            MAP_ADDRESS, **{name: value or "" for name, value in {**filter_fields, **changes}.items()}, **viewport
        )


@router.get(MAP_ADDRESS)
def map_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the map, or a part of it; as a fragment, only the picture."""
    map_request = _parse_map_request(request.query_params, tx)
    state = map_job.get_map_state(tx, me)
    context: dict[str, Any] = {"state": state, "map_request": map_request}
    if state.layout is not None:
        context |= _draw_map(tx, me, state.layout.positions, map_request)
    return render(request, "graph/_map.html" if state.layout and is_fragment(request) else "graph/map.html", **context)


@router.post(MAP_ADDRESS)
def request_layout(request: Request, me: Me, tx: WriteTx) -> Response:
    """Request a new layout."""
    map_job.enqueue_map_layout(tx, me)
    return redirect_with_flash(request, MAP_ADDRESS)


def _draw_map(
    tx: Read, me: CurrentUser, positions: Mapping[str, tuple[float, ...]], map_request: MapRequest
) -> dict[str, Any]:
    contents = map_job.find_map_contents(tx, me, positions, map_request.filter)
    circles = {key: (position[0], position[1], position[2]) for key, position in positions.items()}
    view = map_request.view or (
        map_shapes.fit_viewport(circles, contents.topic_key) if contents.topic_key in circles else MapViewport()
    )
    chart = map_shapes.build_chart(circles, contents.labels, contents.edges, view)
    return {
        "chart": chart,
        "contents": contents,
        "view": view,
        "shapes": map_shapes,
        "sentence": view_model.edge_sentence,
        "ways": _map_links(map_request, view),
        "facets": _map_facets(map_request),
    }


def _map_links(map_request: MapRequest, view: MapViewport) -> dict[str, str]:
    step = PAN_FRACTION / view.zoom
    return {
        "in": map_request.address(_clamp_view(view.zoom * ZOOM_STEP, view.x, view.y)),
        "out": map_request.address(_clamp_view(view.zoom / ZOOM_STEP, view.x, view.y)),
        "whole": map_request.address(topic=""),
        "left": map_request.address(_clamp_view(view.zoom, view.x - step, view.y)),
        "right": map_request.address(_clamp_view(view.zoom, view.x + step, view.y)),
        "up": map_request.address(_clamp_view(view.zoom, view.x, view.y - step)),
        "down": map_request.address(_clamp_view(view.zoom, view.x, view.y + step)),
    }


def _map_facets(map_request: MapRequest) -> list[dict[str, Any]]:
    map_filter = map_request.filter
    choices = [
        (_("Unread by me"), "unread", map_filter.unread),
        (_("Related only"), "related", map_filter.related),
    ]
    return [
        {
            "href": map_request.address(map_request.view, **{name: not is_on}),
            "text": text,
            "count": "",
            "on": is_on,
            "status": "",
        }
        for text, name, is_on in choices
    ]


def _parse_map_request(parameters: Mapping[str, str], tx: Read) -> MapRequest:
    topic = parameters.get("topic", "").strip()
    map_filter = MapFilter(
        topic=(find_slug(tx, topic) or "") if topic else "",
        unread=parameters.get("unread") in {"1", "True"},
        related=parameters.get("related") in {"1", "True"},
    )
    view = _clamp_view(
        _number(parameters.get("zoom", ""), 1.0),
        _number(parameters.get("x", ""), 0.5),
        _number(parameters.get("y", ""), 0.5),
    )
    return MapRequest(map_filter, view if "zoom" in parameters else None, "" if map_filter.topic else topic)


def _clamp_view(zoom: float, x: float, y: float) -> MapViewport:
    """Limit the view to the map, and round it so that the number of possible URLs is limited."""
    zoom = min(max(zoom, 1.0), map_shapes.MAX_ZOOM)
    return MapViewport(round(zoom, 2), round(min(max(x, 0.0), 1.0), 2), round(min(max(y, 0.0), 1.0), 2))


def _number(text: str, default: float) -> float:
    try:
        number = float(text[:20])
    except ValueError:
        return default
    return number if abs(number) < 1e6 else default  # False for NaN
