"""My readings by hand and by key: the queue in my order, many papers at once, a form that asks what its status has."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect
from sqlmodel import col

from readtrack.infra.db import Database
from readtrack.infra.models import Paper, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT, Live, serving

TITLES = ("Alpha", "Beta", "Gamma")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file; every test has a person of its own."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            for title in TITLES:
                make.paper(tx, title)

    with serving(tmp_path_factory.mktemp("reading"), None, fill) as live:
        yield live


@pytest.fixture
def ada(live) -> CurrentUser:
    """Wants to read all three, in the order in which they came."""
    with live.database.write() as tx:
        me = make.visitor(tx)
        for paper_id in tx.scalars(sa.select(col(Paper.id)).order_by(col(Paper.id))).all():
            set_reading(tx, me, paper_id or 0, ReadingUpdate(status="to_read"))
        return me


def ordered(page: Page, *wanted: str) -> None:
    for place, title in enumerate(wanted):
        expect(page.locator("#queue .title").nth(place)).to_have_text(title)


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_buttons_reorder_the_queue_and_the_message_offers_undo(browse, ada, javascript):
    page = browse(ada, javascript=javascript)
    page.goto("/queue")
    ordered(page, *TITLES)
    page.get_by_role("button", name="Move up").nth(2).click()
    ordered(page, "Alpha", "Gamma", "Beta")
    page.get_by_role("button", name="Undo").click()
    ordered(page, *TITLES)


def test_keys_reorder_the_queue_and_the_row_keeps_the_focus(browse, ada):
    page = browse(ada)
    page.goto("/queue")
    page.wait_for_selector("[data-htmx-powered]", state="attached")
    for key in ("j", "Alt+ArrowDown"):
        page.keyboard.press(key)
    ordered(page, "Beta", "Alpha", "Gamma")
    expect(page.get_by_role("link", name="Alpha")).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    ordered(page, "Beta", "Gamma", "Alpha")
    page.keyboard.press("T")
    ordered(page, "Alpha", "Beta", "Gamma")
    page.keyboard.press("z")
    ordered(page, "Beta", "Gamma", "Alpha")


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_several_rows_are_selected_changed_at_once_and_undone_at_once(browse, ada, javascript):
    page = browse(ada, javascript=javascript)
    page.goto("/papers")
    expect(page.locator(".pick").first).to_be_hidden()
    page.get_by_label("Select", exact=True).check()
    page.get_by_label("Select Alpha").check()
    page.get_by_label("Select Gamma").check()
    page.locator("#bulk").get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Marked 2 papers as read.")
    expect(page.get_by_label("My status: Read. Change")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("My status: To read. Change")).to_have_count(3)


@pytest.mark.deep
def test_x_selects_a_row_and_shift_a_goes_to_the_bulk_actions(browse, ada):
    page = browse(ada)
    page.goto("/papers")
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    expect(page.locator("[data-chosen]")).to_have_text("2")
    page.keyboard.press("A")
    expect(page.locator("#bulk").get_by_role("button", name="To read")).to_be_focused()
    page.get_by_label("All on this page").check()
    expect(page.locator("[data-chosen]")).to_have_text("3")
    page.keyboard.press("Escape")
    page.locator("#bulk").get_by_role("button", name="Reading").click()
    expect(page.get_by_role("status")).to_contain_text("Marked 3 papers as reading.")
    page.get_by_label("Select", exact=True).check()
    page.get_by_label("All on this page").check()  # it is there again
    expect(page.locator("[data-chosen]")).to_have_text("3")


@pytest.mark.deep
def test_keys_of_ime_composition_change_nothing(browse, ada):
    page = browse(ada)
    page.goto("/queue")
    page.keyboard.press("j")
    for said in ({"isComposing": True}, {"keyCode": 229}):
        for key in ("2", "x", "z", "T"):
            event = {"key": key, "bubbles": True, "cancelable": True, **said}
            handled = "(event) => !document.activeElement.dispatchEvent(new KeyboardEvent('keydown', event))"
            assert page.evaluate(handled, event) is False
    ordered(page, *TITLES)
    expect(page.locator(".pick:checked")).to_have_count(0)


@pytest.mark.deep
def test_the_form_shows_the_fields_of_the_selected_status(browse, ada):
    page = browse(ada, javascript=False)
    page.goto("/papers")
    page.get_by_role("link", name="Beta").click()
    form = page.locator("#my-reading")
    expect(form.get_by_role("group", name="Priority")).to_be_visible()
    expect(form.get_by_role("group", name="Recommendation")).to_be_hidden()
    form.get_by_text("Read", exact=True).click()
    expect(form.get_by_role("group", name="Priority")).to_be_hidden()
    form.get_by_text("studied").click()
    form.get_by_text("must read").click()
    form.get_by_role("button", name="Save").click()
    expect(page.locator(".recommended")).to_contain_text("1 must read")


def test_a_status_chosen_in_the_form_is_saved_at_once_and_what_is_typed_stays(browse, ada, live):
    page = browse(ada)
    page.goto("/papers")
    page.get_by_role("link", name="Gamma").click()
    form = page.locator("#my-reading")
    comment = page.get_by_label("New comment")
    comment.fill("Not sent yet")
    form.get_by_text("Reading", exact=True).click()
    form.get_by_label("Current").fill("3")
    expect(page.get_by_role("status")).to_contain_text("Marked as reading")
    expect(page.locator(".readers", has_text="Reading")).to_be_visible()
    expect(form.get_by_label("Current")).to_have_value("3")
    expect(comment).to_have_value("Not sent yet")
    expect(form.get_by_label("Current")).to_be_focused()
    page.reload()
    expect(form.get_by_role("radio", name="Reading")).to_be_checked()


@pytest.mark.parametrize("language", ["en", "ja", "zh-Hans"])
def test_all_recommendations_stand_in_one_row_whichever_is_chosen(browse, ada, live, language):
    with live.database.write() as tx:
        tx.get_one(Person, ada.id).language = language
        set_reading(tx, ada, 1, ReadingUpdate(status="read"))
    page = browse(ada)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/papers/1")
    choices = page.locator("#my-reading label:has([name=recommendation])")
    for number in range(5):
        choices.nth(number).click()
        assert len({round(box["y"]) for each in choices.all() if (box := each.bounding_box())}) == 1
