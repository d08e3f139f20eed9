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
# Offsets from the line in pixels.
BESIDE = (
    (0.0, 0.0),
    (-40.0, 0.0),
    (40.0, 0.0),
    (0.0, -15.0),
    (0.0, 15.0),
    (-40.0, 15.0),
    (40.0, -15.0),
)
FAR_AWAY = 1e6  # beyond any picture
Box = tuple[float, float, float, float]  # left, top, right, bottom


class NodeShape(NamedTuple):
    """A node.

    `x`, `y`: centre of its icon, or of its pill (`width` by `height`); `words_x`: where lines begin or end.
    """

    label: Face
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
    """An edge. `x`, `y`: position of its label; `has_label`: there is room for the label."""

    edge: Edge
    path: str
    x: float
    y: float
    has_label: bool


class Picture(NamedTuple):
    """All shapes, in pixels."""

    width: float
    height: float
    nodes: Sequence[NodeShape]
    edges: Sequence[EdgeShape]


def draw_neighborhood(network: Network, positions: Mapping[str, Sequence[float]], faces: Mapping[str, Face]) -> Picture:
    """Return the picture; nodes without a face are left out with their edges."""
    size = layout_size(network, positions)
    sides = _sign_sides(network, positions)
    nodes = {
        node.key: _build_node(
            node, positions[node.key], faces[node.key], side=sides[node.key], node_count=len(network.nodes)
        )
        for node in network.nodes
        if node.key in faces
    }
    edges = [edge for edge in network.edges if edge.source in nodes and edge.target in nodes]
    width, height = _round_coordinate(size.width + 2 * MARGIN), _round_coordinate(size.height + 2 * MARGIN)
    outside = (
        (-FAR_AWAY, -FAR_AWAY, 0, FAR_AWAY),
        (width, -FAR_AWAY, FAR_AWAY, FAR_AWAY),
        (-FAR_AWAY, -FAR_AWAY, FAR_AWAY, 0),
        (-FAR_AWAY, height, FAR_AWAY, FAR_AWAY),
    )
    occupied = [*map(_node_box, nodes.values()), *outside] if len(network.nodes) <= MAX_TWO_LINE_NODES else []
    return Picture(width, height, list(nodes.values()), _build_edges(edges, nodes, occupied))


def _sign_sides(network: Network, positions: Mapping[str, Sequence[float]]) -> dict[str, int]:
    """Return the side of the icon, -1 or 1: towards the node's links, so that lines avoid the label."""
    pull: Counter[str] = Counter()
    for edge in network.edges:
        if edge.source in positions and edge.target in positions:
            offset = positions[edge.target][0] - positions[edge.source][0]
            pull[edge.source] += offset  # type: ignore[assignment]
            pull[edge.target] -= offset  # type: ignore[assignment]
    return {node.key: 1 if pull[node.key] > 0 else -1 for node in network.nodes}


def _build_node(node: GraphNode, position: Sequence[float], face: Face, *, side: int, node_count: int) -> NodeShape:
    box, x, y = box_size(node.kind, node_count), position[0] + MARGIN, position[1] + MARGIN
    is_central = not node.distance
    if node.kind == TOPIC:
        return _build_pill(face, (x, y), box, is_central=is_central)
    sign_x = x + side * (box.width / 2 - SIGN_RADIUS - 2)
    offset = SIGN_RADIUS + (9 if is_central else 5)  # the central node has a ring
    text_x = sign_x - side * offset
    lines = wrap_text(face.name, box.width - SIGN_RADIUS - offset - 4, 2 if node_count <= MAX_TWO_LINE_NODES else 1)
    top = y - (len(lines) - 1) * LINE_HEIGHT / 2 + 4.5
    placed_lines = [(line, _round_coordinate(top + LINE_HEIGHT * number)) for number, line in enumerate(lines)]
    anchor = "end" if side > 0 else "start"
    return NodeShape(
        face,
        node.kind,
        _round_coordinate(sign_x),
        _round_coordinate(y),
        placed_lines,
        _round_coordinate(text_x),
        anchor,
        central=is_central,
    )


def _build_pill(face: Face, position: Sequence[float], box: BoxSize, *, is_central: bool) -> NodeShape:
    """Build a topic's pill; its text grows with the number of papers, as far as the box allows."""
    count = 8 + text_width(str(face.papers)) if face.papers else 0.0
    max_width, name_width = box.width - 24 - count, text_width(face.name) * BOLD_FACTOR
    size = 13 + min(round(math.log2(1 + face.papers) / 2), 3)
    # Prefer a smaller size to a truncated name.
    size = max(min(size, math.floor(13 * max_width / max(name_width, 1.0))), 13)
    scale = size / 13 * BOLD_FACTOR
    lines = wrap_text(face.name, max_width / scale, 1)
    text_width_px = max((text_width(line) for line in lines), default=0.0) * scale
    x, y, placed_lines = (
        _round_coordinate(position[0]),
        _round_coordinate(position[1]),
        [(line, _round_coordinate(position[1] + size * 0.36)) for line in lines],
    )
    width, height = _round_coordinate(min(text_width_px + count + 26, box.width)), min(box.height, 18.0 + size)
    return NodeShape(face, TOPIC, x, y, placed_lines, x, "middle", width, height, size, is_central)


