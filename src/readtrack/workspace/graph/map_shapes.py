"""Rendering of a part of the map as SVG shapes: regions, papers, links, and names where there is room."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from readtrack.workspace.graph.model import PLAIN, TOPIC, Edge, split_key
from readtrack.workspace.graph.queries import Face, Places
from readtrack.workspace.graph.text_metrics import BOLD_FACTOR, text_width, wrap_text

WIDTH, HEIGHT = 1060.0, 680.0  # pixels of the viewport
MAX_ZOOM = 24.0  # maximum zoom
MARGIN = 18.0  # pixels around the whole map
LARGEST, SMALLEST = 6.5, 2.4  # radius of a paper's icon in pixels
MIN_LABEL_RADIUS = 4.6  # radius from which a paper's name is shown
LINE_HEIGHT = 15.0
OUTER, INNER = 12.0, 32.0  # radius from which a region's name is shown, for top-level and nested regions
MAX_NAME_WIDTH, MAX_PAPER_WIDTH = 210.0, 150.0  # maximum width of names in pixels
BUTTONS = (WIDTH - 260, 0.0, WIDTH, 44.0)  # area covered by the buttons: left, top, right, bottom
LABEL_MARGIN = 6.0  # minimum pixels between a name and the border of the viewport
MIN_REGION_WIDTH = 100.0  # minimum width for a region's name in pixels
ZOOM_STEP = 1.6  # factor of one zoom step
LINKS_FROM_ZOOM = 2.0  # zoom from which a paper's further topics are linked; before, there would be too many lines
MapPosition = tuple[float, float, float]  # x, y and radius in pixels of the viewport


class MapViewport(NamedTuple):
    """The visible part: zoom factor, and the centre as fractions of width and height."""

    zoom: float = 1.0
    x: float = 0.5
    y: float = 0.5


class Region(NamedTuple):
    """A topic in pixels of the viewport. `name`: "" if there is no room; `depth`: nesting level."""

    label: Face
    x: float
    y: float
    r: float
    depth: int
    name: str = ""
    name_x: float = 0.0
    name_y: float = 0.0
    size: int = 12


class Dot(NamedTuple):
    """A paper. `scale`: of its icon."""

    label: Face
    x: float
    y: float
    scale: float
    name: str = ""


class Tie(NamedTuple):
    """A link between two nodes that are not nested."""

    edge: Edge
    path: str


class Chart(NamedTuple):
    """The visible shapes.

    `papers`: number on the whole map; `width`, `height`: of the whole map at this zoom, in pixels.
    """

    regions: Sequence[Region]
    dots: Sequence[Dot]
    edges: Sequence[Tie]
    papers: int
    width: float
    height: float


def build_chart(positions: Places, faces: Mapping[str, Face], edges: Sequence[Edge], view: MapViewport) -> Chart:
    """Return the visible shapes.

    Names of large regions take precedence, then small ones, then papers.
    """
    visible = dict(_visible_positions(positions, faces, view))
    drawn_edges = edges if view.zoom >= LINKS_FROM_ZOOM else [edge for edge in edges if edge.kind not in PLAIN]
    ties = [
        Tie(edge, _edge_path(edge, visible))
        for edge in drawn_edges
        if _is_visible(edge, visible) and not _is_nested(visible, edge)
    ]
    occupied = _OccupiedAreas()
    occupied.occupy(*BUTTONS)
    papers = [key for key in visible if split_key(key)[0] != TOPIC and _is_inside(visible[key])]
    for x, y, radius in (visible[key] for key in papers):
        occupied.occupy(
            x - _sign_radius(radius), y - _sign_radius(radius), x + _sign_radius(radius), y + _sign_radius(radius)
        )
    topics = [key for key in visible if split_key(key)[0] == TOPIC and _is_inside(visible[key])]
    regions = [
        _build_region(faces[key], visible[key], _topic_depth(key, faces), occupied)
        for key in sorted(topics, key=lambda key: -visible[key][2])
    ]
    dots = [_build_dot(faces[key], visible[key], occupied) for key in papers]
    count = sum(split_key(key)[0] != TOPIC for key in visible)
    width, height = map_extent(positions)
    scale = _fit_scale(width, height) * view.zoom
    ordered_regions = sorted(regions, key=lambda region: region.depth)
    return Chart(ordered_regions, dots, ties, count, round(width * scale, 1), round(height * scale, 1))


def fit_viewport(positions: Places, key: str) -> MapViewport:
    """Return the viewport that shows a whole region."""
    width, height = map_extent(positions)
    x, y, radius = positions[key]
    zoom = min(WIDTH, HEIGHT) / 2 / (radius * _fit_scale(width, height) * 1.06)
    return MapViewport(round(min(max(zoom, 1.0), MAX_ZOOM), 2), round(x / width, 4), round(y / height, 4))


def map_extent(positions: Places) -> tuple[float, float]:
    """Return width and height of the whole map in its own units."""
    width, height = (
        max((position[axis] + position[2] for position in positions.values()), default=1.0) for axis in (0, 1)
    )
    return width, height


class _OccupiedAreas:
    """The areas occupied by names, in a grid."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}

    def occupy(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Occupy an area and return True, unless it overlaps an occupied one."""
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
    positions: Places, faces: Mapping[str, Face], view: MapViewport
) -> Iterator[tuple[str, MapPosition]]:
    width, height = map_extent(positions)
    scale = _fit_scale(width, height) * view.zoom
    for key, (x, y, radius) in positions.items():
        if key in faces:
            yield (
                key,
                (
                    round((x - view.x * width) * scale + WIDTH / 2, 1),
                    round((y - view.y * height) * scale + HEIGHT / 2, 1),
                    round(radius * scale, 1),
                ),
            )


def _fit_scale(width: float, height: float) -> float:
    return min((WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN) / height)


def _is_inside(position: MapPosition) -> bool:
    x, y, radius = position
    return -radius < x < WIDTH + radius and -radius < y < HEIGHT + radius


def _is_visible(edge: Edge, positions: Mapping[str, MapPosition]) -> bool:
    return (
        edge.source in positions
        and edge.target in positions
        and (_is_inside(positions[edge.source]) or _is_inside(positions[edge.target]))
    )


def _is_nested(positions: Mapping[str, MapPosition], edge: Edge) -> bool:
    """Return True if one node lies in the other's region, which shows the link already."""
    (x, y, _radius), (target_x, target_y, radius) = positions[edge.source], positions[edge.target]
    return edge.kind in PLAIN and math.hypot(x - target_x, y - target_y) <= radius


def _topic_depth(key: str, faces: Mapping[str, Face]) -> int:
    visited = {key}
    while (key := faces[key].parent) in faces and key not in visited:
        visited.add(key)
    return len(visited) - 1


def _build_region(face: Face, position: MapPosition, depth: int, occupied: _OccupiedAreas) -> Region:
    """Build a region with its name at the top, bottom or middle, wherever there is room."""
    x, y, radius = position
    size = 12 if radius < 60 else 13 if radius < 140 else 15
    max_width = min(max(2 * radius + 20, MIN_REGION_WIDTH), MAX_NAME_WIDTH * size / 13)
    name = (
        " ".join(wrap_text(face.name, max_width / BOLD_FACTOR * 13 / size, 1))
        if radius > (INNER if depth else OUTER)
        else ""
    )
    half_width = text_width(name) * BOLD_FACTOR * size / 26
    # Keep the name within the viewport.
    name_x = min(max(x, half_width + LABEL_MARGIN), WIDTH - half_width - LABEL_MARGIN)
    region = Region(face, x, y, radius, depth, size=size)
    candidates = (max(y - radius + 4, size + 2), y - radius + 9, y + radius + size / 2, y - radius - 6, y + 4)
    for name_y in candidates if name and abs(name_x - x) <= radius else ():
        if occupied.occupy(name_x - half_width - 3, name_y - size * 0.8, name_x + half_width + 3, name_y + 3):
            return region._replace(name=name, name_x=round(name_x, 1), name_y=round(name_y, 1))
    return region


def _sign_radius(radius: float) -> float:
    return min(max(radius, SMALLEST), LARGEST)


def _build_dot(face: Face, position: MapPosition, occupied: _OccupiedAreas) -> Dot:
    x, y, position_radius = position
    radius = _sign_radius(position_radius)
    dot = Dot(face, x, y, round(radius / LARGEST, 2))
    if radius < MIN_LABEL_RADIUS:
        return dot
    name = " ".join(wrap_text(face.name, MAX_PAPER_WIDTH, 1))
    left = x + radius + 4
    has_room = left + text_width(name) < WIDTH and occupied.occupy(
        left, y - LINE_HEIGHT / 2, left + text_width(name), y + LINE_HEIGHT / 2
    )
    return dot._replace(name=name) if has_room else dot


def _edge_path(edge: Edge, positions: Mapping[str, MapPosition]) -> str:
    """Return the path of an edge, bent to one side."""
    (x1, y1, _source_radius), (x2, y2, _target_radius) = positions[edge.source], positions[edge.target]
    x, y = (x1 + x2) / 2 - (y2 - y1) * 0.12, (y1 + y2) / 2 + (x2 - x1) * 0.12
    return f"M{x1:g} {y1:g}Q{x:.1f} {y:.1f} {x2:g} {y2:g}"
