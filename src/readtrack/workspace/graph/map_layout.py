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
    held = group_by_topic(network)
    laid: dict[str, tuple[Circle, list[tuple[str, Circle]]]] = {}
    for key in _sort_lowest_first(held.topics):
        laid[key] = _pack_region(key, held, {lower: laid[lower][0].r for lower in held.topics[key]})
    places: dict[str, tuple[float, float, float]] = {}
    waiting = [(NOWHERE, Circle(0, 0, laid[NOWHERE][0].r))]
    for key, at in waiting:
        middle, within = laid[key]
        for lower, circle in within:
            there = Circle(at.x + circle.x - middle.x, at.y + circle.y - middle.y, circle.r)
            waiting += [(lower, there)] if lower in laid else []
            places[lower] = tuple(there)  # type: ignore[assignment]
    left, top = (min((place[axis] - place[2] for place in places.values()), default=0.0) for axis in (0, 1))
    return {key: (round(x - left, 1), round(y - top, 1), round(r, 1)) for key, (x, y, r) in places.items()}


def group_by_topic(network: Network) -> TopicContents:
    """Group papers by their smallest topic, and topics by their parent if it is on the map."""
    topics = [node.key for node in network.nodes if node.kind == TOPIC]
    known = set(topics)
    above = {edge.source: edge.target for edge in network.edges if edge.kind == WITHIN and edge.target in known}
    filed: dict[str, list[str]] = defaultdict(list)
    for edge in network.edges:
        if edge.kind == FILED:
            filed[edge.source].append(edge.target)
    sizes = dict.fromkeys(topics, 0)
    for homes in filed.values():
        for home in homes:
            sizes[home] += 1
    below: dict[str, list[str]] = {key: [] for key in [NOWHERE, *topics]}
    papers: dict[str, list[str]] = {key: [] for key in below}
    for node in network.nodes:
        if node.kind == TOPIC:
            below[above.get(node.key, NOWHERE)].append(node.key)
        else:
            home = min(filed[node.key], key=lambda key: (sizes[key], key), default=NOWHERE)
            papers[home].append(node.key)
    return TopicContents(below, papers)


def _sort_lowest_first(topics: Mapping[str, Sequence[str]]) -> list[str]:
    """Return topics in an order with children before parents."""
    order = [NOWHERE]
    for key in order:
        order += topics[key]
    return order[::-1]


def _pack_region(key: str, held: TopicContents, radii: Mapping[str, float]) -> tuple[Circle, list[tuple[str, Circle]]]:
    """Pack a topic's contents: large subtopics in the middle, papers around them."""
    inner = sorted(radii, key=lambda lower: -round(radii[lower]))
    members = [*inner, *held.papers[key]]
    circles = pack_circles([radii[member] + OUTER_MARGIN if member in radii else PAPER_RADIUS for member in members])
    within = [
        (member, circle._replace(r=radii.get(member, PAPER_RADIUS / 2)))
        for member, circle in zip(members, circles, strict=True)
    ]
    if not circles:
        return Circle(0.0, 0.0, MIN_TOPIC_RADIUS), []
    rim = enclosing_circle(circles)
    return rim._replace(r=max(rim.r + INNER_MARGIN, MIN_TOPIC_RADIUS)), within
