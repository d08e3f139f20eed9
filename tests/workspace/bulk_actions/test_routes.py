"""Acts on many papers at both doors: the page that asks what is missing, the answer row by row, the file."""

import lxml.html
import pytest

from readtrack import search
from readtrack.library.papers.commands import delete_paper
from tests import make


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, role.title(), role=role) for role in ("viewer", "member", "editor")}


@pytest.fixture
def papers(database):
    with database.write() as tx:
        return [make.paper(tx, f"Paper {number}").id for number in range(3)]


@pytest.fixture
def eve(sign_in, people):
    return sign_in(people["editor"])


def said(browser, address="/papers"):
    document = lxml.html.fromstring(browser.get(address).text)
    [flash] = document.xpath("//*[@id='flash']")
    return " ".join(flash.text_content().split())


def test_missing_options_are_requested_on_a_page_that_keeps_the_selection(eve, papers):
    sent = {"do": "assign", "paper": papers[:2], "next": "/papers?q=Paper"}
    there = eve.post("/bulk", data=sent).headers["location"]
    document = lxml.html.fromstring(eve.get(there).text)
    [form] = document.xpath("//main//form")
    fields = dict(form.form_values()) | {"paper": papers[:2], "person": "member", "depth": ""}
    answer = eve.post("/bulk", data=fields)
    assert answer.headers["location"] == "/papers?q=Paper"
    assert said(eve).startswith("Assigned 2 papers.")
    wrong = eve.post("/bulk", data=fields | {"person": "nobody"})
    assert (wrong.status_code, "No such member" in wrong.text) == (422, True)


def selected(browser, address):
    document = lxml.html.fromstring(browser.get(address).text)
    return [int(number) for number in document.xpath("//input[@form='bulk'][@checked]/@value")]


@pytest.mark.parametrize("list_page", ["/papers", "/papers?display=table", "/papers?group=status"])
def test_selected_papers_stay_selected_once_after_an_action(eve, papers, list_page):
    bar = lxml.html.fromstring(eve.get(list_page).text).xpath("//form[@id='bulk']")[0]
    fields = {name: value for name, value in bar.form_values() if name != "every"}
    answer = eve.post("/bulk", data={**fields, "paper": papers[:2], "do": "to_read"})
    assert sorted(selected(eve, answer.headers["location"])) == papers[:2]
    assert selected(eve, list_page) == []


def test_selected_papers_stay_selected_after_a_page_that_asked_for_more(eve, papers):
    fields = {"reselect": "1", "do": "file", "paper": papers[:2], "next": "/papers"}
    there = eve.post("/bulk", data=fields).headers["location"]
    [form] = lxml.html.fromstring(eve.get(there).text).xpath("//main//form")
    eve.post("/bulk", data=dict(form.form_values()) | {"paper": papers[:2], "topic": "MoE"})
    assert sorted(selected(eve, "/topics/moe")) == papers[:2]


def test_papers_no_longer_listed_and_all_results_are_not_selected_afterwards(eve, papers):
    fields = {"reselect": "1", "next": "/papers"}
    eve.post("/bulk", data={**fields, "do": "delete", "paper": papers[:1]})
    assert selected(eve, "/papers") == []
    every = {**fields, "do": "to_read", "every": "1", "q": "", "paper": papers[1:]}
    there = eve.post("/bulk", data=every).headers["location"]
    [form] = lxml.html.fromstring(eve.get(there).text).xpath("//main//form")
    eve.post("/bulk", data=dict(form.form_values()))
    assert selected(eve, "/papers") == []


def test_htmx_is_redirected_to_that_page(eve, papers):
    answer = eve.post("/bulk", data={"do": "merge", "paper": papers}, headers={"HX-Request": "true"})
    assert answer.headers["hx-redirect"].startswith("/bulk?do=merge&paper=")


def test_papers_are_merged_into_another_named_by_a_part_of_its_title(eve, papers, database):
    with database.write() as tx:
        kept, other = (make.paper(tx, title).id for title in ("Pipelines in Practice", "Pipelines in Theory"))
        search.update_papers(tx, [kept, other])
    there = eve.post("/bulk", data={"do": "merge", "paper": papers[:2]}).headers["location"]
    [form] = lxml.html.fromstring(eve.get(there).text).xpath("//main//form")
    fields = dict(form.form_values()) | {"paper": papers[:2]}
    wrong = eve.post("/bulk", data=fields | {"other": "no such thing"})
    assert (wrong.status_code, "No paper matches “no such thing”." in wrong.text) == (422, True)
    which = lxml.html.fromstring(eve.post("/bulk", data=fields | {"other": "pipelines"}).text)
    assert which.xpath("//main//input[@type='radio']/@value") == [f"#{other}", f"#{kept}"]
    assert which.xpath("//input[@name='paper']/@value") == [str(paper) for paper in papers[:2]]
    answer = eve.post("/bulk", data=fields | {"other": "in practice"})
    assert answer.status_code == 303
    assert eve.get(f"/papers/{papers[0]}").headers["location"] == f"/papers/{kept}"


def test_one_paper_alone_is_merged_into_a_named_one(eve, papers):
    document = lxml.html.fromstring(eve.get(f"/bulk?do=merge&paper={papers[0]}").text)
    assert document.xpath("//main//input[@name='other']/@required")
    assert not document.xpath("//main//input[@name='into']")


