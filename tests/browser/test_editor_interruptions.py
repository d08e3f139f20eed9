"""Writing when something comes between: the server, the connection, another person, a picture that is late."""

import re
from collections.abc import Callable, Iterator
from datetime import date

import pytest
from playwright.sync_api import Page, Route, expect

from readtrack import search
from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.drafts import queries
from readtrack.reading.summaries.queries import find_my_summary
from readtrack.reading.text_templates.commands import TextTemplateFields, add_template
from readtrack.team.meetings.commands.schedule import plan_meeting
from readtrack.team.meetings.schemas import MeetingCreate
from readtrack.web.dependencies.auth import COOKIE
from tests import make
from tests.browser.axe import Axe
from tests.browser.serving import Live, listens, serving, signed_in
from tests.depth import some

BACK = "Restore unsaved text"
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

DROP = """(area, files) => {
    const data = new DataTransfer();
    for (const [name, is] of files) {
        const bytes = name !== "dot.png" ? "nothing" : Uint8Array.from(atob(is), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], name, { type: is === "application/pdf" ? is : "image/png" }));
    }
    area.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
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


def held(page: Page, address: str) -> list[Route]:
    """Requests to that address wait in here, until the test lets them go on."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route(address, hold)
    return waiting


def let_go(page: Page, waiting: list[Route]) -> None:
    while not waiting:  # it was sent, and comes here in a moment
        page.wait_for_timeout(10)
    waiting[0].continue_()


def drafts(live: Live, me: CurrentUser) -> list[str]:
    with live.database.read() as tx:
        return [draft.fields["markdown"] for draft in queries.list_drafts(tx, me)]


def kept(page: Page) -> None:
    """On the server and in this browser: the words are the same where the browser keeps nothing."""
    expect(page.locator("[data-kept][data-state=both]")).to_have_text("Draft saved")


@pytest.mark.deep
def test_a_text_starts_from_the_built_in_template(at):
    page = at()
    page.get_by_text("Template", exact=True).click()
    page.get_by_role("link", name="Built-in template").click()
    expect(area(page)).to_have_value(re.compile(r"^## Problem\n"))
    expect(area(page)).to_be_focused()


@pytest.mark.deep
def test_home_and_end_go_to_the_first_and_the_last_button(at):
    page = at()
    tool(page, "Bold").focus()
    for key, name in (("End", "Image"), ("Home", "Bold"), ("ArrowLeft", "Image"), ("ArrowRight", "Bold")):
        page.keyboard.press(key)
        expect(tool(page, name)).to_be_focused()


@pytest.mark.parametrize(
    ("status", "notice"), some([(500, "lost"), (413, "refused"), (502, "lost"), (429, "lost"), (403, "refused")], 1)
)
def test_a_rejected_save_does_not_replace_the_page_with_an_error(at, live, me, status, notice):
    page = at()
    page.route("**/drafts/*", lambda route: route.fulfill(status=status, body="<h1>Oh</h1>", content_type="text/html"))
    area(page).fill("Cost is $C = f$")
    page.keyboard.press("Control+s")
    said = page.locator(f"[role=alert] [data-unsaved={notice}]")
    expect(said).to_be_visible()
    expect(said).to_have_text(re.compile("Try again in a moment" if notice == "lost" else r"in this browser\.$"))
    assert page.url.endswith(THERE)
    page.unroute("**/drafts/*")
    page.keyboard.press("Control+s")
    page.wait_for_url("**/papers/1")
    expect(page.locator("#summaries math").last).to_be_visible()
    assert drafts(live, me) == []


def test_saving_waits_for_a_draft_request_in_flight(at, live, me):
    page = at()
    waiting = held(page, "**/drafts/*")
    with page.expect_request("**/drafts/*"):
        area(page).fill("Slowly")
    page.keyboard.press("Control+s")
    expect(page.locator("[data-kept]")).to_have_text("Saving…")
    let_go(page, waiting)
    page.wait_for_url("**/papers/1")
    assert drafts(live, me) == []


