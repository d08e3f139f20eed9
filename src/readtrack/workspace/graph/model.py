"""Nodes and edges of the graph, without positions and names."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from pydantic_core import to_json

TOPIC, PAPER = "topic", "paper"
# Paper to topic, topic to parent, reported by services; further kinds are those of Relation
FILED, WITHIN, CITED = "filed", "within", "cited"
PLAIN = frozenset({FILED, WITHIN})  # links that follow from the topics
End: TypeAlias = tuple[str, int]  # one end of a link: kind and id of a node


class GraphNode(NamedTuple):
    """A topic or a paper. `distance`: in links from the central node."""

    kind: str
    id: int
    distance: int = 0

    @property
    def key(self) -> str:
        """The key in layouts and URLs: `topic-5`."""
        return node_key(self.kind, self.id)


class Edge(NamedTuple):
    """A link between two nodes, by their keys. `note`: a person's remark."""

    source: str
    target: str
    kind: str
    note: str = ""


class Network(NamedTuple):
    """Nodes and edges in a fixed order: nodes by distance, topics before papers, then by id."""

    nodes: Sequence[GraphNode]
    edges: Sequence[Edge]

    @property
    def fingerprint(self) -> str:
        """A hash of nodes and edges, without notes because they do not affect the layout."""
        data = [[node.key for node in self.nodes], [edge[:3] for edge in self.edges]]
        return hashlib.sha256(to_json(data)).hexdigest()


def node_key(kind: str, number: int) -> str:
    """Return the key of a node."""
    return f"{kind}-{number}"


def split_key(key: str) -> End:
    """Return kind and id of a node key."""
    kind, _, number = key.partition("-")
    return kind, int(number)


def build_network(nodes: Iterable[GraphNode], edges: Iterable[Edge]) -> Network:
    """Build a network whose order does not depend on the order of the input."""
    sorted_nodes = sorted(nodes, key=lambda node: (node.distance, node.kind != TOPIC, node.id))
    return Network(tuple(sorted_nodes), tuple(sorted(set(edges))))
