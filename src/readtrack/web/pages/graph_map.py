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

    `view`: None to fit the topic; `unknown`: a topic name that does not exist.
    """

    narrowing: MapFilter
    view: MapViewport | None
    unknown: str = ""

    def address(self, view: MapViewport | None = None, **other: object) -> str:
        """Return the URL with other parameters."""
        narrowed = {"topic": self.narrowing.topic, "unread": self.narrowing.unread, "related": self.narrowing.related}
        seen = view._asdict() if view else {}
        return with_query(HERE, **{name: value or "" for name, value in {**narrowed, **other}.items()}, **seen)


@router.get(HERE)
def show_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the map, or a part of it; as a fragment, only the picture."""
    asked = _parse_map_request(request.query_params, tx)
    stand = map_job.get_map_state(tx, me)
    context: dict[str, Any] = {"stand": stand, "asked": asked}
    if stand.laid is not None:
        context |= _draw_map(tx, me, stand.laid.positions, asked)
    return render(request, "graph/_map.html" if stand.laid and is_fragment(request) else "graph/map.html", **context)


@router.post(HERE)
def draw(request: Request, me: Me, tx: WriteTx) -> Response:
    """Request a new layout."""
    map_job.enqueue_map_layout(tx, me)
    return redirect_with_flash(request, HERE, _("The map is drawn anew; look again in a moment."))


def _draw_map(tx: Read, me: CurrentUser, places: Mapping[str, tuple[float, ...]], asked: MapRequest) -> dict[str, Any]:
    found = map_job.find_map_contents(tx, me, places, asked.narrowing)
    whole = {key: (place[0], place[1], place[2]) for key, place in places.items()}
    view = asked.view or (map_shapes.fit_viewport(whole, found.within) if found.within in whole else MapViewport())
    drawn = map_shapes.build_chart(whole, found.faces, found.edges, view)
    return {
        "drawn": drawn,
        "found": found,
        "view": view,
        "chart": map_shapes,
        "sentence": edge_labels.edge_sentence,
        "ways": _navigation_links(asked, view),
        "facets": _facets(asked),
    }


def _navigation_links(asked: MapRequest, view: MapViewport) -> dict[str, str]:
    step = PAN_FRACTION / view.zoom
    return {
        "in": asked.address(_clamp_view(view.zoom * ZOOM_STEP, view.x, view.y)),
        "out": asked.address(_clamp_view(view.zoom / ZOOM_STEP, view.x, view.y)),
        "whole": asked.address(topic=""),
        "left": asked.address(_clamp_view(view.zoom, view.x - step, view.y)),
        "right": asked.address(_clamp_view(view.zoom, view.x + step, view.y)),
        "up": asked.address(_clamp_view(view.zoom, view.x, view.y - step)),
        "down": asked.address(_clamp_view(view.zoom, view.x, view.y + step)),
    }


def _facets(asked: MapRequest) -> list[dict[str, Any]]:
    said = asked.narrowing
    ways = [(_("Not read by me"), "unread", said.unread), (_("Only what is related"), "related", said.related)]
    return [
        {"href": asked.address(asked.view, **{name: not on}), "text": text, "count": "", "on": on, "status": ""}
        for text, name, on in ways
    ]


def _parse_map_request(said: Mapping[str, str], tx: Read) -> MapRequest:
    topic = said.get("topic", "").strip()
    narrowing = MapFilter(
        topic=(find_slug(tx, topic) or "") if topic else "",
        unread=said.get("unread") in {"1", "True"},
        related=said.get("related") in {"1", "True"},
    )
    view = _clamp_view(
        _number(said.get("zoom", ""), 1.0), _number(said.get("x", ""), 0.5), _number(said.get("y", ""), 0.5)
    )
    return MapRequest(narrowing, view if "zoom" in said else None, "" if narrowing.topic else topic)


def _clamp_view(zoom: float, x: float, y: float) -> MapViewport:
    """Limit the view to the map, and round it so that the number of possible URLs is limited."""
    zoom = min(max(zoom, 1.0), map_shapes.MAX_ZOOM)
    return MapViewport(round(zoom, 2), round(min(max(x, 0.0), 1.0), 2), round(min(max(y, 0.0), 1.0), 2))


def _number(text: str, otherwise: float) -> float:
    try:
        number = float(text[:20])
    except ValueError:
        return otherwise
    return number if abs(number) < 1e6 else otherwise  # False for NaN
