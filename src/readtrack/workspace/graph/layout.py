"""Force-directed layout of a neighbourhood.

It is deterministic for the same nodes, edges and previous positions. A node is a box with its icon and label. Boxes
start on rings around the centre, are pulled together by their links and pushed apart from each other, and are then
moved until none overlap.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from readtrack.workspace.graph.model import TOPIC, GraphNode, Network

Point = tuple[float, float]
MAX_TWO_LINE_NODES = 80  # nodes up to which labels have two lines
FORCE_STEPS = 70  # iterations of the forces
OVERLAP_PASSES = 40  # iterations that separate overlapping boxes
RING_DISTANCE = 2.2  # distance of two rings, in units of a box
MIN_GAP = 10.0  # minimum pixels between two boxes
FILLED = (0.2, 0.005, 0.7)  # share of the area covered by boxes: base, increment per node, maximum
ASPECT_RATIO = 1.6  # aspect ratio (width to height), until the maximum width is reached
EVEN_SPACING = 0.6  # how far nodes are shifted towards even spacing, 0 to 1
KEPT_NODE_MOBILITY = 0.05  # share of a move applied to nodes with a previous position


class BoxSize(NamedTuple):
    """The size of a box, in pixels."""

    width: float
    height: float


def box_size(kind: str, nodes: int) -> BoxSize:
    """Return the box size for a graph of this many nodes.

    It does not depend on the name, so renaming moves nothing.
    """
    if nodes <= MAX_TWO_LINE_NODES:
        return BoxSize(196, 42) if kind == TOPIC else BoxSize(184, 40)
    return BoxSize(172, 34) if kind == TOPIC else BoxSize(158, 24)


def lay_out(
    network: Network, before: Mapping[str, Sequence[float]] | None = None, *, widest: float
) -> dict[str, Point]:
    """Return the centre of each box by key, in pixels from 0.

    `widest`: maximum width in pixels; nodes stay close to their position in `before`.
    """
    nodes = network.nodes
    known: dict[str, Point] = {}
    if before and 2 * sum(node.key in before for node in nodes) >= len(nodes):
        known = {node.key: (before[node.key][0], before[node.key][1]) for node in nodes if node.key in before}
    links = _find_neighbors(network)
    if known:
        places = _place_new_nodes(nodes, links, known)
    else:
        places = _stretch_layout(nodes, _apply_forces(nodes, links, _ring_layout(nodes, links)), widest)
    sizes = {node.key: box_size(node.kind, len(nodes)) for node in nodes}
    apart = _separate_boxes(places, sizes, kept=frozenset(known), widest=widest)
    return _shift_to_origin(_push_down_overlaps(apart, sizes), sizes)


def layout_size(network: Network, places: Mapping[str, Sequence[float]]) -> BoxSize:
    """Return the size of the area that the boxes take."""
    sizes = [(places[node.key], box_size(node.kind, len(network.nodes))) for node in network.nodes]
    width, height = (max(at[i] + size[i] / 2 for at, size in sizes) for i in (0, 1))
    return BoxSize(width, height)


def _find_neighbors(network: Network) -> dict[str, list[str]]:
    """Return the neighbours of each node, in the order of the nodes."""
    order = {node.key: place for place, node in enumerate(network.nodes)}
    near: dict[str, set[str]] = {key: set() for key in order}
    for edge in network.edges:
        if edge.source in near and edge.target in near and edge.source != edge.target:
            near[edge.source].add(edge.target)
            near[edge.target].add(edge.source)
    return {key: sorted(others, key=order.__getitem__) for key, others in near.items()}


def _ring_layout(nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]]) -> dict[str, Point]:
    """Place the first node in the centre and each other one in the wedge of the node that leads to it."""
    below = _spanning_tree(nodes, links)
    leaves: dict[str, int] = {}
    for key in reversed(list(below)):
        leaves[key] = sum(leaves[lower] for lower in below[key]) or 1
    places, wedges = {nodes[0].key: (0.0, 0.0)}, {nodes[0].key: (0.0, math.tau, 0)}
    for key in below:
        start, end, ring = wedges[key]
        for lower in below[key]:
            width = (end - start) * leaves[lower] / leaves[key] if ring else math.tau * leaves[lower] / leaves[key]
            angle, radius = start + width / 2, (ring + 1) * RING_DISTANCE
            places[lower] = (radius * math.cos(angle), radius * math.sin(angle))
            wedges[lower] = (start, start + width, ring + 1)
            start += width
    return places


def _spanning_tree(nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return each node's children by breadth-first search; unconnected nodes go to the first node."""
    first = nodes[0].key
    below: dict[str, list[str]] = {first: []}
    waiting = [first]
    for key in waiting:
        for lower in links[key]:
            if lower not in below:
                below[key].append(lower)
                below[lower] = []
                waiting.append(lower)
    alone = [node.key for node in nodes if node.key not in below]
    below[first] += alone
    return below | {key: [] for key in alone}


