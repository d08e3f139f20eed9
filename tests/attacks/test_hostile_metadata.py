"""What services and pages say is text, whatever it would like to be: on every page, in every export, over REST."""

import json
import re

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.models import Paper
from tests import make
from tests.depth import some
from tests.outside import hostile

pytestmark = pytest.mark.slow

PAGES: tuple[str, ...] = (
    "/papers",
    "/papers?q=alert",
    "/papers?q=is:library",
    "/review?of=disagreements",
    "/review?of=duplicates",
)
PAGES += ("/review?of=found", "/review?of=unknown", "/notes")
OF_PAPERS = ("/papers/{}?sources=open", "/papers/{}/edit", "/papers/{}/merge", "/papers/{}/merge?into=%231")
ANSWERS: tuple[str, ...] = (
    "/api/v1/papers",
    "/api/v1/review",
    "/api/v1/review?of=unknown",
    "/api/v1/proposals",
    "/api/v1/duplicates",
)
ANSWERS += ("/api/v1/unresolved", "/api/v1/export?format=json")
OF_ANSWERS = ("", "/records", "/links", "/relations", "/events")
ALIVE = {"script", "img", "iframe", "object", "embed", "style", "link", "base", "meta", "svg", "b", "font"}
ADDRESS = re.compile(r"(?:https?://|/(?!/)|#)")


@pytest.fixture
def told(database, sign_in):
    """A browser before the library, and the papers."""
    with database.write() as tx:
        me = make.visitor(tx, "Ed", role="editor")
    ids = hostile.hear(database, me)
    hostile.add_by_hand(database, ids[0])
    hostile.propose(database, me, ids[0])
    return sign_in(me), ids


def mischief(page):
    """What in the main part of a page is more than text: elements that no template has there, handlers, addresses."""
    for element in html.fromstring(page).xpath("//main//*"):
        if element.tag in ALIVE and not (element.tag == "svg" and element.get("aria-hidden")) and not _ours(element):
            yield element.tag
        for name, value in element.attrib.items():
            if name.startswith("on") or name in {"srcdoc", "style", "hx-on", "formaction"}:
                yield f"{element.tag} {name}"
            if (
                name in {"href", "action", "src", "hx-get", "hx-post"}
                and not ADDRESS.match(value)
                and element.tag != "use"
            ):
                yield f"{element.tag} {name}={value[:40]}"


def _ours(element):
    """The names of services stand bold in a head of the table."""
    return element.tag == "b" and element.getparent().tag == "th"


@pytest.mark.deep
def test_fetched_texts_are_rendered_as_plain_text_on_every_page(told):
    browser, ids = told
    addresses = [*PAGES, *(path.format(paper_id) for paper_id in some(ids, 3) for path in OF_PAPERS)]
    for address in addresses:
        answer = browser.get(address)
        assert answer.status_code in {200, 422}, address
        assert list(mischief(answer.text)) == [], address
        text = html.fromstring(answer.text).text_content()
        assert "alert(" in text or "value=" in answer.text, address
        assert "1337" not in text, address


def test_the_api_returns_fetched_texts_as_plain_json(told):
    browser, ids = told
    addresses = [*ANSWERS, *(f"/api/v1/papers/{paper_id}{part}" for paper_id in some(ids, 4) for part in OF_ANSWERS)]
    for address in addresses:
        answer = browser.get(address)
        assert answer.status_code == 200, address
        assert answer.headers["content-type"].startswith("application/json"), address
        assert answer.headers["x-content-type-options"] == "nosniff"
        json.loads(answer.content)


@pytest.mark.deep
def test_an_export_has_one_entry_per_paper(told, database):
    browser, ids = told
    with database.read() as tx:
        there = tx.scalar(sa.select(sa.func.count()).select_from(Paper).where(col(Paper.merged_into).is_(None)))
    bibtex = browser.get("/api/v1/export?format=bibtex")
    assert "html" not in bibtex.headers["content-type"]
    assert len(re.findall(r"^@", bibtex.text, re.MULTILINE)) == there
    assert bibtex.text.count("{") == bibtex.text.count("}")
    assert not re.search(r"(?<!\\textbackslash\{\})\\input\b", bibtex.text)
    for paper_id in some(ids, 4):
        one = browser.get(f"/api/v1/papers/{paper_id}.bib")
        assert len(re.findall(r"^@", one.text, re.MULTILINE)) == 1
