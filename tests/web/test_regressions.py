"""What reviewers found at the doors: tags, parameters, HEAD, and controls for those who may use them."""

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html
from starlette.responses import StreamingResponse

import readtrack
from readtrack.infra.models import MetadataRecord, MetadataRequest, Paper
from tests import make
from tests.client import AppClient
from tests.depth import DEEP, one_in
from tests.sample_library import every_route

pytestmark = pytest.mark.slow  # many requests to a whole application

FORBIDDEN = re.compile(r"/papers/(new|\d+/(edit|refresh|delete|topics))|/topics/.+/(edit|delete|merge)|/imports/new")
FILES = re.compile(r"export|zip|csv|bib|ris|ics|opml|atom|feed|images|static")
SUPERSCRIPT = '"1.²"'.encode()


@pytest.fixture
def viewer(library, sign_in) -> AppClient:
    return sign_in(library.viewer)


def test_unicode_digits_are_not_a_valid_version(library, sign_in):
    browser = sign_in(library.admin)
    headers = {"If-Match": SUPERSCRIPT}
    answer = browser.patch(library.address("/api/v1/papers/{paper_id}"), json={"title": "Other"}, headers=headers)
    assert answer.status_code == 412


def test_a_source_that_does_not_know_a_paper_is_reported_to_people_who_saw_it_waiting(library, sign_in, database):
    browser = sign_in(library.admin)
    with database.write() as tx:
        paper = make.paper(tx, identifier="arxiv:2401.99999")
        tx.add(MetadataRequest(paper_id=paper.id, service="arxiv", key="2401.99999"))
    address = f"/api/v1/papers/{paper.id}"
    tag = browser.get(address).headers["ETag"]
    assert browser.get(address, headers={"If-None-Match": tag}).status_code == 304
    with database.write() as tx:
        said = {"state": "unknown", "problem": "arXiv 2401.99999 is not known there."}
        tx.execute(sa.update(MetadataRequest).values(said))
    answer = browser.get(address, headers={"If-None-Match": tag})
    assert (answer.status_code, answer.json()["problems"]) == (200, ["arXiv 2401.99999 is not known there."])
    assert browser.patch(address, json={"venue": "MLSys"}, headers={"If-Match": tag}).status_code == 200


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/v1/papers?include=reading,topics,total", 200),
        ("/api/v1/papers?include=summary", 400),
        ("/api/v1/papers/{paper_id}?include=reading,topics,summary", 200),
        ("/api/v1/papers/{paper_id}?include=total", 400),
    ],
)
def test_each_include_parameter_accepts_its_own_values_and_refuses_others(library, sign_in, address, status):
    assert sign_in(library.admin).get(library.address(address)).status_code == status


@pytest.mark.parametrize("sort", ["bogus", "title-up", "title-"])
def test_an_unknown_sort_is_refused_with_the_known_ones(library, sign_in, sort):
    answer = sign_in(library.admin).get("/api/v1/papers", params={"sort": sort})
    assert answer.status_code == 422
    assert "added, updated, year, title" in answer.text


@pytest.mark.deep
def test_every_api_endpoint_refuses_an_unknown_parameter(app, library, sign_in):
    browser = sign_in(library.admin)
    for method, path in every_route():
        if not path.startswith("/api/v1/") or not one_in(2, method, path):
            continue
        answer = browser.request(method, library.address(path), params={"wibble": "1"}, json={})
        assert answer.status_code == 422, (method, path)
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/wibble"], (method, path)


def test_the_closest_known_parameter_is_suggested(library, sign_in):
    answer = sign_in(library.admin).get("/api/v1/papers?limt=5")
    assert "Did you mean “limit”?" in answer.json()["errors"][0]["detail"]


@pytest.mark.deep
@pytest.mark.parametrize("address", ["/papers", "/api/v1/papers", "/healthz", "/", "/nowhere"])
def test_head_responds_like_get_without_a_body(library, sign_in, address):
    browser = sign_in(library.admin)
    head, get = browser.head(address), browser.get(address)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers["Content-Type" if get.content else "Location"]
    assert head.headers.get("Content-Type") == get.headers.get("Content-Type")


