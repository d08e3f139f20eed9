"""Lines that look like papers of the library: said in the preview, with a link and a choice."""

from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html

from readtrack.infra.clock import now
from readtrack.infra.jobs import queue
from readtrack.infra.models import Identifier, Job, MetadataRecord, Paper, TranslatedTitle
from readtrack.library.duplicates.jobs import JOB, enqueue_duplicate_search
from tests import make
from tests.ingest.imports.given import LONG, OTHER, given, line
from tests.sample_library import carry_out, count_of, entries_of, noted

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

NOBODY: Any = None  # comparing asks no site
SUBTITLED = f"{LONG}: Lessons of a Year"


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def browser(me, sign_in):
    return sign_in(me)


def add_paper(database, title=LONG, identifier="arxiv:2401.00001"):
    with database.write() as tx:
        paper_id = make.paper(tx, title, identifier=identifier).id
        if identifier is None:
            tx.execute(sa.delete(Identifier))
    return paper_id


def store_keys(database):
    """Compares the papers, as the worker does: near titles are found by the keys that it stores."""
    with database.write() as tx:
        enqueue_duplicate_search(tx)
        tx.execute(sa.update(Job).values(run_at=now()))
    assert queue.run_due_job(database, NOBODY, kinds=(JOB,))


def shown(browser, import_id):
    """The links to papers in the doubts of the preview, and the choices beside them."""
    document = html.fromstring(browser.get(f"/imports/{import_id}").text)
    doubts = document.xpath("//div[@class='doubt']")
    return [(doubt.xpath(".//a/@href"), doubt.xpath(".//button/@value")) for doubt in doubts]


def decide(browser, import_id, twin):
    return browser.patch(f"/api/v1/imports/{import_id}/entries/1", json={"twin": twin})


def test_another_identifier_of_a_title_in_the_library_waits_for_a_decision(browser, database, me):
    paper_id = add_paper(database)
    import_id = given(database, me, line(1, title=LONG.upper(), identifiers=("doi:10.1145/1",)))
    [entry] = entries_of(database, import_id)
    assert (entry.decision, entry.twin) == ("review", f"paper:{paper_id}")
    assert shown(browser, import_id) == [([f"/papers/{paper_id}"], ["twin:1:same", "twin:1:apart"])]
    carry_out(database, me, import_id)
    assert count_of(database, Identifier) == 1


@pytest.mark.parametrize(("choice", "papers"), [("same", 1), ("apart", 2)])
@pytest.mark.parametrize("identifiers", [("doi:10.1145/1",), ()], ids=["identified", "title only"])
@pytest.mark.parametrize("identifier", ["arxiv:2401.00001", None], ids=["paper identified", "paper by title"])
def test_the_choice_decides_whether_it_is_one_paper(browser, database, me, choice, papers, identifiers, identifier):
    add_paper(database, identifier=identifier)
    import_id = given(database, me, line(1, title=LONG, identifiers=identifiers))
    assert decide(browser, import_id, choice).status_code == 200
    carry_out(database, me, import_id)
    assert count_of(database, Paper) == papers
    assert count_of(database, Identifier) == len(identifiers) + bool(identifier)


def test_a_title_alone_that_is_in_the_library_links_to_its_paper(browser, database, me):
    paper_id = add_paper(database)
    import_id = given(database, me, line(1, title=LONG), line(2, title=OTHER))
    assert [entry.decision for entry in entries_of(database, import_id)] == ["known", "add"]
    assert shown(browser, import_id) == [([f"/papers/{paper_id}"], ["twin:1:apart"])]


def test_a_line_with_the_identifier_of_a_paper_links_to_it(browser, database, me):
    paper_id = add_paper(database)
    import_id = given(database, me, line(1, title=LONG, identifiers=("arxiv:2401.00001",)))
    document = html.fromstring(browser.get(f"/imports/{import_id}").text)
    assert document.xpath("//li[@data-row]//a/text()")[-1] == "in library"
    assert document.xpath("//li[@data-row]//a/@href")[-1] == f"/papers/{paper_id}"


