"""What lies round a topic or a paper: held against a search through all links, one by one."""

import random
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.models import Citation, CitedWork, Identifier, Relation
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.graph.model import CITED, FILED, PAPER, TOPIC, WITHIN, Edge, GraphNode, build_network, node_key
from readtrack.workspace.graph.queries import GraphOptions, find_faces, find_neighborhood
from tests import make
from tests.depth import some

pytestmark = pytest.mark.both_databases

NOBODY = CurrentUser(0, "", "viewer")
KINDS = ("extends", "compares", "discusses", "cites")


def library(tx, seed):
    """Topics in a tree, papers filed and related by chance; some of them gone, or rejected. The edges of the rest."""
    chance = random.Random(seed)
    topics: list[Any] = []
    papers: list[Any] = []
    edges: list[Edge] = []
    for number in range(12):
        parent = chance.choice([None, *topics]) if topics else None
        topics.append(make.topic(tx, f"Topic {seed} {number}", parent_id=parent and parent.id))
        if parent:
            edges.append(Edge(node_key(TOPIC, topics[-1].id), node_key(TOPIC, parent.id), WITHIN))
    for number in range(40):
        away = chance.choice(({}, {}, {}, {"deleted_at": now()}, {"triage": "rejected"}))
        paper = make.paper(tx, **(away if number else {}))
        listed = not (away and number)
        for topic in chance.sample(topics, chance.choice((0, 1, 1, 2))):
            make.filed(tx, paper, topic)
            edges += [Edge(node_key(PAPER, paper.id), node_key(TOPIC, topic.id), FILED)] if listed else []
        papers += [paper] if listed else []
        if papers and chance.random() < 0.5:
            other = chance.choice(papers)
            if other.id != paper.id:
                said = {"from_id": paper.id, "to_id": other.id, "kind": chance.choice(KINDS), "note": "So."}
                make.added(tx, Relation(**said))
                ends = node_key(PAPER, paper.id), node_key(PAPER, other.id)
                edges += [Edge(*ends, said["kind"], "So.")] if listed else []
    return topics, papers, edges


def by_hand(edges, centre, depth, most):
    """Breadth first; of the farthest, those with the most links. The network, and how many were left out."""
    links = Counter(end for edge in set(edges) for end in edge[:2] if edge.kind != WITHIN or end == edge.target)
    found, edge_of_it = {centre.key: centre}, [centre.key]
    left_out = 0
    for distance in range(1, depth + 1):
        new = {end for edge in edges for end in edge[:2] if set(edge[:2]) & set(edge_of_it)} - set(found)
        nodes = [GraphNode(kind, int(number), distance) for kind, _, number in (key.partition("-") for key in new)]
        if len(found) + len(nodes) > most:
            nodes.sort(key=lambda node: (-links[node.key], node.kind != TOPIC, node.id))
            left_out = len(found) + len(nodes) - most
            nodes = nodes[: most - len(found)]
        found |= {node.key: node for node in nodes}
        edge_of_it = [node.key for node in nodes]
        if left_out:
            break
    return build_network(found.values(), [e for e in edges if e.source in found and e.target in found]), left_out


@pytest.mark.deep
@pytest.mark.parametrize("seed", some(range(3), 1))
def test_it_equals_a_breadth_first_search_over_all_links(database, seed):
    with database.write() as tx:
        topics, papers, edges = library(tx, seed)
        centres = [*(GraphNode(TOPIC, one.id) for one in topics), *(GraphNode(PAPER, one.id) for one in papers[:8])]
        for centre in centres:
            for depth in (1, 2, 3):
                found = find_neighborhood(tx, NOBODY, GraphOptions(centre, depth))
                assert (found.network, found.omitted_count, found.is_complete) == (
                    *by_hand(edges, centre, depth, 300),
                    True,
                )
            few = find_neighborhood(tx, NOBODY, GraphOptions(centre, 3, max_nodes=9))
            assert (few.network, few.omitted_count) == by_hand(edges, centre, 3, 9)


