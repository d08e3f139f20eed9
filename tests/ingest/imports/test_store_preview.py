"""A long note is stored in steps: others write between them, and a stop half way leaves nothing broken."""

import threading
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, Event, Job, Note, NoteRevision
from readtrack.ingest.imports import commands, queries
from readtrack.ingest.imports.commands import (
    ImportCommit,
    commit_import,
    extend_preview,
    prepare_notes,
    preview_notes,
    store_preview,
)
from readtrack.ingest.imports.store import store_notes
from tests import make
from tests.sample_library import count_of, entries_of

NOTES = "".join(f"- [A Study of Case {number}](https://arxiv.org/abs/2401.{number:05})\n" for number in range(10))
NOBODY: Any = None  # nothing here asks the network


@pytest.fixture
def me(database, monkeypatch):
    monkeypatch.setattr(commands, "STORE_BATCH_SIZE", 3)
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def begun(database, me):
    """An import of which the first step was stored, and then the process was killed."""

    class Killed(BaseException):
        pass

    def kill(_connection, _cursor, statement, *_):
        if statement.startswith("INSERT INTO job"):
            told.append(1)
        elif told and statement.startswith("INSERT INTO entry"):
            raise Killed

    told: list[int] = []
    engine = database.engines[0]
    sa.event.listen(engine, "before_cursor_execute", kill)
    with pytest.raises(Killed):
        store_preview(database, me, prepare_notes(NOTES, "list.md"))
    sa.event.remove(engine, "before_cursor_execute", kill)
    with database.read() as tx:
        [import_id] = tx.scalars(sa.select(col(NoteRevision.id)))
    assert len(entries_of(database, import_id)) == 3
    return import_id


def state_of(database, import_id):
    with database.read() as tx:
        return queries.get_import(tx, import_id).state


def is_whole(database, import_id):
    """Every line once, in order, found by the search."""
    assert state_of(database, import_id) == "preview"
    entries = entries_of(database, import_id)
    assert [entry.position for entry in entries] == list(range(1, len(entries) + 1))
    assert [entry.title for entry in entries] == [f"A Study of Case {number}" for number in range(10)]
    with database.read() as tx:
        assert search.check(tx) == []
    assert count_of(database, NoteRevision) == count_of(database, Note) == 1
    with database.read() as tx:
        stored = sa.select(sa.func.count()).select_from(Event).where(col(Event.verb) == "note.stored")
        assert tx.scalar(stored) == 1
    return True


def test_no_transaction_stores_more_entries_than_its_limit(database, me, dialect):
    if dialect == "postgresql":
        pytest.skip("it is given all rows as one list of values, which does not tell how many they are")
    stored = [0]

    def count(_connection, _cursor, statement, parameters, _context, executemany):
        if statement.startswith("INSERT INTO entry"):
            stored[-1] += len(parameters) if executemany else 1

    engine = database.engines[0]
    sa.event.listen(engine, "before_cursor_execute", count)
    sa.event.listen(engine, "commit", lambda _connection: stored.append(0))
    import_id, created = store_preview(database, me, prepare_notes(NOTES, "list.md"))
    sa.event.remove(engine, "before_cursor_execute", count)
    assert created
    assert [number for number in stored if number] == [3, 3, 3, 1]
    assert is_whole(database, import_id)


def test_an_incomplete_preview_is_shown_as_such_and_cannot_be_decided(database, me, begun, sign_in):
    browser = sign_in(me)
    page = browser.get(f"/imports/{begun}").text
    assert "Processing" in page
    assert f'action="/imports/{begun}"' not in page
    for address in ("/imports", "/imports/new", "/notes", "/notes/1"):
        assert browser.get(address).status_code == 200
    assert browser.get(f"/imports/{begun}/report").status_code == 303
    assert browser.get(f"/api/v1/imports/{begun}").json()["state"] == "parsing"
    assert browser.get(f"/api/v1/imports/{begun}/report").status_code == 409
    assert browser.patch(f"/api/v1/imports/{begun}/entries/1", json={"decision": "skip"}).status_code == 409
    answer = browser.post(f"/api/v1/imports/{begun}/commit", json={})
    assert (answer.status_code, answer.json()["code"]) == (409, "parsing")
    assert browser.post(f"/imports/{begun}").status_code == 409


