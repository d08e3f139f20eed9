"""The trash at both doors: the same things, brought back from either, and told with its undo where it was deleted."""

import lxml.html
import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import Identifier, PaperTopic, Relation, Topic
from readtrack.library.papers.commands import delete_paper
from tests import make

pytestmark = pytest.mark.slow


@pytest.fixture
def editor(database):
    with database.write() as tx:
        return make.visitor(tx, "Eve", role="editor")


@pytest.fixture
def eve(sign_in, editor):
    return sign_in(editor)


def test_page_and_api_show_the_same_and_both_restore(eve, editor, database):
    with database.write() as tx:
        papers = [make.paper(tx, f"Paper {number}").id for number in range(3)]
        for paper_id in papers:
            delete_paper(tx, editor, paper_id)
    listed = eve.get("/api/v1/trash?kind=papers&limit=2").json()
    assert [item["title"] for item in listed["items"]] == ["Paper 2", "Paper 1"]
    rest = eve.get("/api/v1/trash", params={"kind": "papers", "limit": 2, "after": listed["next"]}).json()
    assert ([item["id"] for item in rest["items"]], rest["next"]) == ([papers[0]], None)
    document = lxml.html.fromstring(eve.get("/trash").text)
    assert [what.text_content() for what in document.xpath("//*[@class='what']")] == ["Paper 2", "Paper 1", "Paper 0"]
    answer = eve.post(f"/api/v1/trash/papers/{papers[2]}/restore")
    assert (answer.status_code, answer.json()) == (200, {"address": f"/papers/{papers[2]}"})
    eve.post(f"/trash/papers/{papers[1]}/restore", data={"next": "/trash"})
    assert [item["title"] for item in eve.get("/api/v1/trash?kind=papers").json()["items"]] == ["Paper 0"]
    assert eve.post("/trash/nothing/1/restore").status_code == 404


def test_deleting_shows_how_to_restore(eve, database):
    with database.write() as tx:
        make.topic(tx, "MoE")
    eve.post("/topics/moe/delete")
    document = lxml.html.fromstring(eve.get("/topics").text)
    [undo] = document.xpath("//*[@id='flash']//form")
    assert eve.post(undo.get("action"), data={"next": "/topics"}).headers["location"] == "/topics"
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Topic.name))).all() == ["MoE"]


def test_a_page_of_the_trash_takes_the_same_statements_for_many_items_as_for_few(eve, editor, database, statements):
    def asked():
        with statements() as seen:
            assert eve.get("/trash?of=papers").status_code == 200
        return len(seen)

    def throw(count):
        with database.write() as tx:
            for _ in range(count):
                delete_paper(tx, editor, make.paper(tx).id)

    throw(1)
    asked()
    few = asked()
    throw(30)
    assert asked() == few


def test_undoing_a_removal_from_a_topic_is_offered_with_and_without_scripts(eve, database):
    with database.write() as tx:
        paper, topic = make.paper(tx), make.topic(tx, "MoE")
        make.filed(tx, paper, topic)
    for headers in ({}, {"HX-Request": "true", "HX-Request-Type": "partial"}):
        answer = eve.post(f"/papers/{paper.id}/topics/moe/remove", headers=headers)
        shown = eve.get(answer.headers["location"]) if answer.status_code == 303 else answer
        [undo] = [form for form in lxml.html.fromstring(shown.text).forms if "/trash/" in (form.action or "")]
        back = eve.post(undo.action, data=dict(undo.form_values())).headers["location"]
        assert back.partition("?")[0] == f"/papers/{paper.id}"
        with database.read() as tx:
            assert tx.get(PaperTopic, (paper.id, topic.id)) is not None


DOORS = ("", "/reading", "/readings", "/summaries", "/summary", "/comments", "/relations", "/links")


PASSING = ("version", "updated_at", "waiting", "problems")


def told_of(browser, paper_id):
    """What every door of a paper tells one person, but for its last change and for what sources are asked anew."""
    answers = [browser.get(f"/api/v1/papers/{paper_id}{door}") for door in DOORS]
    said = [(answer.status_code, answer.json() if answer.status_code == 200 else {}) for answer in answers]
    status, paper = said[0]
    said[0] = (status, {name: paper[name] for name in paper if name not in PASSING})
    asked = browser.get("/api/v1/assignments").json()["items"]
    found = browser.get("/api/v1/papers?q=quixotic").json()["items"]
    return said, asked, [paper["id"] for paper in found]


def furnished(database):
    """A paper on which everybody has something, shared or not."""
    with database.write() as tx:
        roles = (("Eve", "editor"), ("Ada", "member"), ("Bo", "viewer"))
        people = [make.visitor(tx, name, role=role) for name, role in roles]
        paper, other = make.paper(tx, "On quixotic training", identifier="doi:10.1145/7"), make.paper(tx, "Other")
        make.added(tx, Identifier(paper_id=paper.id, scheme="arxiv", value="2401.00134"))
        make.filed(tx, paper, make.topic(tx, "MoE"))
        eve, ada, bo = (person.id for person in people)
        make.reading(tx, ada, paper.id, "read", depth="studied", private=True)
        make.reading(tx, bo, paper.id, "reading", progress_unit="page", progress_at=7)
        make.summary(tx, ada, paper.id, "For my eyes.", private=True)
        make.summary(tx, bo, paper.id, "For all.")
        first = make.comment(tx, bo, paper_id=paper.id)
        make.comment(tx, ada, "Because.", paper_id=paper.id, parent_id=first.id)
        make.assignment(tx, ada, paper.id, created_by=eve)
        make.added(tx, Relation(from_id=paper.id, to_id=other.id, kind="extends", added_by=eve))
        search.rebuild(tx)
        return people, paper.id


@pytest.mark.deep
def test_deleting_and_undoing_keep_all_data_of_a_paper(database, sign_in):
    people, paper_id = furnished(database)
    browsers = [sign_in(person) for person in people]
    before = [told_of(browser, paper_id) for browser in browsers]
    deed = browsers[0].post("/api/v1/bulk", json={"papers": [paper_id], "act": "delete"}).json()["deed"]
    for browser in browsers:
        said, asked, found = told_of(browser, paper_id)
        assert ({status for status, _ in said}, asked, found) == ({404}, [], [])
    assert browsers[0].post(f"/api/v1/bulk/{deed}/undo").json()["papers"] == [paper_id]
    assert [told_of(browser, paper_id) for browser in browsers] == before


def test_adding_a_deleted_paper_again_restores_it_and_the_undo_reports_that(database, sign_in):
    people, paper_id = furnished(database)
    eve, ada, _bo = (sign_in(person) for person in people)
    before = told_of(ada, paper_id)
    deed = eve.post("/api/v1/bulk", json={"papers": [paper_id], "act": "delete"}).json()["deed"]
    assert ada.post("/api/v1/papers", json={"identifier": "arxiv:2401.00134"}).status_code == 409
    with database.write() as tx:
        make.paper(tx, "Newcomer", identifier="arxiv:2401.00135")
    assert eve.post("/api/v1/papers", json={"identifier": "arxiv:2401.00134"}).json()["id"] == paper_id
    late = eve.post(f"/api/v1/bulk/{deed}/undo")
    assert (late.status_code, late.json()["code"]) == (409, "nothing-to-undo")
    assert told_of(ada, paper_id) == before
