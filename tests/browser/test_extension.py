"""The browser extension in a whole Chromium: connected with a token, it tells who reads the page of a tab and saves it.

A test cannot click the button of a toolbar, which is what gives an extension the address of the tab. So its manifest
here names the two sites of the story as well, and its popup is opened beside the page.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from readtrack.team.accounts.commands.tokens import create_token
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.browser.serving import QUIET

SOURCE = Path(__file__).parents[2] / "extension"
PAPER = "https://arxiv.org/abs/2405.30001"


@pytest.fixture
def context(chromium, live, tmp_path) -> Iterator[BrowserContext]:
    whole = shutil.which("chromium")  # the headless shell has no extensions
    if whole is None:
        pytest.skip("needs Debian's chromium, not only its headless shell")
    folder = tmp_path / "extension"
    shutil.copytree(SOURCE, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["host_permissions"] = [f"{live.url}/*", "https://arxiv.org/*"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    loading = ["--headless=new", f"--disable-extensions-except={folder}", f"--load-extension={folder}"]
    context = chromium.browser_type.launch_persistent_context(
        tmp_path / "profile", executable_path=whole, args=[*QUIET, *loading], headless=False, locale="en-GB"
    )
    context.route(f"{PAPER}*", lambda route: route.fulfill(body="<title>[2405.30001] A Paper</title>"))
    yield context
    context.close()


def extension_id(context: BrowserContext) -> str:
    page = context.new_page()
    page.goto("chrome://extensions")
    found: str = page.evaluate("chrome.management.getAll().then(all => all.find(one => one.name === 'readtrack').id)")
    page.close()
    return found


def popup_over(context: BrowserContext, tab: Page, address: str) -> Page:
    popup = context.new_page()
    popup.goto(address)
    tab.bring_to_front()
    popup.reload()
    return popup


@pytest.mark.deep
def test_a_page_is_saved_and_its_readers_are_shown(context, live):
    with live.database.write() as tx:
        ada, bob = make.visitor(tx, "Ada"), make.visitor(tx, "Bob")
        _token, secret = create_token(tx, ada, TokenCreate(name="extension", scopes=["write"]))
    own = f"chrome-extension://{extension_id(context)}"
    options = context.new_page()
    options.goto(f"{own}/options.html")
    options.get_by_label("Address").fill(live.url)
    options.get_by_label("API token").fill(secret)
    options.get_by_role("button", name="Connect").click()
    expect(options.get_by_role("status")).to_have_text("Connected as Ada")

    tab = context.new_page()
    tab.goto(PAPER)
    popup = popup_over(context, tab, f"{own}/popup.html")
    expect(popup.get_by_role("status")).to_have_text("Not in your library yet")
    popup.get_by_label("My status").select_option("reading")
    popup.get_by_label("Topics").fill('Queues, "Storage, caching"')
    popup.get_by_role("button", name="Save").click()
    expect(popup.get_by_role("status")).to_have_text("Saved")

    paper_id = int((popup.locator("#paper").get_attribute("href") or "").rpartition("/")[2])
    with live.database.write() as tx:
        make.reading(tx, bob.id, paper_id, "read")
    popup = popup_over(context, tab, f"{own}/popup.html")
    expect(popup.get_by_role("status")).to_have_text("In your library")
    expect(popup.locator("#readers")).to_have_text("My statusReadingReadBob")
