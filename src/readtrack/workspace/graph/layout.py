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
    network: Network, old_positions: Mapping[str, Sequence[float]] | None = None, *, max_width: float
) -> dict[str, Point]:
    """Return the centre of each box by key, in pixels from 0.

    `max_width`: maximum width in pixels; nodes stay close to their position in `old_positions`.
    """
    nodes = network.nodes
    fixed: dict[str, Point] = {}
    if old_positions and 2 * sum(node.key in old_positions for node in nodes) >= len(nodes):
        fixed = {
            node.key: (old_positions[node.key][0], old_positions[node.key][1])
            for node in nodes
            if node.key in old_positions
        }
    links = _find_neighbors(network)
    if fixed:
        positions = _place_new_nodes(nodes, links, fixed)
    else:
        positions = _stretch_layout(nodes, _apply_forces(nodes, links, _ring_layout(nodes, links)), max_width)
    sizes = {node.key: box_size(node.kind, len(nodes)) for node in nodes}
    separated = _separate_boxes(positions, sizes, fixed_keys=frozenset(fixed), max_width=max_width)
    return _shift_to_origin(_push_down_overlaps(separated, sizes), sizes)


def layout_size(network: Network, positions: Mapping[str, Sequence[float]]) -> BoxSize:
    """Return the size of the area that the boxes take."""
    sizes = [(positions[node.key], box_size(node.kind, len(network.nodes))) for node in network.nodes]
    width, height = (max(position[i] + size[i] / 2 for position, size in sizes) for i in (0, 1))
    return BoxSize(width, height)


def _find_neighbors(network: Network) -> dict[str, list[str]]:
    """Return the neighbours of each node, in the order of the nodes."""
    order = {node.key: index for index, node in enumerate(network.nodes)}
    neighbors: dict[str, set[str]] = {key: set() for key in order}
    for edge in network.edges:
        if edge.source in neighbors and edge.target in neighbors and edge.source != edge.target:
            neighbors[edge.source].add(edge.target)
            neighbors[edge.target].add(edge.source)
    return {key: sorted(keys, key=order.__getitem__) for key, keys in neighbors.items()}


def _ring_layout(nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]]) -> dict[str, Point]:
    """Place the first node in the centre and each other one in the wedge of the node that leads to it."""
    children = _spanning_tree(nodes, links)
    leaf_counts: dict[str, int] = {}
    for key in reversed(list(children)):
        leaf_counts[key] = sum(leaf_counts[child] for child in children[key]) or 1
    positions, wedges = {nodes[0].key: (0.0, 0.0)}, {nodes[0].key: (0.0, math.tau, 0)}
    for key in children:
        start, end, ring = wedges[key]
        for child in children[key]:
            width = (
                (end - start) * leaf_counts[child] / leaf_counts[key]
                if ring
                else math.tau * leaf_counts[child] / leaf_counts[key]
            )
            angle, radius = start + width / 2, (ring + 1) * RING_DISTANCE
            positions[child] = (radius * math.cos(angle), radius * math.sin(angle))
            wedges[child] = (start, start + width, ring + 1)
            start += width
    return positions


def _spanning_tree(nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return each node's children by breadth-first search; unconnected nodes go to the first node."""
    first = nodes[0].key
    children: dict[str, list[str]] = {first: []}
    queue = [first]
    for key in queue:
        for child in links[key]:
            if child not in children:
                children[key].append(child)
                children[child] = []
                queue.append(child)
    unlinked = [node.key for node in nodes if node.key not in children]
    children[first] += unlinked
    return children | {key: [] for key in unlinked}


def _apply_forces(
    nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]], positions: dict[str, Point]
) -> dict[str, Point]:
    """Apply attraction along links and repulsion between close nodes.

    The step decreases, and the first node is fixed.
    """
    keys = [node.key for node in nodes]
    xs, ys = [positions[key][0] for key in keys], [positions[key][1] for key in keys]
    index_by_key = {key: index for index, key in enumerate(keys)}
    neighbors = [[index_by_key[neighbor] for neighbor in links[key]] for key in keys]
    for step in range(FORCE_STEPS):
        moves = _repulsion(xs, ys)
        _apply_attraction(moves, neighbors, xs, ys)
        max_step = 0.5 * (1 - step / FORCE_STEPS) + 0.02
        for i, (dx, dy) in enumerate(moves[1:], 1):
            length = math.hypot(dx, dy)
            scale = min(length, max_step) / length if length else 0.0
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
            force = 0.45 / max(square, 0.05)
            moves[i][0] += dx * force
            moves[i][1] += dy * force
            moves[j][0] -= dx * force
            moves[j][1] -= dy * force
    return moves


