"""Names between brackets in a real browser: completed while one types, followed to what is not here, and added."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from readtrack import search
from readtrack.infra.db import Database
from tests import make
from tests.browser.serving import WITH_AND_WITHOUT, Live, serving
from tests.depth import some

# How far the list of offers is below the end of a line of that number, and how high a line is.
BELOW_LINE = """number => {
  const area = document.querySelector("#markdown");
  const list = document.querySelector("#offers");
  const line = parseFloat(getComputedStyle(area).lineHeight);
  return [list.getBoundingClientRect().top - area.getBoundingClientRect().top - line * number, line];
}"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    def fill(database: Database) -> None:
        with database.write() as tx:
            search.ensure(tx)
            made = make.paper(tx, "Gemini: Fast failure recovery", identifier="arxiv:2308.00001")
            make.topic(tx, "Fault tolerance", aliases=("容错",))
            search.update_papers(tx, [made.id])

    with serving(tmp_path_factory.mktemp("references"), None, fill) as live:
        yield live


@pytest.fixture
def paper(live) -> int:
    with live.database.write() as tx:
        made = make.paper(tx)
        search.update_papers(tx, [made.id])
        return int(made.id)


@pytest.fixture
def ada(live):
    with live.database.write() as tx:
        return make.visitor(tx)


def written(page: Page, paper: int, text: str) -> None:
    """A summary of that paper is saved; its page is shown."""
    page.goto(f"/papers/{paper}/summary/edit")
    page.locator("#markdown").fill(text)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**/papers/{paper}")


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_missing_reference_is_followed_added_and_then_linked(browse, ada, paper, javascript):
    page = browse(ada, javascript=javascript)
    number, title = ("2305.15778", "Bamboo") if javascript else ("2305.15779", "Varuna")
    written(page, paper, f"After [[arXiv:{number}]] and [[{title}|theirs]].")
    missing = page.locator("#summaries a.missing")
    expect(missing).to_have_count(2)
    expect(missing.first).to_have_attribute("title", "Add to library")
    missing.first.click()
    expect(page.locator("#text")).to_have_value(f"arXiv:{number}")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_url("**/papers/*")
    added = page.url
    page.goto(f"/papers/{paper}")
    expect(missing).to_have_count(1)
    missing.click()
    expect(page.locator("#text")).to_have_value(title)
    page.get_by_role("button", name="Add", exact=True).click()
    page.goto(f"/papers/{paper}")
    expect(missing).to_have_count(0)
    page.locator("#summaries a.reference").first.click()
    page.wait_for_url(added)
    expect(page.locator("#mentions")).to_contain_text("theirs")


def test_text_after_two_brackets_is_completed(browse, ada, paper):
    page = browse(ada)
    page.goto(f"/papers/{paper}/summary/edit")
    field = page.locator("#markdown")
    field.focus()
    page.keyboard.type("Unlike [[failure")
    expect(page.get_by_role("option")).to_have_text(["Gemini: Fast failure recovery"])
    page.keyboard.press("Enter")
    expect(field).to_have_value("Unlike [[Gemini: Fast failure recovery]]")
    page.keyboard.type(" 属于[[]]")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.insert_text("容")
    page.get_by_role("option", name="Fault tolerance").click()
    expect(field).to_have_value("Unlike [[Gemini: Fast failure recovery]] 属于[[Fault tolerance]]")
    page.keyboard.type(" and [[gem")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)


def test_names_that_arrive_after_escape_are_not_suggested(browse, ada, paper):
    page, held = browse(ada), []
    page.goto(f"/papers/{paper}/summary/edit")
    page.locator("#markdown").press_sequentially("Unlike [[failur")
    expect(page.get_by_role("option")).to_have_count(1)
    page.route("**/references/complete*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    with page.expect_request("**/references/complete*"):
        page.keyboard.type("e")
    page.keyboard.press("Escape")
    with page.expect_response("**/references/complete*"):
        held[0].continue_()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("option")).to_have_count(0)


@pytest.mark.deep
@pytest.mark.parametrize("lines", some([90, 3], 1))
def test_suggestions_appear_next_to_the_current_line(browse, ada, paper, lines):
    page = browse(ada)
    page.goto(f"/papers/{paper}/summary/edit")
    field = page.locator("#markdown")
    field.fill("\n".join(["A line of the text"] * lines))
    for place, key in ((0, "Control+Home"), (lines - 1, "Control+End")):
        field.press(key)
        page.keyboard.type("[[failure")
        offered = page.get_by_role("listbox", name="Papers and topics")
        expect(offered).to_be_in_viewport(ratio=1)
        below, line = page.evaluate(BELOW_LINE, place + 1)
        assert 0 <= below < 2 * line
        page.keyboard.press("Escape")


@pytest.mark.deep
def test_a_completion_is_undone_with_the_browsers_own_undo(browse, ada, paper):
    page = browse(ada)
    page.goto(f"/papers/{paper}/summary/edit")
    field = page.locator("#markdown")
    field.press_sequentially("Unlike [[failure")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(field).to_have_value("Unlike [[Gemini: Fast failure recovery]]")
    page.keyboard.press("Control+z")
    expect(field).to_have_value("Unlike [[failure")


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_an_unlinked_mention_is_found_and_linked_with_one_click(browse, ada, paper, javascript):
    page = browse(ada, javascript=javascript)
    written(page, paper, "Gemini does this, too.")
    page.goto("/papers/1")
    page.get_by_role("heading", name="Backlinks").click()
    page.get_by_role("link", name="Find unlinked mentions").click()
    page.locator("li", has_text="does this, too").get_by_role("button", name="Add link").first.click()
    expect(page.get_by_text("Link added")).to_be_visible()
    page.goto(f"/papers/{paper}")
    expect(page.locator("#summaries a.reference")).to_have_text("Gemini")


def test_a7_a_hostile_name_is_plain_text(browse, ada, paper):
    page = browse(ada)
    name = "<img src=x onerror=document.title='owned'>"
    written(page, paper, f'See [[{name}]] and [[" onmouseover=alert(1) x="]].')
    expect(page.locator("#summaries a.missing").first).to_have_text(name)
    expect(page.locator("#summaries img")).to_have_count(0)
    page.locator("#summaries a.missing").first.click()
    expect(page.locator("#text")).to_have_value(name)
    assert page.title() != "owned"
