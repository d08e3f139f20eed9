"""readtrack reads its own JSON export whole."""

import io
import json
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import (
    LINK_ROLES,
    PAPER_KINDS,
    PUBLICATION_TYPES,
    Comment,
    Entry,
    Paper,
    Person,
    Question,
    Reading,
    Summary,
)
from readtrack.infra.text.person_names import NameParts, PersonName
from readtrack.ingest.imports.commands import PARSE
from readtrack.ingest.imports.long_imports import store_long_text
from readtrack.ingest.imports.stored_text import inspect_file
from readtrack.ingest.parser import paper_details
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from tests import make
from tests.ingest.round_trips.libraries import write_library
from tests.sample_library import carry_out

pytestmark = [pytest.mark.slow]

PAPERS: list[dict[str, Any]] = [
    {
        "identifiers": ["arxiv:2401.00134", "doi:10.1145/3600006.3613145"],
        "fields": {
            "title": "Unicron: Economizing Self-Healing LLM Training",
            "authors": ["Tao He", PersonName("Mike Del Balso", NameParts("Del Balso", "Mike"))],
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
        "identifiers": ["url:blog.acolyer.org/post"],
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


def test_an_older_export_is_read(shelves):
    reading = {"status": "read", "depth": "studied", "finished_on": "2026-02-03", "private": False, "progress": None}
    old = {"id": 1, "kind": "paper", "title": "An old one", "identifiers": [], "links": [], "topics": ["Old"]}
    summaries = [{"person": "Ada", "tldr": "Short.", "markdown": "Long."}]
    papers = [{**old, "reading": reading, "summaries": summaries, "added_on": "2026-01-01"}]
    shelf = shelves()
    shelf.bring_in(json.dumps({"format": "readtrack-export", "version": 1, "papers": papers}, indent=2))
    [paper] = papers_of(shelf.export("json"))
    assert (paper["title"], paper["topics"], paper["summaries"]) == ("An old one", ["Old"], summaries)
    assert {name: paper["reading"][name] for name in reading} == reading


def test_texts_keep_their_author_or_name_them(full, shelves):
    document = full.export("json")
    other = shelves()
    import_id = other.bring_in(document, other.bo)
    [paper, *_] = papers_of(other.export("json", other.bo))
    assert paper["summaries"] == []
    assert paper["reading"] is None
    texts = [comment["markdown"] for comment in paper["comments"]]
    assert texts[0] == "**Summary by Ada**\n\n> Cheap recovery.\n\nIt *works*.\n\n- a\n- b"
    assert texts[1] == "**Ada:** What about GPUs?"
    assert {comment["person"] for comment in paper["comments"]} == {"Bo"}
    assert paper["questions"][0]["comments"][0]["markdown"] == "Asked by Ada."
    with other.database.read() as tx:
        query = sa.select(col(Entry.reason)).where(col(Entry.revision_id) == import_id).order_by(col(Entry.position))
        reason = tx.scalars(query).first()
    assert "The reading of Ada was left out" in reason
    before = other.export("json", other.bo)
    other.bring_in(document + " ", other.bo)
    assert other.export("json", other.bo) == before


def test_an_admin_brings_texts_of_people_who_are_not_there(full, shelves):
    with full.database.write() as tx:
        eve = make.visitor(tx, "Eve")
        edit_summary(tx, eve, 2, SummaryUpdate(markdown="Eve's words."), version=None)
    other = shelves()
    other.bring_in(full.export("json"))
    assert papers_of(other.export("json"))[1]["summaries"] == [
        {"person": "Eve", "tldr": "", "markdown": "Eve's words."}
    ]
    with other.database.read() as tx:
        assert tx.scalar(sa.select(col(Person.disabled_at)).where(col(Person.name) == "Eve")) is not None


def test_impossible_numbers_names_and_moments_stop_no_import(shelves):
    huge, early = 10**30, "0001-01-01T00:00:00+14:00"
    comments = [{"person": name, "markdown": f"By {name}", "written_at": early} for name in ("\u200b", "N" * 150)]
    papers = [
        {"id": huge, "title": "One paper", "relations": [{"kind": "cites", "paper": huge}], "comments": comments},
        {"id": 2, "title": "Another paper", "comments": comments[1:] * 2},
    ]
    shelf = shelves()
    shelf.bring_in(json.dumps({"format": "readtrack-export", "version": 2, "papers": papers}))
    one, another = papers_of(shelf.export("json"))
    assert [comment["person"] for comment in one["comments"]] == ["Ada", "N" * 100]
    assert {comment["person"] for comment in another["comments"]} == {"N" * 100}


def test_what_is_broken_in_a_record_harms_nothing_else(shelves):
    broken = {
        "title": "Half",
        "reading": {"status": "eaten"},
        "comments": ["x", {"person": "Ada", "markdown": "Fine."}],
    }
    hostile = {
        "title": "\ud800\u0000 odd",
        "links": [{"url": "javascript:alert(1)", "role": "x"}],
        "kind": "x",
        "year": "x",
    }
    shelf = shelves()
    text = json.dumps({"format": "readtrack-export", "version": 2, "papers": [broken, hostile, {}, {"title": 3}]})
    shelf.bring_in(text)
    half, odd = papers_of(shelf.export("json"))
    assert [comment["markdown"] for comment in half["comments"]] == ["Fine."]
    assert (half["reading"], odd["links"], odd["kind"], odd["year"]) == (None, [], "paper", None)


def test_names_of_kinds_and_roles_are_those_of_the_tables():
    assert frozenset(PAPER_KINDS) == paper_details.KINDS
    assert frozenset(PUBLICATION_TYPES) == paper_details.PUBLICATION_TYPES
    assert frozenset(LINK_ROLES) == paper_details.LINK_ROLES


def test_a_long_export_is_read_by_a_job_and_its_records_stay_distinct(shelves):
    long = {"kind": "paper", "title": "Fast Failure Recovery for Distributed Training", "abstract": "x" * 8_000}
    papers = [{**long, "id": number, "identifiers": [f"arxiv:2401.{number:05}"]} for number in range(40)]
    data = json.dumps({"format": "readtrack-export", "version": 2, "papers": papers}, indent=1).encode()
    shelf = shelves()
    import_id, _ = store_long_text(shelf.database, shelf.ada, inspect_file(io.BytesIO(data), len(data)), "long.json")
    offline = HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)
    while queue.run_due_job(shelf.database, offline, kinds=(PARSE,)):
        pass
    carry_out(shelf.database, shelf.ada, import_id)
    assert len(papers_of(shelf.export("json"))) == len(papers)
