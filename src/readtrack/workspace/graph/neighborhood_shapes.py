"""Rendering of a neighbourhood as SVG shapes: nodes with labels in boxes, edges as paths."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from readtrack.workspace.graph.layout import MAX_TWO_LINE_NODES, BoxSize, Point, box_size, layout_size
from readtrack.workspace.graph.model import PLAIN, TOPIC, Edge, GraphNode, Network
from readtrack.workspace.graph.queries import Face
from readtrack.workspace.graph.text_metrics import BOLD_FACTOR, text_width, wrap_text

MARGIN = 14.0  # pixels around the picture
SIGN_RADIUS = 6.5  # radius of a paper's icon in pixels
LINE_HEIGHT = 16.0  # line height in pixels
CURVATURE = 0.14  # deviation of a relation from the straight line, relative to its length
WORD = (64.0, 14.0)  # size of a relation's label in pixels
ALONG = (0.5, 0.4, 0.6, 0.3, 0.7)  # positions of a label along its line, as fractions
BESIDE = (
    (0.0, 0.0),
    (-40.0, 0.0),
    (40.0, 0.0),
    (0.0, -15.0),
    (0.0, 15.0),
    (-40.0, 15.0),
    (40.0, -15.0),
)  # offsets from the line in pixels
FAR_AWAY = 1e6  # beyond any picture
Box = tuple[float, float, float, float]  # left, top, right, bottom


class NodeShape(NamedTuple):
    """A node.

    `x`, `y`: centre of its icon, or of its pill (`width` by `height`); `words_x`: where lines begin or end.
    """

    face: Face
    kind: str
    x: float
    y: float
    lines: Sequence[tuple[str, float]]  # (text, y)
    words_x: float
    anchor: str
    width: float = 0.0
    height: float = 0.0
    size: int = 13
    central: bool = False


class EdgeShape(NamedTuple):
    """An edge. `x`, `y`: position of its label; `drawn`: there is room for the label."""

    edge: Edge
    path: str
    x: float
    y: float
    drawn: bool


class Picture(NamedTuple):
    """All shapes, in pixels."""

    width: float
    height: float
    nodes: Sequence[NodeShape]
    edges: Sequence[EdgeShape]


def draw_neighborhood(network: Network, places: Mapping[str, Sequence[float]], faces: Mapping[str, Face]) -> Picture:
    """Return the picture; nodes without a face are left out with their edges."""
    frame = layout_size(network, places)
    sides = _sign_sides(network, places)
    nodes = {
        node.key: _build_node(node, places[node.key], faces[node.key], side=sides[node.key], many=len(network.nodes))
        for node in network.nodes
        if node.key in faces
    }
    edges = [edge for edge in network.edges if edge.source in nodes and edge.target in nodes]
    width, height = _round_coordinate(frame.width + 2 * MARGIN), _round_coordinate(frame.height + 2 * MARGIN)
    around = (
        (-FAR_AWAY, -FAR_AWAY, 0, FAR_AWAY),
        (width, -FAR_AWAY, FAR_AWAY, FAR_AWAY),
        (-FAR_AWAY, -FAR_AWAY, FAR_AWAY, 0),
        (-FAR_AWAY, height, FAR_AWAY, FAR_AWAY),
    )
    taken = [*map(_node_box, nodes.values()), *around] if len(network.nodes) <= MAX_TWO_LINE_NODES else []
    return Picture(width, height, list(nodes.values()), _build_edges(edges, nodes, taken))


def _sign_sides(network: Network, places: Mapping[str, Sequence[float]]) -> dict[str, int]:
    """Return the side of the icon, -1 or 1: towards the node's links, so that lines avoid the label."""
    towards: Counter[str] = Counter()
    for edge in network.edges:
        if edge.source in places and edge.target in places:
            distance = places[edge.target][0] - places[edge.source][0]
            towards[edge.source] += distance  # type: ignore[assignment]
            towards[edge.target] -= distance  # type: ignore[assignment]
    return {node.key: 1 if towards[node.key] > 0 else -1 for node in network.nodes}


def _build_node(node: GraphNode, at: Sequence[float], face: Face, *, side: int, many: int) -> NodeShape:
    box, x, y = box_size(node.kind, many), at[0] + MARGIN, at[1] + MARGIN
    central = not node.distance
    if node.kind == TOPIC:
        return _build_pill(face, (x, y), box, central=central)
    sign_x = x + side * (box.width / 2 - SIGN_RADIUS - 2)
    apart = SIGN_RADIUS + (9 if central else 5)  # the central node has a ring
    words_x = sign_x - side * apart
    lines = wrap_text(face.name, box.width - SIGN_RADIUS - apart - 4, 2 if many <= MAX_TWO_LINE_NODES else 1)
    top = y - (len(lines) - 1) * LINE_HEIGHT / 2 + 4.5
    shown = [(line, _round_coordinate(top + LINE_HEIGHT * number)) for number, line in enumerate(lines)]
    anchor = "end" if side > 0 else "start"
    return NodeShape(
        face,
        node.kind,
        _round_coordinate(sign_x),
        _round_coordinate(y),
        shown,
        _round_coordinate(words_x),
        anchor,
        central=central,
    )


