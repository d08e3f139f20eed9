"""What a question could be narrowed down by: counts equal to a count by hand, of what I may see, never too many."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.pagination import PageRequest
from readtrack.library.papers import facets
from readtrack.library.papers.display_options import (
    DisplayOptions,
    parse_display_options,
    quote_value,
    sort_link,
    status_links,
    with_filter,
)
from readtrack.library.papers.facets import count_facets
from readtrack.library.papers.lists import PaperFilter, list_papers
from tests import make
from tests.depth import examples

pytestmark = pytest.mark.both_databases

STATUS = st.sampled_from(["", "to_read", "reading", "read"])
PAPER = st.tuples(
    st.sampled_from(["paper", "video"]),
    st.none() | st.integers(2020, 2022),
    st.sampled_from(["", "OSDI", "万卡"]),
    STATUS,
)


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo")]


def counted(database, me, q=""):
    with database.read() as tx:
        return count_facets(tx, me, PaperFilter(q))


@pytest.mark.deep
def test_each_value_is_counted_correctly(database, people):
    @settings(max_examples=examples(8))
    @given(st.lists(PAPER, max_size=12))
    def count(papers):
        with database.write() as tx:
            for kind, year, venue, status in papers:
                paper = make.paper(tx, kind=kind, year=year, venue=venue)
                if status:
                    make.reading(tx, people[0].id, paper.id, status)
        with database.read() as tx:
            rows = list_papers(tx, people[0], PaperFilter(), PageRequest(10_000)).items
            found = count_facets(tx, people[0], PaperFilter())
        assert found.total == len(rows)
        values = {name: {value.value: value.papers for value in values} for name, values in found.facets.items()}
        assert values["kind"] == Counter(row.kind for row in rows)
        assert values["year"] == Counter(str(row.year or "none") for row in rows)
        assert values["venue"] == Counter(row.venue for row in rows if row.venue)
        assert values["status"] == Counter(row.my.status if row.my else "none" for row in rows)

    count()


def test_counts_are_those_of_the_query(database, people):
    with database.write() as tx:
        topic = make.topic(tx, "Training")
        for number in range(4):
            paper = make.paper(tx, year=2020 + number % 2)
            if number < 3:
                make.filed(tx, paper, topic)
    found = counted(database, people[0], "year:2020")
    assert found.total == 2
    assert [(value.value, value.text, value.papers) for value in found.facets["topic"]] == [("training", "Training", 2)]
    assert not found.is_bounded


def test_private_readings_do_not_count_for_others(database, people):
    with database.write() as tx:
        make.reading(tx, people[1].id, make.paper(tx).id, "read", private=True)
    before = counted(database, people[0])
    assert [value.value for value in before.facets["status"]] == ["none"]
    assert [value.value for value in counted(database, people[1]).facets["status"]] == ["read"]


def test_only_the_newest_papers_are_counted_when_there_are_many(database, people, monkeypatch):
    monkeypatch.setattr(facets, "MAX_PAPERS", 3)
    with database.write() as tx:
        for year in (2019, 2020, 2020, 2021):
            make.paper(tx, year=year)
    found = counted(database, people[0])
    assert (found.total, found.is_bounded) == (3, True)
    assert {value.value: value.papers for value in found.facets["year"]} == {"2020": 2, "2021": 1}


def test_the_number_of_statements_does_not_grow(database, people, statements):
    def ask():
        with statements() as seen:
            counted(database, people[0], "year:2020")
        return len(seen)

    before = ask()
    with database.write() as tx:
        for _ in range(30):
            make.filed(tx, make.paper(tx, year=2020), make.topic(tx))
    assert ask() == before <= 2


@pytest.mark.parametrize(
    ("q", "name", "value", "href", "on"),
    [
        ("", "status", "read", "/papers?q=status%3Aread", False),
        ("attention status:to_read", "status", "read", "/papers?q=attention+status%3Aread", False),
        ("attention status:read", "status", "read", "/papers?q=attention", True),
        ('"in one phrase"', "kind", "video", "/papers?q=%22in+one+phrase%22+kind%3Avideo", False),
        ("", "venue", "NSDI 2024", "/papers?q=venue%3A%22NSDI+2024%22", False),
        ('venue:"NSDI 2024"', "venue", "NSDI 2024", "/papers", True),
    ],
)
def test_a_facet_link_replaces_the_term_of_its_kind(q, name, value, href, on):
    link = with_filter(DisplayOptions(q), name, value)
    assert (link.href, link.on) == (href, on)


def test_links_keep_the_display_options():
    wanted = parse_display_options("moe", "year", display="table", group="topic", columns=["year,added", "nonsense"])
    assert wanted.columns == ("year", "added")
    assert status_links(wanted)[0].href == (
        "/papers?q=moe+status%3Ato_read&sort=year&display=table&group=topic&columns=year%2Cadded"
    )


def test_unknown_facets_are_ignored():
    assert parse_display_options(" moe ", "", display="tapestry", group="colour", columns=[""]) == DisplayOptions("moe")


@pytest.mark.parametrize(
    ("q", "sort", "column", "href"),
    [
        ("", "", "year", "/papers?sort=year"),
        ("", "year", "year", "/papers?sort=year-asc"),
        ("moe sort:year-asc", "", "year", "/papers?q=moe&sort=year-desc"),
        ("moe Sort:Year-asc", "", "year", "/papers?q=moe&sort=year-desc"),
        ("moe sort：year-asc", "", "year", "/papers?q=moe&sort=year-desc"),
        ("(moe sort:year) x", "", "year", "/papers?q=%28moe+%29+x&sort=year-asc"),
        ('"a sort:b" moe', "", "title", "/papers?q=%22a+sort%3Ab%22+moe&sort=title"),
        ("", "", "title", "/papers?sort=title"),
    ],
)
def test_a_column_heading_sorts_and_then_reverses(q, sort, column, href):
    link = sort_link(DisplayOptions(q, sort), column)
    assert link is not None
    assert link.href == href


def test_a_column_that_cannot_be_sorted_has_no_link():
    assert sort_link(DisplayOptions(), "topics") is None


@pytest.mark.parametrize(
    ("value", "said"), [("moe", "moe"), ("a b", '"a b"'), ('a"b', '"a\\"b"'), ("a,b", '"a,b"'), ("万卡", "万卡")]
)
def test_values_are_quoted_where_needed(value, said):
    assert quote_value(value) == said
