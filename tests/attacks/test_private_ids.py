"""No number that others see counts what is private: not that of a row, of a version, of an event, nor one in a cursor.

The same is done in two libraries, in one of them with much in private between; what the others see is the same.
"""

import base64
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.errors import NotFound
from readtrack.infra.models import Draft, Identity, Notification, SavedSearch, Summary, Token, UndoEntry, UserSession
from readtrack.infra.pagination import Cursors, PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics.delete import delete_topic
from readtrack.reading.drafts.commands import DraftSubject, DraftUpdate, save_draft
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from readtrack.reading.summaries.queries import (
    find_version_before,
    get_my_summary,
    get_summary,
    get_summary_version,
    list_versions,
)
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import create_token
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.web.app import create_app
from readtrack.web.dependencies.auth import cookie_name
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.saved_searches.commands import SavedSearchFields, edit_view, save_view, share_view
from readtrack.workspace.saved_searches.queries import get_view
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

MIXED: tuple[Any, ...] = (
    UndoEntry,
    Draft,
    Identity,
    Notification,
    UserSession,
    Summary,
    Token,
    SavedSearch,
)  # of which each sees some rows and not the others
BEGINNING = datetime(2026, 3, 3, 9, tzinfo=UTC)
SHARED, WRITTEN, MANY = 1, 2, (3, 4, 5)  # papers
DOORS = """
/ /papers /papers/1 /papers/2 /papers/1/mentions /views /activity /trash /trash?of=others /drafts /notifications
/history /people/1 /settings/tokens /settings/sessions
/api/v1/papers/1/summaries /api/v1/papers/2/summaries /api/v1/papers/1/events /api/v1/papers/2/events
/api/v1/papers/1/mentions /api/v1/papers/2?include=summary /api/v1/views /api/v1/events /api/v1/events?limit=2
/api/v1/trash /api/v1/drafts /api/v1/notifications /api/v1/bulk /api/v1/tokens /api/v1/sessions
/api/v1/readings
"""
BY_CHANCE = re.compile(
    r"""(?<=after=)[\w-]{40,}|(?<="next":")[\w-]{40,}|(?<=name="tab"\ value=")[0-9a-f]{16}|nonce-?[\w+/="-]*
    |(?<="hint":")[^"]*|<code>[^<]*…</code>|rt_[\w-]+…?""",
    re.VERBOSE,
)


@pytest.fixture
def bob(database) -> CurrentUser:
    with database.write() as tx:
        return make.visitor(tx, "Bob")


@pytest.fixture
def eve(database, bob) -> CurrentUser:
    with database.write() as tx:
        return make.visitor(tx, "Eve", role="admin")


@pytest.mark.deep
def test_private_actions_in_between_do_not_change_what_others_see(server, settings):
    with time_machine.travel(BEGINNING, tick=False) as clock:
        quiet, ids = seen_by_eve(server, settings, clock, secret=nothing)
        busy, other_ids = seen_by_eve(server, settings, clock, secret=secrets)
    assert {door: answer for door, answer in busy.items() if answer != quiet[door]} == {}
    assert len(quiet) > len(DOORS.split())
    for table, theirs in ids.items():
        everybodys = sorted([*theirs, *other_ids[table]])
        assert len({*everybodys}) == len(everybodys), table
        assert not {number + 1 for number in everybodys} & {*everybodys}, table