def test_pressing_save_twice_saves_once(at, live, me):
    page = at()
    posted = []
    page.on("request", lambda sent: posted.append(sent.url) if sent.method == "POST" and THERE in sent.url else None)
    area(page).fill("Once.")
    page.get_by_role("button", name="Save", exact=True).dblclick()
    page.wait_for_url("**/papers/1")
    assert len(posted) == 1
    with live.database.read() as tx:
        mine = find_my_summary(tx, me, 1)
    assert mine is not None
    assert mine.version == 1


@pytest.mark.deep
def test_going_back_after_saving_shows_the_saved_text_and_no_draft(at, live, me):
    page = at()
    area(page).fill("Saved.")
    kept(page)
    page.keyboard.press("Control+s")
    page.wait_for_url("**/papers/1")
    page.go_back()
    listens(page)
    expect(area(page)).to_have_value("Saved.")
    expect(page.locator("#drafts *")).to_have_count(0)
    area(page).press_sequentially(" And more.")
    page.keyboard.press("Control+s")
    page.wait_for_url("**/papers/1")
    assert drafts(live, me) == []
    with live.database.read() as tx:
        mine = find_my_summary(tx, me, 1)
    assert mine is not None
    assert "And more." in mine.markdown


def test_text_typed_in_my_window_is_never_saved_for_a_person_who_signed_in_meanwhile(at, live, me):
    page = at()
    with live.database.write() as tx:
        other = make.visitor(tx)
    page.context.add_cookies([{"name": COOKIE, "value": signed_in(live.database, other), "url": live.url}])
    area(page).fill("Only mine")
    expect(page.locator("[data-kept]")).to_contain_text("signed in as someone else")
    page.keyboard.press("Control+s")
    expect(page.locator("[role=alert] [data-unsaved=refused]")).to_be_visible()
    assert drafts(live, other) == drafts(live, me) == []
    with live.database.read() as tx:
        assert find_my_summary(tx, other, 1) is None


@pytest.mark.deep
def test_an_unfinished_comment_is_not_offered_to_the_next_person_in_the_same_browser(at, live, me):
    page = at("/papers/1")
    page.locator("textarea[data-draft]").first.fill("What I think of it")
    opened(page, "/papers/1")
    expect(page.get_by_role("button", name=BACK).first).to_be_visible()
    with live.database.write() as tx:
        other = make.visitor(tx)
    page.context.add_cookies([{"name": COOKIE, "value": signed_in(live.database, other), "url": live.url}])
    opened(page, "/papers/1")
    expect(page.get_by_role("button", name=BACK)).to_have_count(0)


def test_signing_out_leaves_only_what_the_server_does_not_have_in_the_browser(at, live, me):
    page = at("/papers/1")
    page.locator("textarea[data-draft]").first.fill("What I think of it")
    opened(page, THERE)
    area(page).fill("Half a thought")
    kept(page)
    page.locator(".me > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    left = "Object.entries(localStorage).filter(([key]) => key.startsWith('draft ')).map(([, text]) => text)"
    assert page.evaluate(left) == ["What I think of it"]
    assert drafts(live, me) == ["Half a thought"]


@pytest.mark.deep
def test_names_are_not_completed_offline_and_nothing_breaks(at):
    page = at()
    page.context.set_offline(True)
    with page.expect_event("requestfailed", lambda sent: "complete" in sent.url):
        area(page).press_sequentially("@ad")
    expect(area(page)).to_have_value("@ad")


@pytest.mark.deep
def test_a_browser_without_storage_gets_a_warning(at):
    page = at()
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }; }")
    page.context.set_offline(True)
    area(page).fill("Half a thought")
    expect(page.locator("[data-kept]")).to_contain_text("Can't reach the server or save a draft in this browser.")


@pytest.mark.deep
def test_a_failed_image_upload_is_reported_and_not_hidden_by_the_next_one(at):
    page = at()
    page.context.set_offline(True)
    area(page).evaluate(PASTE, ["lost.png", DOT])
    expect(page.locator("[data-picture]")).to_have_text(re.compile("^lost.png: The image couldn't be uploaded."))
    page.context.set_offline(False)
    area(page).evaluate(DROP, [["broken.png", "image/png"], ["paper.pdf", "application/pdf"], ["dot.png", DOT]])
    expect(area(page)).to_have_value(re.compile(r"^!\[[^!]*$"))
    expect(page.locator("[data-picture]")).to_have_text(
        re.compile("^broken.png: .+paper.pdf: Only images can be added here.")
    )


