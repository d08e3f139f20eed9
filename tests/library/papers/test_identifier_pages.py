"""Every identifier opens its own page, also after a merge: on pages, in the API, and in exports."""

import json

import pytest
from lxml import html

from readtrack import search
from readtrack.infra.models import Link
from readtrack.library.duplicates.merge import merge_papers
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from readtrack.workspace.export.stream import export_text
from tests import make

pytestmark = pytest.mark.slow  # requests to a whole application
ARXIV, DOI, USENIX = "https://arxiv.org/abs/2101.06840", "https://doi.org/10.1145/3.4", "usenix:atc21/ren-jie"
PAGES = {
    "arxiv:2101.06840": ARXIV,
    USENIX: "https://www.usenix.org/conference/atc21/presentation/ren-jie",
    "doi:10.1145/3.4": DOI,
}


@pytest.fixture
def people(database):
    """A paper known from USENIX, into which one from arXiv and one with a DOI are merged, and the other way round."""
    with database.write() as tx:
        search.ensure(tx)
        editor = make.visitor(tx, "Ada", role="editor")
        for first in PAGES:
            others = [name for name in PAGES if name != first]
            papers = {
                name: make.paper(tx, "ZeRO-Offload", identifier=f"{name}{'' if first == USENIX else first[0]}")
                for name in (first, *others)
            }
            for paper in papers.values():
                tx.add_all(Link(paper_id=paper.id, url=url, role="landing") for url in PAGES.values())
            tx.flush()
            for name in others:
                merge_papers(tx, editor, papers[name].id, into_id=papers[first].id)
    return editor


def own_page(identifier):
    return sources.url(Ref.parse(identifier))


def test_the_details_of_a_paper_link_each_identifier_to_its_page(people, sign_in):
    ada = sign_in(people)
    ids = [paper["id"] for paper in ada.get("/api/v1/papers").json()["items"]]
    assert len(ids) == len(PAGES)
    for paper_id in ids:
        paper = ada.get(f"/api/v1/papers/{paper_id}").json()
        assert len(paper["identifiers"]) == len(PAGES)
        assert paper["url"] == own_page(paper["identifiers"][0])
        assert paper["identifier_pages"] == [
            {"identifier": name, "url": own_page(name)} for name in paper["identifiers"]
        ]
        page = html.fromstring(ada.get(f"/papers/{paper_id}").text)
        links = page.xpath("//dl[contains(@class, 'facts')]//dd[@class='id']/a")
        assert [(link.text, link.get("href")) for link in links] == [
            (name, own_page(name)) for name in paper["identifiers"]
        ]


def test_labels_in_lists_and_on_pages_open_the_page_of_the_same_identifier(people, sign_in):
    ada = sign_in(people)
    for path in ("/papers", "/papers?display=table&columns=identifier", "/papers/1"):
        page = html.fromstring(ada.get(path).text)
        links = [link for link in page.xpath("//a[starts-with(@href, 'https://')]") if link.text]
        named = [
            (ref, link.get("href"))
            for link in links
            if (ref := sources.parse_ref(link.text.strip())) and ref.scheme != "url"
        ]
        assert named
        assert [(ref, href) for ref, href in named if sources.recognize(href) != ref] == []


def test_exports_carry_the_page_of_the_first_identifier(database, people):
    with database.read() as tx:
        items = json.loads(export_text(tx, people, "csl-json", range(1, 20)))
        exported = json.loads(export_text(tx, people, "json", range(1, 20)))["papers"]
    assert len(items) == len(PAGES)
    assert [item["URL"] for item in items] == [own_page(paper["identifiers"][0]) for paper in exported]
