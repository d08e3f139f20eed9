"""Where nodes stand: nowhere together, the same each time, about where they stood before."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.workspace.graph.layout import box_size, lay_out, layout_size
from readtrack.workspace.graph.map_layout import NOWHERE, enclosing_circle, group_by_topic, lay_map, pack_circles
from readtrack.workspace.graph.map_shapes import MAX_PAPER_WIDTH, WIDTH, MapViewport, build_chart
from readtrack.workspace.graph.model import PAPER, TOPIC, GraphNode, build_network
from readtrack.workspace.graph.queries import Face
from readtrack.workspace.graph.text_metrics import BOLD_FACTOR, text_width
from tests.depth import examples
from tests.workspace.graph.nets import network, paper_in

pytestmark = pytest.mark.slow

WIDEST = 1060.0
networks = st.builds(network, st.integers(1, 130), topics=st.integers(0, 40), seed=st.integers(0, 1_000))


def overlaps(net, places):
    """Pairs of boxes, words included, that lie on one another."""
    sizes = {node.key: box_size(node.kind, len(net.nodes)) for node in net.nodes}
    keys, found = list(places), []
    for place, one in enumerate(keys):
        for two in keys[place + 1 :]:
            near = [
                abs(places[one][axis] - places[two][axis]) < (sizes[one][axis] + sizes[two][axis]) / 2 - 0.2
                for axis in (0, 1)
            ]
            found += [(one, two)] if all(near) else []
    return found


@settings(max_examples=examples(16))
@given(networks)
def test_labels_do_not_overlap_and_stay_within_the_frame(net):
    places = lay_out(net, max_width=WIDEST)
    assert set(places) == {node.key for node in net.nodes}
    assert overlaps(net, places) == []
    frame = layout_size(net, places)
    assert frame.width <= WIDEST + 1
    for node in net.nodes:
        size, at = box_size(node.kind, len(net.nodes)), places[node.key]
        for axis in (0, 1):
            assert size[axis] / 2 - 0.1 <= at[axis] <= frame[axis] - size[axis] / 2 + 0.1


@pytest.mark.deep
def test_three_hundred_nodes_do_not_overlap():
    for topics in (1, 30, 200):
        net = network(300, topics=topics)
        assert overlaps(net, lay_out(net, max_width=WIDEST)) == []


@pytest.mark.deep
@given(networks, st.randoms(use_true_random=False))
def test_the_order_of_nodes_and_edges_does_not_matter(net, chance):
    nodes, edges = list(net.nodes), list(net.edges)
    chance.shuffle(nodes)
    chance.shuffle(edges)
    other = build_network(nodes, edges)
    assert other == net
    assert other.fingerprint == net.fingerprint
    assert lay_out(other, max_width=WIDEST) == lay_out(net, max_width=WIDEST)


def test_remaining_nodes_stay_near_their_positions():
    net = network(60)
    before = lay_out(net, max_width=WIDEST)
    more = build_network([*net.nodes, GraphNode(PAPER, 900, 1)], [*net.edges, paper_in(900, 1)])
    after = lay_out(more, before, max_width=WIDEST)
    moved = sorted(math.dist(before[key], after[key]) for key in before)
    assert moved[len(moved) // 2] < 20
    assert overlaps(more, after) == []
    assert math.dist(after["paper-900"], after["topic-1"]) < 500


@pytest.mark.deep
def test_a_mostly_new_graph_is_laid_out_afresh():
    net = network(40)
    assert lay_out(net, {"topic-1": (5000.0, 5000.0)}, max_width=WIDEST) == lay_out(net, max_width=WIDEST)


def test_a_new_relation_changes_the_fingerprint_and_a_note_does_not():
    net = network(12)
    fewer = build_network(net.nodes, net.edges[1:])
    noted = build_network(net.nodes, [edge._replace(note="So it is.") for edge in net.edges])
    assert fewer.fingerprint != net.fingerprint
    assert noted.fingerprint == net.fingerprint


@given(st.lists(st.floats(1, 80), max_size=90))
def test_circles_touch_and_do_not_overlap(radii):
    circles = pack_circles(radii)
    assert [circle.r for circle in circles] == radii
    for place, one in enumerate(circles):
        for two in circles[place + 1 :]:
            assert math.hypot(one.x - two.x, one.y - two.y) >= one.r + two.r - 0.01
    if circles:
        rim = enclosing_circle(circles)
        assert all(math.hypot(one.x - rim.x, one.y - rim.y) + one.r <= rim.r + 0.01 for one in circles)


@pytest.mark.deep
@given(networks)
def test_on_the_map_papers_are_in_their_topics_region_and_regions_are_nested(net):
    places, held = lay_map(net), group_by_topic(net)
    assert set(places) == {node.key for node in net.nodes}
    for home in set(held.topics) - {NOWHERE}:
        x, y, r = places[home]
        for key in (*held.topics[home], *held.papers[home]):
            assert math.hypot(places[key][0] - x, places[key][1] - y) + places[key][2] <= r + 0.5


def test_map_labels_overlap_nothing_and_nearby_topics_have_theirs():
    net = network(160, topics=24, seed=3)
    places = lay_map(net)
    faces = {
        node.key: Face(node.key, "/", f"The name of {node.key}", "", "" if node.kind == TOPIC else "nobody")
        for node in net.nodes
    }
    for view in (MapViewport(), MapViewport(3, 0.4, 0.6), MapViewport(24, 0.5, 0.5)):
        drawn = build_chart(places, faces, net.edges, view)
        words = [
            words_of(one.name, one.name_x, one.name_y - one.size * 0.36, one.size) for one in drawn.regions if one.name
        ]
        signs = [
            (dot.x - 5 * dot.scale, dot.y - 5 * dot.scale, dot.x + 5 * dot.scale, dot.y + 5 * dot.scale)
            for dot in drawn.dots
        ]
        for place, one in enumerate(words):
            assert not [two for two in words[place + 1 :] + signs if meet(one, two)]
            assert one[0] > 0
            assert one[2] < WIDTH
    near = build_chart(places, faces, net.edges, MapViewport(24, 0.5, 0.5))
    assert near.dots
    assert all(dot.name for dot in near.dots if dot.x < WIDTH - MAX_PAPER_WIDTH)


def words_of(name, x, y, size):
    half = text_width(name) * BOLD_FACTOR * size / 26
    return x - half, y - 4, x + half, y + 4


def meet(one, two):
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


@pytest.mark.deep
def test_the_map_fits_two_thousand_papers_without_overlaps():
    net = network(2_000, topics=300)
    places = lay_map(net)
    assert len(set(places.values())) == 2_000
    papers = [places[node.key] for node in net.nodes if node.kind == PAPER]
    sample = random.Random(1).sample(papers, 400)
    for place, one in enumerate(sample):
        assert all(math.dist(one[:2], two[:2]) >= one[2] + two[2] for two in sample[place + 1 :])