def seen_by_eve(server, settings, clock, *, secret: Callable[[Write, CurrentUser], None]) -> tuple[dict[str, str], Any]:
    """What she is answered by every door, without what chance made; and the numbers of all rows by their table.

    `secret`: what Bob does between all that he shares, and all that she does.
    """
    clock.move_to(BEGINNING)
    url = server.copy()
    database = Database(url)
    with database.write() as tx:
        search.ensure(tx)
        bob, eve = make.visitor(tx, "Bob"), make.visitor(tx, "Eve", role="editor")
        papers = [make.paper(tx, f"On Work {number}", identifier=f"arxiv:2401.0000{number}") for number in range(1, 6)]
        search.update_papers(tx, [paper.id for paper in papers])
        topic = make.topic(tx, "Left over")
    app = create_app(settings.model_copy(update={"database_url": url}), database)
    browser = signed_in(app, database, settings, eve)
    steps: list[Callable[[Write], object]] = [
        lambda tx: edit_summary(tx, bob, SHARED, SummaryUpdate(markdown="For @Eve: [[On Work 2]]."), version=None),
        lambda tx: edit_summary(tx, bob, SHARED, SummaryUpdate(markdown="Again for @Eve: [[On Work 2]]."), version=1),
        lambda tx: write_shared(tx, bob, alone=0 if secret is nothing else 3),
        lambda tx: share_a_view(tx, bob, edits=0 if secret is nothing else 3),
        lambda tx: save_view(tx, bob, SavedSearchFields(name="Shared at once", q="work", shared=True)),
        lambda tx: set_reading(tx, bob, SHARED, ReadingUpdate(status="reading")),
        lambda tx: save_draft(
            tx, eve, DraftSubject("summary", SHARED), "e" * 16, data=DraftUpdate(fields={"markdown": "I"})
        ),
        lambda tx: create_token(tx, eve, TokenCreate(name="Mine", scopes=["feed"])),
        lambda tx: run_bulk_action(tx, eve, BulkRequest(act="triage", papers=[*MANY], triage="library")),
        lambda tx: delete_topic(tx, eve, topic.slug),
        lambda tx: make.comment(tx, bob.id, "Look, @Eve.", paper_id=SHARED),
        lambda tx: make.notice(tx, eve.id, "mention", paper_id=SHARED),
    ]
    for minute, step in enumerate(steps):
        clock.move_to(BEGINNING + timedelta(minutes=minute))
        for act in (lambda tx: secret(tx, bob), step):
            with database.write() as tx:
                act(tx)
    with database.read() as seen:
        ids = {table.__name__: list(seen.scalars(sa.select(table.id))) for table in MIXED}
        by_chance = [str(version) for version in seen.scalars(sa.select(col(SavedSearch.version)))]
        shared = sa.select(col(Summary.id), col(Summary.paper_id)).where(sa.not_(col(Summary.private)))
        texts = {str(row.id): f"Summary-of-{row.paper_id}" for row in seen.execute(shared)}
    doors = [*DOORS.split(), *(f"{place}/summaries/{text}/versions" for place in ("", "/api/v1") for text in texts)]
    names = {str(number): name for name, numbers in ids.items() for number in numbers} | texts
    names |= {version: "version" for version in by_chance if len(version) > 3}
    with browser:
        shown = {plain(door, names): plain(answered(browser, door), names) for door in doors}
    database.dispose()
    server.drop(url)
    return shown, ids


def answered(browser: AppClient, door: str) -> str:
    answer = browser.get(door)
    assert answer.status_code == 200, door
    return answer.text.replace(answer.headers["x-request-id"], "")


def plain(text: str, names: Mapping[str, str]) -> str:
    """The text without what is drawn by lot: cursors, and the numbers of rows."""
    return re.sub(r"\d{4,}", lambda found: names.get(found[0], found[0]), BY_CHANCE.sub("…", text))


def nothing(_tx: Write, _me: CurrentUser) -> None:
    """What there is to hide in the library that the other is compared with."""


def secrets(tx: Write, me: CurrentUser) -> None:
    """A few of everything that is one's own."""
    for number in (1, 2):
        summary = edit_summary(tx, me, MANY[0], SummaryUpdate(markdown=f"Mine {now()}", private=True), version=None)
        edit_summary(tx, me, MANY[0], SummaryUpdate(markdown="And more", private=True), version=summary.version)
        delete_summary(tx, me, MANY[0])
        view_id = save_view(tx, me, SavedSearchFields(name="Mine", q="work"))
        edit_view(tx, me, view_id, SavedSearchFields(name="Mine still", q="work"), version=1)
        word = f"{sum(tx.scalars(sa.select(sa.func.count()).select_from(Draft))):016x}"
        save_draft(tx, me, DraftSubject("summary", MANY[1]), word, data=DraftUpdate(fields={"markdown": "Mine"}))
        create_token(tx, me, TokenCreate(name=f"Mine {number}", scopes=["feed"]))
        commands.sign_in_new(tx, queries.get_person(tx, me.id), agent="a test")
        set_reading(tx, me, MANY[2], ReadingUpdate(status="reading", private=True))
        run_bulk_action(
            tx, me, BulkRequest(act="reading", papers=[*MANY], reading=ReadingUpdate(status="dropped", private=True))
        )
        run_bulk_action(tx, me, BulkRequest(act="off", papers=[*MANY]))
        make.notice(tx, me.id, "version", paper_id=MANY[0])


def write_shared(tx: Write, me: CurrentUser, *, alone: int) -> None:
    """A text that is shared at last, and corrected once; it was saved so often before that."""
    for number in range(alone):
        words = SummaryUpdate(markdown=f"Draft {number}", private=True)
        edit_summary(tx, me, WRITTEN, words, version=number or None)
    edit_summary(tx, me, WRITTEN, SummaryUpdate(markdown="Done"), version=alone or None)
    edit_summary(tx, me, WRITTEN, SummaryUpdate(markdown="Done well"), version=alone + 1)


def share_a_view(tx: Write, me: CurrentUser, *, edits: int) -> int:
    """A view that is shared, corrected before that so often; its number."""
    view_id = save_view(tx, me, SavedSearchFields(name="Good", q="work"))
    for number in range(edits):
        name = "Good" if number == edits - 1 else f"Better {number}"
        edit_view(tx, me, view_id, SavedSearchFields(name=name, q="work"), version=number + 1)
    share_view(tx, me, view_id, shared=True)
    return view_id


def signed_in(app: Any, database: Database, settings: Any, me: CurrentUser) -> AppClient:
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, queries.get_person(tx, me.id), agent="a test")
    return AppClient(app, ADDRESS, headers=OWN_PAGES, cookies={cookie_name(settings): secret})


