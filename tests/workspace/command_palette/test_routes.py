"""The doors of the palette: a page that works without scripts, the part of it that scripts show, and JSON."""

import pytest
from lxml import html

from readtrack import search
from tests import make

pytestmark = pytest.mark.slow  # a whole application


@pytest.fixture
def team(database):
    with database.write() as tx:
        search.ensure(tx)
        paper = make.paper(
            tx, "分散 <i>Training</i>", language="ja", authors=["Ada Örn", "Bo Lee"], venue="OSDI", year=2024
        )
        search.update_papers(tx, [paper.id])
        return {"Ada": make.visitor(tx, "Ada", role="admin"), "Vera": make.visitor(tx, "Vera", role="viewer")}


def links(document):
    return document.xpath("//*[@id='palette-found']//a/@href")


def test_the_page_links_to_matches_for_the_input(team, sign_in):
    page = html.fromstring(sign_in(team["Ada"]).get("/palette?q=training").text)
    assert links(page) == ["/papers/1", "/papers?q=training"]
    (hit,) = page.xpath("//a[@href='/papers/1']")
    assert hit.xpath("string(*[1])") == "分散 <i>Training</i>"
    assert hit.xpath("*[1]/@lang") == ["ja"]
    assert "Ada Örn" in hit.text_content()
    assert not page.xpath("//*[@role='option']")  # links, to who has no script


def test_the_fragment_is_a_combobox_with_options(team, sign_in):
    answer = sign_in(team["Ada"]).get("/palette?q=training", headers={"HX-Request-Type": "partial"})
    part = html.fromstring(answer.text)
    assert not part.xpath("//nav")
    assert part.xpath("//input[@role='combobox']/@aria-controls") == ["palette-found"]
    options = part.xpath("//*[@role='listbox']//*[@role='option']")
    assert [option.get("aria-selected") for option in options] == ["true", "false"]


def test_only_permitted_actions_are_offered(team, sign_in):
    everything = {"/papers/new", "/imports/new", "/meetings/new", "/review", "/people/invitations"}
    assert everything <= set(links(html.fromstring(sign_in(team["Ada"]).get("/palette").text)))
    shown = links(html.fromstring(sign_in(team["Vera"]).get("/palette").text))
    assert not everything & set(shown)
    assert {"/queue", "/papers", "/help/keys"} <= set(shown)


def test_sections_are_found_by_name(team, sign_in):
    page = html.fromstring(sign_in(team["Ada"]).get("/palette?q=meet").text)
    assert {"/meetings", "/meetings/new"} <= set(links(page))


def test_the_api_returns_the_same(team, sign_in):
    ada = sign_in(team["Ada"])
    answer = ada.get("/api/v1/palette?q=training")
    hit = {"kind": "paper", "title": "分散 <i>Training</i>", "address": "/papers/1", "language": "ja"}
    assert answer.json() == {"items": [{**hit, "note": "Ada Örn … · OSDI 2024"}]}
    assert ada.get("/api/v1/palette").json() == {"items": []}
    assert ada.get("/api/v1/palette?query=x").status_code == 422
    assert ada.get("/api/v1/palette", params={"q": "x" * 5000}).status_code == 200


def test_the_shortcuts_are_listed_on_a_page_and_in_a_dialog(team, sign_in):
    ada = sign_in(team["Ada"])
    page = html.fromstring(ada.get("/help/keys").text)
    assert "Shift" in page.xpath("string(//main)")
    part = html.fromstring(ada.get("/help/keys", headers={"HX-Request-Type": "partial"}).text)
    assert not part.xpath("//nav")
    assert part.xpath("string(//*[@id='dialog-title'])") == "Keyboard shortcuts"
