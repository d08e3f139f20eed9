"""Macros in a browser and as JSON."""

import pytest
from lxml import html

from tests import make


@pytest.fixture
def browser(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada", role="member")
    return sign_in(ada)


def document(answer):
    return html.document_fromstring(answer.text)


def add(browser, **fields):
    return browser.post("/settings/macros", data={"name": "loss", "body": r"\mathcal{L}", **fields})


def shown(browser, address="/settings/macros"):
    return document(browser.get(address))


def test_the_page_renders_each_macro(browser):
    assert add(browser).status_code == 303
    add(browser, name=r"\norm", body=r"\lVert #1 \rVert")

    rows = shown(browser).xpath("//table//tbody/tr")

    assert [row.xpath("string(th)") for row in rows] == [r"\loss", r"\norm{x}"]
    assert all(row.xpath(".//*[local-name()='math']") for row in rows)


def test_a_double_click_adds_one_macro(browser):
    add(browser)
    assert add(browser).status_code == 303
    assert len(shown(browser).xpath("//table//tbody/tr")) == 1


def test_an_invalid_macro_is_reported_next_to_the_input(browser):
    answer = add(browser, body=r"\frac{1")
    page = document(answer)
    assert answer.status_code == 422
    assert page.xpath("string(//input[@name='body']/@value)") == r"\frac{1"
    assert "Invalid LaTeX" in page.xpath("string(//main)")
    assert add(browser, name="a b").status_code == 422


def test_a_macro_is_edited_in_the_list_and_not_over_another_change(browser):
    add(browser)
    form = shown(browser, "/settings/macros?change=loss")
    assert form.xpath("string(//input[@name='body']/@value)") == r"\mathcal{L}"
    again = {"change": "1", "was": r"\mathcal{L}"}
    assert add(browser, body=r"\ell", **again).status_code == 303
    late = add(browser, body="x", **again)
    assert late.status_code == 422
    assert "Someone else edited this" in late.text


def test_a_macro_is_removed_and_the_removal_undone(browser):
    add(browser)
    browser.post("/settings/macros/loss/remove")
    page = shown(browser)
    assert page.xpath("//table") == []
    undo = page.xpath("string(//form[starts-with(@action, '/trash/others/')]/@action)")
    assert browser.post(undo).headers["location"] == "/settings/macros"
    assert len(shown(browser).xpath("//table//tbody/tr")) == 1


def test_the_api_adds_changes_lists_and_removes_macros(browser):
    made = browser.post("/api/v1/macros", json={"name": "loss", "body": r"\mathcal{L}"})
    assert made.status_code == 201
    assert {"name": "loss", "body": r"\mathcal{L}", "person": "Ada"}.items() <= made.json().items()
    assert browser.post("/api/v1/macros", json={"name": "loss", "body": "x"}).status_code == 409
    assert (
        browser.post("/api/v1/macros", json={"name": "bad", "body": r"\frac{1"}).json()["errors"][0]["pointer"]
        == "/body"
    )
    assert browser.put("/api/v1/macros/loss", json={"body": r"\ell"}).json()["body"] == r"\ell"
    assert browser.put("/api/v1/macros/none", json={"body": r"\ell"}).status_code == 404
    assert [one["body"] for one in browser.get("/api/v1/macros").json()["items"]] == [r"\ell"]
    assert browser.delete("/api/v1/macros/loss").status_code == 204
    assert browser.get("/api/v1/macros").json() == {"items": []}


def test_a_summary_page_applies_the_macros(browser, database):
    add(browser)
    with database.write() as tx:
        paper = make.paper(tx, "Attention")
    browser.put(
        f"/api/v1/papers/{paper.id}/summary", json={"markdown": r"It is $\loss$."}, headers={"If-None-Match": "*"}
    )
    assert shown(browser, f"/papers/{paper.id}").xpath("//main//*[local-name()='math']")