def _apply_forces(
    nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]], places: dict[str, Point]
) -> dict[str, Point]:
    """Apply attraction along links and repulsion between close nodes.

    The step decreases, and the first node is fixed.
    """
    keys = [node.key for node in nodes]
    xs, ys = [places[key][0] for key in keys], [places[key][1] for key in keys]
    number = {key: place for place, key in enumerate(keys)}
    near = [[number[other] for other in links[key]] for key in keys]
    for step in range(FORCE_STEPS):
        moves = _repulsion(xs, ys)
        _apply_attraction(moves, near, xs, ys)
        reach = 0.5 * (1 - step / FORCE_STEPS) + 0.02
        for i, (dx, dy) in enumerate(moves[1:], 1):
            length = math.hypot(dx, dy)
            scale = min(length, reach) / length if length else 0.0
            xs[i] += dx * scale
            ys[i] += dy * scale
    return {key: (xs[i], ys[i]) for i, key in enumerate(keys)}


def _repulsion(xs: Sequence[float], ys: Sequence[float]) -> list[list[float]]:
    moves = [[0.0, 0.0] for _ in xs]
    for i, j in _find_close_pairs(xs, ys, 2.5):
        dx, dy = xs[i] - xs[j], ys[i] - ys[j]
        square = dx * dx + dy * dy
        if square < 1e-9:
            # Same position: push in a direction that depends on the index
            dx, dy, square = math.cos(i), math.sin(i), 1.0
        if square < 6.25:
            push = 0.45 / max(square, 0.05)
            moves[i][0] += dx * push
            moves[i][1] += dy * push
            moves[j][0] -= dx * push
            moves[j][1] -= dy * push
    return moves


def _apply_attraction(
    moves: list[list[float]], near: Sequence[Sequence[int]], xs: Sequence[float], ys: Sequence[float]
) -> None:
    for i, others in enumerate(near):
        for j in others:
            dx, dy = xs[j] - xs[i], ys[j] - ys[i]
            weight = 0.12 / math.sqrt(max(len(others), len(near[j])))  # neighbours of a hub need not all be close to it
            moves[i][0] += dx * weight
            moves[i][1] += dy * weight


def _find_close_pairs(
    xs: Sequence[float], ys: Sequence[float], width: float, height: float = 0.0
) -> Iterator[tuple[int, int]]:
    """Yield pairs in the same or adjacent cells of a grid, which include all pairs closer than a cell."""
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        cells[math.floor(x / width), math.floor(y / (height or width))].append(i)
    for (column, row), here in cells.items():
        for place, i in enumerate(here):
            yield from ((i, j) for j in here[place + 1 :])
        for right, down in ((1, 0), (-1, 1), (0, 1), (1, 1)):
            yield from product(here, cells.get((column + right, row + down), ()))


def _stretch_layout(nodes: Sequence[GraphNode], places: Mapping[str, Point], widest: float) -> dict[str, Point]:
    """Stretch the layout to the size that the boxes need, and spread the crowded middle."""
    sizes = [box_size(node.kind, len(nodes)) for node in nodes]
    area = sum(size.width * size.height for size in sizes) / min(FILLED[0] + FILLED[1] * len(nodes), FILLED[2])
    width = min(math.sqrt(area * ASPECT_RATIO), widest)
    keys = sorted(places, key=lambda key: (round(places[key][1], 9), key))
    ys = dict(zip(keys, _spread_values([places[key][1] for key in keys], area / width), strict=True))
    band = len(keys) if len(keys) <= MAX_TWO_LINE_NODES else round(2 * math.sqrt(len(keys)))
    xs: dict[str, float] = {}
    for start in range(0, len(keys), band):  # spread each band over the whole width, so that no corner stays empty
        within = keys[start : start + band]
        xs |= zip(within, _spread_values([places[key][0] for key in within], width - sizes[0].width), strict=True)
    return {node.key: (xs[node.key], ys[node.key]) for node in nodes}