def test_others_can_write_between_two_steps(database, me, begun):
    """Each step is a transaction of its own, and several may take the steps."""
    parsed = prepare_notes(NOTES, "list.md")
    for number in range(2):
        with database.write() as tx:
            assert not extend_preview(tx, begun, parsed)
        with database.write() as tx:
            make.topic(tx, f"Written behind step {number}")
    with database.write() as tx:
        assert extend_preview(tx, begun, parsed)
        assert extend_preview(tx, begun, parsed)
    assert is_whole(database, begun)


def test_submitting_the_same_notes_again_completes_an_interrupted_preview(database, me, begun, sign_in):
    answer = sign_in(me).post("/api/v1/imports", json={"text": NOTES, "title": "list.md"})
    assert (answer.status_code, answer.json()["state"]) == (200, "preview")
    assert len(answer.json()["entries"]) == 10
    assert is_whole(database, begun)


def test_a_job_completes_an_interrupted_preview(database, begun):
    with database.write() as tx:
        tx.execute(sa.update(Job).values(run_at=now() - timedelta(seconds=1)))
    assert queue.run_due_job(database, NOBODY, kinds=("imports.parse",))
    assert is_whole(database, begun)
    with database.read() as tx:
        assert tx.scalar(sa.select(col(Job.state))) == "done"


def test_a_preview_started_by_an_older_version_is_restarted(database, me, begun):
    with database.write() as tx:
        tx.execute(sa.update(Entry).values(fingerprint="read otherwise", title="Read otherwise"))
    store_preview(database, me, prepare_notes(NOTES, "list.md"))
    assert is_whole(database, begun)


def at_once(database, me, *texts):
    """The first is stored but not committed while the others come; what each of them was answered."""
    found: list[Any] = []

    def store(text):
        try:
            found.append(store_preview(database, me, prepare_notes(text, "list.md")))
        except Conflict as problem:
            found.append(problem)

    threads = [threading.Thread(target=store, args=(text,)) for text in texts[1:]]
    with database.write() as tx:
        first = preview_notes(tx, me, prepare_notes(texts[0], "list.md"))
        for thread in threads:
            thread.start()
        threads[0].join(timeout=0.2)  # it waits for this transaction; if it did not, it would be done by then
        assert not found
    for thread in threads:
        thread.join()
    return [first, *found]


def test_two_concurrent_imports_of_one_new_title_are_two_revisions_of_one_note(database, me):
    found = at_once(database, me, NOTES, NOTES + "one more line\n")
    assert [created for _, created in found] == [True, True]
    with database.read() as tx:
        rows = tx.execute(sa.select(col(NoteRevision.note_id), col(NoteRevision.number))).all()
    assert sorted(map(tuple, rows)) == [(1, 1), (1, 2)]


def test_two_concurrent_imports_of_the_same_file_are_one_import(database, me):
    [first, second] = at_once(database, me, NOTES, NOTES)
    assert (first[1], second[1]) == (True, False)
    assert first[0] == second[0]
    assert is_whole(database, first[0])


def test_two_existing_notes_of_one_title_are_left_as_they_are(database, me):
    with database.write() as tx:
        for _ in range(2):
            make.added(tx, Note(title="list.md", title_key="list.md", created_by=me.id))
    import_id, _ = store_preview(database, me, prepare_notes(NOTES, "list.md"))
    with database.read() as tx:
        assert tx.scalar(sa.select(col(NoteRevision.note_id)).where(col(NoteRevision.id) == import_id)) == 1
    assert count_of(database, Note) == 2


def test_a_short_note_needs_no_job_and_is_complete_at_once(database, me):
    import_id, _ = store_preview(database, me, prepare_notes("https://arxiv.org/abs/2401.00001\n", "one.md"))
    assert (state_of(database, import_id), count_of(database, Job)) == ("preview", 0)
    with database.write() as tx:
        commit_import(tx, me, import_id, ImportCommit())


def test_notes_that_are_stored_are_not_read_again(database, me, monkeypatch):
    import_id, created = store_notes(database, me, NOTES, "cases.md")
    assert created
    monkeypatch.setattr(commands, "MAX_LINES", 1)  # reading them would be refused
    assert store_notes(database, me, NOTES, "cases.md", path="/notes/cases.md") == (import_id, False)
    with database.read() as tx:
        assert tx.scalar(sa.select(col(Note.path))) == "/notes/cases.md"
