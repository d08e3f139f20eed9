"""Everybody can use every page: axe finds nothing, wide and on a phone, light and dark; nothing scrolls sideways."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Browser, Page, ViewportSize

from readtrack.db import Database
from tests.browser.places import BUSY, EMPTY, PLACES, PROVIDER, Furnished, Place, first_person, furnish, open_place
from tests.browser.serving import serving, windows
from tests.standin import ArxivStandIn

WIDE = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)
NARROWEST = ViewportSize(width=320, height=640)
REPEATED = ["li:nth-of-type(n+10)", "tr:nth-of-type(n+10)"]  # of a long list the first rows are enough
AXE = "([exclude, rules]) => axe.run({ exclude }, { rules, resultTypes: ['violations'] })"
Scheme = Literal["light", "dark"]
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
                pages[place.by] = window(live.filled.who(place), viewport=WIDE, reduced_motion="reduce")
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


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_everybody_can_use_the_page(look, place):
    assert_everybody_can_use(look(place))


@pytest.mark.parametrize("place", EMPTY, ids=lambda place: place.name)
def test_everybody_can_use_the_page_while_there_is_nothing(look_at_nothing, place):
    assert_everybody_can_use(look_at_nothing(place), wide="dark", phone="light")


def test_everybody_can_use_the_page_of_the_first_person(browse, live):
    page = browse(reduced_motion="reduce")
    page.goto(live.set_up_link())
    assert_everybody_can_use(page)


def assert_everybody_can_use(page: Page, *, wide: Scheme = "light", phone: Scheme = "dark") -> None:
    page.evaluate(AXE_SCRIPT)
    for size, scheme in ((WIDE, wide), (PHONE, phone)):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        assert_no_violations(page)
    page.set_viewport_size(NARROWEST)
    assert too_wide(page) == []


def shapes(page: Page) -> dict[str, Any]:
    """Targets are large enough; what an open menu or bar covers is looked at on another page, without it."""
    return {"target-size": {"enabled": not page.locator(".menu[open], .pick:checked").count()}}


def assert_no_violations(page: Page) -> None:
    found = AxeResults(page.evaluate(AXE, [[[part] for part in REPEATED], shapes(page)]))
    assert found.violations_count == 0, found.generate_report()


def too_wide(page: Page) -> list[str]:
    """What makes the page wider than its window, if anything does."""
    names: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.body.querySelectorAll("*")]
            .filter((part) => part.getBoundingClientRect().right > innerWidth)
            .map((part) => `${part.tagName} .${part.className} ${part.textContent.trim().slice(0, 40)}`).slice(0, 5)"""
    )
    return names
