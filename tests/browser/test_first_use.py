"""From the set-up link to a paper found again: one person's first half hour, with scripts and without."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.serving import WITH_AND_WITHOUT
from tests.standin import ArxivStandIn, Paper, Request

NOTES = """# Fault tolerance

Saving the State of Many Workers at Once
https://arxiv.org/abs/2405.00001
- Recovery in a Minute https://www.usenix.org/conference/nsdi24/presentation/okafor
- https://arxiv.org/abs/2405.00004
- A Paper That Somebody Pasted Twice https://arxiv.org/abs/2405.00009

# 分散学習

- 学習を止めずに状態を保存する方法 https://arxiv.org/abs/2405.00002
- チェックポイントはどのくらいの間隔で取るべきか？
- 千卡集群训练的故障恢复 https://arxiv.org/abs/2405.00003
http://localhost:8888/tree
"""
KNOWN = {
    "2405.00001": Paper("Saving the State of Many Workers at Once", ("Ada Example", "Bo Örn"), "Copies nearby."),
    "2405.00002": Paper("学習を止めずに状態を保存する方法", ("山田 花子",)),
    "2405.00003": Paper("千卡集群训练的故障恢复", ("陈 明",)),
    "2405.00004": Paper("Training beside C4: Collectives under Contention", ("Chika Muster", "Dana Lee")),
}
PASSWORD = "four words in a row"


class PatientArxiv(ArxivStandIn):
    """Answers nobody until it is let."""

    def __init__(self) -> None:
        super().__init__(KNOWN)
        self.let = threading.Event()

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        self.let.wait(30)
        super().answer(to, asked)


@pytest.fixture
def arxiv() -> Iterator[PatientArxiv]:
    with PatientArxiv() as stand_in:
        yield stand_in
        stand_in.let.set()


def test_the_browsers_time_zone_is_set_at_first_and_offered_later(browse, live):
    page = browse(timezone_id="Asia/Tokyo")
    become_admin(page, live.set_up_link())
    page.goto("/settings/profile")
    expect(page.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    expect(page.get_by_role("button", name="Use Asia/Tokyo")).to_be_hidden()
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Use Asia/Tokyo").click()
    expect(page.locator("#flash")).to_contain_text("Saved")
    expect(page.get_by_label("Time zone")).to_have_value("Asia/Tokyo")


@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_a_person_goes_from_the_setup_link_to_finding_a_paper_again(browse, live, arxiv, javascript):
    page = browse(javascript=javascript)
    become_admin(page, live.set_up_link())
    paste_notes(page)
    check_what_every_line_becomes(page)
    decide_and_import(page)
    watch_titles_arrive(page, arxiv)
    start_reading(page, javascript=javascript)
    write_a_summary(page, javascript=javascript)
    file_under_a_topic(page)
    find_it_again(page)
    take_the_status_back(page, javascript=javascript)
    sign_out_and_in(page)


@pytest.mark.deep
@pytest.mark.parametrize("javascript", WITH_AND_WITHOUT)
def test_the_first_form_takes_a_file_and_opens_its_preview(browse, live, javascript):
    page = browse(javascript=javascript)
    become_admin(page, live.set_up_link())
    page.goto("/home")
    chosen = page.get_by_label("Or choose or drop a file")
    if javascript:
        drop_file(page.get_by_label("arXiv IDs, DOIs, links, a title or notes"), "Dropped notes.md", NOTES)
        expect(chosen).to_have_value(re.compile("Dropped notes.md$"))
    else:
        chosen.set_input_files({"name": "Dropped notes.md", "mimeType": "text/markdown", "buffer": NOTES.encode()})
    page.get_by_role("main").get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="Dropped notes.md")).to_be_visible()
    check_what_every_line_becomes(page)


def drop_file(on: Locator, name: str, text: str) -> None:
    make = "([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name)); return data; }"
    on.dispatch_event("drop", {"dataTransfer": on.page.evaluate_handle(make, [name, text])})


def become_admin(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("Name", exact=True).fill("Ada Example")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Get started")).to_be_visible()
    page.goto(link)
    expect(page.get_by_role("main")).to_contain_text("no longer valid")


def paste_notes(page: Page) -> None:
    page.goto("/imports/new")
    page.get_by_label("Notes", exact=True).fill(NOTES)
    page.get_by_label("Name", exact=True).fill("Reading list")
    page.get_by_role("button", name="Preview import").click()
    expect(page.get_by_role("heading", name="Reading list")).to_be_visible()


def check_what_every_line_becomes(page: Page) -> None:
    expect(page.get_by_role("main")).to_contain_text("14 lines")
    for line, what in {
        "1": ("Fault tolerance", "topic"),
        "3–4": ("Saving the State of Many Workers at Once", "arxiv:2405.00001"),
        "5": ("Recovery in a Minute", "usenix:nsdi24/okafor"),
        "6": ("arxiv:2405.00004", "paper"),
        "9": ("分散学習", "topic"),
        "11": ("学習を止めずに状態を保存する方法", "arxiv:2405.00002"),
        "12": ("チェックポイントはどのくらいの間隔で取るべきか？", "question"),
        "13": ("千卡集群训练的故障恢复", "arxiv:2405.00003"),
        "14": ("http://localhost:8888/tree", "ignored", "never fetched"),
    }.items():
        for words in what:
            expect(entry(page, line)).to_contain_text(words)


def decide_and_import(page: Page) -> None:
    entry(page, "7").get_by_text("Skip", exact=True).click()
    changed = entry(page, "5")
    changed.get_by_role("button", name="Edit line 5").click()
    changed.get_by_label("Title").fill("Recovery in Less Than a Minute")
    page.get_by_role("button", name="Import", exact=True).click()


def watch_titles_arrive(page: Page, arxiv: PatientArxiv) -> None:
    main = page.get_by_role("main")
    expect(page.get_by_role("heading", name="Reading list imported")).to_be_visible(timeout=20_000)
    expect(main).to_contain_text("arxiv:2405.00004")
    expect(main).to_contain_text("metadata pending")
    expect(main).to_contain_text("Recovery in Less Than a Minute")
    expect(main).not_to_contain_text("Pasted Twice")
    arxiv.let.set()
    expect(main).to_contain_text("Training beside C4", timeout=20_000)
    expect(main).not_to_contain_text("metadata pending", timeout=20_000)
    main.get_by_role("link", name="Library").click()
    expect(row(page, "Training beside C4")).to_contain_text("Chika Muster, Dana Lee")
    expect(page.locator("[data-row]")).to_have_count(5)


def start_reading(page: Page, *, javascript: bool) -> None:
    set_status(page, "no status", "Reading", javascript=javascript)
    look_for(page, "C4")


def set_status(page: Page, before: str, after: str, *, javascript: bool) -> None:
    """In the row's menu; without scripts that leads to the form on the paper's page."""
    chosen = row(page, "Training beside C4")
    chosen.get_by_label(f"My status: {before}").click()
    if javascript:
        chosen.get_by_role("button", name=after).click()
        expect(row(page, "Training beside C4").get_by_label(f"My status: {after}")).to_be_visible()
    else:
        chosen.get_by_role("link", name="Change status").click()
        page.locator("#my-reading").get_by_text(after, exact=True).click()
        page.locator("#my-reading").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").filter(has_text=f"Marked as {after.lower()}")).to_be_visible()


def write_a_summary(page: Page, *, javascript: bool) -> None:
    page.get_by_role("link", name="Training beside C4").click()
    page.get_by_role("link", name="Write summary").click()
    page.get_by_label("One-line summary").fill("Contention costs more than it seems.")
    page.get_by_label("Text", exact=True).fill("The wait grows with $w = n \\cdot t_{all}$ and nothing else.")
    if not javascript:
        page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview.locator("math")).to_be_attached()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    summary = page.get_by_role("article").filter(has_text="Ada Example")
    expect(summary).to_contain_text("Contention costs more than it seems.")
    expect(summary.locator("math msub")).to_be_visible()


def file_under_a_topic(page: Page) -> None:
    page.get_by_text("Edit topics").click()
    page.get_by_label("Add topic").fill("Slow networks")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("link", name="Slow networks", exact=True)).to_be_visible()


def find_it_again(page: Page) -> None:
    for question, title in {
        "保存": "学習を止めずに状態を保存する方法",
        "故障": "千卡集群训练的故障恢复",
        "C4": "Training beside C4",
        "contention": "Training beside C4",
        'topic:"slow networks"': "Training beside C4",
        "status:reading": "Training beside C4",
        "author:Örn": "Saving the State of Many Workers at Once",
    }.items():
        look_for(page, question)
        expect(row(page, title)).to_be_visible()
        expect(page.locator("[data-row]")).to_have_count(1)
    look_for(page, "チェックポイント")
    expect(page.get_by_role("heading", name="In notes")).to_be_visible()
    expect(page.get_by_role("article")).to_contain_text("line 12, question")


def take_the_status_back(page: Page, *, javascript: bool) -> None:
    look_for(page, "C4")
    set_status(page, "Reading", "Paused", javascript=javascript)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Undone")
    look_for(page, "C4")
    expect(row(page, "Training beside C4").get_by_label("My status: Reading")).to_be_visible()


def sign_out_and_in(page: Page) -> None:
    page.locator(".me > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/papers")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Name or email").fill("ada example")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Library")).to_be_visible()


def look_for(page: Page, question: str) -> None:
    search = page.locator("#search")
    search.fill(question)
    search.press("Enter")
    page.wait_for_url(re.compile(r"[?&]q="))
    expect(page.locator("#search")).to_have_value(question)


def row(page: Page, title: str) -> Locator:
    return page.locator("[data-row]").filter(has_text=title)


def entry(page: Page, line: str) -> Locator:
    return page.get_by_role("listitem").filter(has=page.locator(".at", has_text=re.compile(rf"^Line {line}$")))
