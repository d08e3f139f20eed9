"""A real Chromium before a real `readtrack serve`: server, library and stand-in arXiv are new for each test."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from readtrack.db import Database, migrate
from readtrack.people import commands, queries
from readtrack.policy import Visitor
from readtrack.web.visitor import COOKIE
from tests.standin import ArxivStandIn

PATIENCE = 20  # seconds for the server to start, or to stop
NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # a page that asks elsewhere gets no answer
]


class Live(NamedTuple):
    """A running server: its address, and its library seen from the side."""

    url: str
    database: Database


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("The browser tests need Chromium; `make test` installs it where it can.", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def arxiv() -> Iterator[ArxivStandIn]:
    with ArxivStandIn() as stand_in:
        yield stand_in


@pytest.fixture
def live(tmp_path: Path, arxiv: ArxivStandIn) -> Iterator[Live]:
    """`readtrack serve` as a person starts it, worker included; what it said is shown when a test fails."""
    database = Database(f"sqlite:///{tmp_path / 'readtrack.sqlite3'}")
    migrate(database)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")},
        "READTRACK_DATA": str(tmp_path),
        "READTRACK_ARXIV_URL": arxiv.url,
        "READTRACK_ARXIV_INTERVAL": "0",
    }
    command = [sys.executable, "-m", "readtrack", "serve", "--port", str(port)]
    with subprocess.Popen(command, env=environment) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/healthz", server)
            yield Live(f"http://127.0.0.1:{port}", database)
        finally:
            server.terminate()
            server.wait(PATIENCE)
            database.dispose()


@pytest.fixture
def browse(chromium: Browser, live: Live) -> Iterator[Callable[..., Page]]:
    """`browse()`, `browse(ada)` or `browse(ada, javascript=False)` opens a window; relative addresses are the server's.

    At the end, a page that broke a rule of its own security policy, or raised an error in a script, fails the test.
    """
    complaints: list[str] = []
    windows = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:  # an answer 404 is no defect
            complaints.append(message.text)

    def window(visitor: Visitor | None = None, *, javascript: bool = True) -> Page:
        context = chromium.new_context(base_url=live.url, java_script_enabled=javascript, locale="en-GB")
        windows.append(context)
        context.on("console", note)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        if visitor is not None:
            context.add_cookies([{"name": COOKIE, "value": _signed_in(live.database, visitor), "url": live.url}])
        return context.new_page()

    yield window
    for context in windows:
        context.close()
    assert complaints == []


def _signed_in(database: Database, visitor: Visitor) -> str:
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, queries.get_person(tx, visitor.id), agent="a test")
    return secret


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except (urllib.error.URLError, TimeoutError):
            if server.poll() is not None or time.monotonic() > end:
                pytest.fail("readtrack serve did not start; what it said is above.", pytrace=False)
            time.sleep(0.05)
