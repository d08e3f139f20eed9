"""A part of the map as shapes of an SVG: regions, papers, links, and as many names as there is room for. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from readtrack.workspace.graph.model import PLAIN, TOPIC, Edge, split_key
from readtrack.workspace.graph.queries import Face, Places
from readtrack.workspace.graph.text_metrics import BOLD, text_width, wrap_text

WIDTH, HEIGHT = 1060.0, 680.0  # pixels of the window
CLOSEST = 24.0  # as near as one can look
MARGIN = 18.0  # pixels round the whole map
LARGEST, SMALLEST = 6.5, 2.4  # radius of the sign of a paper, pixels
NAMED = 4.6  # from which on it has its name beside it
LINE = 15.0
OUTER, INNER = 12.0, 32.0  # radius from which on a region has its name, when it is outermost and when it is within one
LONGEST, LONGEST_PAPER = 210.0, 150.0  # of names, pixels
BUTTONS = (WIDTH - 260, 0.0, WIDTH, 44.0)  # where they lie over the window: left, top, right, bottom
EDGE = 6.0  # between a name and the edge of the window, pixels
LEAST_ROOM = 100.0  # for the name of a region, however small that is, pixels
STEP = 1.6  # from one zoom to the next
NEAR = 2.0  # zoom from which on further topics of papers are shown: of the whole, they would be a mist of lines
MapPosition = tuple[float, float, float]  # x, y and radius, in pixels of the window


class MapViewport(NamedTuple):
    """What is looked at: `zoom` times nearer than the whole; the middle, as parts of its width and its height."""

    zoom: float = 1.0
    x: float = 0.5
    y: float = 0.5


class Region(NamedTuple):
    """A topic, in pixels of the window. `name` is blank where there is no room for one; `deep`: within how many."""

    face: Face
    x: float
    y: float
    r: float
    deep: int
    name: str = ""
    name_x: float = 0.0
    name_y: float = 0.0
    size: int = 12


class Dot(NamedTuple):
    """A paper; `scale`: of its sign."""

    face: Face
    x: float
    y: float
    scale: float
    name: str = ""


class Tie(NamedTuple):
    """A link between two that are not in one another."""

    edge: Edge
    path: str


class Chart(NamedTuple):
    """What is seen of the map. `papers`: of the whole, seen or not; `width`, `height`: of the whole, in pixels now."""

    regions: Sequence[Region]
    dots: Sequence[Dot]
    ties: Sequence[Tie]
    papers: int
    width: float
    height: float


def build_chart(places: Places, faces: Mapping[str, Face], edges: Sequence[Edge], view: MapViewport) -> Chart:
    """The part that the view shows. Names of large regions go before those of small ones, these before papers."""
    at = dict(_visible_positions(places, faces, view))
    told = edges if view.zoom >= NEAR else [edge for edge in edges if edge.kind not in PLAIN]
    ties = [Tie(edge, _edge_path(edge, at)) for edge in told if _is_visible(edge, at) and not _is_nested(at, edge)]
    taken = _OccupiedAreas()
    taken.take(*BUTTONS)
    papers = [key for key in at if split_key(key)[0] != TOPIC and _is_inside(at[key])]
    for x, y, r in (at[key] for key in papers):
        taken.take(x - _sign_radius(r), y - _sign_radius(r), x + _sign_radius(r), y + _sign_radius(r))
    topics = [key for key in at if split_key(key)[0] == TOPIC and _is_inside(at[key])]
    regions = [
        _build_region(faces[key], at[key], _topic_depth(key, faces), taken)
        for key in sorted(topics, key=lambda key: -at[key][2])
    ]
    dots = [_build_dot(faces[key], at[key], taken) for key in papers]
    count = sum(split_key(key)[0] != TOPIC for key in at)
    width, height = map_extent(places)
    scale = _fit_scale(width, height) * view.zoom
    outermost = sorted(regions, key=lambda region: region.deep)
    return Chart(outermost, dots, ties, count, round(width * scale, 1), round(height * scale, 1))


def fit_viewport(places: Places, key: str) -> MapViewport:
    """The one that shows all of a region."""
    width, height = map_extent(places)
    x, y, r = places[key]
    nearer = min(WIDTH, HEIGHT) / 2 / (r * _fit_scale(width, height) * 1.06)
    return MapViewport(round(min(max(nearer, 1.0), CLOSEST), 2), round(x / width, 4), round(y / height, 4))


def map_extent(places: Places) -> tuple[float, float]:
    """How wide and how high the whole map is, in its own units."""
    width, height = (max((place[axis] + place[2] for place in places.values()), default=1.0) for axis in (0, 1))
    return width, height


class _OccupiedAreas:
    """Where names stand."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}

    def take(self, left: float, top: float, right: float, bottom: float) -> bool:
        """False when something stands there; else that place is taken."""
        cells = [
            (x, y)
            for x in range(int(left // 90), int(right // 90) + 1)
            for y in range(int(top // 30), int(bottom // 30) + 1)
        ]
        for cell in cells:
            for box in self._cells.get(cell, ()):
                if box[0] < right and left < box[2] and box[1] < bottom and top < box[3]:
                    return False
        for cell in cells:
            self._cells.setdefault(cell, []).append((left, top, right, bottom))
        return True


def _visible_positions(
    places: Places, faces: Mapping[str, Face], view: MapViewport
) -> Iterator[tuple[str, MapPosition]]:
    width, height = map_extent(places)
    scale = _fit_scale(width, height) * view.zoom
    for key, (x, y, r) in places.items():
        if key in faces:
            yield (
                key,
                (
                    round((x - view.x * width) * scale + WIDTH / 2, 1),
                    round((y - view.y * height) * scale + HEIGHT / 2, 1),
                    round(r * scale, 1),
                ),
            )


def _fit_scale(width: float, height: float) -> float:
    return min((WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN) / height)


def _is_inside(at: MapPosition) -> bool:
    x, y, r = at
    return -r < x < WIDTH + r and -r < y < HEIGHT + r


def _is_visible(edge: Edge, at: Mapping[str, MapPosition]) -> bool:
    return edge.source in at and edge.target in at and (_is_inside(at[edge.source]) or _is_inside(at[edge.target]))


def _is_nested(at: Mapping[str, MapPosition], edge: Edge) -> bool:
    """Whether the one lies in the region of the other, which says it already."""
    (x, y, _r), (there_x, there_y, r) = at[edge.source], at[edge.target]
    return edge.kind in PLAIN and math.hypot(x - there_x, y - there_y) <= r


def _topic_depth(key: str, faces: Mapping[str, Face]) -> int:
    seen = {key}
    while (key := faces[key].parent) in faces and key not in seen:
        seen.add(key)
    return len(seen) - 1


def _build_region(face: Face, at: MapPosition, deep: int, taken: _OccupiedAreas) -> Region:
    """Its name stands over its upper edge, or its lower one, or in its middle: where nothing else stands."""
    x, y, r = at
    size = 12 if r < 60 else 13 if r < 140 else 15
    room = min(max(2 * r + 20, LEAST_ROOM), LONGEST * size / 13)
    name = " ".join(wrap_text(face.name, room / BOLD * 13 / size, 1)) if r > (INNER if deep else OUTER) else ""
    half = text_width(name) * BOLD * size / 26
    name_x = min(max(x, half + EDGE), WIDTH - half - EDGE)  # whole within the window, if it is over the region there
    plain = Region(face, x, y, r, deep, size=size)
    places = (max(y - r + 4, size + 2), y - r + 9, y + r + size / 2, y - r - 6, y + 4)
    for name_y in places if name and abs(name_x - x) <= r else ():
        if taken.take(name_x - half - 3, name_y - size * 0.8, name_x + half + 3, name_y + 3):
            return plain._replace(name=name, name_x=round(name_x, 1), name_y=round(name_y, 1))
    return plain


def _sign_radius(r: float) -> float:
    """Of the sign of a paper."""
    return min(max(r, SMALLEST), LARGEST)


def _build_dot(face: Face, at: MapPosition, taken: _OccupiedAreas) -> Dot:
    x, y, r = at
    radius = _sign_radius(r)
    dot = Dot(face, x, y, round(radius / LARGEST, 2))
    if radius < NAMED:
        return dot
    name = " ".join(wrap_text(face.name, LONGEST_PAPER, 1))
    left = x + radius + 4
    free = left + text_width(name) < WIDTH and taken.take(left, y - LINE / 2, left + text_width(name), y + LINE / 2)
    return dot._replace(name=name) if free else dot


def _edge_path(edge: Edge, at: Mapping[str, MapPosition]) -> str:
    """Bent to one side of its way."""
    (x1, y1, _one), (x2, y2, _two) = at[edge.source], at[edge.target]
    x, y = (x1 + x2) / 2 - (y2 - y1) * 0.12, (y1 + y2) / 2 + (x2 - x1) * 0.12
    return f"M{x1:g} {y1:g}Q{x:.1f} {y:.1f} {x2:g} {y2:g}"
