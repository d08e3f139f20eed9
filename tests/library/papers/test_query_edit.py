"""What the links beside a list make of its question, and that they lead to as many papers as they say."""

from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack import search
from readtrack.infra.models import Topic
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.display_options import DisplayOptions, with_filter
from readtrack.library.papers.facets import count_facets, facet_links
from readtrack.library.papers.grouping import group_rows, page_groups
from readtrack.library.papers.lists import PaperFilter, list_papers
from readtrack.library.papers.query_edit import add_term
from tests import make
from tests.depth import examples

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

QUESTIONS = (
    "",
    "kind:paper",
    "year:2020..2021",
    "topic:moe",
    "topic:moe topic:serving",
    "topic:moe OR year:2021",
    "-topic:moe",
    "status:read,none kind:paper",
    "(kind:video OR year:2020) AND topic:serving",
)
PAPER = st.tuples(
    st.sampled_from(["paper", "video"]),
    st.none() | st.integers(2020, 2022),
    st.sampled_from(["", "OSDI 2024", "万卡"]),
    st.sampled_from(["", "to_read", "read"]),
    st.sets(st.sampled_from(["moe", "serving"])),
)


@pytest.fixture
def people(database):
    with database.write() as tx:
        for name in ("MoE", "Serving"):
            make.topic(tx, name)
        return [make.visitor(tx, "Ada"), make.visitor(tx, 'Bo "the" Reader')]


@pytest.mark.parametrize(
    ("q", "name", "value", "asked", "on"),
    [
        ("a OR b", "kind", "video", "(a OR b) kind:video", False),
        ("a|b sort:year", "kind", "video", "(a|b sort:year) kind:video", False),
        ("(a OR b) kind:code AND c", "kind", "video", "(a OR b) c kind:video", False),
        ("(a OR b) kind:code", "kind", "code", "(a OR b)", True),
        ("c AND kind:code", "kind", "code", "c", True),
        ("kind:code AND c", "kind", "code", "c", True),
        ("-kind:code x", "kind", "code", "-kind:code x kind:code", False),
        ("NOT kind:code x", "kind", "code", "NOT kind:code x kind:code", False),
        ("kind:code,video x", "kind", "code", "x kind:code", False),
        ("topic:a topic:b", "topic", "b", "topic:a", True),
        ("topic:a", "topic", "b", "topic:a topic:b", False),
        ("(kind:code)", "kind", "code", "(kind:code) kind:code", False),
        ('venue:"NSDI 2024" x', "venue", "OSDI", "x venue:OSDI", False),
        ('"never closed', "kind", "code", '"never closed" kind:code', False),
        ("stats:x", "kind", "code", "stats:x kind:code", False),
    ],
)
def test_a_filter_is_added_to_a_query_as_expected(q, name, value, asked, on):
    link = with_filter(DisplayOptions(q), name, value)
    assert (parse_qs(urlsplit(link.href).query).get("q", [""])[0], link.on) == (asked, on)


@given(st.text('ab"\\|()- :,', max_size=20) | st.sampled_from(QUESTIONS))
def test_any_readable_query_can_be_extended(q):
    try:
        search.parse(q)
    except search.QueryError:
        return
    assert "kind:video" in search.canonicalize_query(add_term(q, "kind:video")).split(" ")


def found(tx, me, q):
    return [row.id for row in list_papers(tx, me, PaperFilter(q), PageRequest(10_000)).items]


@pytest.mark.deep
def test_every_facet_link_finds_as_many_papers_as_it_says(database, people):
    @settings(max_examples=examples(4))
    @given(st.lists(PAPER, min_size=4, max_size=8))
    def follow(papers):
        with database.write() as tx:
            search.ensure(tx)
            topics = {topic.slug: topic for topic in tx.execute(sa.select(Topic)).scalars()}
            for kind, year, venue, status, filed in papers:
                paper = make.paper(tx, kind=kind, year=year, venue=venue)
                for slug in filed:
                    make.filed(tx, paper, topics[slug])
                if status:
                    make.reading(tx, people[0].id, paper.id, status)
                search.update_papers(tx, [paper.id])
        with database.read() as tx:
            for q in QUESTIONS:
                links = facet_links(count_facets(tx, people[0], PaperFilter(q)), DisplayOptions(q))
                for link, papers_said in [one for _name, values in links for one in values if not one[0].on]:
                    asked = parse_qs(urlsplit(link.href).query)["q"][0]
                    assert len(found(tx, people[0], asked)) == papers_said, (q, asked)

    follow()


@pytest.mark.deep
@pytest.mark.parametrize("by", ["status", "topic", "year", "reader"])
@pytest.mark.parametrize("q", ["", "kind:paper OR kind:video"])
def test_a_groups_link_finds_the_whole_group(database, people, by, q):
    with database.write() as tx:
        topic = make.topic(tx, "Training")
        for number in range(4):
            paper = make.paper(tx, year=2020 + number % 2)
            if number:
                make.filed(tx, paper, topic)
                make.reading(tx, people[1].id, paper.id, "read", current=number == 1)
            if number > 1:
                make.reading(tx, people[1].id, paper.id, "reading", pass_number=2)
            if number > 2:
                make.reading(tx, people[0].id, paper.id, "read")
    with database.read() as tx:
        rows = page_groups(tx, people[0], PaperFilter(q), PageRequest(100), by=by).items
        for group in group_rows(rows, by):
            asked = DisplayOptions(q, grouping=by).with_term(group.filter_term)
            assert asked.grouping == ""
            assert sorted(found(tx, people[0], asked.q)) == sorted(paper.id for paper in group.papers), asked.q
