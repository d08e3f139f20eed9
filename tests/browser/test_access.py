"""Everybody can use every page: axe finds nothing, nothing scrolls sideways, and the keyboard is enough."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from readtrack.db import Database
from readtrack.models import Person
from readtrack.policy import Visitor
from tests import make
from tests.browser.places import EMPTY, PLACES, Furnished, Place, furnish, open_place
from tests.browser.serving import Live, serving
from tests.standin import ArxivStandIn

WIDE, PHONE, NARROWEST = {"width": 1280, "height": 800}, {"width": 390, "height": 844}, {"width": 320, "height": 640}
COLOURS = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
EVERYTHING = {"resultTypes": ["violations"]}
IDS = {"argvalues": PLACES, "ids": [place.name for place in PLACES]}


@pytest.fixture(scope="module")
def furnished() -> list[Furnished]:
    return []


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, furnished: list[Furnished]) -> Iterator[Live]:
    """One library for this file: nobody here changes what another test looks at."""
    folder: Path = tmp_path_factory.mktemp("furnished")
    with ArxivStandIn() as arxiv:
        with serving(folder, arxiv.url, lambda database: furnished.append(furnish(database))) as live:
            yield live


@pytest.fixture
def look(browse, live, furnished):
    """`look(place)` opens a window there, as whoever looks at it."""

    def window(place: Place, **options: Any) -> Page:
        page = browse(furnished[0].people[place.by] if place.by else None, viewport=WIDE, **options)
        open_place(page, place, furnished[0])
        return page

    return window


@pytest.mark.parametrize("place", **IDS)
def test_axe_finds_nothing_in_light_and_dark_wide_and_on_a_phone(look, place):
    page = look(place, reduced_motion="reduce")
    assert_no_violations(page, EVERYTHING)
    page.emulate_media(color_scheme="dark")
    assert_no_violations(page, COLOURS)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    assert_no_violations(page, EVERYTHING)
    page.set_viewport_size(NARROWEST)
    assert sideways(page) == []


def assert_no_violations(page: Page, options: dict[str, Any]) -> None:
    found = Axe().run(page, options=options)
    assert found.violations_count == 0, found.generate_report()


def sideways(page: Page) -> list[str]:
    """What makes the page wider than its window, if anything does."""
    return page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.body.querySelectorAll("*")]
            .filter((part) => part.getBoundingClientRect().right > innerWidth)
            .map((part) => `${part.tagName} .${part.className} ${part.textContent.slice(0, 40)}`).slice(0, 5)"""
    )
