"""Drafts by their doors: kept by a form without a script, offered when the editor opens again, and as JSON."""

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.models import Draft
from readtrack.reading.drafts import queries
from readtrack.team.accounts.commands.tokens import create_token
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.tables import cases

pytestmark = pytest.mark.slow  # `make check` is to be quick
TAB = "0123456789abcdef"


@pytest.fixture
def me(database):
    with database.write() as tx:
        paper, _ = make.paper(tx, "On Checkpoints"), make.topic(tx, "Recovery", aliases=("restart",), markdown="Old.")
        assert paper.id == 1
        return make.visitor(tx, "Ada")


@pytest.fixture
def ada(me, sign_in):
    return sign_in(me)


def page(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def values(document):
    """What a browser would send of the editor's form."""
    [form] = document.xpath("//form[contains(@class,'editor')]")
    fields = form.xpath(".//input[@name][not(@type='radio')]|.//textarea[@name]|.//input[@type='radio'][@checked]")
    return {field.get("name"): (field.value or "").removeprefix("\n") for field in fields}


def kept(database, me):
    with database.read() as tx:
        return [draft.fields.get("markdown") for draft in queries.list_drafts(tx, me)]


def only(database):
    """The number of the one draft that there is."""
    with database.read() as tx:
        return tx.scalars(sa.select(col(Draft.id))).one()


@pytest.mark.deep
@pytest.mark.parametrize("at", ["/papers/1/summary", "/topics/recovery"])
def test_a_draft_is_saved_by_a_button_offered_continued_and_deleted_when_the_text_is_saved(ada, database, me, at):
    sent = {**values(page(ada.get(f"{at}/edit"))), "markdown": "Half a thought"}
    answer = ada.post(f"{at}/draft", data=sent)
    draft_id = only(database)
    assert answer.headers["location"] == f"{at}/edit?draft={draft_id}"
    gone_on = page(ada.get(answer.headers["location"]))
    assert "Draft saved" in words(gone_on)
    assert not gone_on.xpath("//*[@id='drafts']/*")
    form = values(gone_on)
    assert (form["markdown"], form["took"], form["version"]) == ("Half a thought", f"{draft_id}.1", sent["version"])
    offered = page(ada.get(f"{at}/edit")).xpath("//*[@id='drafts']")[0]
    assert "Half a thought" in words(offered)
    assert offered.xpath(".//a/@href") == [f"{at}/edit?draft={draft_id}"]
    ada.post(f"{at}/draft", data={**form, "markdown": "A whole thought"})
    assert kept(database, me) == ["A whole thought"]
    further = f"{at}/edit?draft={only(database)}"
    assert ada.post(f"{at}/edit", data={**values(page(ada.get(further))), "tab": ""}).status_code == 303
    assert kept(database, me) == []


def test_the_same_form_sent_twice_keeps_both(ada, database, me):
    sent = values(page(ada.get("/papers/1/summary/edit")))
    for text in ("one", "other"):
        ada.post("/papers/1/summary/draft", data={**sent, "markdown": text})
    assert sorted(kept(database, me)) == ["one", "other"]


def test_a_draft_identical_to_the_saved_text_is_not_offered(ada):
    sent = {**values(page(ada.get("/papers/1/summary/edit"))), "markdown": "Said."}
    ada.post("/papers/1/summary/draft", data=sent)
    ada.put("/api/v1/papers/1/summary", json={"markdown": "Said."}, headers={"If-None-Match": "*"})
    assert not page(ada.get("/papers/1/summary/edit")).xpath("//*[@id='drafts']/*")


def test_a_draft_based_on_an_older_version_says_so_and_cannot_bypass_the_conflict(ada, database, me):
    for number, text in enumerate(("Same.\nFirst.", "Same.\nSecond.")):
        if number:
            form = {**values(page(ada.get("/papers/1/summary/edit"))), "markdown": "Same.\nMine."}
            ada.post("/papers/1/summary/draft", data=form)
        ada.post("/papers/1/summary/edit", data={**values(page(ada.get("/papers/1/summary/edit"))), "markdown": text})
    assert "based on version 1" in words(page(ada.get("/papers/1/summary/edit")).xpath("//*[@id='drafts']")[0])
    began = f"/papers/1/summary/edit?draft={only(database)}"
    assert ada.post("/papers/1/summary/edit", data=values(page(ada.get(began)))).status_code
    assert "Same.\nMine." in kept(database, me)


def test_a_draft_is_discarded_where_it_is_offered(ada, database, me):
    ada.post("/papers/1/summary/draft", data={"markdown": "x"})
    where, discard = {"next": "/papers/1/summary/edit"}, f"/drafts/{only(database)}/discard"
    assert ada.post(discard, data=where).headers["location"] == "/papers/1/summary/edit"
    assert kept(database, me) == []
    assert ada.post(discard).status_code == 404


def test_the_list_and_home_show_only_my_drafts(ada, database, sign_in):
    with database.write() as tx:
        other = make.visitor(tx, "Bo", role="admin")
    bo = sign_in(other)
    assert "No drafts" in words(page(ada.get("/drafts")))
    ada.post("/papers/1/summary/draft", data={"markdown": "Half <b>a</b> thought"})
    for address in ("/drafts", "/home"):
        assert "On Checkpoints" in words(page(ada.get(address)).xpath("//main")[0])
        assert page(ada.get(address)).xpath("//main//a[contains(@href, '?draft=')]")
        assert not page(bo.get(address)).xpath("//main//a[contains(@href, '?draft=')]")
    assert "Half <b>a</b> thought" in words(page(ada.get("/drafts")))
    draft_id = only(database)
    for address in ("/papers/1/summary/edit", "/topics/recovery/edit"):
        assert bo.get(f"{address}?draft={draft_id}").status_code == 404
    assert bo.get("/api/v1/drafts").json() == {"items": []}
    assert "Half" not in bo.get("/papers/1/summary/edit").text
    assert ada.get(f"/topics/recovery/edit?draft={draft_id}").status_code == 404


@pytest.mark.parametrize(("at", "text"), [("/papers/1", "/papers/1/summary"), ("/topics/recovery", "/topics/recovery")])
def test_a_texts_page_mentions_my_draft_to_me_only(ada, database, sign_in, at, text):
    with database.write() as tx:
        other = make.visitor(tx, "Bo", role="admin")
    bo = sign_in(other)
    assert not page(ada.get(at)).xpath(f"//main//a[starts-with(@href, '{text}/edit?draft=')]")
    ada.post(f"{text}/draft", data={"markdown": "Half a thought"})
    told = f"//main//a[@href='{text}/edit?draft={only(database)}']"
    assert page(ada.get(at)).xpath(told)
    assert not page(bo.get(at)).xpath(told)


def test_windows_save_drafts_as_json(ada):
    there, said = f"/api/v1/papers/1/summary/drafts/{TAB}", {"fields": {"markdown": "Half"}, "version": None}
    first = ada.put(there, json=said)
    assert (first.status_code, first.json()["number"]) == (200, 1)
    more = {"fields": {"markdown": "Half a thought", "tldr": "Half"}}
    stale = ada.put(there, json=more)
    assert (stale.status_code, stale.json()["current"]) == (412, {"number": 1})
    assert ada.put(there, json={**more, "number": 1}).json()["number"] == 2
    assert ada.put(f"/api/v1/topics/recovery/drafts/{TAB[::-1]}", json=said).status_code == 200
    items = ada.get("/api/v1/drafts").json()["items"]
    assert [(item["subject"], item["title"], item["fields"]) for item in items] == [
        ("topic", "Recovery", {"markdown": "Half"}),
        ("summary", "On Checkpoints", more["fields"]),
    ]
    assert ada.delete(f"/api/v1/drafts/{items[0]['id']}").status_code == 204
    assert len(ada.get("/api/v1/drafts").json()["items"]) == 1


def test_text_typed_in_another_persons_window_is_not_saved_as_mine(ada, database, me):
    there, said = f"/api/v1/papers/1/summary/drafts/{TAB}", {"fields": {"markdown": "Not mine"}}
    answer = ada.put(there, json={**said, "person": me.id + 1})
    assert (answer.status_code, answer.json()["code"]) == (403, "another-person")
    assert kept(database, me) == []
    assert ada.put(there, json={**said, "person": me.id}).status_code == 200


def test_a_form_with_an_error_does_not_offer_its_own_draft(ada):
    form = values(page(ada.get("/papers/1/summary/edit")))
    ada.post("/papers/1/summary/draft", data={**form, "markdown": "Half a thought"})
    again = ada.post("/papers/1/summary/edit", data={**form, "markdown": "A thought", "tldr": "x" * 201})
    document = page(again, 422)
    assert values(document)["markdown"] == "A thought"
    assert not document.xpath("//*[@id='drafts']/*")


def test_a_read_only_token_cannot_save_or_discard_and_an_admin_sees_nothing(ada, database, me, client):
    ada.post("/papers/1/summary/draft", data={"markdown": "Half"})
    with database.write() as tx:
        other = make.visitor(tx, role="admin")
        _, reads = create_token(tx, me, TokenCreate(name="reads", scopes=["read"]))
        _, every = create_token(tx, other, TokenCreate(name="all", scopes=["read", "write", "admin"]))
    draft_id = only(database)
    mine, admin = ({"Authorization": f"Bearer {secret}"} for secret in (reads, every))
    for answer in (
        client.put(f"/api/v1/papers/1/summary/drafts/{TAB}", json={"fields": {"markdown": "x"}}, headers=mine),
        client.delete(f"/api/v1/drafts/{draft_id}", headers=mine),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "missing-scope")
    assert client.get("/api/v1/drafts", headers=admin).json() == {"items": []}
    assert client.delete(f"/api/v1/drafts/{draft_id}", headers=admin).status_code == 404
    assert kept(database, me) == ["Half"]


@cases(
    "said",
    [{}, {"fields": {"markdown": 1}}, {"fields": {"other": "x"}}, {"fields": {}, "number": -1}, {"fields": {}, "x": 1}],
)
def test_an_invalid_draft_is_refused(ada, said):
    assert ada.put(f"/api/v1/papers/1/summary/drafts/{TAB}", json=said).status_code == 422


@pytest.mark.parametrize("tab", ["short", "x" * 33, "with-hyphen-here"])
def test_an_invalid_window_id_is_not_found(ada, tab):
    assert ada.put(f"/api/v1/papers/1/summary/drafts/{tab}", json={"fields": {}}).status_code == 404


def test_a_draft_that_is_too_long_is_refused_with_a_message(ada):
    answer = ada.post("/papers/1/summary/draft", data={"markdown": "é" * 125_001})
    assert answer.status_code == 422
    assert "250,000 bytes" in answer.text
