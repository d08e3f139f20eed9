"""Two people before two browsers: what one of them does reaches the other; and the same deeds without scripts."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from readtrack.infra.clock import now, today
from readtrack.infra.db import Database
from tests import make
from tests.browser.serving import Live, listens, serving

PAPER = "Restarting Without Waiting"
DOUBT = "Does Figure 3 hold for $n > 8$ nodes?"
MEETING = "Thursday reading"
PASSWORD = "four words in a row"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for this file, whose library holds one paper."""

    def fill(database: Database) -> None:
        with database.write() as tx:
            make.paper(tx, PAPER)

    with serving(tmp_path_factory.mktemp("team"), None, fill) as live:
        yield live


@pytest.fixture
def ada(browse, live) -> Page:
    """The window of an admin."""
    with live.database.write() as tx:
        admin = make.visitor(tx, "Ada Example", role="admin")
    page: Page = browse(admin)
    return page


@pytest.mark.deep
def test_two_people_see_each_others_changes_from_invitation_to_meeting(browse, ada):
    bo: Page = browse()
    join(bo, invited_by(ada))
    read_in_part(bo)
    mention(bo, "Ada Example")
    answer_from_the_notice(ada)
    expect_unread(bo, "Ada Example replied")
    ask_to_read(ada, "Bo Örn")
    accept_on_the_home_page(bo)
    plan_a_meeting(ada, presenter="Bo Örn")
    see_who_has_read(bo)
    look_back(ada)


@pytest.mark.deep
def test_a_day_of_team_actions_works_without_scripts(browse, live):
    with live.database.write() as tx:
        asker, bo = make.visitor(tx, "Chika Muster", role="editor"), make.visitor(tx, "Dana Lee")
        paper = make.paper(tx, "Sums That Travel in Rings")
        make.assignment(tx, bo.id, paper.id, created_by=asker.id, due_on=today() + timedelta(days=3))
        series = make.series(tx)
        make.candidate(tx, series.id, paper.id, proposed_by=asker.id)
        make.notice(tx, bo.id, paper_id=paper.id, actor_id=asker.id, data={"what": "made"})
        make.notice(tx, bo.id, "version", paper_id=paper.id, data={"label": "v2"})
    page: Page = browse(bo, javascript=False)
    accept_among_the_assignments(page)
    set_the_status(page, "Sums That Travel in Rings")
    say_and_settle(page)
    vote(page, series.id)
    mark_all_as_read(page)


def invited_by(page: Page) -> str:
    page.goto("/people")
    page.get_by_role("link", name="Invit").first.click()
    page.get_by_label("Role").select_option("member")
    page.get_by_role("button", name="Invite", exact=True).click()
    return page.get_by_label("Share this link").input_value()


