"""Pictures of every page at three widths, light and dark: `python -m tests.browser.shots FOLDER [WORD IN ITS NAME]`."""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Browser, Page

from readtrack.db import Database
from readtrack.policy import Visitor
from tests import make
from tests.browser.places import EMPTY, PLACES, Furnished, Place, furnish, open_place
from tests.browser.serving import Live, browser, serving, windows
from tests.standin import ArxivStandIn

WIDTHS = (390, 1280, 1920)
HEIGHTS = {390: 844, 1280: 800, 1920: 1080}
LONGEST = 2400  # pixels of a page that are shown


def main(folder: Path, word: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as chromium, ArxivStandIn() as arxiv, tempfile.TemporaryDirectory() as data:
        for name, places, fill in (("full", PLACES, furnish), ("empty", EMPTY, _first_person)):
            chosen = [place for place in places if word in place.name]
            library = Path(data, name)
            library.mkdir()
            found: list[Furnished] = []
            with serving(library, arxiv.url, lambda database, fill=fill: found.append(fill(database))) as live:
                _shoot(chromium, live, found[0], chosen, folder)


def _first_person(database: Database) -> Furnished:
    with database.write() as tx:
        return Furnished({"admin": make.visitor(tx, "Ada Example", role="admin")}, {})


def _shoot(chromium: Browser, live: Live, furnished: Furnished, places: Iterable[Place], folder: Path) -> None:
    with windows(chromium, live) as window:
        for width in WIDTHS:
            pages: dict[str, Page] = {}
            for place in places:
                if place.by not in pages:
                    size = {"width": width, "height": HEIGHTS[width]}
                    pages[place.by] = window(_who(furnished, place.by), viewport=size, reduced_motion="reduce")
                open_place(pages[place.by], place, furnished)
                _both_themes(pages[place.by], folder / f"{place.name.replace(', ', ' ').replace(' ', '-')}-{width}")


def _who(furnished: Furnished, by: str) -> Visitor | None:
    return furnished.people[by] if by else None


def _both_themes(page: Page, path: Path) -> None:
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        height = page.evaluate("document.documentElement.scrollHeight")
        whole = {"x": 0, "y": 0, "width": page.viewport_size["width"], "height": min(height, LONGEST)}
        page.screenshot(path=f"{path}-{theme}.png", full_page=True, clip=whole)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
