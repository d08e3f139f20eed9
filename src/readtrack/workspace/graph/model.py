"""Nodes and edges. Pure: what is drawn, before anybody says where it stands or how it is called."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from pydantic_core import to_json

TOPIC, PAPER = "topic", "paper"
FILED, WITHIN, CITED = "filed", "within", "cited"  # paper to topic, topic to parent, as services say; else a Relation's
PLAIN = frozenset({FILED, WITHIN})  # what goes without saying
End: TypeAlias = tuple[str, int]  # of a link: the kind and the number of a node


class GraphNode(NamedTuple):
    """A topic or a paper. `distance`: in links, from the one in the middle."""

    kind: str
    id: int
    distance: int = 0

    @property
    def key(self) -> str:
        """Its name in places and addresses: `topic-5`."""
        return node_key(self.kind, self.id)


class Edge(NamedTuple):
    """A link from one node to another, by their keys. `note`: what a person said of it."""

    source: str
    target: str
    kind: str
    note: str = ""


class Network(NamedTuple):
    """`nodes`: the nearest first, each distance topics first, then by number. `edges`: in a fixed order."""

    nodes: Sequence[GraphNode]
    edges: Sequence[Edge]

    @property
    def fingerprint(self) -> str:
        """Another one for other nodes or edges; notes are not drawn."""
        said = [[node.key for node in self.nodes], [edge[:3] for edge in self.edges]]
        return hashlib.sha256(to_json(said)).hexdigest()


def node_key(kind: str, number: int) -> str:
    """The key of the topic or paper of that number."""
    return f"{kind}-{number}"


def split_key(key: str) -> End:
    """The kind and the number that a key was made of."""
    kind, _, number = key.partition("-")
    return kind, int(number)


def build_network(nodes: Iterable[GraphNode], edges: Iterable[Edge]) -> Network:
    """The same for the same nodes and edges, in whatever order they come."""
    ordered = sorted(nodes, key=lambda node: (node.distance, node.kind != TOPIC, node.id))
    return Network(tuple(ordered), tuple(sorted(set(edges))))
