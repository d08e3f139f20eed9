"""Attacks by the search field: patterns that never end, searches without measure, words of the database's own."""

from itertools import product

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.models import Paper
from readtrack.search import parser
from tests import make
from tests.depth import some
from tests.steps import steps

pytestmark = pytest.mark.slow

LONGEST_OF_TERM = 4_000  # characters of SQL: of `involves:`, which asks of everything that people do
FEWEST = 1_000  # steps, below which nothing grows much
SQUARE = 8  # times the steps for four times the papers: 4 when each is looked at once, 16 when at each pair

BEYOND = [
    "x" * 2_001,
    "(" * 1_000 + "x" + ")" * 1_000,
    "-" * 1_000 + "x",
    "NOT " * 400 + "x",
    " OR ".join("x" * 500),
    "|".join("x" * 900),
    "status:" + ",".join(["read"] * 300),
    "id:" + ",".join(["1"] * 900),
    "sort:title;DROP TABLE paper",
    "sort:paper.id",
    "sort:(SELECT 1)",
    "deleted:any",
    "year:２０２４９９",
    "year:٢٠٢٤",
    "added:<99999d",
    "added:0000",
    "added:9999-12-31T23:59:59+14:00",
    "meeting:next sort:added sort:added",
    "readers:>-1",
    "progress:1e9",
]


@pytest.mark.parametrize("q", BEYOND, ids=[f"{number} {q[:15].strip()}" for number, q in enumerate(BEYOND)])
def test_a41_an_oversized_search_is_rejected_before_any_database_query(database, q, statements):
    with statements() as seen, pytest.raises(search.QueryError):
        search.parse(q)
    assert seen == []


WORST = [
    " ".join(f'"学習の{number}"' for number in range(50)),
    "(" * 8 + "a" + ")" * 8 + " " + " ".join("-" * 7 + f"b{number}" for number in range(49)),
    " ".join(f"title:a{number}" for number in range(40)) + " in:" + ",".join(search.QUALIFIERS["in"].allowed_words),
    " OR ".join(f"involves:@p{number}" for number in range(50)),
    " ".join(f"by:@p{number}" for number in range(24)) + " (" + " OR ".join(["status:read"] * 24) + ")",
    " ".join(f"readers:>{number}" for number in range(49)) + " sort:readers",
    " ".join(["干发后里面只系台复历"] * 49) + " han:all",
    "id:" + ",".join(f"https://a.example/{number}" for number in range(50)),
    "a* ^b NEAR(c d) {e} : f",
    "%_ [a-z] \\ ' \" ; -- /*",
]


@pytest.mark.parametrize("q", some(WORST, 5), ids=lambda q: q[:12].strip())
def test_a41_the_worst_query_takes_few_statements_of_bounded_length(database, q, statements):
    """Each term asks at most whether it is common, and stands in the one statement that answers."""
    with database.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, variants=True)
    with database.read() as tx, statements() as seen:
        tx.execute(make_select(tx, q, me)).all()
    assert len(seen) <= parser.MAX_TERMS + 1
    assert max(map(len, seen)) < LONGEST_OF_TERM * parser.MAX_TERMS


@pytest.mark.deep
@pytest.mark.parametrize("q", some(WORST, 5), ids=lambda q: q[:12].strip())
def test_a41_the_worst_query_takes_time_linear_in_the_number_of_papers(sqlite_files, q):
    """On SQLite, whose steps can be counted: with four times the papers nowhere near sixteen times the steps."""
    url = sqlite_files.copy()
    database = Database(url)
    try:
        few, many = (worked(database, q, papers) for papers in (50, 150))
    finally:
        database.dispose()
        sqlite_files.drop(url)
    assert many < SQUARE * max(few, FEWEST)


def worked(database, q, papers):
    """The steps with so many papers more."""
    with database.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, variants=True)
        search.update_papers(tx, [make.paper(tx, f"a b{number} 学習の{number}").id for number in range(papers)])
    with database.read() as tx:
        wanted = make_select(tx, q, me)
        with steps(tx) as counted:
            tx.execute(wanted).all()
    return counted[0]


def make_select(tx, q, me):
    return sa.select(col(Paper.id)).where(search.paper_filter(tx, search.parse(q), me))


CORPUS = [
    "' OR 1=1--",
    '" OR ""="',
    "';DROP TABLE paper;--",
    "1) OR (1=1",
    "%",
    "_",
    "\\",
    "\0",
    "%27",
    "$1",
    ":me",
    "?",
    "é'",
    "𠮷",
]
NAMED = [name for name in search.QUALIFIERS if name not in {"sort", "in", "han"}]


def test_a43_filter_values_are_never_interpreted_as_sql(database, statements):
    """A value finds what its letters say, which is nothing here, or is refused; never an error, never everything."""
    with database.write() as tx:
        search.ensure(tx)
        search.update_papers(tx, [make.paper(tx, "Alpha").id])
        me = make.visitor(tx)
    for name, text in product(NAMED, CORPUS):
        q = f"{name}:{query_quoted(text)}"
        with database.read() as tx, statements() as seen:
            try:
                found = tx.execute(make_select(tx, q, me)).all()
            except search.QueryError:
                continue
        assert found == [] or name == "unread-by", q
        assert not any("DROP" in statement or "1=1" in statement for statement in seen)


def query_quoted(text):
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"'))


@pytest.mark.parametrize("text", [*CORPUS, *WORST[-2:], "x" * (parser.MAX_QUERY_CHARS + 1)])
def test_a43_autocompletion_accepts_any_input(database, text):
    with database.read() as tx:
        for name in ("", *search.QUALIFIERS):
            assert len(search.complete(tx, f"{name}:{text}" if name else text, 10_000)) <= 8
