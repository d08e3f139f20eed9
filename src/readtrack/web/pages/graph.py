"""Pages for the neighbourhood of a topic or paper, as a drawing or a table.

The map is in graph_map.py.
"""

from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import BackgroundTasks, Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics.queries import find_slug
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, write_after_response
from readtrack.web.dependencies.forms import parse_int
from readtrack.web.pages import graph_map
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render, with_query
from readtrack.workspace.graph import edge_labels, queries
from readtrack.workspace.graph.layout_store import store_layout
from readtrack.workspace.graph.model import GraphNode
from readtrack.workspace.graph.neighborhood_shapes import draw_neighborhood
from readtrack.workspace.graph.queries import MAX_DEPTH, GraphOptions
from readtrack.workspace.graph.view_model import GraphView, build_graph_view

router = page_router()
router.routes.extend(graph_map.router.routes)
FRAGMENT_NODES, FRAGMENT_WIDTH = 30, 690.0  # nodes, and width in pixels, of the graph on a topic's page


@router.get("/topics/{slug}/graph")
def topic_page(request: Request, slug: str, me: Me, tx: ReadTx, afterwards: BackgroundTasks) -> Response:
    """Show the neighbourhood of a topic. Aliases redirect to the slug."""
    current_slug = find_slug(tx, slug)
    if current_slug not in {None, slug}:
        query = f"?{request.url.query}" if request.url.query else ""
        return redirect_with_flash(request, f"/topics/{quote(current_slug or '')}/graph{query}")
    return _page(
        request, me, tx, _graph_options(request, queries.get_topic_node(tx, slug)), background_tasks=afterwards
    )


@router.get("/papers/{paper_id:int}/graph")
def paper_page(request: Request, paper_id: int, me: Me, tx: ReadTx, afterwards: BackgroundTasks) -> Response:
    """Show the neighbourhood of a paper."""
    return _page(
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


def _page(
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
        "lines": edge_labels.build_node_rows(network.nodes, network.edges, faces) if as_table else [],
        "edge_words": edge_labels.WORDS,
        "sentence": edge_labels.edge_sentence,
        **_links(view, as_table=as_table),
    }
    if is_fragment(request):
        return render(request, "graph/_table.html" if as_table else "graph/_small.html", **context)
    return render(request, "graph/show.html", **context)


def _links(view: GraphView, *, as_table: bool) -> dict[str, Any]:
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
