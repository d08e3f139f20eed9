"""Every key of the map does what the help says: on rows, on the page of a paper, in the editor, between places."""

import re
from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from readtrack.web.templating.navigation import ITEMS
from tests import make
from tests.browser.serving import Live, listens, serving
from tests.depth import some

PAPERS = 52  # one page and a little
FIRST, SECOND = f"Paper {PAPERS}", f"Paper {PAPERS - 1}"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file; every test has a person of its own."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            search.ensure(tx)
            papers = [make.paper(tx, f"Paper {number + 1}", authors=["Ada Örn"], year=2024) for number in range(PAPERS)]
            search.update_papers(tx, [paper.id for paper in papers])
            make.person(tx, "Bo Lee")
            make.series(tx, "Reading group")

    with serving(tmp_path_factory.mktemp("keys"), None, fill) as live:
        yield live


@pytest.fixture
def ada(live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx, role="editor")


@pytest.fixture
def at(browse, ada):
    """Opens a page and waits until it listens."""
    window = browse(ada)

    def open_page(address: str) -> Page:
        window.goto(address)
        listens(window)
        return window

    return open_page


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def copied(page):
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.deep
def test_arrows_continue_from_the_current_row_and_otherwise_scroll(at):
    page = at("/papers")
    press(page, "ArrowDown")
    expect(page.locator("body")).to_be_focused()
    press(page, "j", "ArrowDown")
    expect(page.get_by_role("link", name=SECOND, exact=True)).to_be_focused()
    press(page, "ArrowUp")
    expect(page.get_by_role("link", name=FIRST, exact=True)).to_be_focused()


@pytest.mark.deep
def test_rows_are_selected_one_by_one_and_while_walking(at):
    page = at("/papers")
    press(page, "j", "x")
    expect(page.get_by_label(f"Select {FIRST}")).to_be_checked()
    press(page, "j", "Shift+J", "Shift+J")
    expect(page.locator(".pick:checked")).to_have_count(4)
    press(page, "Shift+A")
    expect(page.locator(".bulk :focus")).to_have_count(1)


def test_brackets_go_to_the_next_and_previous_page(at):
    page = at("/papers")
    press(page, "]")
    expect(page.get_by_role("link", name="Paper 1", exact=True)).to_be_visible()
    page.wait_for_load_state()
    press(page, "[")
    expect(page.get_by_role("link", name=FIRST, exact=True)).to_be_visible()


@pytest.mark.deep
def test_the_source_of_a_row_opens_in_a_new_window(at):
    page = at("/papers")
    with page.context.expect_page() as opened:
        press(page, "j", "v")
    assert len(page.context.pages) == 2
    assert opened.value != page


def test_a_paper_is_filed_from_the_list_without_leaving_it(at):
    page = at("/papers")
    press(page, "j", "t")
    dialog = page.get_by_role("dialog", name="Edit topics")
    expect(dialog).to_contain_text(FIRST)
    expect(dialog.get_by_label("Add topic")).to_be_focused()
    page.keyboard.type("Filed by key")
    press(page, "Enter")
    expect(dialog).to_be_hidden()
    expect(page.locator("[data-row]").first.get_by_role("link", name="Filed by key")).to_be_visible()
    expect(page.get_by_role("link", name=FIRST, exact=True)).to_be_focused()


@pytest.mark.deep
def test_an_error_is_shown_in_the_dialog_which_stays_open(at):
    page = at("/papers")
    press(page, "j", "l")
    dialog = page.get_by_role("dialog", name="Link paper")
    dialog.get_by_label("Other paper").fill("#999999")
    press(page, "Enter")
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    press(page, "Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name=FIRST, exact=True)).to_be_focused()


@pytest.mark.deep
@pytest.mark.parametrize(("key", "title"), some([("a", "Assign"), ("m", "Propose for meeting")], 1))
def test_forms_for_a_paper_open_from_the_list(at, key, title):
    page = at("/papers")
    press(page, "j", key)
    expect(page.get_by_role("dialog", name=title)).to_be_visible()


@pytest.mark.deep
@pytest.mark.parametrize("address", some(["/papers", f"/papers/{PAPERS}"], 1))
def test_a_copied_citation_has_the_address_of_the_paper_itself(at, address):
    page = at(address)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, *(["j"] if address == "/papers" else []), "y")
    expect(page.get_by_text("Copied")).to_be_visible()
    citation = rf"Örn, A\. \(2024\)\. {FIRST} \(arXiv:([\d.]+)\)\. arXiv\. https://arxiv\.org/abs/\1"
    assert re.fullmatch(citation, copied(page)), copied(page)


