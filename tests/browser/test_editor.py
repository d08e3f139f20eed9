"""The editor in a real browser: keys and buttons, how the text will look, drafts that outlive everything, pictures."""

import base64
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.drafts import queries
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.reading.text_templates.commands import TextTemplateFields, add_template
from tests import make
from tests.browser.serving import Live, listens, serving

THERE = "/papers/1/summary/edit"
DOT = (  # a picture of one point
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PASTE = """(area, [name, dot]) => {
    const bytes = Uint8Array.from(atob(dot), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], name, { type: "image/png" }));
    const event = name === "dropped.png"
        ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
        : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    area.dispatchEvent(event);
}"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file; every test has a person of its own."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            search.ensure(tx)
            make.paper(tx, "On Checkpoints")
            make.topic(tx, "Recovery", markdown="What stands there.")
            add_template(
                tx, make.visitor(tx), TextTemplateFields(name="Benchmarks", markdown="## Machine\n\n## Numbers\n")
            )

    with serving(tmp_path_factory.mktemp("writing"), None, fill) as live:
        yield live


@pytest.fixture
def me(live: Live) -> CurrentUser:
    with live.database.write() as tx:
        return make.visitor(tx)


@pytest.fixture
def at(browse: Callable[..., Page], me: CurrentUser) -> Callable[..., Page]:
    """Opens the editor, in a browser of its own."""

    def open_there(address: str = THERE, **options: object) -> Page:
        page = browse(me, **options)
        if options.get("javascript", True):
            return opened(page, address)
        page.goto(address)
        return page

    return open_there


def opened(page: Page, address: str = THERE) -> Page:
    page.goto(address)
    listens(page)
    return page


def area(page: Page):
    return page.get_by_label("Text", exact=True)


def tool(page: Page, name: str):
    return page.get_by_role("toolbar").get_by_role("button", name=name, exact=True)


def drafts(live: Live, me: CurrentUser) -> list[str]:
    with live.database.read() as tx:
        return [draft.fields["markdown"] for draft in queries.list_drafts(tx, me)]


def kept(page: Page) -> None:
    """On the server and in this browser: the words are the same where the browser keeps nothing."""
    expect(page.locator("[data-kept][data-state=both]")).to_have_text("Draft saved")


MARKED = {
    "Bold": "**word**",
    "Italic": "*word*",
    "Code": "`word`",
    "Math": "$word$",
    "Link to paper or topic": "[[word]]",
    "Quote": "> word",
    "List": "- word",
    "Numbered list": "1. word",
}


def test_each_button_formats_the_selection_toggles_and_can_be_undone(at):
    page = at()
    for name, becomes in MARKED.items():
        area(page).fill("word")
        area(page).select_text()
        tool(page, name).click()
        expect(area(page)).to_have_value(becomes)
        expect(area(page)).to_be_focused()
        page.keyboard.press("Control+z")
        expect(area(page)).to_have_value("word")
        area(page).select_text()
        tool(page, name).click()
        tool(page, name).click()
        expect(area(page)).to_have_value("word")


@pytest.mark.deep
def test_formatting_applies_to_several_lines(at):
    page = at()
    for name, becomes in (
        ("Numbered list", "1. one\n2. two"),
        ("Quote", "> one\n> two"),
        ("Code", "```\none\ntwo\n```"),
        ("Math", "$$\none\ntwo\n$$"),
    ):
        area(page).fill("one\ntwo")
        area(page).select_text()
        tool(page, name).click()
        expect(area(page)).to_have_value(becomes)
    area(page).fill("before")
    tool(page, "Table").click()
    expect(area(page)).to_have_value("before\n\n| Column | Column |\n| --- | --- |\n|  |  |\n")


@pytest.mark.deep
def test_the_toolbar_is_one_tab_stop_and_arrows_walk_its_buttons(at):
    page = at()
    tool(page, "Bold").focus()
    page.keyboard.press("ArrowRight")
    expect(tool(page, "Italic")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(tool(page, "Image")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Template", exact=True)).to_be_focused()
    area(page).focus()
    page.keyboard.press("Tab")
    expect(area(page)).not_to_be_focused()


def test_no_key_acts_during_ime_composition(at):
    page = at()
    area(page).fill("学習")
    for key in ("b", "s", "Enter", "m"):
        area(page).evaluate(
            """(area, key) => area.dispatchEvent(new KeyboardEvent("keydown",
                { key, ctrlKey: true, bubbles: true, cancelable: true, isComposing: true }))""",
            key,
        )
    expect(area(page)).to_have_value("学習")
    assert page.url.endswith(THERE)


@pytest.mark.deep
def test_the_preview_matches_the_saved_page(at, live, me):
    page = at()
    text = f"Cost is $C = f$.\n\n- [ ] open\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n@{me.name} and [[Recovery]]."
    area(page).fill(text)
    expect(page.locator("#preview math")).to_have_count(1)
    expect(page.locator("#preview .mention")).to_have_count(1)
    shown = page.locator("#preview .prose").inner_html()
    page.keyboard.press("Control+s")
    page.wait_for_url("**/papers/1")
    assert page.locator("#summaries article").filter(has_text="Cost is").last.locator(".prose").inner_html() == shown


@pytest.mark.deep
def test_the_preview_stays_visible_next_to_a_longer_text(at):
    page = at()
    text = page.locator("#markdown")
    text.fill("\n".join(["A line"] * 90))
    text.press("Control+End")
    page.keyboard.type(" at the end")
    expect(page.locator("#preview p")).to_contain_text("at the end")
    expect(page.locator("#preview p")).to_be_in_viewport()


@pytest.mark.deep
def test_the_editor_shows_text_preview_or_both_and_the_browser_remembers(at):
    page = at()
    area(page).fill("Three **lines**.")
    page.get_by_text("Edit", exact=True).click()
    expect(page.locator("#preview")).to_be_hidden()
    page.keyboard.press("Control+Shift+P")
    expect(page.locator("#preview strong")).to_have_text("lines")
    expect(area(page)).to_be_hidden()
    page.keyboard.press("Control+Shift+P")
    expect(area(page)).to_be_focused()
    opened(page)
    expect(page.locator("#preview")).to_be_hidden()


@pytest.mark.deep
def test_a_template_fills_an_empty_text_and_never_replaces_one(at):
    page = at()
    for expected in ("## Machine\n\n## Numbers", "Written.\n\n## Machine\n\n## Numbers"):
        page.get_by_text("Template", exact=True).click()
        page.get_by_role("link", name="Benchmarks").click()
        expect(area(page)).to_have_value(expected)
        area(page).fill("Written.")


@pytest.mark.deep
def test_the_remaining_length_and_the_words_are_counted(at):
    page = at()
    page.get_by_label("One-line summary").fill("Saves often 省")
    expect(page.locator("[data-left]")).to_have_text("187 left")
    area(page).fill("Three short words")
    expect(page.locator("[data-words]")).to_have_text("3 words")


def test_a_draft_survives_closing_the_window_and_is_offered_in_any_browser(at, live, me):
    page = at()
    area(page).fill("Half a thought")
    kept(page)
    opened(page)
    expect(page.locator("#drafts")).to_contain_text("Half a thought")
    other = at()
    other.get_by_role("link", name="Continue editing").click()
    listens(other)
    expect(area(other)).to_have_value("Half a thought")
    area(other).fill("A whole thought")
    kept(other)
    assert drafts(live, me) == ["A whole thought"]
    other.keyboard.press("Control+s")
    other.wait_for_url("**/papers/1")
    assert drafts(live, me) == []
    opened(other)
    expect(other.locator("#drafts *")).to_have_count(0)
    assert other.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft '))") == []


@pytest.mark.deep
def test_a_discarded_draft_is_deleted_from_browser_and_server(at, live, me):
    page = at()
    area(page).fill("Half a thought")
    kept(page)
    opened(page)
    page.get_by_role("button", name="Discard").click()
    listens(page)
    expect(page.locator("#drafts *")).to_have_count(0)
    assert drafts(live, me) == []


def test_writing_continues_offline_and_nothing_is_lost(at, live, me):
    page = at()
    area(page).fill("Cost is")
    kept(page)
    page.context.set_offline(True)
    area(page).press_sequentially(" $C = f$")
    expect(page.locator("[data-kept]")).to_contain_text("Can't reach the server. Your draft is saved in this browser.")
    page.keyboard.press("Control+s")
    expect(page.locator("[role=alert] [data-unsaved=lost]")).to_be_visible()
    expect(area(page)).to_have_value("Cost is $C = f$")
    assert drafts(live, me) == ["Cost is"]
    page.context.set_offline(False)
    kept(page)
    assert drafts(live, me) == ["Cost is $C = f$"]
    page.keyboard.press("Control+s")
    page.wait_for_url("**/papers/1")
    expect(page.locator("#summaries math").last).to_be_visible()
    assert drafts(live, me) == []


@pytest.mark.deep
def test_text_typed_offline_is_offered_after_the_window_was_closed(at, live, me):
    page = at()
    page.context.set_offline(True)
    area(page).fill("In the train")
    expect(page.locator("[data-kept]")).to_contain_text("Can't reach the server. Your draft is saved in this browser.")
    context = page.context
    page.close()
    context.set_offline(False)
    again = opened(context.new_page())
    expect(again.locator("#drafts")).to_contain_text("In the train")
    assert drafts(live, me) == ["In the train"]


def test_a_person_signed_out_while_writing_finds_the_text_again(at, live, me):
    page = at()
    area(page).fill("Half")
    kept(page)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    area(page).press_sequentially(" a thought")
    page.keyboard.press("Control+s")
    notice = page.locator("[role=alert] [data-unsaved=out]")
    expect(notice).to_be_visible()
    notice.get_by_role("link").click()
    page.wait_for_url(lambda url: "/sign-in?next=/papers/1/summary/edit" in url)
    page.context.add_cookies(cookies)
    opened(page)
    expect(page.locator("#drafts")).to_contain_text("Half a thought")
    assert drafts(live, me) == ["Half a thought"]


def test_two_windows_never_overwrite_each_other(at, live, me):
    page = at()
    other = opened(page.context.new_page())
    area(page).fill("one")
    area(other).fill("other")
    kept(page)
    kept(other)
    area(page).fill("one, and more")
    page.locator("[data-kept][data-state=both]").wait_for()
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url("**/papers/1")
    opened(page)
    assert sorted(drafts(live, me)) == ["one, and more", "other"]
    expect(page.locator("#drafts")).to_contain_text("one, and more")
    expect(page.locator("#drafts")).to_contain_text("other")


@pytest.mark.deep
def test_another_person_in_the_same_browser_is_offered_nothing(at, live, browse):
    page = at()
    page.context.set_offline(True)
    area(page).fill("Only mine")
    expect(page.locator("[data-kept]")).to_contain_text("Can't reach the server. Your draft is saved in this browser.")
    with live.database.write() as tx:
        other = make.visitor(tx)
    left = page.evaluate("({ ...localStorage })")
    theirs = opened(browse(other))
    theirs.evaluate("(left) => Object.entries(left).forEach(([key, text]) => localStorage.setItem(key, text))", left)
    opened(theirs)
    expect(theirs.locator("#drafts *")).to_have_count(0)
    assert drafts(live, other) == []


def test_images_are_pasted_dropped_or_chosen_and_inserted_at_the_cursor(at):
    page = at()
    area(page).fill("Figure: ")
    for number, name in enumerate(("pasted.png", "dropped.png"), 1):
        area(page).evaluate(PASTE, [name, DOT])
        expect(area(page)).to_have_value(re.compile(rf"^Figure: (!\[[^!]*){{{number}}}$"))
    with page.expect_file_chooser() as chooser:
        tool(page, "Image").click()
    chooser.value.set_files({"name": "chosen.png", "mimeType": "image/png", "buffer": base64.b64decode(DOT)})
    expect(area(page)).to_have_value(re.compile(r"^Figure: (!\[[^!]*){3}$"))


@pytest.mark.deep
def test_a_file_that_is_not_an_image_is_rejected_with_a_message_and_the_text_stays(at):
    page = at()
    area(page).fill("Figure: ")
    area(page).evaluate(PASTE, ["broken.png", base64.b64encode(b"no picture at all").decode()])
    expect(page.locator("[data-picture]")).not_to_be_empty()
    expect(page.locator("[data-picture]")).not_to_contain_text("Uploading")
    expect(area(page)).to_have_value("Figure: ")


@pytest.mark.deep
def test_a_topics_text_has_the_same_editor(at, live, me):
    page = at("/topics/recovery/edit")
    area(page).fill("What **stands** there now.")
    expect(page.locator("#preview strong")).to_have_text("stands")
    kept(page)
    opened(page, "/topics/recovery/edit")
    page.get_by_role("link", name="Continue editing").click()
    listens(page)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Recovery")
    page.keyboard.press("Control+s")
    page.wait_for_url("**/topics/recovery")
    assert drafts(live, me) == []


@pytest.mark.deep
def test_without_scripts_the_form_buttons_work(at, live, me):
    page = at(javascript=False)
    area(page).fill("Three **lines**.")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview strong")).to_have_text("lines")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Draft saved")).to_be_visible()
    expect(page.get_by_role("toolbar")).to_be_hidden()
    assert [text.replace("\r\n", "\n") for text in drafts(live, me)] == ["Three **lines**."]
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/papers/1")
    assert drafts(live, me) == []


@pytest.mark.deep
def test_a_draft_of_a_text_saved_elsewhere_offers_both(at, live, me):
    page = at()
    area(page).fill("Mine, typed before.")
    kept(page)
    with live.database.write() as tx:
        edit_summary(tx, me, 1, SummaryUpdate(markdown="Saved by a program."), version=None)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Conflicting versions")
    assert drafts(live, me) == ["Mine, typed before."]
