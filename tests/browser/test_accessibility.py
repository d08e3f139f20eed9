"""Everybody can use every page: axe finds nothing and nothing scrolls sideways, with the letters far apart either.

A deep run looks at each page wide and on a phone, light, dark and in high contrast; otherwise at every seventh, in one
of these ways, and web/test_colours.py computes the contrast of all themes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.axe import Axe, Theme
from tests.browser.furnishing import BUSY, PROVIDER, Furnished, first_person, furnish, open_place
from tests.browser.places import EMPTY, PLACES, Place
from tests.browser.serving import Live, serving, windows
from tests.depth import DEEP, some
from tests.standin import ArxivStandIn

WIDE = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)
NARROWEST = ViewportSize(width=320, height=640)
SPACED = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: .12em !important }"
        + " * { word-spacing: .16em !important } p { margin-bottom: 2em !important }");
    document.adoptedStyleSheets.push(sheet);
}"""
Look = Callable[[Place], Page]


@contextmanager
def looking_round(chromium: Browser, folder: Path, fill: Callable[[Database], Furnished]) -> Iterator[Look]:
    """Gives what goes to a place, as whoever looks at it; each of them has one window for all places."""
    with (
        ArxivStandIn(fault=BUSY) as arxiv,
        serving(folder, arxiv.url, fill, **PROVIDER) as live,
        windows(chromium, live) as window,
    ):
        pages: dict[str, Page] = {}

        def look(place: Place) -> Page:
            if place.by not in pages:
                pages[place.by] = window(live.filled.who(place), reduced_motion="reduce")
            pages[place.by].set_viewport_size(WIDE)
            open_place(pages[place.by], place, live.filled)
            return pages[place.by]

        yield look


