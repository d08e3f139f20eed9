"""A real Chromium before a real `readtrack serve`: server, library and stand-in arXiv are new for each test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.serving import Live, browser, serving, windows
from tests.standin import ArxivStandIn

os.environ["READTRACK_TEST_PAGES"] = "1"  # for tests/processes.py


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with browser() as chromium:
        yield chromium


@pytest.fixture
def arxiv() -> Iterator[ArxivStandIn]:
    with ArxivStandIn() as stand_in:
        yield stand_in


@pytest.fixture
def live(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Live]:
    """The server and its library, new and empty; a test that takes `arxiv` has a worker that asks it."""
    arxiv = request.getfixturevalue("arxiv") if "arxiv" in request.fixturenames else None
    with serving(tmp_path, arxiv and arxiv.url) as live:
        yield live


@pytest.fixture
def browse(chromium: Browser, live: Live) -> Iterator[Callable[..., Page]]:
    """`browse()`, `browse(ada)` or `browse(ada, javascript=False)` opens a window; relative addresses are the server's.

    At the end, a page that broke a rule of its own security policy, or raised an error in a script, fails the test.
    """
    with windows(chromium, live) as window:
        yield window
