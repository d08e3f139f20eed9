"""Page for the map: zoom, pan and filters, and the request for a new layout."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics.queries import find_slug
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render, with_query
from readtrack.workspace.graph import edge_labels, map_job, map_shapes
from readtrack.workspace.graph.map_job import MapFilter
from readtrack.workspace.graph.map_shapes import ZOOM_STEP, MapViewport

router = page_router()
HERE = "/graph"
PAN_FRACTION = 0.25  # fraction of the viewport by which an arrow moves it


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
            HERE, **{name: value or "" for name, value in {**filter_fields, **changes}.items()}, **viewport
        )


@router.get(HERE)
def show_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the map, or a part of it; as a fragment, only the picture."""
    map_request = _parse_map_request(request.query_params, tx)
    state = map_job.get_map_state(tx, me)
    context: dict[str, Any] = {"state": state, "map_request": map_request}
    if state.layout is not None:
        context |= _draw_map(tx, me, state.layout.positions, map_request)
    return render(request, "graph/_map.html" if state.layout and is_fragment(request) else "graph/map.html", **context)


@router.post(HERE)
def draw(request: Request, me: Me, tx: WriteTx) -> Response:
    """Request a new layout."""
    map_job.enqueue_map_layout(tx, me)
    return redirect_with_flash(request, HERE, _("The map is drawn anew; look again in a moment."))


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
        "sentence": edge_labels.edge_sentence,
        "ways": _navigation_links(map_request, view),
        "facets": _facets(map_request),
    }


def _navigation_links(map_request: MapRequest, view: MapViewport) -> dict[str, str]:
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


def _facets(map_request: MapRequest) -> list[dict[str, Any]]:
    map_filter = map_request.filter
    choices = [
        (_("Not read by me"), "unread", map_filter.unread),
        (_("Only what is related"), "related", map_filter.related),
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
