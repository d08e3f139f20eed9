"""A first use without a mouse: from signing in to signing out, the focus always somewhere, and always to be seen."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts.passwords import hash_password
from tests import make
from tests.browser.serving import Live, listens, serving

PASSWORD = "correct horse battery"
NOWHERE = "nowhere"
FOCUS = """() => {
    const at = document.activeElement;
    if (at === document.body) return "nowhere";
    if (at.matches("main")) return ""; // one is led to it, and goes on from there
    const shown = at.matches(":is([type=radio], [type=checkbox])") && at.labels.length ? at.labels[0] : at;
    const name = `${shown.localName} ${shown.id || shown.className} ${shown.textContent.trim().slice(0, 40)}`;
    const lined = [at, shown].map((part) => getComputedStyle(part)).some((style) => style.outlineStyle != "none");
    const field = at.closest(".find"); // which is marked around
    if (!lined && (!field || getComputedStyle(field).boxShadow == "none")) return `${name}: nothing shows the focus`;
    const { left, right, top, bottom } = shown.getClientRects()[0] ?? {};
    const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
    const over = document.elementFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
    if (!over) return `${name}: is out of sight`;
    return shown.contains(over) || over.contains(shown) ? "" : `${name}: is covered by ${over.className}`;
}"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    def fill(database: Database) -> None:
        with database.write() as tx:
            search.ensure(tx)
            titles = ("Elastic Training", "Training on Spot", "Training by Halves")
            rings = make.topic(tx, "Rings")
            papers = [make.paper(tx, title, year=2020 + number) for number, title in enumerate(titles)]
            make.filed(tx, papers[0], rings)
            search.update_papers(tx, [paper.id for paper in papers])

    with serving(tmp_path_factory.mktemp("walk"), None, fill) as live:
        yield live


@pytest.fixture
def eve(live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx, role="editor")


@pytest.fixture
def at(browse, eve):
    """Opens a page and waits until it listens."""
    window = browse(eve)

    def open_page(address: str) -> Page:
        window.goto(address)
        listens(window)
        return window

    return open_page


def test_a_first_session_from_signing_in_to_signing_out(browse, live):
    with live.database.write() as tx:
        make.person(tx, "Kim Keys", role="editor", password_hash=hash_password(PASSWORD))
    page = browse()
    page.set_default_timeout(10_000)
    sign_in(page)
    skip_to_the_content(page)
    find_in_the_palette(page)
    read_and_write(page)
    move_a_card(page)
    save_a_view(page)
    do_to_two_and_take_it_back(page)
    tab_to(page, page.locator(".me > summary"))
    press(page, "Enter")
    tab_to(page, page.get_by_role("button", name="Sign out"))
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


def sign_in(page):
    page.goto("/sign-in")
    tab_to(page, page.get_by_label("Name or email"))
    page.keyboard.type("Kim Keys")
    tab_to(page, page.get_by_label("Password"))
    page.keyboard.type(PASSWORD)
    press(page, "Enter")
    arrived(page, re.compile("Kim Keys"))


def skip_to_the_content(page):
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    assert_seen(page)
    press(page, "Enter")
    expect(page.get_by_role("main")).to_be_focused()


def find_in_the_palette(page):
    press(page, "Control+k")
    expect(page.get_by_role("dialog", name="Go to").get_by_role("combobox")).to_be_focused()
    assert_seen(page)
    page.keyboard.type("halves")
    expect(page.locator("[role=option][aria-selected=true]")).to_contain_text("Training by Halves")
    press(page, "Enter")
    arrived(page, "Training by Halves")


