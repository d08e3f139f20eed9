"""The keyboard is enough: single keys act on rows, are letters where one types, and can be put off altogether."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from playwright.sync_api import Locator, Page, expect
from sqlmodel import col

from readtrack.infra.db import Database
from readtrack.infra.models import Paper, Reading
from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.serving import Live, listens, serving

TITLES = ("Third of Three", "Second of Three", "First of Three")  # as the library shows them


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file; every test has a person of its own, whose readings are nobody else's."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            for title in reversed(TITLES):
                make.paper(tx, title)

    with serving(tmp_path_factory.mktemp("keyboard"), None, fill) as live:
        yield live


@pytest.fixture
def ada(live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx)


@pytest.fixture
def library(browse, ada) -> Page:
    page: Page = browse(ada)
    page.goto("/papers")
    listens(page)
    return page


@pytest.mark.deep
def test_the_first_tab_stop_skips_the_navigation(library):
    library.keyboard.press("Tab")
    expect(library.get_by_role("link", name="Skip to content")).to_be_focused()
    library.keyboard.press("Enter")
    expect(library.get_by_role("main")).to_be_focused()


@pytest.mark.deep
def test_a_status_is_reached_with_tab_and_set_without_a_mouse(library):
    status = library.get_by_label("My status: no status").first
    tab_until(library, ".row summary")
    expect(status).to_be_focused()
    library.keyboard.press("Enter")
    tab_until(library, ".row button[value=reading]")
    library.keyboard.press("Enter")
    expect(row(library, 0).get_by_label("My status: Reading")).to_be_focused()
    tab_until(library, ".row .title")
    expect(library.get_by_role("link", name=TITLES[0])).to_be_focused()


@pytest.mark.deep
def test_escape_closes_a_menu_and_returns_the_focus_to_its_button(library):
    tab_until(library, ".row summary")
    library.keyboard.press("Enter")
    expect(row(library, 0).get_by_role("button", name="Paused")).to_be_visible()
    library.keyboard.press("Tab")
    library.keyboard.press("Escape")
    expect(row(library, 0).get_by_role("button", name="Paused")).to_be_hidden()
    expect(row(library, 0).get_by_label("My status: no status")).to_be_focused()


@pytest.mark.deep
def test_slash_focuses_the_search_field(library):
    library.keyboard.press("/")
    expect(library.locator("#search")).to_be_focused()
    expect(library.locator("#search")).to_have_value("")


@pytest.mark.deep
def test_j_and_k_walk_the_rows_and_o_opens_one(library):
    for key, place in (("j", 0), ("j", 1), ("j", 2), ("j", 0), ("k", 2), ("k", 1)):
        library.keyboard.press(key)
        expect(library.get_by_role("link", name=TITLES[place])).to_be_focused()
    library.keyboard.press("o")
    expect(library.get_by_role("heading", name=TITLES[1])).to_be_visible()


@pytest.mark.deep
def test_digits_set_the_status_of_the_row_and_z_undoes_it(library):
    library.keyboard.press("j")
    for key, words in (("1", "To read"), ("2", "Reading"), ("3", "Paused"), ("4", "Read")):
        library.keyboard.press(key)
        expect(row(library, 0).get_by_label(f"My status: {words}. Change")).to_be_visible()
        expect(row(library, 0).locator(":focus")).to_have_count(1)  # that of the row that is gone
    library.keyboard.press("z")
    expect(row(library, 0).get_by_label("My status: Paused. Change")).to_be_visible()
    library.keyboard.press("j")
    library.keyboard.press("5")
    expect(library.get_by_label("My status: Dropped. Change")).to_have_count(1)


@pytest.mark.deep
def test_a_digit_for_a_status_that_is_not_allowed_does_nothing(library, live, ada):
    library.keyboard.press("j")
    library.keyboard.press("3")
    library.keyboard.press("1")
    expect(row(library, 0).get_by_label("My status: To read. Change")).to_be_visible()
    assert statuses(live, ada) == {TITLES[0]: "to_read"}


@pytest.mark.deep
def test_a_digit_sets_the_status_on_a_paper_page(library):
    library.get_by_role("link", name=TITLES[2]).click()
    expect(library.get_by_role("heading", name=TITLES[2])).to_be_visible()
    listens(library)
    library.keyboard.press("2")
    expect(library.get_by_role("radio", name="Reading")).to_be_checked()


@pytest.mark.deep
def test_g_and_a_letter_navigate_to_a_section(library):
    library.keyboard.press("g")
    library.keyboard.press("t")
    expect(library.get_by_role("heading", name="Topics", exact=True)).to_be_visible()
    library.wait_for_load_state()
    library.keyboard.press("c")
    expect(library.get_by_role("dialog", name="Add papers")).to_be_visible()


@pytest.mark.deep
def test_a_question_mark_lists_the_shortcuts_and_blocks_other_keys_meanwhile(library):
    library.keyboard.press("?")
    keys = library.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys).to_be_visible()
    library.keyboard.press("c")
    library.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    expect(library.get_by_role("heading", name="Library")).to_be_visible()


def test_shortcuts_are_plain_letters_in_text_fields(library, live, ada):
    search = library.locator("#search")
    search.press_sequentially("jk?2zc/gt")
    expect(search).to_have_value("jk?2zc/gt")
    expect(search).to_be_focused()
    assert statuses(live, ada) == {}


def test_no_shortcut_acts_during_ime_composition(library, live, ada):
    library.keyboard.press("j")
    for key in ("2", "/", "c"):
        library.evaluate(
            "key => document.activeElement.dispatchEvent("
            "new KeyboardEvent('keydown', { key, bubbles: true, isComposing: true }))",
            key,
        )
    expect(library.get_by_role("link", name=TITLES[0])).to_be_focused()
    assert statuses(live, ada) == {}


def test_keys_with_a_modifier_are_left_to_the_browser(library, live, ada):
    library.keyboard.press("j")
    library.keyboard.press("Alt+2")
    expect(library.get_by_role("link", name=TITLES[0])).to_be_focused()
    assert statuses(live, ada) == {}


@pytest.mark.deep
def test_control_and_enter_save_the_current_form(library, ada):
    library.goto("/settings/profile")
    library.get_by_label("Name", exact=True).fill(f"{ada.name} the Quick")
    library.keyboard.press("Control+Enter")
    expect(library.get_by_role("navigation", name="Navigation")).to_contain_text(f"{ada.name} the Quick")


def test_a_person_can_disable_all_single_key_shortcuts(library, live, ada):
    library.goto("/settings/appearance")
    library.get_by_role("group", name="Single-key shortcuts").get_by_text("Off", exact=True).click()
    library.get_by_role("button", name="Save").click()
    expect(library.get_by_role("status")).not_to_be_empty()
    library.goto("/papers")
    library.get_by_role("link", name=TITLES[0]).focus()
    for key in ("2", "j", "/", "?", "c", "g", "t", "z"):
        library.keyboard.press(key)
    expect(library.get_by_role("link", name=TITLES[0])).to_be_focused()
    assert statuses(live, ada) == {}


def tab_until(page: Page, selector: str) -> None:
    """As a person without a mouse gets there; a page has fewer stops than the steps that are tried."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"The tab key does not reach {selector}.")


def row(page: Page, number: int) -> Locator:
    return page.locator("[data-row]").filter(has_text=TITLES[number])


def statuses(live: Live, person: CurrentUser) -> dict[str, str]:
    with live.database.read() as tx:
        mine = sa.select(col(Paper.title), col(Reading.status)).join(Reading, col(Reading.paper_id) == col(Paper.id))
        return {row.title: row.status for row in tx.execute(mine.where(col(Reading.person_id) == person.id))}