def _apply_attraction(
    moves: list[list[float]], neighbors: Sequence[Sequence[int]], xs: Sequence[float], ys: Sequence[float]
) -> None:
    for i, linked in enumerate(neighbors):
        for j in linked:
            dx, dy = xs[j] - xs[i], ys[j] - ys[i]
            # Neighbours of a hub need not all be close to it.
            weight = 0.12 / math.sqrt(max(len(linked), len(neighbors[j])))
            moves[i][0] += dx * weight
            moves[i][1] += dy * weight


def _find_close_pairs(
    xs: Sequence[float], ys: Sequence[float], width: float, height: float = 0.0
) -> Iterator[tuple[int, int]]:
    """Yield pairs in the same or adjacent cells of a grid, which include all pairs closer than a cell."""
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        cells[math.floor(x / width), math.floor(y / (height or width))].append(i)
    for (column, row), indexes in cells.items():
        for position, i in enumerate(indexes):
            yield from ((i, j) for j in indexes[position + 1 :])
        for column_offset, row_offset in ((1, 0), (-1, 1), (0, 1), (1, 1)):
            yield from product(indexes, cells.get((column + column_offset, row + row_offset), ()))


def _stretch_layout(nodes: Sequence[GraphNode], positions: Mapping[str, Point], max_width: float) -> dict[str, Point]:
    """Stretch the layout to the size that the boxes need, and spread the crowded middle."""
    sizes = [box_size(node.kind, len(nodes)) for node in nodes]
    area = sum(size.width * size.height for size in sizes) / min(FILLED[0] + FILLED[1] * len(nodes), FILLED[2])
    width = min(math.sqrt(area * ASPECT_RATIO), max_width)
    keys = sorted(positions, key=lambda key: (round(positions[key][1], 9), key))
    ys = dict(zip(keys, _spread_values([positions[key][1] for key in keys], area / width), strict=True))
    band = len(keys) if len(keys) <= MAX_TWO_LINE_NODES else round(2 * math.sqrt(len(keys)))
    xs: dict[str, float] = {}
    for start in range(0, len(keys), band):  # spread each band over the whole width, so that no corner stays empty
        row_keys = keys[start : start + band]
        xs |= zip(
            row_keys, _spread_values([positions[key][0] for key in row_keys], width - sizes[0].width), strict=True
        )
    return {node.key: (xs[node.key], ys[node.key]) for node in nodes}


def _spread_values(values: Sequence[float], length: float) -> list[float]:
    """Scale values to a length, partly by their distances and partly evenly by rank."""
    lowest, highest = min(values), max(values)
    order = sorted(range(len(values)), key=lambda i: (round(values[i], 9), i))
    even_fractions = {i: rank / max(len(values) - 1, 1) for rank, i in enumerate(order)}
    range_length = (highest - lowest) or 1.0
    return [
        length * (EVEN_SPACING * even_fractions[i] + (1 - EVEN_SPACING) * (value - lowest) / range_length)
        for i, value in enumerate(values)
    ]


