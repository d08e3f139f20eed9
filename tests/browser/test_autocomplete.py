"""How the search goes on while one types: by keys alone, by pointer, and never in the middle of a composed word."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from readtrack import search
from readtrack.infra.db import Database
from tests import make
from tests.browser.serving import Live, serving


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    def fill(database: Database) -> None:
        with database.write() as tx:
            search.ensure(tx)
            video = make.paper(tx, "A talk on rings", kind="video")
            make.filed(tx, video, make.topic(tx, "Distributed", aliases=("分散学習",)))
            search.update_papers(tx, [video.id])

    with serving(tmp_path_factory.mktemp("completing"), None, fill) as live:
        yield live


@pytest.fixture
def page(browse, live) -> Page:
    with live.database.write() as tx:
        ada = make.visitor(tx)
    page: Page = browse(ada)
    page.goto("/papers")
    page.wait_for_selector("#search[role=combobox]")
    page.locator("#search").focus()
    return page


def options(page):
    return page.get_by_role("option")


def typed(page, text):
    page.keyboard.type(text)
    expect(options(page).first).to_be_visible()
    return page.locator("#search")


def test_arrow_keys_select_and_enter_or_tab_accept_a_suggestion(page):
    field = typed(page, "kin")
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "search-offer-1")
    page.keyboard.press("Tab")
    expect(field).to_have_value("kind:")
    expect(field).to_be_focused()
    typed(page, "vi")
    expect(options(page)).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(field).to_have_value("kind:video ")
    assert "q=" not in page.url
    page.keyboard.press("Enter")
    page.wait_for_url("**q=kind%3Avideo*")


@pytest.mark.deep
def test_the_selection_stays_as_long_as_it_is_suggested(page):
    field = typed(page, "k")
    number = (
        options(page)
        .all_text_contents()
        .index(next(text for text in options(page).all_text_contents() if "kind" in text))
    )
    for _step in range(number + 1):
        page.keyboard.press("ArrowDown")
    with page.expect_response(lambda answer: "q=kind&" in answer.url):
        page.keyboard.type("ind")
    expect(options(page)).to_have_count(1)
    expect(options(page)).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "search-offer-1")


@pytest.mark.deep
def test_escape_closes_the_suggestions_and_keeps_the_typed_text(page):
    field = typed(page, "stat")
    page.keyboard.press("Escape")
    expect(options(page).first).to_be_hidden()
    expect(field).to_have_value("stat")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "false")


def test_suggestions_that_arrive_after_escape_stay_closed(page):
    field, held = typed(page, "sta"), []
    page.route("**/search/complete*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    with page.expect_request("**/search/complete*"):
        page.keyboard.type("t")
    page.keyboard.press("Escape")
    with page.expect_response("**/search/complete*"):
        held[0].continue_()
    page.wait_for_load_state("networkidle")
    expect(options(page).first).to_be_hidden()
    expect(field).to_have_attribute("aria-expanded", "false")


@pytest.mark.deep
def test_enter_searches_while_no_suggestion_is_selected(page):
    typed(page, "kind:vi")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=kind%3Avi*")


@pytest.mark.deep
def test_clicking_accepts_a_suggestion_and_the_field_keeps_the_focus(page):
    field = typed(page, "kind:vi")
    options(page).first.click()
    expect(field).to_have_value("kind:video ")
    expect(field).to_be_focused()


@pytest.mark.deep
def test_the_list_of_suggestions_has_a_different_label_from_the_field(page):
    field = typed(page, "stat")
    offered = page.get_by_role("listbox").get_attribute("aria-label")
    assert offered
    assert offered != field.get_attribute("aria-label")


def test_a_word_is_not_completed_during_ime_composition_but_afterwards(page):
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/search/complete" in request.url else None)
    field = typed(page, "topic:")
    page.keyboard.press("Escape")
    asked.clear()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "分散", "selectionStart": 2, "selectionEnd": 2})
    expect(field).to_have_value("topic:分散")
    page.keyboard.press("ArrowDown")
    assert asked == []
    session.send("Input.insertText", {"text": "分散"})
    expect(options(page)).to_have_count(1)
    expect(options(page)).to_contain_text("distributed")
    expect(options(page)).to_contain_text("分散学習")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("topic:distributed ")