def _spread_values(values: Sequence[float], length: float) -> list[float]:
    """Scale values to a length, partly by their distances and partly evenly by rank."""
    least, most = min(values), max(values)
    order = sorted(range(len(values)), key=lambda i: (round(values[i], 9), i))
    even = {i: rank / max(len(values) - 1, 1) for rank, i in enumerate(order)}
    far = (most - least) or 1.0
    return [
        length * (EVEN_SPACING * even[i] + (1 - EVEN_SPACING) * (value - least) / far) for i, value in enumerate(values)
    ]


def _place_new_nodes(
    nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]], known: Mapping[str, Point]
) -> dict[str, Point]:
    """Place new nodes next to their neighbours, each at another angle."""
    places = dict(known)
    for number, node in enumerate(nodes):
        if node.key not in places:
            beside = [places[other] for other in links[node.key] if other in places] or [places[next(iter(places))]]
            x, y = (sum(place[axis] for place in beside) / len(beside) for axis in (0, 1))
            places[node.key] = (x + 60 * math.cos(number * 2.4), y + 30 * math.sin(number * 2.4))
    return {node.key: places[node.key] for node in nodes}


def _separate_boxes(
    places: Mapping[str, Point], sizes: Mapping[str, BoxSize], *, kept: Collection[str], widest: float
) -> dict[str, Point]:
    """Move overlapping boxes apart along the shorter axis, within the maximum width.

    Boxes with a previous position hardly move.
    """
    keys = list(places)
    middle = (min(place[0] for place in places.values()) + max(place[0] for place in places.values())) / 2
    xs, ys = [places[key][0] for key in keys], [places[key][1] for key in keys]
    boxes, light = [sizes[key] for key in keys], [KEPT_NODE_MOBILITY if key in kept else 1.0 for key in keys]
    width, height = (max(box[axis] for box in boxes) + MIN_GAP for axis in (0, 1))
    for _pass in range(OVERLAP_PASSES):
        moved = False
        for i, j in _find_close_pairs(xs, ys, width, height):
            dx, dy = xs[j] - xs[i], ys[j] - ys[i]
            over_x = (boxes[i].width + boxes[j].width) / 2 + MIN_GAP - abs(dx)
            over_y = (boxes[i].height + boxes[j].height) / 2 + MIN_GAP - abs(dy)
            if over_x <= 0 or over_y <= 0:
                continue
            moved, share = True, light[i] / (light[i] + light[j])
            if over_x * height < over_y * width:
                push = over_x if dx >= 0 else -over_x
                xs[i], xs[j] = xs[i] - push * share, xs[j] + push * (1 - share)
            else:
                push = over_y if dy >= 0 else -over_y
                ys[i], ys[j] = ys[i] - push * share, ys[j] + push * (1 - share)
        for i, box in enumerate(boxes):
            room = (widest - box.width) / 2
            xs[i] = min(max(xs[i], middle - room), middle + room)
        if not moved:
            break
    return {key: (xs[i], ys[i]) for i, key in enumerate(keys)}


def _push_down_overlaps(places: Mapping[str, Point], sizes: Mapping[str, BoxSize]) -> dict[str, Point]:
    """Move boxes that still overlap down to free space."""
    taken: dict[int, list[tuple[float, float, float, float]]] = defaultdict(list)  # by column of a grid
    settled = {}
    for key in sorted(places, key=lambda key: (places[key][1], places[key][0], key)):
        (x, y), size = places[key], sizes[key]
        left, right = x - size.width / 2 - MIN_GAP / 2, x + size.width / 2 + MIN_GAP / 2
        columns = range(math.floor(left / 200), math.floor(right / 200) + 1)
        beside = {box for column in columns for box in taken[column] if box[0] < right and left < box[1]}
        top = y - size.height / 2
        for _left, _right, upper, lower in sorted(beside, key=lambda box: box[2]):
            if upper < top + size.height and top < lower:
                top = lower
        settled[key] = (x, top + size.height / 2)
        for column in columns:
            taken[column].append((left, right, top - MIN_GAP / 2, top + size.height + MIN_GAP / 2))
    return settled


def _shift_to_origin(places: Mapping[str, Point], sizes: Mapping[str, BoxSize]) -> dict[str, Point]:
    """Shift the layout to the origin and round to tenths of a pixel, as it is stored."""
    left, top = (min(place[axis] - sizes[key][axis] / 2 for key, place in places.items()) for axis in (0, 1))
    return {key: (round(x - left, 1), round(y - top, 1)) for key, (x, y) in places.items()}
