"""Networks as libraries have them, for tests that only need nodes and edges."""

import random

from readtrack.workspace.graph.model import (
    FILED,
    PAPER,
    TOPIC,
    WITHIN,
    Edge,
    GraphNode,
    Network,
    build_network,
    node_key,
)


def network(nodes: int, *, topics: int = 0, seed: int = 0) -> Network:
    """That many nodes: topics in a tree, papers under one or two of them, a quarter related to an earlier one."""
    chance = random.Random(seed)
    topics = min(topics or 1 + nodes // 9, nodes)
    made = [GraphNode(TOPIC, number, min(number - 1, 1)) for number in range(1, topics + 1)]
    edges = [topic_under(number, chance.randint(1, number - 1)) for number in range(2, topics + 1)]
    for number in range(1, nodes - topics + 1):
        made.append(GraphNode(PAPER, number, 2))
        homes = chance.sample(range(1, topics + 1), min(chance.choice((1, 1, 2)), topics))
        edges += [paper_in(number, home) for home in homes]
        if number > 1 and chance.random() < 0.25:
            other = chance.randint(1, number - 1)
            edges.append(Edge(node_key(PAPER, number), node_key(PAPER, other), chance.choice(("extends", "discusses"))))
    return build_network(made, edges)


def topic_under(number: int, parent: int) -> Edge:
    return Edge(node_key(TOPIC, number), node_key(TOPIC, parent), WITHIN)


def paper_in(number: int, topic: int) -> Edge:
    return Edge(node_key(PAPER, number), node_key(TOPIC, topic), FILED)
