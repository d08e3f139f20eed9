"""The whole language against a library: each filter and its opposite, any search and its canonical text, both plans."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.lists import PaperFilter, count_papers, list_papers
from readtrack.search import QUALIFIERS, SORTED, QueryError, canonicalize_query, parse, sqlite
from readtrack.search.qualifiers import Qualifier
from tests.depth import examples, one_in
from tests.search.finding import find
from tests.search.furnished import furnish

pytestmark = pytest.mark.slow

SILENT = {"in", "han", "sort"}  # they say how, not what
MORE = {  # what stands behind their colon besides their own words and example
    "title": ('"exact attention"', "zigzag,学習"),
    "author": ("doe",),
    "topic": ("検査点", "moe", "nothing"),
    "year": ("2020..2021", ">2021", "<=1999", "*..2020", "0", "99999"),
    "lang": ("zh", "zh-hans", "xx"),
    "id": ("arxiv:2305.15778v2", "https://gist.github.com/a/b", "osdi23", "nothing"),
    "host": ("com", "gist.github.com", "usenix.org", "arxiv.org", "hub.com"),
    "import": ("1", "none"),
    "by": ("@me", "@ken", "@mei", "@nobody", "@ken,@me"),
    "readers": ("0", "1", ">=1", "<1", "0..2", "*..1", "2..*"),
    "unread-by": ("@team", "@ken", "@nobody"),
    "progress": ("75", "<75", "0..100"),
    "assignee": ("@ken", "@team", "@nobody"),
    "due": ("<1w", ">1w", "today", "*..today", "<9999y"),
    "meeting": ("1", "99999999999"),
    "mentions": ("@ken", "@ada", "@nobody"),
    "involves": ("@ken", "@team", "@nobody"),
    "added": ("today", ">3m", "2020..2022", "*..today"),
    "updated": ("<2m", "<=2024"),
    "read": ("2024-05", "<2w", "any,none"),
    "published": ("2021", "2021-05-16", "<30y"),
}


def written(qualifier: Qualifier) -> list[str]:
    """Every value that it lists, its example, and those of MORE."""
    values = [f"{qualifier.name}:{value}" for value in (*qualifier.allowed_words, *MORE.get(qualifier.name, ()))]
    return [*dict.fromkeys([qualifier.example, *values])]


FILTERS = [text for name, qualifier in QUALIFIERS.items() if name not in SILENT for text in written(qualifier)]


@pytest.fixture
def library(database):
    with database.write() as tx:
        me, _mei, ids = furnish(tx)
    return database, me, ids


@pytest.fixture
def other(sqlite_files, monkeypatch):
    """The same library in SQLite, where every list of papers is taken for a long one."""
    url = sqlite_files.copy()
    other = Database(url)
    with other.write() as tx:
        furnish(tx)
    yield other
    other.dispose()
    sqlite_files.drop(url)


def test_every_filter_matches_something_and_excludes_something(library):
    database, me, ids = library
    for name, qualifier in QUALIFIERS.items():
        if name not in SILENT:
            found = [len(find(database, text, me)) for text in written(qualifier)]
            assert any(0 < count < len(ids) for count in found), name


@pytest.mark.deep
def test_a_filter_and_its_negation_partition_all_papers(library):
    """Blank columns are neither: nothing may fall between a condition and its negation."""
    database, me, ids = library
    for text in FILTERS:
        found, others = find(database, text, me), find(database, f"-{text}", me)
        assert sorted(found + others) == sorted(ids.values()), text


def test_comma_separated_values_match_what_each_matches(library):
    database, me, _ids = library
    for name, qualifier in QUALIFIERS.items():
        values = [text.partition(":")[2] for text in written(qualifier) if name not in {*SILENT, "no"}]
        if len(values) > 1 and "," not in "".join(values):
            either = set().union(*(find(database, f"{name}:{value}", me) for value in values[:40]))
            assert set(find(database, f"{name}:{','.join(values[:40])}", me)) == either, name


@pytest.mark.deep
def test_both_databases_and_both_plans_find_the_same_in_the_same_order(library, other, monkeypatch):
    database, me, _ids = library
    asked = [*FILTERS, *(f"-{text}" for text in FILTERS), *(f"sort:{name}" for name in SORTED), "zigzag attention"]
    asked += [f"{one} {two}" for one, two in zip(FILTERS, FILTERS[7:], strict=False)]
    asked = [text for text in asked if one_in(3, text)]
    listed = {text: answered(database, me, text) for text in asked}
    monkeypatch.setattr(sqlite, "MANY_HITS", 1)
    for text, found in listed.items():
        assert answered(other, me, text) == found, text


def answered(database, me, q, sort=""):
    with database.read() as tx:
        page = list_papers(tx, me, PaperFilter(q, sort), PageRequest(200))
        assert count_papers(tx, me, PaperFilter(q, sort)) == len(page.items)
    return [row.id for row in page.items]


PIECES = st.sampled_from(
    [
        *("a", "学習", "zigzag", "attention", " ", " ", " ", "(", ")", "-", "|", '"', "\\", " OR ", " AND ", "NOT "),
        *(",", ":", "*", "..", "\0", "é", "\ud800", "'", "%", "_", "𠮷", "\u202e", ">=", "<", "@", "@me", "1", "9"),
        *FILTERS,
        *(f"{name}:" for name in QUALIFIERS),
        *("in:title", "in:summary,comment", "han:all", "han:same", "sort:readers", "sort:due-desc"),
    ]
)


@pytest.mark.deep
@pytest.mark.slow  # each example asks a database
@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60) | st.lists(PIECES, min_size=2, max_size=9).map("".join))
def test_any_query_is_answered_or_refused_and_its_canonical_text_finds_the_same(library, text):
    database, me, _ids = library
    try:
        parse(text)
    except QueryError:
        return
    assert answered(database, me, canonicalize_query(text)) == answered(database, me, text)
    with database.read() as tx:
        assert len(search.complete(tx, text, len(text))) <= search.autocomplete.MAX_SUGGESTIONS
