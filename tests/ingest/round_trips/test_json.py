"""readtrack reads its own JSON export whole."""

import json

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.models import Comment, Entry, Paper, Person, Question, Reading, Summary
from tests.ingest.round_trips.libraries import Shelf, write_library

pytestmark = [pytest.mark.slow]

PAPERS = [
    {
        "identifiers": ["arxiv:2401.00134", "doi:10.1145/3600006.3613145"],
        "fields": {
            "title": "Unicron: Economizing Self-Healing LLM Training",
            "authors": ["Tao He", "Xue Li"],
            "year": 2024,
            "venue": "SOSP",
            "abstract": "First.\n\nSecond.",
            "language": "en",
        },
        "links": [("https://github.com/a/unicron", "code")],
        "topics": ["Fault tolerance, and more", "訓練"],
        "titles": [("ja", "自己修復する訓練", True), ("zh-Hans", "自愈训练", False)],
        "reading": [
            {"status": "reading", "started_on": "2026-01-02"},
            {
                "status": "read",
                "finished_on": "2026-02-03",
                "depth": "studied",
                "recommendation": "must_read",
                "progress": {"unit": "page", "at": 7, "of": 14},
                "version": "v2",
                "private": True,
            },
        ],
        "summary": {"tldr": "Cheap recovery.", "markdown": "It *works*.\n\n- a\n- b"},
        "comments": [("What about GPUs?", ["They fail, too.", "Often."], True), ("Second thread", [], False)],
        "questions": [("Does it scale?", "answered", "Yes, to 128."), ("Open?", "open", ""), ("Gone?", "dropped", "")],
        "relations": [("extends", 1, "builds on it"), ("cites", 2, "")],
    },
    {"fields": {"title": "Notes"}, "topics": ["訓練"], "reading": [{"status": "to_read", "priority": 1}]},
    {
        "identifiers": ["url:https://blog.acolyer.org/post"],
        "fields": {"title": "A blog post", "kind": "article"},
        "reading": [{"status": "reading", "started_on": "2026-01-02"}, {"status": "paused"}],
    },
    {
        "fields": {"title": "Dropped", "kind": "video"},
        "reading": [{"status": "dropped", "reason": "Too long."}],
        "comments": [("Why?", [], False)],
    },
]


@pytest.fixture
def shelves(server):
    """Hands out libraries."""
    opened = []

    def open_shelf():
        opened.append((Shelf(url := server.copy()), url))
        return opened[-1][0]

    yield open_shelf
    for shelf, url in opened:
        shelf.database.dispose()
        server.drop(url)


@pytest.fixture
def full(shelves):
    shelf = shelves()
    write_library(shelf.database, shelf.ada, PAPERS)
    return shelf


def papers_of(document):
    """The papers of an export without what is new in each library: numbers, and the days of adding."""
    papers = json.loads(document)["papers"]
    titles = {paper["id"]: paper["title"] for paper in papers}
    for paper in papers:
        del paper["id"], paper["added_on"]
        for relation in paper["relations"]:
            relation["paper"] = titles[relation["paper"]]
    return papers


def counts(database):
    with database.read() as tx:
        models = (Paper, Person, Reading, Summary, Comment, Question)
        return [tx.scalar(sa.select(sa.func.count()).select_from(model)) for model in models]


def test_an_export_comes_back_whole_into_an_empty_library(full, shelves):
    document = full.export("json")
    other = shelves()
    other.bring_in(document)
    assert papers_of(other.export("json")) == papers_of(document)


def test_an_export_changes_nothing_in_its_own_library(full):
    document, before = full.export("json"), counts(full.database)
    import_id = full.bring_in(document)
    assert (full.export("json"), counts(full.database)) == (document, before)
    with full.database.read() as tx:
        query = sa.select(col(Entry.decision), col(Entry.reason)).where(col(Entry.revision_id) == import_id)
        assert {tuple(row) for row in tx.execute(query.where(col(Entry.kind) == "paper"))} == {("known", "in library")}
