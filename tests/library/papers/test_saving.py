"""Saving the page one is on: what a browser or phone hands over, and what becomes of it."""

import json

import pytest
from lxml import etree, html

from readtrack.library.papers.lookup import find_shared_page
from tests import make

pytestmark = pytest.mark.slow
PAGE = "https://notes.example.org/queues"


@pytest.mark.parametrize(
    ("url", "title", "text", "address", "kept_title"),
    [
        (PAGE, "Queues explained - notes.example.org", "", PAGE, "Queues explained"),
        ("", "Queues explained", f"Have a look: {PAGE}", PAGE, "Queues explained"),
        ("", "", PAGE, PAGE, ""),
        ("", PAGE, "", PAGE, ""),
        ("https://arxiv.org/abs/2305.15778", "[2305.15778] Some Title", "", "https://arxiv.org/abs/2305.15778", ""),
        ("https://doi.org/10.1145/3600006.3613165", "ACM", "", "https://doi.org/10.1145/3600006.3613165", ""),
        ("", "Attention Is All You Need", "", "", "Attention Is All You Need"),
        ("", "", "Attention Is All You Need", "", "Attention Is All You Need"),
        ("javascript:alert(1)", "A trap", "", "javascript:alert(1)", "A trap"),
        ("", "", "", "", ""),
    ],
)
def test_the_address_is_found_in_any_field_and_only_web_pages_keep_their_title(url, title, text, address, kept_title):
    assert find_shared_page(url, title, text) == (address, kept_title)


def fields_of(answer):
    form = html.fromstring(answer.text).xpath("//form[@action='/save']")[0]
    return {name: value for name, value in form.form_values() if name != "csrf"}


def main_text(answer):
    return html.fromstring(answer.text).xpath("string(//main)")


def test_a_new_page_is_saved_with_status_and_topics_and_known_from_then_on(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
    browser = sign_in(ada)
    form = fields_of(browser.get("/save", params={"url": PAGE, "title": "Queues explained"}))
    assert (form["url"], form["title"]) == (PAGE, "Queues explained")
    answer = browser.post("/save", data={**form, "status": "reading", "topics": 'Queues, "Storage, caching"'})
    paper = browser.get(f"/api/v1{answer.headers['location']}?include=reading,topics").json()
    assert (paper["title"], paper["reading"]["status"]) == ("Queues explained", "reading")
    assert sorted(topic["name"] for topic in paper["topics"]) == ["Queues", "Storage, caching"]
    again = browser.get("/save", params={"url": PAGE, "title": "Queues explained"})
    assert "In your library" in again.text
    assert "Queues explained" in main_text(again)
    assert "title" not in fields_of(again)


def test_saving_a_known_paper_changes_only_what_is_chosen(database, sign_in):
    with database.write() as tx:
        ada, bob = make.visitor(tx, "Ada"), make.visitor(tx, "Bob")
        paper = make.paper(tx, "Known", identifier="arxiv:2305.15778")
        make.reading(tx, bob.id, paper.id, "read")
    browser = sign_in(ada)
    address = "https://arxiv.org/pdf/2305.15778v2"
    page = browser.get("/save", params={"url": address, "title": "2305.15778v2.pdf"})
    assert "Bob" in main_text(page)
    assert browser.post("/save", data={"url": address, "status": ""}).headers["location"] == f"/papers/{paper.id}"
    found = browser.get(f"/api/v1/papers/{paper.id}?include=reading").json()
    assert (found["title"], found["reading"]) == ("Known", None)


def test_what_cannot_be_saved_is_refused_with_a_reason_and_stays_in_the_form(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
    answer = sign_in(ada).post("/save", data={"url": "javascript:alert(1)", "topics": "Traps"})
    assert answer.status_code == 422
    assert fields_of(answer)["topics"] == "Traps"


def test_the_browser_finds_an_app_to_share_with_and_a_search_engine(client):
    manifest = json.loads(client.get("/manifest.webmanifest").text)
    assert manifest["share_target"] == {"action": "/save", "params": {"title": "title", "text": "text", "url": "url"}}
    for icon in manifest["icons"]:
        assert client.get(icon["src"]).headers["content-type"] == icon["type"]
    description = etree.fromstring(client.get("/opensearch.xml").content)
    assert str(description.xpath("string(//*/@template)")).endswith("/papers?q={searchTerms}")