@pytest.mark.parametrize(
    ("key", "label"),
    some([("t", "Add topic"), ("a", "Assignee"), ("l", "This paper"), ("m", "For"), ("n", "New comment")], 2),
)
def test_a_key_opens_a_form_on_a_paper_page_and_scrolls_to_it(at, key, label):
    page = at("/papers/1")
    press(page, key)
    expect(page.get_by_label(label, exact=True)).to_be_focused()


@pytest.mark.deep
def test_p_focuses_my_progress_once_i_am_reading(at):
    page = at("/papers/1")
    press(page, "2")
    expect(page.get_by_role("radio", name="Reading")).to_be_checked()
    page.wait_for_load_state()
    press(page, "p")
    expect(page.get_by_label("Current", exact=True)).to_be_focused()


@pytest.mark.deep
def test_r_replies_and_quotes_the_selected_text(at, live, ada):
    with live.database.write() as tx:
        make.comment(tx, ada.id, "Is the bound tight?", paper_id=2)
    page = at("/papers/2")
    page.get_by_text("Is the bound tight?").select_text()
    press(page, "r")
    expect(page.get_by_label("Reply")).to_have_value("> Is the bound tight?\n\n")


@pytest.mark.deep
def test_e_edits_my_summary_and_keys_format_the_text(at):
    page = at("/papers/3")
    press(page, "e")
    text = page.get_by_label("Text", exact=True)
    text.click()
    for key, typed, becomes in (
        ("b", "strong", "**strong**"),
        ("i", "soft", "*soft*"),
        ("m", "x^2", "$x^2$"),
        ("k", "link", "[link](https://)"),
    ):
        text.fill("")
        press(page, f"Control+{key}")
        page.keyboard.type(typed)
        expect(text).to_have_value(becomes)
    text.fill("marked")
    text.select_text()
    press(page, "Control+b")
    expect(text).to_have_value("**marked**")
    press(page, "Control+z")
    expect(text).to_have_value("marked")
    press(page, "Control+s")
    expect(page.get_by_role("status")).to_contain_text("Saved")


def test_control_and_enter_save_the_summary_and_mark_the_paper_as_read(at):
    page = at("/papers/4/summary/edit")
    page.get_by_label("Text", exact=True).fill("Three lines.")
    press(page, "Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("Saved and marked as read")
    expect(page.get_by_role("radio", name="Read", exact=True)).to_be_checked()


@pytest.mark.deep
def test_control_shift_p_shows_the_preview(at):
    page = at("/papers/5/summary/edit")
    page.get_by_label("Text", exact=True).fill("Three **lines**.")
    press(page, "Control+Shift+P")
    expect(page.locator("#preview strong")).to_have_text("lines")


def test_g_and_each_sections_letter_open_that_section(at):
    page = at("/queue")
    for place in some([item for item in ITEMS if not item.permission], 3):
        press(page, "g", place.key)
        page.wait_for_url(f"**{place.address}")
        listens(page)


def test_the_listed_shortcuts_are_those_of_the_page(at):
    page = at("/papers")
    press(page, "?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_role("heading", name="Lists", exact=True)).to_be_visible()
    expect(keys.get_by_role("heading", name="Editor")).to_be_hidden()
    expect(keys.get_by_role("button", name="Close")).to_be_focused()


def test_with_papers_selected_the_same_keys_apply_to_all_of_them(at):
    page = at("/papers")
    press(page, "j", "Shift+J", "t")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".bulk").get_by_label("Topic")).to_be_focused()
    page.keyboard.type("Filed together")
    page.get_by_role("button", name="Add topic").click()
    expect(page.locator("[data-row]").get_by_role("link", name="Filed together")).to_have_count(2)
    listens(page)
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    press(page, "z")
    expect(page.locator("[data-row]").get_by_role("link", name="Filed together")).to_have_count(0)


@pytest.mark.deep
def test_papers_awaiting_triage_are_decided_with_one_hand(at, live):
    with live.database.write() as tx:
        waiting = [make.paper(tx, f"Waiting {number}", triage="inbox") for number in range(3)]
        search.update_papers(tx, [paper.id for paper in waiting])
    page = at("/papers?q=is:inbox")
    link = partial(page.get_by_role, "link", exact=True)
    press(page, "j", "i")
    expect(link(name="Waiting 2")).to_have_count(0)
    expect(link(name="Waiting 1")).to_be_focused()
    listens(page)
    press(page, "u")
    expect(link(name="Waiting 2")).to_be_visible()
    listens(page)
    expect(link(name="Waiting 1")).to_be_focused()  # where one was
    press(page, "k", "d")
    expect(link(name="Waiting 2")).to_have_count(0)
    listens(page)
    press(page, "s")
    expect(page.locator("[data-row]").filter(has_text="Waiting 1").get_by_label("My status: To read")).to_be_visible()
    expect(link(name="Waiting 1")).to_be_focused()
    listens(page)
    press(page, "i")
    expect(link(name="Waiting 1")).to_have_count(0)
