"""Who read what of a topic: bounded, in a fixed number of statements, and nothing private."""

import pytest

from readtrack.infra.clock import now
from readtrack.infra.pagination import PageRequest
from readtrack.library.topics.coverage import count_summaries, get_coverage
from tests import make


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, name) for name in ("Ada", "Bo", "Chen")]


def titles(page):
    return [paper.title for paper in page.items[0].papers]


def test_papers_are_in_topic_order_then_the_newest_and_people_by_how_much_they_read(database, people):
    ada, bo, chen = people
    with database.write() as tx:
        topic = make.topic(tx)
        low = make.topic(tx, parent_id=topic.id)
        papers = [make.paper(tx, title) for title in "ABCDE"]
        for paper, place in zip(papers[:3], (None, 2, 1), strict=True):
            make.filed(tx, paper, topic).position = place
        make.filed(tx, papers[3], low).position = 1  # of another order
        make.filed(tx, papers[0], low)
        make.filed(tx, make.paper(tx, "Gone", deleted_at=now()), topic)
        for person, paper, status in ((bo, 0, "read"), (bo, 1, "read"), (ada, 1, "reading"), (chen, 2, "read")):
            make.reading(tx, person.id, papers[paper].id, status)
        make.reading(tx, chen.id, papers[4].id, "read")
    with database.read() as tx:
        page = get_coverage(tx, ada, topic.id, PageRequest())
        [covered] = page.items
    assert titles(page) == ["C", "B", "D", "A"]
    assert covered.people == [(bo.id, "Bo"), (chen.id, "Chen"), (ada.id, "Ada")]
    assert [dict(paper.states) for paper in covered.papers] == [
        {chen.id: "read"},
        {bo.id: "read", ada.id: "reading"},
        {},
        {bo.id: "read"},
    ]
    assert (covered.other_count, page.next) == (0, None)


def test_rereading_counts_as_read_and_papers_dropped_before_are_not_shown(database, people):
    ada, bo, _chen = people
    with database.write() as tx:
        topic, paper = make.topic(tx), make.paper(tx)
        make.filed(tx, paper, topic)
        for person, first in ((ada, "read"), (bo, "dropped")):
            make.reading(tx, person.id, paper.id, first, current=False)
            make.reading(tx, person.id, paper.id, "to_read", pass_number=2)
    with database.read() as tx:
        [covered] = get_coverage(tx, ada, topic.id, PageRequest()).items
    assert dict(covered.papers[0].states) == {ada.id: "read", bo.id: "to_read"}


def test_a_private_reading_is_shown_to_its_reader_only(database, people):
    ada, bo, _chen = people
    with database.write() as tx:
        topic, paper = make.topic(tx), make.paper(tx)
        make.filed(tx, paper, topic)
        make.reading(tx, bo.id, paper.id, "read", private=True)
        make.summary(tx, bo.id, paper.id, private=True)
        make.summary(tx, ada.id, paper.id)
    with database.read() as tx:
        seen = {me.name: get_coverage(tx, me, topic.id, PageRequest()).items[0] for me in (ada, bo)}
        assert (seen["Ada"].people, seen["Bo"].people) == ([], [(bo.id, "Bo")])
        assert [count_summaries(tx, me, topic.id) for me in (ada, bo)] == [1, 2]


def test_pages_show_each_paper_once_and_the_number_of_people_is_limited(database, people):
    with database.write() as tx:
        topic = make.topic(tx)
        papers = [make.paper(tx, f"P{number}") for number in range(7)]
        for number, paper in enumerate(papers):
            make.filed(tx, paper, topic).position = number if number in {3, 5} else None
            for person in people:
                make.reading(tx, person.id, paper.id)
    found, after = [], None
    while True:
        with database.read() as tx:
            page = get_coverage(tx, people[0], topic.id, PageRequest(2, after), people=1)
        found += titles(page)
        assert (len(page.items[0].people), page.items[0].other_count) == (1, 2)
        after = page.next
        if after is None:
            break
    assert found == ["P3", "P5", "P6", "P4", "P2", "P1", "P0"]


def test_many_papers_and_people_take_no_more_statements_than_few(database, people, statements):
    asked = []
    for count in (1, 20):
        with database.write() as tx:
            topic = make.topic(tx)
            for _ in range(count):
                paper = make.paper(tx)
                make.filed(tx, paper, topic)
                make.reading(tx, make.person(tx).id, paper.id)
        with database.read() as tx, statements() as counted:
            get_coverage(tx, people[0], topic.id, PageRequest())
        asked.append(len(counted))
    assert asked == [2, 2]