@pytest.fixture(scope="module")
def look(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    with looking_round(chromium, tmp_path_factory.mktemp("full"), furnish) as look:
        yield look


@pytest.fixture(scope="module")
def look_at_nothing(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    with looking_round(chromium, tmp_path_factory.mktemp("empty"), first_person) as look:
        yield look


@pytest.fixture(scope="module")
def axe() -> Axe:
    return Axe()


WAYS: tuple[tuple[ViewportSize, Theme], ...] = (
    (PHONE, "dark"),
    (WIDE, "light"),
    (PHONE, "light"),
    (WIDE, "dark"),
    (WIDE, "contrast"),
)


def ways(place: Place) -> Sequence[tuple[ViewportSize, Theme]]:
    """How a page is looked at: each in another way."""
    return WAYS if DEEP else [WAYS[(PLACES + EMPTY).index(place) // 7 % len(WAYS)]]


def once_each(places: Sequence[Place]) -> list[Any]:
    """The first place of every seventh page, as neighbours in the list are often alike; all places in a deep run."""
    first: dict[str, Place] = {}
    for place in places:
        first.setdefault(place.name.partition(",")[0], place)
    chosen = places if DEEP else [*first.values()][::7]
    return [pytest.param(place, id=place.name) for place in chosen]


@pytest.mark.parametrize("place", once_each(PLACES))
def test_every_page_is_accessible(look, axe, place):
    assert_everybody_can_use(look(place), axe, ways(place))


@pytest.mark.parametrize("place", once_each(EMPTY)[:: 1 if DEEP else 4])
def test_every_page_is_accessible_in_an_empty_library(look_at_nothing, axe, place):
    assert_everybody_can_use(look_at_nothing(place), axe, ways(place))


@pytest.mark.deep
def test_the_first_persons_setup_page_is_accessible(browse, live, axe):
    page = browse(reduced_motion="reduce")
    page.goto(live.set_up_link())
    assert_everybody_can_use(page, axe, WAYS if DEEP else WAYS[:1])


def assert_everybody_can_use(page: Page, axe: Axe, seen: Sequence[tuple[ViewportSize, Theme]]) -> None:
    assert_nothing_scrolls_sideways(page)
    axe.start(page)
    for size, theme in seen:
        show(page, size, theme)
        axe.assert_shapes(page)
        axe.assert_colours(page, theme)


def assert_nothing_scrolls_sideways(page: Page) -> None:
    page.set_viewport_size(NARROWEST)
    assert too_wide(page) == []
    page.evaluate(SPACED)
    assert too_wide(page) == []
    page.evaluate("() => { document.adoptedStyleSheets.pop(); }")


def show(page: Page, size: ViewportSize, theme: Theme) -> None:
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    if theme == "contrast":
        page.evaluate("document.documentElement.dataset.theme = 'contrast'")


def too_wide(page: Page) -> list[str]:
    """What makes the page wider than its window, if anything does."""
    names: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.body.querySelectorAll("*")]
            .filter((part) => part.getBoundingClientRect().right > innerWidth)
            .map((part) => `${part.tagName} .${part.className} ${part.textContent.trim().slice(0, 40)}`).slice(0, 5)"""
    )
    return names


@pytest.mark.deep
def test_forced_colours_outline_the_selection_and_the_current_section(browse, live):
    page = browse(somebody(live), forced_colors="active")
    page.goto("/queue")
    page.keyboard.press("Control+k")
    chosen = page.locator("[role=option][aria-selected=true]")
    chosen.wait_for()
    assert chosen.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    assert page.locator(".nav [aria-current]").first.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"


@pytest.mark.deep
def test_nothing_animates_when_reduced_motion_is_preferred(browse, live):
    page = browse(somebody(live), reduced_motion="reduce")
    page.goto("/queue")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    assert page.evaluate("document.getAnimations().length") == 0


def test_live_regions_are_outside_swapped_fragments(browse, live):
    with live.database.write() as tx:
        make.paper(tx, "A Paper")
    page = browse(somebody(live))
    page.goto("/papers")
    said = page.get_by_role("status").first
    assert said.evaluate("node => !node.closest('#main') && node.id == 'flash'")
    page.wait_for_selector("[data-htmx-powered]", state="attached")
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(said).not_to_be_empty()


@pytest.mark.deep
def test_every_page_has_one_h1_and_its_landmarks(look):
    for place in PLACES[: 12 if DEEP else 6]:
        page = look(place)
        assert page.locator("h1").count() == 1, place.name
        assert page.locator("main").count() == 1, place.name


TREES = {
    "library": """
        - main:
          - heading "Library" [level=1]
          - navigation "My status"
          - navigation "Layout"
          - list:
            - listitem:
              - group
              - link "Tracing Slow Workers"
    """,
    "library, a table": """
        - region "Papers":
          - table:
            - rowgroup:
              - row:
                - columnheader "My status"
                - columnheader "Title"
            - rowgroup:
              - row:
                - cell
                - rowheader
    """,
    "board": """
        - main:
          - heading "Board" [level=1]
          - navigation "Group by"
          - region "To read":
            - heading "To read" [level=2]
            - list:
              - listitem:
                - link
                - group: Move
          - region "Reading"
    """,
    "progress": """
        - main:
          - region "Finished over time":
            - heading "Finished over time" [level=2]
            - img /Finished over time \\d+ added, \\d+ finished/
            - list:
              - listitem:
                - link "skimmed"
            - group: Show data
            - paragraph:
              - link "Finished over time (CSV)"
          - region /Reading calendar/:
            - img /Reading calendar \\d+ \\d+ finished, up to \\d+ a day/
    """,
    "views": """
        - main:
          - heading "Mine" [level=2]
          - list:
            - listitem:
              - button /Move .+ down/
          - heading "Team" [level=2]
    """,
    "trash": """
        - main:
          - navigation "Type"
          - heading "Papers" [level=2]
          - list:
            - listitem:
              - button "Restore Parcels, Revisited"
          - heading "Saved searches" [level=2]
          - list:
            - listitem:
              - button "Restore 要らない"
    """,
    "palette, over a page": """
        - dialog "Go to":
          - search:
            - combobox "Go to" [expanded]
          - listbox "Results":
            - group "Reading":
              - option [selected]
              - option
    """,
}


@pytest.mark.parametrize("name", some(TREES, 4))
def test_pages_have_the_expected_accessibility_tree(look, name):
    page = look(next(place for place in PLACES if place.name == name))
    expect(page.locator("body")).to_match_aria_snapshot(TREES[name])


@pytest.mark.deep
def test_every_progress_chart_has_its_numbers_in_a_table(look):
    page = look(next(place for place in PLACES if place.name == "progress, the team's"))
    figures = page.locator(".figure").filter(has=page.locator("svg[role=img]"))
    assert figures.count() >= 3
    for figure in figures.all():
        name = figure.get_by_role("heading").inner_text()
        figure.get_by_text("Show data").click()
        assert figure.get_by_role("columnheader").count() >= 2, name
        assert figure.get_by_role("rowheader").count() >= 1, name


def test_the_active_suggestion_is_announced_by_the_field(look):
    page = look(next(place for place in PLACES if place.name == "palette, over a page"))
    assert_told(page, page.get_by_role("combobox", name="Go to"))
    page.keyboard.press("ArrowDown")
    assert_told(page, page.get_by_role("combobox", name="Go to"))
    page.keyboard.press("Escape")
    search = page.get_by_role("combobox", name="Search papers")
    expect(search).to_have_attribute("aria-expanded", "false")
    search.press_sequentially("sta")
    expect(search).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#search-offers [role=option]").filter(has_not_text="sta")).to_have_count(0)  # of fewer letters
    page.keyboard.press("ArrowDown")
    assert_told(page, search)


def assert_told(page: Page, field: Locator) -> None:
    """The field keeps the focus, and names the one option that is chosen, of the list that it names."""
    expect(field).to_be_focused()
    chosen = page.locator(f"#{field.get_attribute('aria-controls')}[role=listbox] [role=option][aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(field).to_have_attribute("aria-activedescendant", chosen.get_attribute("id") or "")


def somebody(live: Live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx)
