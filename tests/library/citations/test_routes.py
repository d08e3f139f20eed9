"""What papers cite, at both doors."""

import pytest
from lxml import html

from readtrack.library.citations.citation_lists import store_citation_list
from readtrack.metadata.types import BibliographyItem, Ref
from tests import make

CUPS = BibliographyItem((Ref("doi", "10.1000/cups.7"),), "Cups & <b>Saucers</b> in $O(n)$", 2019)


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        visitor = make.visitor(tx, "Ada")
    return sign_in(visitor)


@pytest.fixture
def pair(database):
    """Two papers that cite a work which is not here; the second cites the first as well."""
    with database.write() as tx:
        one, two = (make.paper(tx, f"Paper {n}", identifier=f"arxiv:2404.0000{n}").id for n in (1, 2))
        store_citation_list(tx, one, [CUPS], service="crossref", key="a")
        store_citation_list(
            tx, two, [CUPS, BibliographyItem((Ref("arxiv", "2404.00001"),))], service="crossref", key="b"
        )
    return one, two


def words(answer, path="//main"):
    return " ".join(" ".join(found.text_content() for found in html.fromstring(answer.text).xpath(path)).split())


def test_a_citation_is_on_both_pages_until_a_person_saves_it_as_a_link(ada, pair):
    one, two = pair
    connections = "//section[@id='relations']"
    assert "Cites 1 in library Paper 1" in words(ada.get(f"/papers/{two}"), connections)
    page = ada.get(f"/papers/{one}")
    assert "Cited by 1 in library Paper 2" in words(page, connections)
    [form] = html.fromstring(page.text).xpath("//form[input[@name='kind' and @value='cites']]")
    kept = ada.post(form.get("action"), data=dict(form.fields))
    assert kept.headers["location"] == f"/papers/{one}#relations"
    assert "Cited by Paper 2" in words(ada.get(f"/papers/{one}"), connections)
    assert "Cited by 1 in library" not in words(ada.get(f"/papers/{one}"), connections)
    said = ada.get(f"/api/v1/papers/{two}/citations").json()
    assert said["cites"] == [{"id": one, "title": "Paper 1", "year": None, "related": True}]
    assert (said["cited_by"], said["works"], said["services"]) == ([], 2, ["Crossref"])


def test_a_missing_work_is_added_or_dismissed_with_one_click(ada, pair):
    [work] = ada.get("/api/v1/citations/missing").json()["items"]
    assert (work["identifier"], work["papers"]) == ("doi:10.1000/cups.7", 2)
    assert [paper["title"] for paper in work["by"]] == ["Paper 2", "Paper 1"]
    page = ada.get("/citations")
    assert "Cups & <b>Saucers</b> in O(n)" in words(page)
    assert ada.post(f"/citations/{work['id']}/dismiss", data={"next": "/citations"}).headers["location"] == "/citations"
    assert "No works found" in words(ada.get("/citations"))
    assert "Saucers" in words(ada.get("/citations", params={"refused": "1"}))
    assert ada.delete(f"/api/v1/citations/{work['id']}/dismissal").status_code == 204
    assert ada.post(f"/citations/{work['id']}/add").status_code == 303
    assert ada.get("/api/v1/citations/missing").json()["items"] == []
    assert ada.post("/citations/999/add").status_code == 404


def test_a_page_takes_no_more_statements_for_more_works(ada, database, pair, statements):
    def counted():
        with statements() as seen:
            assert ada.get("/citations").status_code == 200
        return len(seen)

    ada.get("/citations")
    before = counted()
    with database.write() as tx:
        works = [BibliographyItem((Ref("doi", f"10.1/w{n}"), Ref("arxiv", f"2001.000{n:02}"))) for n in range(40)]
        for paper_id in pair:
            store_citation_list(tx, paper_id, works, service="semanticscholar", key="k")
    assert counted() == before


def test_fetching_citations_is_a_job_and_a_paper_without_a_usable_identifier_says_so(ada, database, pair):
    with database.write() as tx:
        unnamed = make.paper(tx, "No name", identifier="url:example.org/x").id
    one, _ = pair
    first, again = (ada.post(f"/api/v1/papers/{one}/citations/ask") for _ in range(2))
    assert (first.status_code, first.json()) == (202, again.json())
    assert ada.post(f"/papers/{one}/citations/ask").headers["location"] == f"/papers/{one}#relations"
    assert ada.post(f"/api/v1/papers/{unnamed}/citations/ask").status_code == 409


def test_a_viewer_sees_no_buttons(database, sign_in, pair):
    with database.write() as tx:
        me = make.visitor(tx, "Vi", role="viewer")
    viewer = sign_in(me)
    assert not html.fromstring(viewer.get("/citations").text).xpath("//main//form[@method='post']")
    assert not html.fromstring(viewer.get(f"/papers/{pair[0]}").text).xpath("//section[@id='relations']//form")
