"""Pictures of every page at three widths, light and dark: `python -m tests.browser.shots FOLDER [WORD IN ITS NAME]`."""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.furnishing import BUSY, PROVIDER, first_person, furnish, open_place
from tests.browser.places import EMPTY, PLACES, Place
from tests.browser.serving import Live, browser, serving, windows
from tests.standin import ArxivStandIn

SIZES = ((390, 844), (1280, 800), (1920, 1080))
LONGEST = 2400  # pixels of a page that are shown


def main(folder: Path, word: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as chromium, ArxivStandIn(fault=BUSY) as arxiv, tempfile.TemporaryDirectory() as data:
        for name, places, fill in (("full", PLACES, furnish), ("empty", EMPTY, first_person)):
            chosen = [place for place in places if word in place.name]
            library = Path(data, name)
            library.mkdir()
            if chosen:
                with serving(library, arxiv.url, fill, **PROVIDER) as live:
                    _shoot(chromium, live, chosen, folder)


def _shoot(chromium: Browser, live: Live, places: Iterable[Place], folder: Path) -> None:
    with windows(chromium, live) as window:
        for width, height in SIZES:
            pages: dict[str, Page] = {}
            for place in places:
                if place.by not in pages:
                    size = {"width": width, "height": height}
                    pages[place.by] = window(live.filled.who(place), viewport=size, reduced_motion="reduce")
                open_place(pages[place.by], place, live.filled)
                _both_themes(pages[place.by], folder / f"{place.name.replace(', ', ' ').replace(' ', '-')}-{width}")


def _both_themes(page: Page, path: Path) -> None:
    page.emulate_media(color_scheme="light")
    _shot(page, f"{path}-light.png")
    page.emulate_media(color_scheme="dark")
    _shot(page, f"{path}-dark.png")


def _shot(page: Page, path: str) -> None:
    width, height = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
    whole = {"x": 0, "y": 0, "width": width, "height": min(height, LONGEST)}
    page.screenshot(path=path, full_page=True, clip=whole)  # type: ignore[arg-type] # a dict with its four keys


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