def join(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("Name", exact=True).fill("Bo Örn")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join the team").click()
    expect(page.get_by_role("link", name=PAPER)).to_be_visible()
    with page.context.new_page() as second:
        second.goto(link)
        expect(second.get_by_role("main")).to_contain_text("This link has expired or was already used.")


def read_in_part(page: Page) -> None:
    page.get_by_role("link", name=PAPER).first.click()
    form = page.locator("#my-reading")
    form.get_by_text("Reading", exact=True).click()
    form.get_by_label("Current").fill("3")
    form.get_by_label("Total").fill("12")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Marked as reading")


def mention(page: Page, name: str) -> None:
    """As far as needed to have the rest of the name put in, which is then told."""
    field = page.get_by_label("New comment")
    field.press_sequentially(f"{DOUBT} @{name[:3].lower()}")
    expect(page.get_by_role("option", name=name)).to_be_visible()
    field.press("Enter")
    expect(field).to_have_value(re.compile(f'{re.escape(DOUBT)} @"?{name}"? '))
    page.get_by_role("button", name="Preview").first.click()
    expect(page.locator("#new-comment-preview math")).to_be_attached()
    field.press("Control+Enter")
    comment = said(page, "Bo Örn")
    expect(comment.locator("math")).to_be_attached()
    expect(comment).to_contain_text(name)


def answer_from_the_notice(page: Page) -> None:
    page.goto("/notifications")
    expect(page.locator("#inbox-count")).to_have_text("1")
    page.locator(".unread", has_text="Bo Örn mentioned you").get_by_text("Bo Örn mentioned you").click()
    page.wait_for_url(re.compile("#comment-"))
    expect(page.locator("#inbox-count")).to_have_text("")
    listens(page)
    page.keyboard.press("r")
    page.get_by_label("Reply").press_sequentially("Not beyond sixteen.")
    page.keyboard.press("Control+Enter")
    expect(said(page, "Ada Example")).to_contain_text("Not beyond sixteen.")


def expect_unread(page: Page, words: str) -> None:
    page.goto("/notifications")
    expect(page.get_by_role("listitem").filter(has_text=words)).to_be_visible()


def ask_to_read(page: Page, name: str) -> None:
    page.locator("summary", has_text=re.compile(r"^\s*Assign\s*$")).click()
    form = page.locator("form", has=page.get_by_label("Assignee"))
    form.get_by_label("Assignee").fill(name)
    form.get_by_label("Due date").fill((today() + timedelta(days=5)).isoformat())
    form.get_by_label("Note").fill("Only section 4.")
    form.get_by_role("button", name="Assign").click()
    expect(page.get_by_role("status")).to_contain_text(f"Assigned to {name}")


def accept_on_the_home_page(page: Page) -> None:
    page.goto("/")
    row = page.locator(".to-do [data-row]").filter(has_text=PAPER)
    expect(row).to_contain_text("Only section 4.")
    row.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_contain_text("Assignment accepted")
    expect(row.get_by_role("button", name="Accept")).to_have_count(0)


def plan_a_meeting(page: Page, *, presenter: str) -> None:
    page.goto("/meetings/new")
    page.get_by_label("Title").fill(MEETING)
    page.get_by_label("Date").fill((now().date() + timedelta(days=2)).isoformat())
    page.get_by_label("Presenter").select_option(presenter)
    page.get_by_role("button", name="Create meeting").click()
    page.get_by_label("Paper", exact=True).fill("1")
    page.get_by_role("button", name="Add", exact=True).first.click()
    expect(page.locator(".point")).to_contain_text(PAPER)


def see_who_has_read(page: Page) -> None:
    """From the home page, where the meeting that one presents stands."""
    page.goto("/")
    page.get_by_role("complementary").get_by_role("link", name=MEETING).click()
    expect(page.get_by_role("main")).to_contain_text(re.compile(r"Presented by\s.*Bo Örn"))
    expect(page.get_by_label("Reading status")).to_have_text(re.compile(r"Bo Örn\s*: reading"))
    page.emulate_media(media="print")
    expect(page.locator(".point")).to_be_visible()
    expect(page.get_by_role("navigation", name="Navigation", exact=True)).to_be_hidden()
    page.emulate_media(media="screen")


def look_back(page: Page) -> None:
    page.goto("/activity")
    for words in ("Bo Örn", PAPER, MEETING):
        expect(page.get_by_role("main")).to_contain_text(words)


def accept_among_the_assignments(page: Page) -> None:
    page.goto("/assignments")
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_contain_text("Assignment accepted")
    expect(page.locator(".assigned .mark")).to_have_text("Accepted")


def set_the_status(page: Page, title: str) -> None:
    page.get_by_role("link", name=title).click()
    form = page.locator("#my-reading")
    form.get_by_text("Read", exact=True).first.click()
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Marked as read")
    expect(page.locator(".assignees .mark")).to_have_text("Done")


def say_and_settle(page: Page) -> None:
    page.get_by_label("New comment").fill("It is *all* in the appendix.")
    page.get_by_role("button", name="Preview").first.click()
    expect(page.locator(".seen-as em")).to_have_text("all")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(said(page, "Dana Lee").locator("em")).to_have_text("all")
    page.get_by_role("button", name="Resolve").first.click()
    expect(page.get_by_role("status")).to_contain_text("Resolved")


def vote(page: Page, series_id: int) -> None:
    page.goto(f"/meetings/series/{series_id}")
    page.get_by_role("button", name="Vote for: Sums").click()
    expect(page.locator(".vote b")).to_have_text("1")


def mark_all_as_read(page: Page) -> None:
    page.goto("/notifications")
    expect(page.locator(".inbox > .unread")).to_have_count(2)
    page.get_by_role("button", name="Mark as read").first.click()
    expect(page.locator(".inbox > .unread")).to_have_count(1)
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("heading", name="No unread notifications")).to_be_visible()


def said(page: Page, name: str) -> Locator:
    return page.locator(".comment").filter(has=page.locator("header", has_text=name))