def _place_new_nodes(
    nodes: Sequence[GraphNode], links: Mapping[str, Sequence[str]], fixed: Mapping[str, Point]
) -> dict[str, Point]:
    """Place new nodes next to their neighbours, each at another angle."""
    positions = dict(fixed)
    for number, node in enumerate(nodes):
        if node.key not in positions:
            neighbor_positions = [positions[neighbor] for neighbor in links[node.key] if neighbor in positions] or [
                positions[next(iter(positions))]
            ]
            x, y = (sum(position[axis] for position in neighbor_positions) / len(neighbor_positions) for axis in (0, 1))
            positions[node.key] = (x + 60 * math.cos(number * 2.4), y + 30 * math.sin(number * 2.4))
    return {node.key: positions[node.key] for node in nodes}


def _separate_boxes(
    positions: Mapping[str, Point], sizes: Mapping[str, BoxSize], *, fixed_keys: Collection[str], max_width: float
) -> dict[str, Point]:
    """Move overlapping boxes apart along the shorter axis, within the maximum width.

    Boxes with a previous position hardly move.
    """
    keys = list(positions)
    center = (
        min(position[0] for position in positions.values()) + max(position[0] for position in positions.values())
    ) / 2
    xs, ys = [positions[key][0] for key in keys], [positions[key][1] for key in keys]
    boxes, mobility = [sizes[key] for key in keys], [KEPT_NODE_MOBILITY if key in fixed_keys else 1.0 for key in keys]
    width, height = (max(box[axis] for box in boxes) + MIN_GAP for axis in (0, 1))
    for _round in range(OVERLAP_PASSES):
        has_moved = False
        for i, j in _find_close_pairs(xs, ys, width, height):
            dx, dy = xs[j] - xs[i], ys[j] - ys[i]
            overlap_x = (boxes[i].width + boxes[j].width) / 2 + MIN_GAP - abs(dx)
            overlap_y = (boxes[i].height + boxes[j].height) / 2 + MIN_GAP - abs(dy)
            if overlap_x <= 0 or overlap_y <= 0:
                continue
            has_moved, share = True, mobility[i] / (mobility[i] + mobility[j])
            if overlap_x * height < overlap_y * width:
                shift = overlap_x if dx >= 0 else -overlap_x
                xs[i], xs[j] = xs[i] - shift * share, xs[j] + shift * (1 - share)
            else:
                shift = overlap_y if dy >= 0 else -overlap_y
                ys[i], ys[j] = ys[i] - shift * share, ys[j] + shift * (1 - share)
        for i, box in enumerate(boxes):
            half_range = (max_width - box.width) / 2
            xs[i] = min(max(xs[i], center - half_range), center + half_range)
        if not has_moved:
            break
    return {key: (xs[i], ys[i]) for i, key in enumerate(keys)}


def _push_down_overlaps(positions: Mapping[str, Point], sizes: Mapping[str, BoxSize]) -> dict[str, Point]:
    """Move boxes that still overlap down to free space."""
    boxes_by_column: dict[int, list[tuple[float, float, float, float]]] = defaultdict(list)  # by column of a grid
    final_positions = {}
    for key in sorted(positions, key=lambda key: (positions[key][1], positions[key][0], key)):
        (x, y), size = positions[key], sizes[key]
        left, right = x - size.width / 2 - MIN_GAP / 2, x + size.width / 2 + MIN_GAP / 2
        columns = range(math.floor(left / 200), math.floor(right / 200) + 1)
        neighbors = {box for column in columns for box in boxes_by_column[column] if box[0] < right and left < box[1]}
        top = y - size.height / 2
        for _left, _right, upper, lower in sorted(neighbors, key=lambda box: box[2]):
            if upper < top + size.height and top < lower:
                top = lower
        final_positions[key] = (x, top + size.height / 2)
        for column in columns:
            boxes_by_column[column].append((left, right, top - MIN_GAP / 2, top + size.height + MIN_GAP / 2))
    return final_positions


def _shift_to_origin(positions: Mapping[str, Point], sizes: Mapping[str, BoxSize]) -> dict[str, Point]:
    """Shift the layout to the origin and round to tenths of a pixel, as it is stored."""
    left, top = (min(position[axis] - sizes[key][axis] / 2 for key, position in positions.items()) for axis in (0, 1))
    return {key: (round(x - left, 1), round(y - top, 1)) for key, (x, y) in positions.items()}