def read_and_write(page):
    press(page, "/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("elastic")
    press(page, "Enter")
    arrived(page, "Library")
    press(page, "j")
    expect(page.get_by_role("link", name="Elastic Training")).to_be_focused()
    assert_seen(page)
    press(page, "Enter")
    arrived(page, "Elastic Training")
    press(page, "2")
    expect(page.get_by_role("radio", name="Reading")).to_be_checked()
    tab_to(page, page.locator("#new-comment"))
    page.keyboard.type("The bound holds for even rings only.")
    press(page, "Control+Enter")
    expect(page.get_by_text("The bound holds for even rings only.")).to_be_visible()


def move_a_card(page):
    listens(page)
    press(page, "g", "b")
    arrived(page, "Board")
    press(page, "ArrowDown")
    card = page.get_by_role("link", name="Elastic Training")
    expect(card).to_be_focused()
    assert_seen(page)
    press(page, "Alt+ArrowRight")
    expect(page.get_by_role("region", name="Paused").get_by_role("link", name="Elastic Training")).to_be_focused()
    assert_seen(page)


def save_a_view(page):
    press(page, "/")
    page.keyboard.type("year:2020..2021")
    press(page, "Enter")
    arrived(page, "Library")
    tab_to(page, page.locator("summary", has_text="Save search"))
    press(page, "Enter")
    tab_to(page, page.get_by_label("Name", exact=True))
    page.keyboard.type("Of two years")
    press(page, "Enter")
    expect(page.locator(".side").get_by_role("link", name="Of two years")).to_be_visible()


def do_to_two_and_take_it_back(page):
    press(page, "g", "l")
    arrived(page, "Library")
    press(page, "j", "x", "j", "x", "A")
    expect(page.locator("[data-chosen]")).to_have_text("2")
    tab_to(page, page.locator("#bulk").get_by_role("button", name="Dropped"))
    press(page, "Enter")
    expect(page.locator("#flash")).to_contain_text("Marked 2 papers as dropped.")
    assert_seen(page)
    press(page, "z")
    expect(page.locator("#flash")).to_contain_text("Undone for 2 papers.")
    assert_seen(page)


OTHERWISE = (
    ("Table", "", "Table"),
    ("Compact", "", "Compact"),
    ("List", "", "List"),
    ("Group", "Year", "Group: Year"),
    ("Group: Year", "None", "Group"),
    ("Filter", "2021", "Filter"),
    ("to read", "", "to read"),
)


@pytest.mark.deep
def test_changing_the_list_display_keeps_the_focus(at):
    page = at("/papers")
    for control, choice, focused_then in OTHERWISE:
        tab_to(page, control_named(page, control))
        if choice:
            press(page, "Enter")
            tab_to(page, page.locator("details[open]").get_by_role("link", name=choice))
        with page.expect_navigation():
            press(page, "Enter")
        expect(control_named(page, focused_then)).to_be_focused()
        assert_seen(page)


def test_a_swapped_fragment_keeps_the_focus(at, live, eve):
    with live.database.write() as tx:
        series = make.series(tx).id
        paper = make.paper(tx, "A Paper to Vote For").id
        make.candidate(tx, series, paper, proposed_by=eve.id)
    page = at(f"/meetings/series/{series}")
    vote = page.get_by_role("button", name="Vote for: A Paper to Vote For")
    tab_to(page, vote)
    press(page, "Enter")
    expect(vote).to_have_attribute("aria-pressed", "true")
    expect(vote).to_be_focused()
    page = at(f"/papers/{paper}")
    press(page, "t")
    for topic in ("Voting", "Elections"):
        page.keyboard.type(topic)
        press(page, "Enter")
        expect(page.locator("#paper-topics").get_by_role("link", name=topic)).to_be_visible()
        expect(page.get_by_label("Add topic")).to_be_focused()
        expect(page.get_by_label("Add topic")).to_have_value("")
    page.get_by_role("button", name="Remove from Voting").click()
    expect(page.get_by_label("Add topic")).to_be_focused()


def control_named(page: Page, words: str) -> Locator:
    controls = page.locator(":is(.shelf, .facets, .narrowing) :is(a, button, summary)")
    return controls.filter(has_text=re.compile(rf"^\s*{words}\s*$"), visible=True)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def tab_to(page: Page, wanted: Locator) -> None:
    """Every stop on the way is to be seen. After the last one the focus leaves the page once, and comes in on top."""
    there, ends = wanted.element_handle(), 0
    while not page.evaluate("there => there === document.activeElement", there):
        press(page, "Tab")
        problem = page.evaluate(FOCUS)
        ends += problem == NOWHERE
        assert problem in ("", NOWHERE)
        assert ends <= 1, f"The tab key does not reach {wanted}."


def assert_seen(page: Page) -> None:
    assert page.evaluate(FOCUS) == ""


def arrived(page: Page, heading: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    listens(page)