def test_when_limited_the_nearest_and_then_the_most_linked_nodes_stay(database):
    with database.write() as tx:
        topic, other = make.topic(tx), make.topic(tx)
        papers = [make.paper(tx) for _ in range(9)]
        for paper in papers:
            make.filed(tx, paper, topic)
        for paper in papers[-3:]:
            make.filed(tx, paper, other)
        found = find_neighborhood(tx, NOBODY, GraphOptions(GraphNode(TOPIC, topic.id), 3, max_nodes=5))
    keys = [node.key for node in found.network.nodes]
    assert keys == [f"topic-{topic.id}", *(f"paper-{paper.id}" for paper in [papers[0], *papers[-3:]])]
    assert (found.omitted_count, found.is_complete) == (5, False)


def test_citations_are_optional_links_and_not_repeated_if_a_person_linked_them(database):
    with database.write() as tx:
        citing, cited, said = make.paper(tx), make.paper(tx), make.paper(tx)
        for other in (cited, said):
            name = tx.scalars(sa.select(Identifier).where(col(Identifier.paper_id) == other.id)).one()
            work = make.added(tx, CitedWork(scheme=name.scheme, value=name.value))
            make.added(tx, Citation(paper_id=citing.id, service="s2", key="k", position=1, work_id=work.id))
        make.added(tx, Relation(from_id=citing.id, to_id=said.id, kind="cites"))
        plain = find_neighborhood(tx, NOBODY, GraphOptions(GraphNode(PAPER, citing.id)))
        asked = find_neighborhood(tx, NOBODY, GraphOptions(GraphNode(PAPER, citing.id), citations=True))
        back = find_neighborhood(tx, NOBODY, GraphOptions(GraphNode(PAPER, cited.id), citations=True))
    keys = [f"paper-{one.id}" for one in (citing, cited, said)]
    assert [edge.kind for edge in plain.network.edges] == ["cites"]
    assert {(edge.target, edge.kind) for edge in asked.network.edges} == {(keys[1], CITED), (keys[2], "cites")}
    assert [node.key for node in back.network.nodes] == [keys[1], keys[0]]


def test_a_paper_is_marked_as_read_by_me_or_others_as_far_as_i_may_see(database):
    with database.write() as tx:
        ada, bob = make.visitor(tx), make.visitor(tx)
        mine, theirs, kept, none = (make.paper(tx) for _ in range(4))
        make.reading(tx, ada.id, mine.id, "read")
        make.reading(tx, bob.id, mine.id, "read")
        make.reading(tx, bob.id, theirs.id, "read")
        make.reading(tx, bob.id, kept.id, "read", private=True)
        make.reading(tx, bob.id, none.id, "reading")
        keys = [f"paper-{paper.id}" for paper in (mine, theirs, kept, none)]
        to_ada, to_bob = find_faces(tx, ada, keys), find_faces(tx, bob, keys)
    assert [to_ada[key].state for key in keys] == ["mine", "someone", "nobody", "nobody"]
    assert [to_bob[key].state for key in keys] == ["mine", "mine", "mine", "nobody"]


def test_the_number_of_statements_does_not_grow(database, statements):
    with database.write() as tx:
        few, many = make.topic(tx), make.topic(tx)
        for count, topic in ((2, few), (20, many)):
            for number in range(count):
                paper = make.paper(tx)
                make.filed(tx, paper, topic)
                make.filed(tx, paper, make.topic(tx, f"Further {count} {number}"))
    counts = []
    for topic in (few, many):
        with database.read() as tx, statements() as seen:
            found = find_neighborhood(tx, NOBODY, GraphOptions(GraphNode(TOPIC, topic.id), 2))
            find_faces(tx, NOBODY, [node.key for node in found.network.nodes])
        counts.append(len(seen))
    assert counts[0] == counts[1] <= 16
