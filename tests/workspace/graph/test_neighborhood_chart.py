"""What a picture of a neighbourhood says beside its lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.workspace.graph.layout import lay_out
from readtrack.workspace.graph.model import PAPER, TOPIC, Edge, GraphNode, build_network, node_key
from readtrack.workspace.graph.neighborhood_shapes import WORD, draw_neighborhood
from readtrack.workspace.graph.queries import Face
from readtrack.workspace.graph.text_metrics import text_width
from tests.depth import examples
from tests.workspace.graph.nets import network, paper_in

pytestmark = pytest.mark.slow

NAME = "Just-In-Time Checkpointing: Low Cost Error Recovery from Failures"
networks = st.builds(network, st.integers(2, 80), topics=st.integers(1, 20), seed=st.integers(0, 1_000))


def drawn(net):
    faces = {node.key: Face(node.key, f"/{node.key}", NAME, papers=3) for node in net.nodes}
    return draw_neighborhood(net, lay_out(net, max_width=1060.0), faces)


def words_of(picture):
    """Where the words of relations stand: left, top, right, bottom."""
    across, down = WORD[0] / 2, WORD[1] / 2
    return [
        (edge.x - across, edge.y - down, edge.x + across, edge.y + down) for edge in picture.edges if edge.has_label
    ]


def lines_of(picture):
    """Where the lines of papers' names stand, about."""
    for node in picture.nodes:
        for line, y in node.lines:
            if node.kind == PAPER:
                ends = node.words_x, node.words_x + text_width(line) * (1 if node.anchor == "start" else -1)
                yield min(ends), y - 9, max(ends), y


def meet(one, two):
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


@settings(max_examples=examples(20))
@given(networks)
def test_a_relation_label_overlaps_nothing_and_stays_within_the_picture(net):
    picture = drawn(net)
    words = words_of(picture)
    for place, word in enumerate(words):
        assert not any(meet(word, other) for other in [*words[place + 1 :], *lines_of(picture)])
        assert word[0] >= 0
        assert word[1] >= 0
        assert word[2] <= picture.width
        assert word[3] <= picture.height


def test_each_relation_of_a_typical_topic_has_its_label():
    nodes = [GraphNode(TOPIC, 1, 0), *(GraphNode(PAPER, number, 1) for number in range(1, 16))]
    related = [Edge(node_key(PAPER, number), node_key(PAPER, number + 1), "extends") for number in (1, 4, 7, 10)]
    picture = drawn(build_network(nodes, [*(paper_in(number, 1) for number in range(1, 16)), *related]))
    assert len(words_of(picture)) == len(related)