def _build_pill(face: Face, at: Sequence[float], box: BoxSize, *, central: bool) -> NodeShape:
    """Build a topic's pill; its text grows with the number of papers, as far as the box allows."""
    count = 8 + text_width(str(face.papers)) if face.papers else 0.0
    room, name = box.width - 24 - count, text_width(face.name) * BOLD_FACTOR
    size = 13 + min(round(math.log2(1 + face.papers) / 2), 3)
    size = max(min(size, math.floor(13 * room / max(name, 1.0))), 13)  # prefer a smaller size to a truncated name
    scale = size / 13 * BOLD_FACTOR
    lines = wrap_text(face.name, room / scale, 1)
    words = max((text_width(line) for line in lines), default=0.0) * scale
    x, y, shown = (
        _round_coordinate(at[0]),
        _round_coordinate(at[1]),
        [(line, _round_coordinate(at[1] + size * 0.36)) for line in lines],
    )
    width, height = _round_coordinate(min(words + count + 26, box.width)), min(box.height, 18.0 + size)
    return NodeShape(face, TOPIC, x, y, shown, x, "middle", width, height, size, central)


def _build_edges(edges: Sequence[Edge], nodes: Mapping[str, NodeShape], taken: list[Box]) -> list[EdgeShape]:
    """Build the edges; `taken`: areas where no label may be placed, empty to omit all labels."""
    drawn: list[EdgeShape] = []
    between: Counter[frozenset[str]] = Counter()
    for edge in sorted(edges, key=lambda edge: edge.kind not in PLAIN):  # draw relations above other links
        pair = frozenset(edge[:2])
        ends = nodes[edge.source], nodes[edge.target]
        bend = 0.0 if edge.kind in PLAIN else CURVATURE * (1 + between[pair])
        between[pair] += edge.kind not in PLAIN
        shape = _build_edge(edge, ends, bend=bend)
        drawn.append(_place_label(shape, ends, bend, taken) if bend and taken else shape)
    return drawn


def _node_box(node: NodeShape) -> Box:
    """Return the area covered by a node's icon and label."""
    if node.kind == TOPIC:
        return node.x - node.width / 2, node.y - node.height / 2, node.x + node.width / 2, node.y + node.height / 2
    words = max((text_width(line) for line, _y in node.lines), default=0.0)
    half = len(node.lines) * LINE_HEIGHT / 2
    ends = node.x, node.words_x + (words if node.anchor == "start" else -words)
    return min(ends) - SIGN_RADIUS, node.y - half, max(ends) + SIGN_RADIUS, node.y + half


def _label_box(x: float, y: float) -> Box:
    return x - WORD[0] / 2, y - WORD[1] / 2, x + WORD[0] / 2, y + WORD[1] / 2


def _place_label(shape: EdgeShape, ends: tuple[NodeShape, NodeShape], bend: float, taken: list[Box]) -> EdgeShape:
    """Place the label on its line, or close to it, where there is room."""
    start, middle, end = _curve_points(shape.edge, ends, bend)
    for aside in BESIDE:
        for part in ALONG:
            x, y = (
                _round_coordinate(
                    (1 - part) ** 2 * start[axis]
                    + 2 * part * (1 - part) * middle[axis]
                    + part**2 * end[axis]
                    + aside[axis]
                )
                for axis in (0, 1)
            )
            if _is_free(_label_box(x, y), taken):
                taken.append(_label_box(x, y))
                return shape._replace(x=x, y=y, drawn=True)
    return shape


def _is_free(box: Box, taken: Sequence[Box]) -> bool:
    left, top, right, bottom = box
    return not any(box[0] < right and left < box[2] and box[1] < bottom and top < box[3] for box in taken)


def _build_edge(edge: Edge, ends: tuple[NodeShape, NodeShape], *, bend: float) -> EdgeShape:
    (x1, y1), (x2, y2) = ((end.x, end.y) for end in ends)
    if not bend:
        path = f"M{x1:g} {y1:g}L{x2:g} {y2:g}"
        return EdgeShape(edge, path, _round_coordinate((x1 + x2) / 2), _round_coordinate((y1 + y2) / 2), drawn=False)
    start, middle, end = _curve_points(edge, ends, bend)
    through = f"{_round_coordinate(middle[0]):g} {_round_coordinate(middle[1]):g}"
    path = f"M{start[0]:g} {start[1]:g}Q{through} {end[0]:g} {end[1]:g}"
    at = [_round_coordinate((start[axis] + 2 * middle[axis] + end[axis]) / 4) for axis in (0, 1)]
    return EdgeShape(edge, path, at[0], at[1], drawn=False)


def _curve_points(edge: Edge, ends: tuple[NodeShape, NodeShape], bend: float) -> tuple[Point, Point, Point]:
    """Return start, control point and end of a bent line."""
    (x1, y1), (x2, y2) = ((end.x, end.y) for end in ends)
    turn = bend if edge.source < edge.target else -bend  # opposite directions bend to different sides
    middle = ((x1 + x2) / 2 - (y2 - y1) * turn, (y1 + y2) / 2 + (x2 - x1) * turn)
    return _shorten_line((x1, y1), middle, SIGN_RADIUS + 1), middle, _shorten_line((x2, y2), middle, SIGN_RADIUS + 5)


def _shorten_line(end: Point, towards: Point, by: float) -> Point:
    """Move the end of a line towards a point."""
    dx, dy = towards[0] - end[0], towards[1] - end[1]
    length = math.hypot(dx, dy) or 1.0
    return _round_coordinate(end[0] + dx / length * by), _round_coordinate(end[1] + dy / length * by)


def _round_coordinate(number: float) -> float:
    return round(number, 1)