@pytest.mark.slow
def test_head_does_not_generate_a_streamed_body(app, library, sign_in, monkeypatch):
    """Whichever address sends a body in pieces; in a deep run, which do is found by asking all of them."""
    made = []
    make_body = StreamingResponse.stream_response

    async def noted(self, send):
        made.append(self)
        await make_body(self, send)

    monkeypatch.setattr(StreamingResponse, "stream_response", noted)
    browser, streamed = sign_in(library.admin), []
    for method, path in sorted(every_route()):
        if method == "GET" and (DEEP or FILES.search(path)):
            address = library.address(path) + ("?format=csv" if path.endswith("/export") else "")
            made.clear()
            get = browser.get(address)
            if made:
                made.clear()
                head = browser.head(address)
                ours = {"x-request-id", "transfer-encoding"}
                assert (head.status_code, head.content, made) == (200, b"", []), path
                assert {*head.headers} - ours == {*get.headers} - ours, path
                assert head.headers["content-type"] == get.headers["content-type"], path
                streamed.append(path)
    assert {"/api/v1/export", "/bulk/export", "/api/v1/export/markdown.zip"} <= {*streamed}


def test_only_one_response_class_streams():
    """That one leaves the body out for HEAD."""
    source = Path(readtrack.__file__).parent
    users = [file.relative_to(source) for file in source.rglob("*.py") if "StreamingResponse" in file.read_text()]
    assert users == [Path("web/responses/json.py")]


def test_a_viewer_sees_no_control_that_would_be_refused(library, viewer):
    for path in ("/papers", "/papers/{paper_id}", "/topics", "/topics/{slug}", "/notes", "/imports"):
        page = html.fromstring(viewer.get(library.address(path)).text)
        controls = {*page.xpath("//main//a/@href"), *page.xpath("//form[@method='post']/@action")}
        assert not [control for control in controls if FORBIDDEN.fullmatch(control)], path


def test_the_abstract_names_its_source(library, sign_in, database):
    with database.write() as tx:
        paper = make.paper(tx, abstract="We train.")
        said: Any = {"service": "crossref", "scheme": "doi", "value": "1", "stage": "published", "state": "agrees"}
        record = MetadataRecord(paper_id=paper.id, abstract="We train.", **said)
        tx.add(record)
        tx.flush()
        paper.field_sources = {"abstract": record.id}
    page = sign_in(library.admin).get(f"/papers/{paper.id}").text
    assert '<h2>Abstract</h2><span class="quiet n">from Crossref, ' in page


def form_of(browser: AppClient, paper_id: int) -> dict[str, str]:
    (form,) = html.fromstring(browser.get(f"/papers/{paper_id}/edit").text).xpath("//form[.//input[@name='version']]")
    return {name: value.replace("\n", "\r\n") for name, value in form.form_values()}


def test_the_form_changes_only_edited_fields(library, sign_in, database):
    browser = sign_in(library.admin)
    with database.write() as tx:
        paper = make.paper(
            tx, " Odd  title", abstract="One.\n\nTwo. ", language="es", authors=["Ann B", "Bo"], year=2020
        )
    sent = form_of(browser, paper.id)
    assert sent["language"] == "es"
    assert browser.post(f"/papers/{paper.id}/edit", data=sent | {"venue": "MLSys"}).status_code == 303
    with database.read() as tx:
        now = tx.get_one(Paper, paper.id)
        assert (now.venue, now.language, now.abstract, now.title) == ("MLSys", "es", "One.\n\nTwo. ", " Odd  title")
        assert list(now.field_locks) == ["venue"]


def test_the_form_normalises_line_endings(library, sign_in, database):
    browser = sign_in(library.admin)
    with database.write() as tx:
        paper = make.paper(tx, abstract="One.")
    browser.post(f"/papers/{paper.id}/edit", data=form_of(browser, paper.id) | {"abstract": "One.\r\n\r\nThree."})
    with database.read() as tx:
        assert tx.get_one(Paper, paper.id).abstract == "One.\n\nThree."


def links_of(browser: AppClient, address: str) -> dict[str, str]:
    page = html.fromstring(browser.get(f"/papers/facets?{address.partition('?')[2]}").text)
    return {a.xpath("bdi")[0].text: a.get("href") for a in page.xpath("//div[@class='narrow-by']//a[bdi]")}


def test_a_topic_is_added_to_the_query_and_removed_again(library, sign_in):
    browser = sign_in(library.admin)
    here = links_of(browser, "/papers?q=kind:paper&sort=title")["Training"]
    assert here == "/papers?q=kind%3Apaper+topic%3Atraining&sort=title"
    assert links_of(browser, here)["Training"] == "/papers?q=kind%3Apaper&sort=title"
