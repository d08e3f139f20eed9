"""A long file is checked in a browser: narrowed down, corrected, decided on in bulk, imported, and brought again."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.serving import listens

NEW = "- [A Paper of Next Month](https://arxiv.org/abs/2501.99999)"


def group(number: int) -> str:
    """54 lines on one subject: papers, articles of one site, remarks and questions."""
    papers = (
        f"- [Work {number}.{n:02} on Saving State](https://arxiv.org/abs/2401.{number * 100 + n:05d})"
        for n in range(30)
    )
    articles = (f"- [記事 {number}.{n}](https://zenn.dev/user/articles/{number}x{n}) 参考になった" for n in range(15))
    questions = (f"- why is part {number}.{n} so slow?" for n in range(5))
    return "\n".join([f"# Subject {number}", "", *papers, "", *articles, *questions, ""])


def notes(groups: int) -> str:
    return "\n".join(group(number) for number in range(1, groups + 1))


@pytest.fixture
def ada(live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.mark.deep
@pytest.mark.usefixtures("arxiv")  # the worker commits the import
@pytest.mark.parametrize(
    ("javascript", "groups"),
    [pytest.param(True, 40, id="scripts"), pytest.param(False, 3, id="plain")],
)
def test_a_long_file_is_previewed_imported_and_imported_again(
    browse: Callable[..., Page], ada: CurrentUser, *, javascript: bool, groups: int
) -> None:
    page = browse(ada, javascript=javascript)
    upload(page, notes(groups))
    find_ones_way(page, groups)
    correct_a_title(page)
    keep_a_rule(page, groups)
    skip_all_that_are_found(page, 5 * groups)
    look_at_the_source(page)
    commit(page)
    see_what_lines_became(page)
    bring_the_next_revision(page, notes(groups).splitlines())


def upload(page: Page, text: str) -> None:
    page.goto("/imports/new")
    page.get_by_label("Or choose a file").set_input_files({"name": "list.md", "mimeType": "", "buffer": text.encode()})
    page.get_by_role("button", name="Preview import").click()
    expect(page.get_by_role("heading", name="list.md")).to_be_visible()


def find_ones_way(page: Page, groups: int) -> None:
    expect(rows(page)).to_have_count(100)
    page.get_by_role("button", name="Next page").click()
    expect(rows(page).first).not_to_have_id("entry-1")
    narrow(page, "Kind", "article", 15 * groups)
    look_for(page, "記事 2.3")
    expect(rows(page)).to_have_count(1)


def correct_a_title(page: Page) -> None:
    rows(page).get_by_role("button", name="Edit line").click()
    panel = page.get_by_role("group", name="Edit line")
    panel.get_by_label("Title").fill("保存の話")
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(panel).to_have_count(0)
    expect(rows(page).locator(".title")).to_have_text("保存の話")
    expect(rows(page)).to_contain_text("edited")


def keep_a_rule(page: Page, groups: int) -> None:
    look_for(page, "記事 3.4")
    rows(page).get_by_role("button", name="Edit line").click()
    panel = page.get_by_role("group", name="Edit line")
    panel.get_by_label("Type").select_option("page")
    panel.get_by_label("Save as team rule").check()
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(panel).to_have_count(0)
    page.get_by_role("link", name="Import rules", exact=True).click()
    expect(page.get_by_role("rowheader", name="zenn.dev: page")).to_be_visible()
    page.go_back()
    page.reload()
    look_for(page, "")
    narrow(page, "Kind", "page", 15 * groups)


def skip_all_that_are_found(page: Page, count: int) -> None:
    narrow(page, "Kind", "question", count)
    page.get_by_text(f"Apply to all {count}", exact=True).click()
    page.get_by_role("button", name=f"Skip all {count}").click()
    expect(page.get_by_role("status")).to_contain_text(f"{count} set to skip")
    narrow(page, "Decision", "skipped", count)
    page.goto(page.url.partition("?")[0])


def look_at_the_source(page: Page) -> None:
    row = rows(page).nth(2)
    row.locator("summary").click()
    expect(row.get_by_role("listitem")).to_have_count(5)
    expect(row.get_by_role("link", name="In notes")).to_be_visible()


def commit(page: Page) -> None:
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="list.md imported")).to_be_visible(timeout=300_000)


def see_what_lines_became(page: Page) -> None:
    page.get_by_role("main").get_by_role("link", name="Notes").click()
    line = page.locator("#L3")
    expect(line).to_contain_text("Work 1.00 on Saving State")
    expect(line.get_by_role("link", name="paper")).to_be_visible()
    expect(page.locator("#L1").get_by_role("link", name="topic")).to_have_attribute("href", "/topics/subject-1")


def bring_the_next_revision(page: Page, lines: list[str]) -> None:
    """The first subject stands at the end now, and there is one paper more."""
    upload(page, "\n".join([*lines[54:], *lines[:54], NEW]))
    lede = page.locator(".lede")
    expect(lede).to_contain_text("Changes since version 1: ")
    expect(lede).to_contain_text("1 added")
    narrow(page, "Decision", "new", 1)
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text("A Paper of Next Month")
    page.get_by_role("link", name="Changes since version 1").click()
    expect(page.locator("[data-change=added] .text").filter(has_text="- ")).to_have_text([NEW])


def test_entries_are_decided_with_the_keyboard_alone(browse: Callable[..., Page], ada: CurrentUser) -> None:
    page = browse(ada)
    upload(page, group(1))
    listens(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(rows(page).nth(1).locator(".title")).to_be_focused()
    page.keyboard.press("s")
    expect(rows(page).nth(1).get_by_role("radio", name="Skip")).to_be_checked()
    expect(rows(page).nth(2).locator(".title")).to_be_focused()
    expect(page.get_by_role("navigation", name="Decision").get_by_text("skipped")).to_contain_text("1")
    page.keyboard.press("k")
    page.keyboard.press("a")
    expect(page.get_by_role("navigation", name="Decision").get_by_text("skipped")).to_contain_text("0")
    page.keyboard.press("e")
    title = page.get_by_role("group", name="Edit line").get_by_label("Title")
    expect(title).to_be_focused()
    title.press_sequentially("as/j")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("group", name="Edit line")).to_have_count(0)
    expect(page.locator(".entries")).to_contain_text("as/j")
    listens(page)
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search entries")).to_be_focused()


@pytest.mark.deep
def test_no_shortcut_decides_during_ime_composition(browse: Callable[..., Page], ada: CurrentUser) -> None:
    page = browse(ada)
    upload(page, group(1))
    listens(page)
    page.keyboard.press("j")
    for key in ("s", "e", "j"):
        page.evaluate(
            "key => document.activeElement.dispatchEvent("
            "new KeyboardEvent('keydown', { key, bubbles: true, isComposing: true }))",
            key,
        )
    expect(rows(page).first.locator(".title")).to_be_focused()
    expect(page.get_by_role("radio", name="Skip", checked=True)).to_have_count(0)


@pytest.mark.deep
def test_a_file_may_be_dropped_on_the_form(browse: Callable[..., Page], ada: CurrentUser) -> None:
    page = browse(ada)
    page.goto("/imports/new")
    file = page.evaluate_handle("new DataTransfer()")
    file.evaluate("held => held.items.add(new File(['- why so slow?'], 'list.md')) && undefined")
    page.get_by_label("Notes", exact=True).dispatch_event("drop", {"dataTransfer": file})
    page.get_by_role("button", name="Preview import").click()
    expect(page.get_by_role("heading", name="list.md")).to_be_visible()


def rows(page: Page) -> Locator:
    return page.locator(".entries > [data-row]")


def narrow(page: Page, by: str, word: str, count: int) -> None:
    button = page.get_by_role("navigation", name=by).get_by_role("button", name=re.compile(rf"^{word} ", re.IGNORECASE))
    expect(button).to_have_text(f"{word} {count:,}", ignore_case=True)
    button.click()
    expect(page.locator(f"nav[aria-label='{by}'] [aria-current]")).to_contain_text(word, ignore_case=True)


def look_for(page: Page, words: str) -> None:
    field = page.get_by_role("searchbox", name="Search entries")
    field.fill(words)
    field.press("Enter")
    expect(page.locator("[name=was]")).to_have_value(words)