@pytest.mark.deep
def test_a_late_image_upload_does_not_move_the_cursor(at):
    page = at()
    area(page).fill("Figure: ")
    waiting = held(page, "**/api/v1/images")
    with page.expect_request("**/api/v1/images"):
        area(page).evaluate(PASTE, ["late.png", DOT])
    page.get_by_label("One-line summary").press_sequentially("Saves")
    let_go(page, waiting)
    expect(area(page)).to_have_value(re.compile(r"^Figure: !\["))
    page.keyboard.type(" often")
    expect(page.get_by_label("One-line summary")).to_have_value("Saves often")


@pytest.mark.deep
def test_an_image_upload_finished_during_ime_composition_waits(at):
    page = at()
    area(page).focus()
    waiting = held(page, "**/api/v1/images")
    typing = page.context.new_cdp_session(page)
    typing.send("Input.imeSetComposition", {"text": "がくしゅう", "selectionStart": 5, "selectionEnd": 5})
    with page.expect_request("**/api/v1/images"):
        area(page).evaluate(PASTE, ["late.png", DOT])
    with page.expect_response("**/api/v1/images"):
        let_go(page, waiting)
    expect(area(page)).to_have_value("がくしゅう")
    typing.send("Input.insertText", {"text": "学習"})
    expect(area(page)).to_have_value(re.compile(r"^学習!\[[^!]*$"))


@pytest.mark.deep
def test_a_window_is_not_offered_its_own_draft_when_other_drafts_exist(at, live, me):
    page = at()
    left = f"draft {me.id} summary/1 0123456789abcdef"
    said = {"fields": {"markdown": "In the train"}, "version": None, "number": 0, "took": "", "sent": False}
    page.evaluate("([key, said]) => localStorage.setItem(key, JSON.stringify(said))", [left, said])
    waiting = held(page, "**/drafts/0123456789abcdef")
    with page.expect_request("**/drafts/0123456789abcdef"):
        opened(page)
    area(page).fill("Half a thought")
    kept(page)
    let_go(page, waiting)
    expect(page.locator("#drafts")).to_contain_text("In the train")
    expect(page.locator("#drafts")).not_to_contain_text("Half a thought")
    assert sorted(drafts(live, me)) == ["Half a thought", "In the train"]


@pytest.mark.deep
def test_meeting_notes_have_a_preview(at, live, me):
    with live.database.write() as tx:
        editor = make.visitor(tx, role="editor")
        meeting = plan_meeting(tx, editor, MeetingCreate(title="On Tuesday", date=date(2026, 3, 3)))
    page = at(f"/meetings/{meeting.id}/notes")
    page.get_by_label("Meeting notes", exact=True).press_sequentially("It **holds**, by $f$.")
    expect(page.locator("#preview strong")).to_have_text("holds")
    expect(page.locator("#preview math")).to_have_count(1)


@pytest.mark.deep
def test_the_editor_is_accessible_while_it_shows_save_errors(at):
    page, axe = at(reduced_motion="reduce", viewport={"width": 320, "height": 640}), Axe()
    page.get_by_label("One-line summary").evaluate("field => { field.removeAttribute('maxlength'); }")
    page.get_by_label("One-line summary").fill("x" * 201)
    area(page).fill("A text.")
    page.keyboard.press("Control+s")
    expect(page.get_by_label("One-line summary")).to_have_attribute("aria-invalid", "true")
    listens(page)
    page.context.set_offline(True)
    page.get_by_label("One-line summary").fill("Short.")
    page.keyboard.press("Control+s")
    expect(page.locator("[role=alert] [data-unsaved=lost]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe.start(page)
    for size in (320, 1280):
        page.set_viewport_size({"width": size, "height": 800})
        axe.assert_shapes(page)
    axe.assert_colours(page, "light")
    page.emulate_media(color_scheme="dark")
    axe.assert_colours(page, "dark")
    page.evaluate("document.documentElement.dataset.theme = 'contrast'")
    axe.assert_colours(page, "contrast")