def test_private_versions_leave_no_gap_for_others_and_keep_their_numbers_for_the_author(database, bob, eve):
    said = [("one", False), ("two", True), ("three", True), ("four", False), ("five", False)]
    with database.write() as tx:
        paper = make.paper(tx)
        for number, (text, private) in enumerate(said):
            words = SummaryUpdate(markdown=text, private=private)
            edit_summary(tx, bob, paper.id, words, version=number or None)
    with database.read() as tx:
        summary_id = get_my_summary(tx, bob, paper.id).id
        numbered = {
            me.name: [(one.number, one.markdown) for one in list_versions(tx, me, summary_id, PageRequest()).items]
            for me in (bob, eve)
        }
        assert numbered == {
            "Bob": [(5, "five"), (4, "four"), (3, "three"), (2, "two"), (1, "one")],
            "Eve": [(3, "five"), (2, "four"), (1, "one")],
        }
        assert [get_summary(tx, me, summary_id).version for me in (bob, eve)] == [5, 3]
        assert get_summary_version(tx, eve, summary_id, 2).markdown == "four"
        before = [find_version_before(tx, me, summary_id, 2) for me in (bob, eve)]
        assert [version and version.markdown for version in before] == ["one", "one"]
        with pytest.raises(NotFound):
            get_summary_version(tx, eve, summary_id, 4)
        first = list_versions(tx, eve, summary_id, PageRequest(limit=2))
        rest = list_versions(tx, eve, summary_id, PageRequest(limit=2, after=first.next))
        assert ([one.number for one in first.items], [one.number for one in rest.items]) == ([3, 2], [1])


@pytest.mark.parametrize("edits", [0, 1, 5])
def test_the_version_of_a_saved_search_does_not_reveal_changes_before_it_was_shared(database, bob, eve, edits):
    with database.write() as tx:
        view_id = share_a_view(tx, bob, edits=edits)
        first = get_view(tx, eve, view_id).version
        edit_view(tx, bob, view_id, SavedSearchFields(name="Best", q="work", shared=True), version=first)
        assert get_view(tx, eve, view_id).version == first + 1
    assert first > 1_000  # by chance: it is less once in a million times


@pytest.mark.parametrize("table", MIXED, ids=lambda table: table.__name__)
def test_row_ids_are_random(database, bob, eve, table):
    with database.write() as tx:
        rows = [
            {"person_id": who.id, **filled(tx, table, f"{who.id} {number}")}
            for number in range(20)
            for who in (bob, eve)
        ]
        tx.execute(sa.insert(table), rows)
        ids = list(tx.scalars(sa.select(table.id)))
    assert len({*ids}) == len(ids) == 40
    assert min(ids) > 0
    assert 2**26 < max(ids) < 2**31
    assert not {number + 1 for number in ids} & {*ids}


def filled(tx: Write, table: Any, word: str) -> dict[str, Any]:
    """What else a row of that table has to say."""
    if table is Summary:
        return {"paper_id": make.paper(tx).id}
    more: dict[Any, dict[str, Any]] = {
        UndoEntry: {"verb": "topic.deleted"},
        Draft: {"subject": "summary", "subject_id": 1, "tab": word},
        Identity: {"issuer": "https://id.example", "subject": word},
        Notification: {"kind": "mention"},
        UserSession: {"secret_hash": word},
        Token: {"name": word, "secret_hash": word, "hint": "rt_"},
        SavedSearch: {"name": word},
    }
    return more[table]


def test_a_row_id_that_is_taken_is_drawn_again(database, bob, monkeypatch):
    drawn = iter([6, 6, 6, 41])
    monkeypatch.setattr("readtrack.infra.models.columns.secrets.randbelow", lambda _: next(drawn))
    with database.write() as tx:
        assert [make.added(tx, SavedSearch(person_id=bob.id, name=name)).id for name in ("one", "other")] == [7, 42]


def test_a_cursor_reveals_neither_the_id_in_it_nor_its_length():
    cursors = Cursors("a secret of the tests")
    written = {number: cursors.write("events", (None, number)) for number in (1, 90, 1_234_567)}
    raw = {number: base64.urlsafe_b64decode(cursor + "==") for number, cursor in written.items()}
    assert len({len(cursor) for cursor in raw.values()}) == 1
    assert not any(str(number).encode() in cursor or b"null" in cursor for number, cursor in raw.items())
    assert [cursors.read("events", cursor) for cursor in written.values()] == [(None, number) for number in written]


def test_no_endpoint_exposes_event_ids(database, app, sign_in, bob, eve):
    with database.write() as tx:
        paper = make.paper(tx)
        set_reading(tx, bob, paper.id, ReadingUpdate(status="reading"))
    browser = sign_in(eve)
    for door in ("/api/v1/events", "/api/v1/audit", f"/api/v1/papers/{paper.id}/events"):
        items = browser.get(door).json()["items"]
        assert items, door
        assert not any("id" in item for item in items), door
    assert "event-" not in browser.get("/admin/audit").text
