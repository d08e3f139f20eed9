"""Many papers at once, by mouse and by key: chosen one by one, in a range, a whole page, all that match; and undone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT, Live, serving
from tests.depth import DEEP
from tests.standin import ArxivStandIn

PAPERS = 60  # more than one page of the list


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file; every test has a person of its own."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            for number in range(PAPERS):
                make.paper(tx, f"Paper {number:02}")
            search.rebuild(tx)

    with ArxivStandIn() as arxiv:
        url = arxiv.url if DEEP else None  # only a deep run changes so many papers that a worker does it
        with serving(tmp_path_factory.mktemp("bulk"), url, fill) as live:
            yield live


@pytest.fixture
def eve(live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx, role="editor")


@pytest.fixture
def library(browse, eve) -> Page:
    """The list with its boxes shown."""
    page = browse(eve)
    page.goto("/papers")
    page.wait_for_selector("[data-htmx-powered]", state="attached")
    page.get_by_label("Select", exact=True).check()
    return page


def chosen(page: Page, count: int) -> None:
    expect(page.locator(".pick:checked")).to_have_count(count)
    expect(page.locator("[data-chosen]")).to_have_text(str(count))


@pytest.mark.deep
def test_shift_click_selects_and_deselects_a_range_of_rows(library):
    boxes = library.locator(".pick")
    boxes.nth(2).click()
    boxes.nth(6).click(modifiers=["Shift"])
    chosen(library, 5)
    boxes.nth(4).click()
    boxes.nth(6).click(modifiers=["Shift"])
    chosen(library, 2)


@pytest.mark.deep
def test_selecting_the_whole_page_or_part_of_it_updates_the_select_all_box(library):
    whole = library.get_by_label("All on this page")
    whole.check()
    chosen(library, 50)
    library.locator(".pick").first.click()
    chosen(library, 49)
    expect(whole).not_to_be_checked()


@pytest.mark.deep
def test_an_action_on_all_matches_shows_the_count_first_and_is_undone_at_once(library):
    library.goto("/papers?q=Paper")
    library.get_by_label("Select", exact=True).check()
    library.get_by_label("All results").check()
    expect(library.locator("[data-chosen]")).to_have_text("All results")
    library.locator("#bulk").get_by_role("button", name="To read").click()
    expect(library.get_by_role("heading", level=1)).to_have_text("To read")
    library.get_by_role("button", name=f"Apply to {PAPERS} papers").click()
    expect(library.get_by_text(f"{PAPERS} of {PAPERS} papers changed")).to_be_visible()
    library.locator("body").press("z")
    expect(library.locator("main").get_by_text("Undone", exact=True)).to_be_visible()
    library.goto("/queue")
    expect(library.get_by_role("heading", level=1)).to_have_text("Queue")
    expect(library.locator("[data-row]")).to_have_count(0)


def test_deleted_papers_are_restored_with_the_undo_key_and_from_the_trash(library):
    library.get_by_label("Select Paper 59").check()
    library.get_by_label("Select Paper 58").check()
    delete(library)
    expect(library.locator("#flash")).to_contain_text("Moved 2 papers to trash.")
    library.locator("body").press("z")
    expect(library.locator("#flash")).to_contain_text("Undone for 2 papers.")
    library.get_by_label("Select", exact=True).check()
    library.get_by_label("Select Paper 59").check()
    delete(library)
    expect(library.locator("#flash")).to_contain_text("Moved 1 paper to trash.")
    library.goto("/trash")
    library.get_by_role("button", name="Restore Paper 59").click()
    expect(library.locator("#flash")).to_contain_text("Restored")
    library.goto("/papers")
    expect(library.get_by_role("link", name="Paper 59")).to_be_visible()


def test_papers_stay_selected_so_that_a_second_action_can_follow(library):
    library.get_by_label("Select Paper 59").check()
    library.get_by_label("Select Paper 57").check()
    library.locator("#bulk").get_by_role("button", name="To read").click()
    expect(library.locator("#flash")).to_contain_text("2 papers")
    chosen(library, 2)
    expect(library.get_by_label("Select", exact=True)).to_be_checked()
    library.locator("#bulk").get_by_role("button", name="Reading").click()
    expect(library.locator("#flash")).to_contain_text("2 papers")
    chosen(library, 2)


def delete(page: Page) -> None:
    page.locator("#bulk").get_by_text("More", exact=True).click()
    page.locator("#bulk").get_by_role("button", name="Delete").click()


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_two_papers_are_assigned_to_somebody(browse, eve, live, javascript):
    with live.database.write() as tx:
        reader = make.visitor(tx)
    page = browse(eve, javascript=javascript)
    page.goto("/papers")
    page.get_by_label("Select", exact=True).check()
    page.get_by_label("Select Paper 41").check()
    page.get_by_label("Select Paper 42").check()
    page.locator("#bulk").get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Assign").click()
    page.get_by_label("Assignee").fill(reader.name)
    page.get_by_role("button", name="Apply to 2 papers").click()
    expect(page.locator("#flash")).to_contain_text("Assigned 2 papers.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#flash")).to_contain_text("Undone for 2 papers.")
