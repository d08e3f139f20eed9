"""Texts that would like to be code stay texts on every page: nothing runs, nothing is fetched, all is shown."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import sqlalchemy as sa
from playwright.sync_api import Dialog, Page, Request, expect
from sqlmodel import col

from readtrack.infra.clock import today
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.models import Identifier, Note
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports.commands import ImportCommit, commit_import, prepare_notes, preview_notes
from readtrack.ingest.imports.rules import RuleCreate, add_rule
from readtrack.library.latex_macros.commands import MacroCreate, add_macro
from readtrack.library.papers.commands import PaperCreate, add_by_text
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.topics.commands import TopicCreate, add_topic, link_topic
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.team.accounts.commands import create_token
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.team.assignments.commands import AssignmentAnswer, AssignmentCreate, answer_assignment, make_assignment
from readtrack.team.discussion.commands import CommentCreate, add_comment
from readtrack.team.discussion.targets import get_target
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.candidates import propose
from readtrack.team.meetings.commands.schedule import add_series, edit_notes, plan_meeting
from readtrack.team.meetings.schemas import (
    AgendaItemCreate,
    CandidateCreate,
    MeetingCreate,
    MeetingNotesUpdate,
    SeriesFields,
)
from tests import make
from tests.browser.serving import Live, serving, windows
from tests.depth import some
from tests.outside import hostile
from tests.outside.facts import Facts
from tests.outside.world import World, settings_for
from tests.standin import ArxivStandIn, Paper

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
FRAME = "'><svg onload=alert(3)><iframe srcdoc='<script>alert(4)</script>'>"
TEMPLATE = "{{7*191}}${7*191}{% raw %}%s{0.__class__}"
MAGIC = '<a hx-get="/sign-out" hx-trigger="load" hx-on:click="alert(5)" href="javascript:alert(6)">go</a>'
NAME = f"<b onclick=alert(7)>{TEMPLATE[:9]}</b>{IMAGE}"
LINE = f"{TEMPLATE} {SCRIPT} {IMAGE} {MAGIC}"
TEXT = f"""{LINE}

{FRAME}