def _build_edges(edges: Sequence[Edge], nodes: Mapping[str, NodeShape], occupied: list[Box]) -> list[EdgeShape]:
    """Build the edges; `occupied`: areas where no label may be placed, empty to omit all labels."""
    shapes: list[EdgeShape] = []
    pair_counts: Counter[frozenset[str]] = Counter()
    for edge in sorted(edges, key=lambda edge: edge.kind not in PLAIN):  # draw relations above other links
        pair = frozenset(edge[:2])
        end_nodes = nodes[edge.source], nodes[edge.target]
        curvature = 0.0 if edge.kind in PLAIN else CURVATURE * (1 + pair_counts[pair])
        pair_counts[pair] += edge.kind not in PLAIN
        shape = _build_edge(edge, end_nodes, curvature=curvature)
        shapes.append(_place_label(shape, end_nodes, curvature, occupied) if curvature and occupied else shape)
    return shapes


def _node_box(node: NodeShape) -> Box:
    """Return the area covered by a node's icon and label."""
    if node.kind == TOPIC:
        return node.x - node.width / 2, node.y - node.height / 2, node.x + node.width / 2, node.y + node.height / 2
    max_width = max((text_width(line) for line, _ in node.lines), default=0.0)
    half_height = len(node.lines) * LINE_HEIGHT / 2
    x_ends = node.x, node.words_x + (max_width if node.anchor == "start" else -max_width)
    return min(x_ends) - SIGN_RADIUS, node.y - half_height, max(x_ends) + SIGN_RADIUS, node.y + half_height


def _label_box(x: float, y: float) -> Box:
    return x - WORD[0] / 2, y - WORD[1] / 2, x + WORD[0] / 2, y + WORD[1] / 2


def _place_label(
    shape: EdgeShape, end_nodes: tuple[NodeShape, NodeShape], curvature: float, occupied: list[Box]
) -> EdgeShape:
    """Place the label on its line, or close to it, where there is room."""
    start, control, end = _curve_points(shape.edge, end_nodes, curvature)
    for offset in BESIDE:
        for fraction in ALONG:
            x, y = (
                _round_coordinate(
                    (1 - fraction) ** 2 * start[axis]
                    + 2 * fraction * (1 - fraction) * control[axis]
                    + fraction**2 * end[axis]
                    + offset[axis]
                )
                for axis in (0, 1)
            )
            if _is_free(_label_box(x, y), occupied):
                occupied.append(_label_box(x, y))
                return shape._replace(x=x, y=y, has_label=True)
    return shape


def _is_free(other: Box, occupied: Sequence[Box]) -> bool:
    x1, y1, x2, y2 = other
    return not any(other[0] < x2 and x1 < other[2] and other[1] < y2 and y1 < other[3] for other in occupied)


def _build_edge(edge: Edge, end_nodes: tuple[NodeShape, NodeShape], *, curvature: float) -> EdgeShape:
    (x1, y1), (x2, y2) = ((end.x, end.y) for end in end_nodes)
    if not curvature:
        path = f"M{x1:g} {y1:g}L{x2:g} {y2:g}"
        return EdgeShape(
            edge, path, _round_coordinate((x1 + x2) / 2), _round_coordinate((y1 + y2) / 2), has_label=False
        )
    start, control, end = _curve_points(edge, end_nodes, curvature)
    control_text = f"{_round_coordinate(control[0]):g} {_round_coordinate(control[1]):g}"
    path = f"M{start[0]:g} {start[1]:g}Q{control_text} {end[0]:g} {end[1]:g}"
    midpoint = [_round_coordinate((start[axis] + 2 * control[axis] + end[axis]) / 4) for axis in (0, 1)]
    return EdgeShape(edge, path, midpoint[0], midpoint[1], has_label=False)


def _curve_points(edge: Edge, end_nodes: tuple[NodeShape, NodeShape], curvature: float) -> tuple[Point, Point, Point]:
    """Return start, control point and end of a bent line."""
    (x1, y1), (x2, y2) = ((end.x, end.y) for end in end_nodes)
    # Opposite directions bend to different sides.
    signed_curvature = curvature if edge.source < edge.target else -curvature
    control = ((x1 + x2) / 2 - (y2 - y1) * signed_curvature, (y1 + y2) / 2 + (x2 - x1) * signed_curvature)
    return _shorten_line((x1, y1), control, SIGN_RADIUS + 1), control, _shorten_line((x2, y2), control, SIGN_RADIUS + 5)


def _shorten_line(end: Point, target: Point, amount: float) -> Point:
    """Move the end of a line towards a point."""
    dx, dy = target[0] - end[0], target[1] - end[1]
    length = math.hypot(dx, dy) or 1.0
    return _round_coordinate(end[0] + dx / length * amount), _round_coordinate(end[1] + dy / length * amount)


def _round_coordinate(number: float) -> float:
    return round(number, 1)