def test_the_identifier_of_a_paper_under_another_title_waits_for_a_decision(browser, database, me):
    paper_id = add_paper(database)
    import_id = given(database, me, line(1, title=OTHER, identifiers=("arxiv:2401.00001",)))
    [entry] = entries_of(database, import_id)
    assert entry.decision == "review"
    page = html.fromstring(browser.get(f"/imports/{import_id}").text)
    (warning,) = page.xpath("//div[@class='doubt']/p")
    assert f"titled “{LONG}” there." in warning.text
    assert "“Add” gives that paper the topics and details of this line" in warning.text_content()
    assert warning.xpath("a/@href") == [f"/papers/{paper_id}"]
    assert page.text_content().count(f"titled “{LONG}” there.") == 1
    browser.patch(f"/api/v1/imports/{import_id}/entries/1", json={"decision": "add"})
    carry_out(database, me, import_id)
    assert count_of(database, Paper) == 1
    again = given(database, me, line(1, title=OTHER, identifiers=("arxiv:2401.00001",)), more="\n")
    assert [entry.decision for entry in entries_of(database, again)] == ["known"]  # decided once


@pytest.mark.parametrize("known", ["record", "merged", "translated"])
def test_a_title_that_a_paper_has_elsewhere_is_no_other(browser, database, me, known):
    paper_id = add_paper(database)
    with database.write() as tx:
        if known == "record":
            said: dict[str, Any] = {"service": "arxiv", "scheme": "arxiv", "value": "2401.00001"}
            said |= {"stage": "preprint", "state": "agrees"}
            make.added(tx, MetadataRecord(paper_id=paper_id, title=OTHER, **said))
        elif known == "merged":
            make.paper(tx, OTHER, identifier="doi:10.1145/9").merged_into = paper_id
        else:
            make.added(tx, TranslatedTitle(paper_id=paper_id, language="ja", title=OTHER))
    import_id = given(database, me, line(1, title=OTHER, identifiers=("arxiv:2401.00001",)))
    assert [entry.decision for entry in entries_of(database, import_id)] == ["known"]


def test_a_nearly_equal_title_waits_for_a_decision(browser, database, me):
    paper_id = add_paper(database, SUBTITLED)
    store_keys(database)
    import_id = given(database, me, line(1, title=LONG), line(2, title=OTHER))
    assert [(entry.decision, entry.twin) for entry in entries_of(database, import_id)] == [
        ("review", f"paper:{paper_id}"),
        ("add", ""),
    ]
    decide(browser, import_id, "same")
    carry_out(database, me, import_id)
    assert count_of(database, Paper) == 2


def test_a_paper_that_is_gone_meanwhile_leaves_the_line_a_paper_of_its_own(browser, database, me):
    paper_id = add_paper(database)
    import_id = given(database, me, line(1, title=LONG, identifiers=("doi:10.1145/1",)))
    with database.write() as tx:
        tx.delete(tx.get_one(Identifier, 1))
        tx.flush()
        tx.delete(tx.get_one(Paper, paper_id))
    decide(browser, import_id, "same")
    carry_out(database, me, import_id)
    assert count_of(database, Paper) == 1


@pytest.mark.parametrize("note", ["# Storage\n\n- {}\n", "{}\n", "# Storage\n\n> a quotation\n\n{}\n"])
def test_a_line_that_is_the_title_of_a_paper_in_the_library_is_that_paper(database, me, note):
    title = "A long enough title about replicated logs in practice"
    paper_id = add_paper(database, title)
    import_id = noted(database, me, note.format(title.capitalize()), "notes.md")
    carry_out(database, me, import_id)
    assert [each.paper_id for each in entries_of(database, import_id) if each.title][-1:] == [paper_id]
    assert count_of(database, Paper) == 1


def test_a_heading_stays_one_even_if_a_paper_has_its_name(database, me):
    title = "A long enough title about replicated logs in practice"
    add_paper(database, title)
    import_id = noted(database, me, f"# {title}\n\n- [{OTHER}](https://arxiv.org/abs/2401.00009)\n", "notes.md")
    assert entries_of(database, import_id)[0].kind != "paper"


def test_a_page_without_a_title_is_shown_by_its_address(browser, database, me):
    import_id = given(database, me, line(1, title="", identifiers=("url:example.org/on/recovery",)))
    page = html.fromstring(browser.get(f"/imports/{import_id}").text)
    (title,) = page.xpath("//li[@data-row]//span[@class='title']")
    assert title.text == "example.org/on/recovery"
    assert "url:" not in page.xpath("string(//li[@data-row])")