![pixel](http://10.0.0.1/beacon.png) ![out](/sign-out) [click](javascript:alert(8)) <{SCRIPT}>

$\\text{{<img src=x onerror=alert(9)>}}$ $\\href{{javascript:alert(10)}}{{x}}$

```"><script>alert(11)</script>
{SCRIPT} {TEMPLATE}
```

```python
"{SCRIPT}"  # {IMAGE}
```

![<img src=x onerror=alert(12)>](/images/..%2fsign-out) [[{IMAGE}]] [[<a id=htmx name=location>]]

<style>body {{ display: none }}</style> <div hx-get="/sign-out" hx-trigger="load">{SCRIPT}</div>
"""
NOTES = f"""# {NAME}

- {LINE} https://www.usenix.org/conference/nsdi24/presentation/okafor
- https://arxiv.org/abs/2405.00001
- A Title of Our Own https://arxiv.org/abs/2405.00002
- what does {SCRIPT} cost?
http://localhost:8888/{IMAGE}
"""
FETCHED = Paper(LINE, (NAME, SCRIPT), TEXT, comment=LINE, journal_ref=LINE, doi="10.1/<script>")
ALIVE = "script, img, iframe, object, style, link, [srcdoc], [onload], [onerror], [onclick], a[href^='javascript' i]"
NOWHERE = (f"/topics/{quote(SCRIPT, safe='')}", f"/papers/{quote(IMAGE)}", f"/invitations/accept/{quote(IMAGE)}")
PAGES = (
    "/papers",
    "/papers?q=alert",
    f"/papers?q={quote(LINE)}",
    f"/papers?q={quote('status:' + IMAGE)}",
    "/papers/{paper}",
    "/papers/{paper}/edit",
    "/papers/{paper}/summary/edit",
    "/papers/{paper}/summary/versions",
    "/papers/{fetched}",
    "/papers/{disagreed}",
    "/topics",
    "/topics/{topic}",
    "/topics/{topic}/edit",
    "/topics/{topic}/graph?depth=2",
    "/topics/{topic}/graph?depth=2&as=table",
    "/papers/{paper}/graph?citations=1",
    "/graph",
    "/topics/{topic}/mentions",
    "/papers/{paper}/mentions",
    "/imports",
    "/imports/new",
    "/imports/{preview}",
    "/imports/{preview}?edit=1",
    "/imports/{preview}?edit=3",
    "/imports/{preview}?kind=paper&q=alert",
    f"/imports/{{preview}}?q={quote(IMAGE)}",
    "/imports/{preview}/report",
    "/imports/rules",
    "/imports/{revised}",
    "/imports/{committed}",
    "/imports/{committed}/report",
    "/notes",
    "/notes/{note}",
    "/notes/{note}?revision=2&compare=1",
    "/review?of=disagreements",
    "/review?of=unknown",
    "/",
    "/queue",
    "/notifications",
    "/activity",
    "/admin/audit",
    "/questions",
    "/questions/{question}",
    "/questions/{question}/edit",
    "/comments/{comment}/edit",
    "/comments/{comment}/reply?quote=1",
    "/threads/{comment}",
    "/assignments?of=all",
    "/assignments?of=all&state=declined",
    "/papers/{paper}/assignments",
    "/meetings",
    "/meetings/{meeting}",
    "/meetings/{meeting}/edit",
    "/meetings/{meeting}/notes",
    "/meetings/series/{series}",
    "/meetings/series/{series}/edit",
    "/people",
    "/people/{me}",
    "/jobs",
    "/settings/blocked-hosts",
    "/settings/macros",
    "/images",
    "/settings/profile",
    "/settings/tokens",
    "/settings/sessions",
    f"/topics/{quote(IMAGE)}",
    *NOWHERE,
)
SILENT = {
    "/settings/sessions",
    "/settings/blocked-hosts",
    "/images",
    "/review?of=unknown",
    "/graph",
    "/jobs",
    *NOWHERE,
}  # they show nothing that was typed, but might


@pytest.fixture
def arxiv() -> Iterator[ArxivStandIn]:
    with ArxivStandIn({"2405.00001": FETCHED, "2405.00002": FETCHED}) as stand_in:
        yield stand_in


@pytest.fixture
def live(tmp_path: Path, arxiv: ArxivStandIn) -> Iterator[Live]:
    """The other services are there and know nothing, so that nobody is waited for."""
    with World(Facts()) as world:
        others: dict[str, Any] = {name: address for name, address in settings_for(world).items() if name != "arxiv_url"}
        with serving(tmp_path, arxiv.url, **others) as live:
            yield live


DRAFTS = re.compile(r"/api/v1/(?:papers/\d+/summary|topics/[^/]+)/drafts(?:/\w+)?")


@pytest.fixture
def watched(browse) -> Callable[[CurrentUser], tuple[Page, list[str]]]:
    """A window, and what happens in it that should not."""

    def window(visitor: CurrentUser) -> tuple[Page, list[str]]:
        page = browse(visitor)
        return page, watch(page)

    return window


def watch(page: Page) -> list[str]:
    """What happens there from now on that should not."""
    mischief = list[str]()

    def dialog(opened: Dialog) -> None:
        mischief.append(f"{page.url}: a dialog said {opened.message}")
        opened.dismiss()

    def request(asked: Request) -> None:
        path = urlsplit(asked.url).path
        # The pages' own, not that of the texts: what htmx asks, and the drafts of an editor.
        own = "hx-request" in (asked.redirected_from or asked).headers and path != "/sign-out"
        own = own or (asked.resource_type == "fetch" and DRAFTS.fullmatch(path) is not None)
        if asked.resource_type != "document" and not path.startswith("/static/") and not own:
            mischief.append(f"{page.url}: asked for {asked.url}")

    page.on("dialog", dialog)
    page.on("request", request)
    return mischief


def test_hostile_texts_are_inert_and_literal_on_every_page(live, watched):
    with live.database.write() as tx:
        ada = make.visitor(tx, NAME, role="admin")
        holes = fill(tx, ada)
    page, mischief = watched(ada)
    wait_for_titles(page, holes["committed"])
    with live.database.read() as tx:
        holes |= imported(tx)
    for address in some(PAGES, 10):  # the pages of one template are alike; a deep run goes to all
        page.goto(address.format(**holes))
        assert_harmless(page)
        assert "alert(" in said(page) or address in SILENT, page.url
    file_under_a_new_topic(page, holes["fetched"])
    lose_a_race(page, holes["paper"])
    assert mischief == []


def test_hostile_texts_from_services_and_pages_are_inert_and_literal(chromium, tmp_path, arxiv):
    with serving(tmp_path, arxiv.url, heard) as live, windows(chromium, live) as window:
        me, paper_ids = live.filled
        page = window(me)
        mischief = watch(page)
        for paper_id in some(paper_ids, 3):
            page.goto(f"/papers/{paper_id}?sources=open")
            assert_harmless(page)
        for address in ("/papers", *(f"/review?of={of}" for of in ("disagreements", "duplicates", "found", "unknown"))):
            page.goto(address)
            assert_harmless(page)
            assert "alert(" in said(page), address
        page.get_by_role("button", name="Refresh metadata").first.click()
        expect(page.locator("#flash")).not_to_be_empty()
        assert mischief == []


def heard(database: Database) -> tuple[CurrentUser, list[int]]:
    """A library that hostile services have told of its papers, before it is served."""
    with database.write() as tx:
        me = make.visitor(tx, "Ed Example", role="editor")
    paper_ids = hostile.hear(database, me)
    hostile.add_by_hand(database, paper_ids[0])
    hostile.propose(database, me, paper_ids[0])
    return me, paper_ids


def assert_harmless(page: Page) -> None:
    """What is folded away is opened, so that it is rendered too."""
    page.evaluate("document.querySelectorAll('main details').forEach((closed) => { closed.open = true })")
    page.evaluate("() => new Promise((rendered) => requestAnimationFrame(() => requestAnimationFrame(rendered)))")
    assert page.locator(f":is(main, nav, #flash) :is({ALIVE})").count() == 0, page.url
    assert "1337" not in said(page), page.url


def said(page: Page) -> str:
    """All texts of a page, and what stands in its fields."""
    texts: str = page.locator("main").evaluate(
        "main => main.textContent + [...main.querySelectorAll('input, textarea')].map((field) => field.value)"
    )
    return texts


def file_under_a_new_topic(page: Page, paper_id: int | str) -> None:
    page.goto(f"/papers/{paper_id}")
    page.get_by_text("Edit topics").click()
    page.get_by_label("Add topic").fill(IMAGE + MAGIC[:60])
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("link", name=IMAGE + MAGIC[:60], exact=True)).to_be_visible()
    assert_harmless(page)


def lose_a_race(page: Page, paper_id: int | str) -> None:
    """Two windows save a summary: both texts are shown."""
    page.goto(f"/papers/{paper_id}/summary/edit")
    page.locator("input[name=version]").evaluate("field => { field.value = 7 }")
    page.get_by_label("Text", exact=True).fill(f"{TEXT}\n\n{MAGIC}")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Conflicting versions")).to_be_visible()
    assert_harmless(page)


def fill(tx: Write, me: CurrentUser) -> dict[str, int | str]:
    paper_id, _ = add_by_text(tx, me, PaperCreate(title=LINE))
    edit_paper(tx, me, paper_id, PaperUpdate(authors=[NAME, SCRIPT], venue=IMAGE, abstract=TEXT), version=1)
    topic = add_topic(tx, me, TopicCreate(name=NAME, aliases=[SCRIPT, IMAGE], markdown=TEXT))
    link_topic(tx, me, paper_id, topic.id or 0)
    edit_summary(tx, me, paper_id, SummaryUpdate(markdown=TEXT, tldr=LINE[:190]), version=None)
    set_reading(tx, me, paper_id, ReadingUpdate(status="dropped", reason=LINE))
    wanted, _ = add_by_text(tx, me, PaperCreate(title=f"{TEMPLATE} {LINE}"))
    set_reading(tx, me, wanted, ReadingUpdate(status="to_read"))
    create_token(tx, me, TokenCreate(name=NAME, scopes=["read"]))
    add_macro(tx, me, MacroCreate(name="evil", body=rf"\text{{{SCRIPT}{IMAGE}}}"))
    talked = talk_and_meet(tx, me, paper_id)
    preview, _ = preview_notes(tx, me, prepare_notes(NOTES.replace("00001", "00003"), LINE[:190]))
    committed, _ = preview_notes(tx, me, prepare_notes(NOTES, SCRIPT))
    commit_import(tx, me, committed, ImportCommit())
    revised, _ = preview_notes(tx, me, prepare_notes(f"{NOTES}\n- {LINE} {MAGIC}\n", SCRIPT))
    add_rule(tx, me, RuleCreate(pattern="heading", value=SCRIPT, says="topic", name=IMAGE))
    return {
        **talked,
        "me": me.id,
        "paper": paper_id,
        "topic": quote(topic.slug),
        "preview": preview,
        "committed": committed,
        "revised": revised,
    }


def talk_and_meet(tx: Write, me: CurrentUser, paper_id: int) -> dict[str, int | str]:
    """All that one person says to others: a discussion, a question, what is asked and answered, a meeting."""
    other = make.visitor(tx, f"{IMAGE} {SCRIPT}", role="admin")
    talk = get_target(tx, "paper", paper_id)
    first = add_comment(tx, me, talk, CommentCreate(markdown=TEXT))
    add_comment(tx, other, talk, CommentCreate(markdown=f"{TEXT} @{NAME}", parent=first.id))
    question = make.question(tx, LINE, paper_id=paper_id, owner_id=me.id, created_by=other.id)
    make_assignment(tx, other, AssignmentCreate(paper=paper_id, person=me.id, note=LINE))
    asked = make_assignment(tx, me, AssignmentCreate(paper=paper_id, person=other.id, note=LINE))
    answer_assignment(tx, other, asked.id or 0, AssignmentAnswer(answer="decline", reason=LINE))
    series = add_series(tx, me, SeriesFields(name=NAME, location=IMAGE, presenter_order=[me.id]))
    propose(tx, me, series.id or 0, CandidateCreate(paper=paper_id, reason=LINE[:290]))
    wanted = MeetingCreate(
        title=NAME, location=IMAGE, date=today() + timedelta(days=2), presenter=me.id, series=series.id
    )
    meeting = plan_meeting(tx, other, wanted)
    add_item(tx, me, meeting.id or 0, AgendaItemCreate(paper=paper_id, note=LINE[:290]))
    edit_notes(tx, me, meeting.id or 0, MeetingNotesUpdate(notes=TEXT, decisions=TEXT), version=meeting.version)
    return {
        "comment": first.id or 0,
        "question": question.id,
        "series": series.id or 0,
        "meeting": meeting.id or 0,
    }


def wait_for_titles(page: Page, import_id: int | str) -> None:
    page.goto(f"/imports/{import_id}")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{SCRIPT} imported", timeout=30_000)
    expect(page.locator("#progress:not([hx-get])")).to_be_visible(timeout=30_000)


def imported(tx: Read) -> dict[str, int | str]:
    """What the import has made."""
    values = {"fetched": "2405.00001", "disagreed": "2405.00002"}
    known = sa.select(col(Identifier.value), col(Identifier.paper_id))
    by_value = {row.value: row.paper_id for row in tx.execute(known)}
    note = tx.scalar(sa.select(col(Note.id)).where(col(Note.title) == SCRIPT))
    assert note is not None
    return {"note": note, **{name: by_value[value] for name, value in values.items()}}
