"""Topics that want tidying up, and those whose name has a word in it."""

import pytest

from readtrack.infra.pagination import PageRequest
from readtrack.library.topics.queries import TopicFilter, find_topics
from tests import make
from tests.tables import cases

pytestmark = pytest.mark.both_databases


@pytest.fixture
def me(database):
    """A has B below it, with a text and one paper; C has a rejected paper alone, D three."""
    with database.write() as tx:
        a = make.topic(tx, "A", aliases=("検査点", "100% done"))
        b, c, d = make.topic(tx, "B", parent_id=a.id, markdown="Text."), make.topic(tx, "C"), make.topic(tx, "D")
        for topic, triage in ((b, "library"), (b, "rejected"), (c, "rejected"), (d, "inbox"), (d, "library")):
            make.filed(tx, make.paper(tx, triage=triage), topic)
        return make.visitor(tx)


@cases(
    ("wanted", "names"),
    [
        (TopicFilter("once"), "B"),
        (TopicFilter("empty"), "C"),
        (TopicFilter("textless"), "ACD"),
        (TopicFilter("outermost"), "ACD"),
        (TopicFilter(q="查"), ""),
        (TopicFilter(q="ﾃ"), ""),
        (TopicFilter(q="査"), "A"),
        (TopicFilter(q="%"), "A"),
        (TopicFilter(q="_"), ""),
        (TopicFilter("once", "b"), "B"),
        (TopicFilter("once", "a"), ""),
        (TopicFilter(q="x" * 10_000), ""),
        (TopicFilter(), "ABCD"),
    ],
)
def test_each_filter_finds_the_right_topics(database, me, wanted, names):
    with database.read() as tx:
        assert "".join(row.name for row in find_topics(tx, me, wanted, PageRequest()).items) == names


def test_filtered_topics_are_paged(database, me):
    with database.read() as tx:
        first = find_topics(tx, me, TopicFilter("outermost"), PageRequest(2))
        rest = find_topics(tx, me, TopicFilter("outermost"), PageRequest(2, first.next))
    assert [[row.name for row in page.items] for page in (first, rest)] == [["A", "C"], ["D"]]


@pytest.mark.deep
def test_many_topics_take_as_many_statements_as_one(database, me, statements):
    asked = []
    for count in (1, 20):
        with database.write() as tx:
            for _ in range(count):
                make.filed(tx, make.paper(tx), make.topic(tx))
        for which in ("once", "empty", "textless", "outermost"):
            with database.read() as tx, statements() as counted:
                find_topics(tx, me, TopicFilter(which), PageRequest())
            asked.append(len(counted))
    assert set(asked) == {4}
