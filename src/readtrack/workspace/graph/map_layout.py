"""Layout of the map: topics as nested circles, each with its papers inside."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from readtrack.workspace.graph.circle_packing import Circle, enclosing_circle, pack_circles
from readtrack.workspace.graph.model import FILED, TOPIC, WITHIN, Network

PAPER_RADIUS = 9.0  # radius of a paper
MIN_TOPIC_RADIUS = 16.0  # radius of a topic without papers
INNER_MARGIN = 9.0  # between a region's contents and its border
OUTER_MARGIN = 5.0  # space around a region
NOWHERE = ""  # parent of top-level topics and of papers without a topic


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
