"""Layout of the map: topics as nested circles, each with its papers inside, and the circle packing for it.

The packing is deterministic. Each further circle touches two on the front (the closed chain of outermost circles), at
the place nearest to the centre (Wang et al., "Visualization of large hierarchical data by circle packing", 2006).
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from readtrack.workspace.graph.model import FILED, TOPIC, WITHIN, Network

MAX_ROUNDS = 60  # iterations for the centre of the enclosing circle
PAPER_RADIUS = 9.0  # radius of a paper
MIN_TOPIC_RADIUS = 16.0  # radius of a topic without papers
INNER_MARGIN = 9.0  # between a region's contents and its border
OUTER_MARGIN = 5.0  # space around a region
NOWHERE = ""  # parent of top-level topics and of papers without a topic


class Circle(NamedTuple):
    """A circle: centre and radius."""

    x: float
    y: float
    r: float


def pack_circles(radii: Sequence[float]) -> list[Circle]:
    """Return a circle for each radius, in order, packed around the first two."""
    if not radii:
        return []
    circles = [Circle(0.0, 0.0, radii[0])]
    if len(radii) > 1:
        circles = [Circle(-radii[1], 0.0, radii[0]), Circle(radii[0], 0.0, radii[1])]
    next_of, previous_of = {0: 1, 1: 0}, {0: 1, 1: 0}
    index = 0
    for radius in radii[2:]:
        index = _place_circle(circles, radius, (next_of, previous_of), index)
    return circles


def enclosing_circle(circles: Sequence[Circle]) -> Circle:
    """Return an enclosing circle, hardly larger than the smallest one."""
    total = sum(circle.r**2 for circle in circles)
    x, y = (sum(circle[axis] * circle.r**2 for circle in circles) / total for axis in (0, 1))
    for step in range(2, MAX_ROUNDS):
        farthest = max(circles, key=lambda circle: math.hypot(circle.x - x, circle.y - y) + circle.r)
        x, y = x + (farthest.x - x) / step, y + (farthest.y - y) / step
    return Circle(x, y, max(math.hypot(circle.x - x, circle.y - y) + circle.r for circle in circles))


def _place_circle(
    circles: list[Circle], radius: float, front: tuple[dict[int, int], dict[int, int]], first: int
) -> int:
    """Place a circle between `first` and its successor; return the front node now nearest to the centre."""
    next_of, previous_of = front
    new_index, second = len(circles), next_of[first]
    while True:
        circle = _tangent_circle(circles[first], circles[second], radius)
        collision = _find_collision(circles, circle, front, (first, second))
        if collision is None:
            break
        first, second = collision
        next_of[first], previous_of[second] = second, first  # circles in between leave the front
    circles.append(circle)
    next_of[first], previous_of[new_index], next_of[new_index], previous_of[second] = (
        new_index,
        first,
        second,
        new_index,
    )
    nearest, index = first, next_of[first]
    while index != first:
        if _distance_from_center(circles, index, next_of) < _distance_from_center(circles, nearest, next_of):
            nearest = index
        index = next_of[index]
    return nearest


def _find_collision(
    circles: Sequence[Circle], circle: Circle, front: tuple[dict[int, int], dict[int, int]], pair: tuple[int, int]
) -> tuple[int, int] | None:
    """Return the pair to place the circle between instead, if it overlaps one of the front.

    Both directions are searched, and the nearer overlap wins.
    """
    next_of, previous_of = front
    left, right = previous_of[pair[0]], next_of[pair[1]]
    left_length, right_length = circles[pair[0]].r, circles[pair[1]].r
    while True:
        if right_length <= left_length:
            if _is_overlapping(circles[right], circle):
                return pair[0], right
            right_length, last, right = right_length + circles[right].r, right, next_of[right]
        else:
            if _is_overlapping(circles[left], circle):
                return left, pair[1]
            left_length, last, left = left_length + circles[left].r, left, previous_of[left]
        if last in pair or previous_of[right] == left:
            return None


def _tangent_circle(first: Circle, second: Circle, radius: float) -> Circle:
    """Return the circle tangent to both, on the left of the way from one to two."""
    dx, dy = second.x - first.x, second.y - first.y
    distance = math.hypot(dx, dy)
    first_distance, second_distance = first.r + radius, second.r + radius
    projection = (distance * distance + first_distance * first_distance - second_distance * second_distance) / (
        2 * distance
    )
    offset = math.sqrt(max(first_distance * first_distance - projection * projection, 0.0))
    unit_x, unit_y = dx / distance, dy / distance
    return Circle(
        first.x + projection * unit_x + offset * unit_y, first.y + projection * unit_y - offset * unit_x, radius
    )


def _is_overlapping(first: Circle, second: Circle) -> bool:
    return math.hypot(first.x - second.x, first.y - second.y) < first.r + second.r - 1e-6


def _distance_from_center(circles: Sequence[Circle], index: int, next_of: dict[int, int]) -> float:
    """Return the distance from the centre at which the next circle would be placed."""
    first, second = circles[index], circles[next_of[index]]
    total = first.r + second.r
    return math.hypot(
        (first.x * second.r + second.x * first.r) / total, (first.y * second.r + second.y * first.r) / total
    )


class TopicContents(NamedTuple):
    """The direct contents of each topic, by key; of the top level under NOWHERE."""

    topics: Mapping[str, Sequence[str]]
    papers: Mapping[str, Sequence[str]]


def lay_map(network: Network) -> dict[str, tuple[float, float, float]]:
    """Return centre and radius of each node by key, from 0."""
    contents = group_by_topic(network)
    packed: dict[str, tuple[Circle, list[tuple[str, Circle]]]] = {}
    for key in _sort_lowest_first(contents.topics):
        packed[key] = _pack_region(key, contents, {child: packed[child][0].r for child in contents.topics[key]})
    positions: dict[str, tuple[float, float, float]] = {}
    queue = [(NOWHERE, Circle(0, 0, packed[NOWHERE][0].r))]
    for key, region_circle in queue:
        center, members = packed[key]
        for child, circle in members:
            placed = Circle(region_circle.x + circle.x - center.x, region_circle.y + circle.y - center.y, circle.r)
            queue += [(child, placed)] if child in packed else []
            positions[child] = tuple(placed)  # type: ignore[assignment]
    left, top = (min((position[axis] - position[2] for position in positions.values()), default=0.0) for axis in (0, 1))
    return {key: (round(x - left, 1), round(y - top, 1), round(radius, 1)) for key, (x, y, radius) in positions.items()}


def group_by_topic(network: Network) -> TopicContents:
    """Group papers by their smallest topic, and topics by their parent if it is on the map."""
    topics = [node.key for node in network.nodes if node.kind == TOPIC]
    topic_keys = set(topics)
    parents = {edge.source: edge.target for edge in network.edges if edge.kind == WITHIN and edge.target in topic_keys}
    topics_by_paper: dict[str, list[str]] = defaultdict(list)
    for edge in network.edges:
        if edge.kind == FILED:
            topics_by_paper[edge.source].append(edge.target)
    sizes = dict.fromkeys(topics, 0)
    for paper_topics in topics_by_paper.values():
        for home in paper_topics:
            sizes[home] += 1
    children: dict[str, list[str]] = {key: [] for key in [NOWHERE, *topics]}
    papers: dict[str, list[str]] = {key: [] for key in children}
    for node in network.nodes:
        if node.kind == TOPIC:
            children[parents.get(node.key, NOWHERE)].append(node.key)
        else:
            home = min(topics_by_paper[node.key], key=lambda key: (sizes[key], key), default=NOWHERE)
            papers[home].append(node.key)
    return TopicContents(children, papers)


def _sort_lowest_first(topics: Mapping[str, Sequence[str]]) -> list[str]:
    """Return topics in an order with children before parents."""
    order = [NOWHERE]
    for key in order:
        order += topics[key]
    return order[::-1]


def _pack_region(
    key: str, contents: TopicContents, radii: Mapping[str, float]
) -> tuple[Circle, list[tuple[str, Circle]]]:
    """Pack a topic's contents: large subtopics in the middle, papers around them."""
    subtopics = sorted(radii, key=lambda subtopic: -round(radii[subtopic]))
    members = [*subtopics, *contents.papers[key]]
    circles = pack_circles([radii[member] + OUTER_MARGIN if member in radii else PAPER_RADIUS for member in members])
    placed_members = [
        (member, circle._replace(r=radii.get(member, PAPER_RADIUS / 2)))
        for member, circle in zip(members, circles, strict=True)
    ]
    if not circles:
        return Circle(0.0, 0.0, MIN_TOPIC_RADIUS), []
    enclosing = enclosing_circle(circles)
    return enclosing._replace(r=max(enclosing.r + INNER_MARGIN, MIN_TOPIC_RADIUS)), placed_members