def test_papers_to_merge_are_listed_once(eve, papers):
    document = lxml.html.fromstring(eve.get(f"/bulk?do=merge&paper={papers[0]}&paper={papers[1]}").text)
    assert len(document.xpath("//main//input[@name='into']")) == 2
    assert not document.xpath("//main//a[starts-with(@href, '/papers/')]")


def test_all_matches_are_counted_first_and_again_if_they_changed_meanwhile(eve, papers, database, people):
    every = {"do": "delete", "every": "1", "q": ""}
    there = eve.post("/bulk", data=every).headers["location"]
    document = lxml.html.fromstring(eve.get(there).text)
    [form] = document.xpath("//main//form")
    fields = dict(form.form_values())
    assert fields["count"] == "3"
    with database.write() as tx:
        make.paper(tx, "Newcomer")
    changed = eve.post("/bulk", data=fields)
    assert (changed.status_code, "The search results have changed" in changed.text) == (409, True)
    [form] = lxml.html.fromstring(changed.text).xpath("//main//form")
    with database.write() as tx:  # as many, and others
        delete_paper(tx, people["editor"], papers[0])
        make.paper(tx, "Latecomer")
    others = eve.post("/bulk", data=dict(form.form_values()))
    assert (others.status_code, "The search results have changed" in others.text) == (409, True)
    [form] = lxml.html.fromstring(others.text).xpath("//main//form")
    eve.post("/bulk", data=dict(form.form_values()))
    assert said(eve).startswith("Moved 4 papers to trash.")


def test_an_invalid_search_is_refused_before_anything_is_done(eve, papers):
    answer = eve.post("/bulk", data={"do": "delete", "every": "1", "q": "stats:read", "count": "0"})
    assert answer.status_code == 400
    assert eve.post("/api/v1/bulk", json={"q": "stats:read", "act": "delete"}).json()["code"] == "invalid-query"


def test_the_selected_papers_are_exported_in_each_format(eve, papers):
    document = lxml.html.fromstring(eve.get(f"/bulk?do=export&paper={papers[0]}").text)
    formats = document.xpath("//input[@name='format']/@value")
    assert {"bibtex", "json"} <= {*formats}
    for name in formats:
        answer = eve.get("/bulk/export", params={"format": name, "paper": papers[:2]})
        assert answer.headers["content-disposition"].startswith("attachment")
        assert ("Paper 1" in answer.text, "Paper 2" in answer.text) == (True, False)
    everything = eve.get("/bulk/export", params={"format": "bibtex", "every": "1", "q": "kind:paper"})
    assert (everything.status_code, everything.text.count("@")) == (200, 3)
    assert eve.get("/bulk/export", params={"format": "burnt"}).status_code == 422


def test_every_row_has_its_result_and_the_undo_entry_lists_refusals(eve, papers):
    body = {"papers": [*papers, 4711], "act": "topics", "topics": {"add": ["MoE"]}}
    answer = eve.post("/api/v1/bulk", json=body, headers={"Idempotency-Key": "a"})
    told = answer.json()
    assert (answer.status_code, told["changed"], told["items"][3]["problem"]["code"]) == (207, 3, "not-found")
    assert eve.post("/api/v1/bulk", json=body, headers={"Idempotency-Key": "a"}).json() == told
    deed = eve.get(f"/api/v1/bulk/{told['deed']}").json()
    assert (deed["act"], deed["papers"], deed["refused"][0]["paper"]) == ("topics", 3, 4711)
    (listed,) = eve.get("/api/v1/bulk").json()["items"]
    assert {**listed, "items": [], "left": []} == deed
    assert "1 not changed" in eve.get("/history").text
    eve.delete(f"/api/v1/papers/{papers[0]}/topics/moe")
    undone = eve.post(f"/api/v1/bulk/{told['deed']}/undo").json()
    assert (undone["papers"], [left["paper"] for left in undone["left"]]) == (papers[1:], papers[:1])


def test_a_paper_awaiting_triage_is_decided_from_its_row_and_undo_returns_there(sign_in, people, papers):
    eve = sign_in(people["editor"])
    inbox = "/papers?q=is%3Ainbox"
    eve.post("/bulk", data={"do": "inbox", "paper": papers[:2], "next": "/papers"})
    [form] = lxml.html.fromstring(eve.get(inbox).text).xpath(f"//li[@id='paper-{papers[0]}']/form[@action='/bulk']")
    offered = {
        role: sorted(
            {*lxml.html.fromstring(sign_in(person).get(inbox).text).xpath("//*[@class='triage']/button/@value")}
        )
        for role, person in people.items()
    }
    assert offered == {
        "viewer": ["to_read"],
        "member": ["keep", "to_read"],
        "editor": ["keep", "reject", "to_read"],
    }
    there = eve.post("/bulk", data={**dict(form.form_values()), "do": "reject"}).headers["location"]
    assert there == inbox
    document = lxml.html.fromstring(eve.get(there).text)
    [undo] = document.xpath("//*[@id='flash']//form")
    assert eve.post(undo.action, data=dict(undo.form_values())).headers["location"] == inbox
    assert f'id="paper-{papers[0]}"' in eve.get(inbox).text


def test_a_viewer_is_offered_only_permitted_actions(sign_in, people, papers):
    document = lxml.html.fromstring(sign_in(people["viewer"]).get("/papers").text)
    offered = {*document.xpath("//form[@id='bulk']//button/@value")}
    assert {"to_read", "off", "export"} <= offered
    assert not offered & {"file", "assign", "propose", "refresh", "merge", "delete"}
