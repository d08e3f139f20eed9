"""The board by mouse, by menu and by key; and lists that one comes back to where one left them."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT, Live, listens, serving

READY = "[data-htmx-powered]"
PAPERS = 60


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file; every test has a person of its own."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            for number in range(PAPERS, 0, -1):
                make.paper(tx, f"Paper {number:02}")

    with serving(tmp_path_factory.mktemp("board"), None, fill) as live:
        yield live


@pytest.fixture
def ada(live) -> CurrentUser:
    """Wants to read papers 60 to 58, in this order, reads 57, and has read 56."""
    with live.database.write() as tx:
        ada = make.visitor(tx)
        for number, status in enumerate(["to_read", "to_read", "to_read", "reading", "read"], 1):
            make.reading(tx, ada.id, number, status)
    return ada


@pytest.fixture
def board(browse, ada) -> Page:
    page: Page = browse(ada, viewport={"width": 1280, "height": 900})
    page.goto("/board")
    page.wait_for_selector(READY, state="attached")
    return page


def column(page: Page, name: str) -> Locator:
    return page.locator(f"[data-column='{name}']")


def cards(page: Page, name: str) -> list[str]:
    return column(page, name).locator(".title").all_inner_texts()


def card(page: Page, title: str) -> Locator:
    return page.locator("[data-card]", has=page.get_by_role("link", name=title))


def drag(page: Page, what: Locator, where: Locator, *, at: float = 0.5) -> None:
    """As a hand does it: pressed, moved in steps, let go."""
    begin, end = box_of(what), box_of(where)
    page.mouse.move(begin["x"] + 12, begin["y"] + 8)
    page.mouse.down()
    page.mouse.move(begin["x"] + 30, begin["y"] + 20, steps=3)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] * at, steps=6)
    page.mouse.up()


def box_of(place: Locator) -> Any:
    box = place.bounding_box()
    assert box is not None
    return box


def test_a_card_is_dragged_to_another_column_and_the_move_undone(board):
    drag(board, card(board, "Paper 60"), column(board, "reading"))
    expect(column(board, "reading").get_by_role("link", name="Paper 60")).to_be_visible()
    expect(board.get_by_role("status").first).to_contain_text("Marked as reading")
    board.keyboard.press("z")
    expect(column(board, "to_read").get_by_role("link", name="Paper 60")).to_be_visible()


@pytest.mark.deep
def test_a_card_cannot_be_dropped_where_it_is_not_allowed(board):
    drag(board, card(board, "Paper 56"), column(board, "paused"))
    expect(board.locator("#board-said")).to_have_text("This card can't be moved there.")
    assert cards(board, "read") == ["Paper 56"]
    assert not board.locator(".dragged").count()
    expect(board).to_have_url("/board")  # the title is a link, and was not followed


@pytest.mark.deep
def test_my_queue_is_reordered_by_dragging(board):
    drag(board, card(board, "Paper 60"), card(board, "Paper 58"), at=0.8)
    expect(column(board, "to_read").locator(".title").last).to_have_text("Paper 60")
    drag(board, card(board, "Paper 58"), card(board, "Paper 59"), at=0.1)
    expect(column(board, "to_read").locator(".title").first).to_have_text("Paper 58")


@pytest.mark.deep
def test_escape_cancels_a_drag(board):
    begin, end = box_of(card(board, "Paper 60")), box_of(column(board, "reading"))
    board.mouse.move(begin["x"] + 12, begin["y"] + 8)
    board.mouse.down()
    board.mouse.move(end["x"] + 20, end["y"] + 40, steps=4)
    expect(column(board, "reading")).to_have_class("column target")
    board.keyboard.press("Escape")
    board.mouse.up()
    assert not board.locator(".dragged, .target").count()
    assert cards(board, "to_read") == ["Paper 60", "Paper 59", "Paper 58"]


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_card_is_moved_with_its_menu(browse, ada, javascript):
    page = browse(ada, javascript=javascript)
    page.goto("/board")
    here = card(page, "Paper 60")
    here.get_by_label("Move Paper 60").click()
    here.get_by_label("My status").select_option("reading")
    here.get_by_role("button", name="Move", exact=True).click()
    expect(column(page, "reading").get_by_role("link", name="Paper 60")).to_be_visible()


@pytest.mark.deep
def test_arrow_keys_move_between_cards(board):
    board.keyboard.press("ArrowDown")
    for key, title in (
        ("ArrowDown", "Paper 59"),
        ("ArrowRight", "Paper 57"),
        ("ArrowRight", "Paper 56"),
        ("ArrowRight", "Paper 56"),
        ("ArrowLeft", "Paper 57"),
        ("ArrowDown", "Paper 57"),
        ("ArrowLeft", "Paper 60"),
        ("ArrowUp", "Paper 60"),
    ):
        board.keyboard.press(key)
        expect(board.get_by_role("link", name=title)).to_be_focused()


@pytest.mark.deep
def test_alt_and_an_arrow_move_the_card_and_keep_its_focus(board):
    board.get_by_role("link", name="Paper 60").focus()
    board.keyboard.press("Alt+ArrowRight")
    moved = column(board, "reading").get_by_role("link", name="Paper 60")
    expect(moved).to_be_focused()
    board.keyboard.press("Alt+ArrowRight")
    expect(column(board, "paused").get_by_role("link", name="Paper 60")).to_be_focused()
    board.keyboard.press("Alt+ArrowLeft")
    expect(moved).to_be_focused()
    board.get_by_role("link", name="Paper 56").focus()
    board.keyboard.press("Alt+ArrowRight")
    expect(board.locator("#board-said")).to_have_text("This card can't be moved there.")


@pytest.mark.deep
def test_alt_and_an_arrow_reorder_my_queue(board):
    board.get_by_role("link", name="Paper 60").focus()
    board.keyboard.press("Alt+ArrowDown")
    expect(column(board, "to_read").locator(".title").nth(1)).to_have_text("Paper 60")
    expect(board.get_by_role("link", name="Paper 60")).to_be_focused()
    board.keyboard.press("Alt+ArrowUp")
    expect(column(board, "to_read").locator(".title").first).to_have_text("Paper 60")


@pytest.mark.deep
def test_a_digit_key_sets_the_status_of_a_card(board):
    board.get_by_role("link", name="Paper 59").focus()
    board.keyboard.press("4")
    expect(column(board, "read").get_by_role("link", name="Paper 59")).to_be_focused()


@pytest.mark.deep
def test_disabled_shortcuts_move_nothing(browse, live):
    with live.database.write() as tx:
        ada = make.visitor(tx, single_keys=False)
        make.reading(tx, ada.id, 1, "to_read")
    page = browse(ada)
    page.goto("/board")
    page.wait_for_selector(READY, state="attached")
    page.get_by_role("link", name="Paper 60").focus()
    page.keyboard.press("Alt+ArrowRight")
    page.keyboard.press("2")
    assert cards(page, "to_read") == ["Paper 60"]


@pytest.mark.deep
def test_a_narrow_window_does_not_scroll_sideways(browse, ada):
    page = browse(ada, viewport={"width": 320, "height": 700})
    for address in ("/board", "/board?group=reader", "/papers?display=table", "/papers?group=status"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, address


@pytest.mark.deep
def test_going_back_returns_to_the_position_in_the_list(browse, ada):
    page = browse(ada)
    page.goto("/papers?sort=title")
    page.wait_for_selector(READY, state="attached")
    page.get_by_label("Select", exact=True).check()
    page.get_by_label("Select Paper 30").check()
    page.get_by_role("link", name="Paper 40").click()
    expect(page.locator("#results .n")).to_have_text("40 of 50+")
    page.get_by_role("link", name="Back to list").click()
    expect(page).to_have_url("/papers?sort=title")
    expect(page.get_by_role("link", name="Paper 40")).to_be_focused()
    expect(page.get_by_role("link", name="Paper 40")).to_be_in_viewport()
    expect(page.get_by_label("Select Paper 30")).to_be_checked()


def test_keys_walk_the_results_across_pages(browse, ada):
    page = browse(ada)
    page.goto("/papers?sort=title")
    page.get_by_role("link", name="Paper 49").click()
    expect(page.locator("#results .n")).to_have_text("49 of 50+")
    listens(page)
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Paper 50", level=1)).to_be_visible()
    expect(page.locator("#results .n")).to_have_text("50 of 50+")
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Paper 51", level=1)).to_be_visible()
    expect(page.locator("#results .n")).to_have_text("51 of 60")
    page.keyboard.press("k")
    expect(page.get_by_role("heading", name="Paper 50", level=1)).to_be_visible()
    page.get_by_role("link", name="Back to list").click()
    expect(page.get_by_role("link", name="Paper 50")).to_be_visible()


@pytest.mark.deep
def test_keys_go_to_the_next_and_previous_page(browse, ada):
    page = browse(ada)
    page.goto("/papers?sort=title")
    page.wait_for_selector(READY, state="attached")
    page.keyboard.press("]")
    expect(page.get_by_role("link", name="Paper 51")).to_be_visible()
    page.wait_for_selector(READY, state="attached")
    page.keyboard.press("[")
    expect(page.get_by_role("link", name="Paper 01")).to_be_visible()


@pytest.mark.deep
def test_filters_open_on_demand(browse, ada):
    page = browse(ada)
    page.goto("/papers")
    page.wait_for_selector(READY, state="attached")
    page.locator("#narrow > summary").click()
    page.get_by_role("link", name="To read 3").click()
    expect(page.locator("[data-row]")).to_have_count(3)
