"""A real `readtrack serve` over a folder of its own (forked, not started anew), and windows of a real Chromium."""

import re
import shutil
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Playwright, expect, sync_playwright

from readtrack.infra.db import Database, migrate
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands, queries
from readtrack.web.dependencies.auth import COOKIE
from tests.nowhere import surroundings
from tests.ports import free_port
from tests.processes import processes

expect.set_options(timeout=20_000)  # milliseconds, on a busy machine
PATIENCE = 60  # seconds for the server to start on a busy machine
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WITH_AND_WITHOUT = [  # scripts: forms are sent without any in tests of HTTP too, and whole journeys in a browser
    pytest.param(True, id="scripts"),
    pytest.param(False, id="plain", marks=pytest.mark.deep),
]
QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",  # small on some machines, and Chromium dies of it
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # a page that asks elsewhere gets no answer
]


class Live(NamedTuple):
    """A running server: its address, its library seen from the side, the file of what it has printed, and what
    filling the library gave.
    """

    url: str
    database: Database
    printed: Path
    filled: Any = None

    def set_up_link(self) -> str:
        """As the person reads it who has started the server."""
        found = re.search(r"http://\S+/setup/\S+", self.printed.read_text())
        assert found, self.printed.read_text()
        return found[0]


@contextmanager
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("The browser tests need Chromium; `make test` installs it where it can.", pytrace=False)
    with sync_playwright() as playwright:
        chromium = _started(playwright, found)
        yield chromium
        chromium.close()


def _started(playwright: Playwright, path: str) -> Browser:
    """Chromium now and then dies while it starts on a busy machine; that says nothing about readtrack."""
    for _ in range(2):
        try:
            return playwright.chromium.launch(executable_path=path, args=QUIET)
        except Error:
            continue
    return playwright.chromium.launch(executable_path=path, args=QUIET)


@contextmanager
def serving(
    folder: Path, arxiv_url: str | None, fill: Callable[[Database], object] | None = None, **settings: str
) -> Iterator[Live]:
    """`readtrack serve`, on a library into which `fill` has put something; with a worker if there is an arXiv to ask.

    What a worker does when it starts takes longer than many tests.
    """
    (folder / "readtrack.sqlite3").write_bytes(_migrated())
    database = Database(f"sqlite:///{folder / 'readtrack.sqlite3'}")
    filled = fill(database) if fill else None
    port = free_port()
    live = Live(f"http://127.0.0.1:{port}", database, folder / "printed.txt", filled)
    if arxiv_url:
        settings["arxiv_url"] = arxiv_url
    environment = surroundings(folder, **settings, arxiv_interval=0)
    options = [] if arxiv_url else ["--no-worker"]
    server = processes().start("serve", *options, "--port", str(port), environment=environment, log=live.printed)
    try:
        _wait_for(f"{live.url}/healthz", live.printed)
        yield live
    finally:
        processes().stop(server)
        database.dispose()


@contextmanager
def windows(chromium: Browser, live: Live) -> Iterator[Callable[..., Page]]:
    """Gives what opens a window. At the end, a page that broke a rule of its own security policy, or raised an error
    in a script, is an AssertionError.
    """
    complaints: list[str] = []
    opened = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:  # an answer 404 is no defect
            complaints.append(f"{message.page and message.page.url}: {message.text}")

    def window(visitor: CurrentUser | None = None, *, javascript: bool = True, **options: Any) -> Page:
        context = chromium.new_context(base_url=live.url, java_script_enabled=javascript, locale="en-GB", **options)
        opened.append(context)
        context.on("console", note)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        if visitor is not None:
            context.add_cookies([{"name": COOKIE, "value": signed_in(live.database, visitor), "url": live.url}])
        return context.new_page()

    yield window
    for context in opened:
        context.close()
    assert complaints == [], complaints


def signed_in(database: Database, visitor: CurrentUser) -> str:
    """The secret of a new session."""
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, queries.get_person(tx, visitor.id), agent="a test")
    return secret


@cache
def _migrated() -> bytes:
    """A library without anything in it: made once, for its tables take longer than everything else."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "empty.sqlite3")
        database = Database(f"sqlite:///{file}")
        migrate(database)
        database.dispose()
        return file.read_bytes()


def _wait_for(address: str, printed: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:  # refused, reset or too late
            if time.monotonic() > end:
                pytest.fail(f"readtrack serve did not start:\n{printed.read_text()}", pytrace=False)
            time.sleep(0.02)


def listens(page: Page) -> None:
    """Waits until all of the page hears keys. It is asked from outside: the page lets no words be evaluated in it."""
    page.wait_for_load_state()
    expect(page.locator("[hx-post]:not([data-htmx-powered])")).to_have_count(0)
