"""The palette and quick add: over any page, by keys alone, and never in the middle of a word that is being composed."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import CDPSession, Page, expect

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.serving import Live, listens, serving


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    def fill(database: Database) -> None:
        with database.write() as tx:
            search.ensure(tx)
            named = [make.paper(tx, title).id for title in ("Elastic Training", "Training on Spot", "分散学習の入門")]
            search.update_papers(tx, named)
            make.topic(tx, "Training")

    with serving(tmp_path_factory.mktemp("palette"), None, fill) as live:
        yield live


@pytest.fixture
def ada(live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx)


@pytest.fixture
def page(browse, ada) -> Page:
    page: Page = browse(ada)
    page.goto("/papers")
    page.wait_for_selector("[data-htmx-powered]", state="attached")
    return page


def palette(page):
    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Go to")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    return dialog


def chosen(dialog):
    return dialog.locator("[role=option][aria-selected=true]")


def compose(page: Page, text: str) -> CDPSession:
    """As an input method shows a word before it is taken."""
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    return session


def press_while_composing(session: CDPSession, key: str) -> None:
    """The browser says of every key then that it is one of the input method's: number 229."""
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": 229})
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, "windowsVirtualKeyCode": 229})


@pytest.mark.deep
def test_it_finds_results_while_typing_and_arrows_and_enter_open_them(page):
    dialog = palette(page)
    page.keyboard.type("training")
    expect(chosen(dialog)).to_contain_text("Training on Spot")
    page.keyboard.press("ArrowDown")
    expect(chosen(dialog)).to_contain_text("Elastic Training")
    field = dialog.get_by_role("combobox")
    expect(field).to_have_attribute("aria-activedescendant", chosen(dialog).get_attribute("id"))
    for key in ("ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"):  # round its ends
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Elastic Training")).to_be_visible()


@pytest.mark.deep
def test_escape_closes_it_and_restores_the_focus(page):
    page.keyboard.press("j")
    dialog = palette(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name="分散学習の入門")).to_be_focused()


@pytest.mark.deep
def test_it_opens_from_a_field_and_with_its_button(page):
    page.locator("#search").focus()
    palette(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Go to…").click()
    expect(page.get_by_role("dialog", name="Go to")).to_be_visible()


@pytest.mark.deep
def test_actions_are_listed_in_it_and_open_in_its_place(page):
    dialog = palette(page)
    page.keyboard.type("add pap")
    expect(dialog.get_by_role("option")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    expect(chosen(dialog)).to_contain_text("Add papers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Add papers")).to_be_visible()


def test_it_waits_until_ime_composition_ends(page):
    dialog = palette(page)
    session = compose(page, "がくしゅう")
    press_while_composing(session, "Enter")
    press_while_composing(session, "ArrowDown")
    expect(dialog.get_by_role("combobox")).to_have_value("がくしゅう")
    session.send("Input.insertText", {"text": "学習"})
    expect(dialog.get_by_role("option").first).to_contain_text("分散学習の入門")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="分散学習の入門")).to_be_visible()


@pytest.mark.deep
def test_it_works_without_scripts(browse, ada):
    page = browse(ada, javascript=False)
    page.goto("/papers")
    page.get_by_role("link", name="Go to…").click()
    page.get_by_role("searchbox", name="Go to").fill("学習")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("link", name="分散学習の入門").click()
    expect(page.get_by_role("heading", name="分散学習の入門")).to_be_visible()


def test_one_line_is_added_with_enter_from_anywhere(page):
    page.goto("/topics")
    page.wait_for_selector("[data-htmx-powered]", state="attached")
    page.keyboard.press("c")
    expect(page.get_by_role("dialog", name="Add papers").get_by_role("textbox")).to_be_focused()
    page.keyboard.insert_text("2405.12345")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Paper added")


@pytest.mark.deep
def test_several_ids_in_one_line_are_all_added(page):
    page.keyboard.press("c")
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
    page.keyboard.insert_text("2405.12346, https://arxiv.org/abs/2405.12347")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("2 of 2 papers added")


@pytest.mark.deep
def test_pasting_several_lines_opens_an_import_preview(page):
    page.keyboard.press("c")
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
    page.keyboard.insert_text("- https://arxiv.org/abs/2405.12348\n- https://arxiv.org/abs/2405.12349")
    page.keyboard.press("Enter")  # one more line
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile(r"/imports/\d+$"))


@pytest.mark.deep
def test_enter_ends_ime_composition_and_adds_nothing(page):
    page.keyboard.press("c")
    field = page.get_by_role("dialog").get_by_role("textbox")
    expect(field).to_be_focused()
    session = compose(page, "ろんぶん")
    press_while_composing(session, "Enter")
    expect(field).to_have_value("ろんぶん")
    expect(page.get_by_role("dialog", name="Add papers")).to_be_visible()


@pytest.mark.deep
def test_ime_keys_do_nothing_on_rows(page):
    page.keyboard.press("j")
    before = page.evaluate("document.activeElement.textContent")
    session = page.context.new_cdp_session(page)
    for key in ("c", "x", "j", "2"):
        press_while_composing(session, key)
    assert page.evaluate("document.activeElement.textContent") == before
    expect(page.locator(".pick:checked, dialog")).to_have_count(0)


@pytest.mark.deep
def test_the_palette_works_when_single_key_shortcuts_are_disabled(page):
    page.goto("/settings/appearance")
    page.get_by_role("group", name="Single-key shortcuts").get_by_text("Off", exact=True).click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).not_to_be_empty()
    listens(page)
    page.keyboard.press("c")
    expect(page.get_by_role("dialog")).to_have_count(0)
    palette(page)
