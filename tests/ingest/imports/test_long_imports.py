"""Files of any size: streamed in, read by a job, reviewed by page, cancelled at any time, continued after a stop."""

import asyncio
import threading
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from bench.import_forms import repeated
from readtrack.infra.errors import StorageUnavailable
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, Job, Note, NoteChunk, NoteRevision, Paper
from readtrack.ingest.imports import commit_job, long_imports, propose, stored_text
from readtrack.ingest.parser import ParsedEntry, segments
from readtrack.web.dependencies import import_body
from readtrack.web.dependencies.database import RequestQueue
from readtrack.web.pages.imports import preview
from tests import make
from tests.sample_library import count_of, entries_of

pytestmark = pytest.mark.slow

RECORDS = 60  # of some 220 bytes
BIBTEX = repeated("bibtex", RECORDS)
NOBODY: Any = None  # no import asks the network


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """What is long, and every step, a twentieth of what it is, and a page half of it."""
    monkeypatch.setattr("readtrack.web.dependencies.import_body.SMALL_BYTES", 10_000)
    monkeypatch.setattr(segments, "SEGMENT_CHARS", 2_500)
    monkeypatch.setattr(stored_text, "CHUNK_CHARS", 3_000)
    monkeypatch.setattr(long_imports, "STEP_SIZE", 10)
    monkeypatch.setattr(commit_job, "APPLY_BATCH_SIZE", 25)
    monkeypatch.setattr(preview, "PAGE_SIZE", 50)


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def browser(me, sign_in):
    return sign_in(me)


def upload(browser, text=BIBTEX, name="papers.bib"):
    data = text.encode() if isinstance(text, str) else text
    return browser.post("/imports", files={"file": (name, data)})


def run(database, kind="imports.parse"):
    """Runs the jobs of that kind that are due."""
    while queue.run_due_job(database, NOBODY, kinds=(kind,)):
        pass


def page(browser, address="/imports/1"):
    return html.fromstring(browser.get(address).text)


def shown(browser, address="/imports/1"):
    return " ".join(page(browser, address).xpath("string(//main)").split())


def rows(database, import_id=1):
    """Every entry, as far as a reader sees it."""
    columns = (Entry.position, Entry.first_line, Entry.last_line, Entry.kind, Entry.title, Entry.decision, Entry.reason)
    query = sa.select(*(col(column) for column in columns)).where(col(Entry.revision_id) == import_id)
    with database.read() as tx:
        return [tuple(row) for row in tx.execute(query.order_by(col(Entry.position)))]


def state(browser, import_id=1):
    return browser.get(f"/api/v1/imports/{import_id}").json()["state"]


def stop_after(monkeypatch, name, calls):
    """Lets a step of the reading job fail as if the process were killed, after so many calls."""
    original, count = getattr(long_imports.RecordsJob, name), [0]

    def stopping(self, *arguments, **options):
        count[0] += 1
        if count[0] > calls:
            raise KeyboardInterrupt
        return original(self, *arguments, **options)

    monkeypatch.setattr(long_imports.RecordsJob, name, stopping)


def expire_leases(database):
    with database.write() as tx:
        tx.execute(sa.update(Job).where(col(Job.state) == "running").values(state="queued", lease_until=None))


@pytest.mark.both_databases
def test_a_long_file_is_read_in_the_background_reviewed_by_page_and_imported(browser, database):
    answer = upload(browser)
    assert (answer.status_code, answer.headers["location"]) == (303, "/imports/1")
    assert "Processing papers.bib" in shown(browser)
    assert page(browser).xpath("//*[@hx-get='/imports/1']")
    assert page(browser).xpath("//noscript/meta")
    assert (count_of(database, Entry), count_of(database, Paper)) == (0, 0)
    run(database)
    assert state(browser) == "preview"
    assert f"{RECORDS:,} to import" in shown(browser)
    assert len(page(browser).xpath("//li[@data-row]")) == 50
    assert "key1," in shown(browser)  # the lines themselves
    browser.post("/imports/1", data={"then": "all:skip"})
    browser.post("/imports/1", data={"then": "all:add"})
    browser.post("/imports/1")
    run(database, "imports.commit")
    assert (state(browser), count_of(database, Paper)) == ("committed", RECORDS)
    lines = browser.get("/api/v1/notes/1?line=301").json()
    assert (len(lines["lines"]), lines["lines"][0]["line"], lines["next"]) == (180, 301, None)
    assert lines["lines"][0]["text"] == BIBTEX.split("\n")[300]
    assert "@inproceedings{key1," in shown(browser, "/notes/1")


def test_few_long_texts_are_inspected_at_a_time_and_the_others_wait(me, monkeypatch):
    inside, most, is_free = [0], [0], threading.Event()

    def inspect_slowly(*arguments):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        assert is_free.wait(30)
        inside[0] -= 1
        return stored_text.inspect_file(*arguments)

    monkeypatch.setattr(import_body, "inspect_file", inspect_slowly)

    async def read():
        async def receive():
            return {"type": "http.request", "body": BIBTEX.encode()}

        request = Request({"type": "http", "headers": [(b"content-type", b"text/plain")]}, receive)
        async with asynccontextmanager(import_body.read_import_body)(request, me) as body:
            assert body.long_text is not None
            return body.long_text.line_count

    async def read_five():
        tasks = [asyncio.create_task(read()) for _ in range(5)]
        while inside[0] < 2:
            await run_in_threadpool(int)
        for _ in range(50):
            await run_in_threadpool(int)
        is_free.set()
        return await asyncio.gather(*tasks)

    assert len(set(asyncio.run(read_five()))) == 1
    assert most[0] == 2
    monkeypatch.setattr(import_body, "_INSPECTIONS", RequestQueue(0, wait_seconds=0.01, message=import_body.TOO_BUSY))
    with pytest.raises(StorageUnavailable, match="Other large files are being read"):
        asyncio.run(read())


def test_the_api_answers_at_once_and_lists_entries_by_page(browser, database):
    answer = browser.post("/api/v1/imports?title=mine", content=BIBTEX, headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.headers["location"]) == (202, "/api/v1/imports/1")
    assert (answer.json()["state"], answer.json()["entries"]) == ("parsing", [])
    assert browser.post("/api/v1/imports/1/commit").json()["code"] == "parsing"
    run(database)
    first = browser.get("/api/v1/imports/1/entries").json()
    assert (len(first["items"]), first["next"]) == (RECORDS, None)
    again = browser.post("/api/v1/imports?title=mine", content=BIBTEX, headers={"Content-Type": "text/plain"})
    assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, 1, "preview")


@pytest.mark.both_databases
@pytest.mark.parametrize(("name", "calls"), [("_store_entries", 3), ("_save_progress", 2), ("_mark_duplicates", 0)])
def test_reading_goes_on_after_the_last_stored_entry(browser, database, monkeypatch, name, calls):
    text = BIBTEX + repeated("bibtex", 10)
    upload(browser, text + "\n")
    run(database)
    undisturbed = rows(database)
    upload(browser, text)
    with monkeypatch.context() as patch:
        stop_after(patch, name, calls)
        with pytest.raises(KeyboardInterrupt):
            run(database)
    before = rows(database, 2)
    assert 0 < len(before) <= len(undisturbed)
    expire_leases(database)
    monkeypatch.setattr(stored_text, "CHUNK_CHARS", 700)  # wherever the next one cuts
    run(database)
    assert rows(database, 2)[:-1] == undisturbed[:-1]  # but for the length of the blank end
    assert sum(row[3] == "mention" for row in undisturbed) == 10


def test_entries_take_the_venue_of_a_volume_below_them_after_an_interruption_too(browser, database, monkeypatch):
    entries = (
        f"@inproceedings{{p{number}, title={{A Story of {number} Caches}}, crossref={{v}}}}" for number in range(200)
    )
    text = "\n".join(entries) + "\n@proceedings{v, title={VLDB}, year={2021}}\n"
    assert upload(browser, text).status_code == 303
    with monkeypatch.context() as patch:
        stop_after(patch, "_store_entries", 3)
        with pytest.raises(KeyboardInterrupt):
            run(database)
    expire_leases(database)
    run(database)
    papers = [entry for entry in entries_of(database, 1) if entry.kind == "paper"]
    assert len(papers) == 200
    assert {(entry.venue, entry.year) for entry in papers} == {("VLDB", 2021)}


def test_a_file_cut_off_with_broken_records_shows_every_line(browser, database):
    broken = "@article{broken, title={A Story That Is Cut Off, year={2020}\nloose words between records\n\n"
    text = repeated("bibtex", 25) + broken + repeated("bibtex", 55)[:-30]
    upload(browser, text)
    run(database)
    covered = [0] * text.count("\n")
    for _, first, last, *_rest in rows(database):
        for number in range(first, last + 1):
            covered[number - 1] += 1
    assert set(covered) == {1}
    report = browser.get("/api/v1/imports/1/report").json()
    assert sum(report["lines"].values()) == report["line_count"] == len(covered)
    reasons = {row[6] for row in rows(database) if row[5] == "review"}
    assert "The entry isn't closed. Check its fields." in reasons  # the broken one, and the last one


@pytest.mark.both_databases
def test_an_import_cancelled_while_it_is_read_leaves_nothing(browser, database, monkeypatch):
    upload(browser)
    with monkeypatch.context() as patch:
        stop_after(patch, "_store_entries", 2)
        with pytest.raises(KeyboardInterrupt):
            run(database)
    assert count_of(database, Entry) > 0
    answer = browser.post("/imports/1/cancel")
    assert (answer.status_code, answer.headers["location"]) == (303, "/imports")
    assert browser.get("/imports/1").status_code == 404
    upload(browser)  # at once, while the first one is being deleted
    expire_leases(database)
    run(database, "imports.discard")
    run(database)
    assert [count_of(database, table) for table in (NoteRevision, Note)] == [1, 1]
    assert (state(browser, 2), len(entries_of(database, 2))) == ("preview", RECORDS)
    browser.post("/api/v1/imports/2/cancel")
    run(database, "imports.discard")
    assert [count_of(database, table) for table in (NoteRevision, Note, NoteChunk, Entry)] == [0, 0, 0, 0]


@pytest.mark.both_databases
def test_a_page_open_for_a_canceled_import_never_acts_on_the_next_one(browser, database):
    upload(browser)
    run(database)
    browser.post("/imports/1/cancel")
    run(database, "imports.discard")
    assert count_of(database, NoteRevision) == 0
    upload(browser)
    assert [browser.post(f"/imports/{number}/cancel").status_code for number in (1, 2)] == [404, 303]


@pytest.mark.both_databases
def test_what_was_committed_before_an_import_was_cancelled_stays(browser, database, monkeypatch):
    upload(browser)
    run(database)
    browser.post("/imports/1")
    apply = commit_job.run_import_batch

    def cancelling(*arguments, **options):
        apply(*arguments, **options)
        browser.post("/imports/1/cancel")

    with monkeypatch.context() as patch:
        patch.setattr(commit_job, "run_import_batch", cancelling)
        run(database, "imports.commit")
    assert (state(browser), count_of(database, Paper)) == ("cancelled", 25)
    assert "Import stopped after 25 of 60 entries. What was added stays in the library." in shown(browser)
    browser.post("/imports/1")
    run(database, "imports.commit")
    assert (state(browser), count_of(database, Paper)) == ("committed", RECORDS)
    assert browser.post("/api/v1/imports/1/cancel").status_code == 409


def test_others_can_not_cancel(browser, sign_in, database):
    with database.write() as tx:
        other = make.visitor(tx, "Ben", role="member")
    upload(browser)
    assert sign_in(other).post("/api/v1/imports/1/cancel").status_code == 403


def test_long_notes_in_free_form_are_read_as_a_whole(browser, database):
    upload(browser, "# Papers\n" + repeated("bullets", 300), "notes.md")
    run(database)
    assert (state(browser), sum(entry.kind == "topic" for entry in entries_of(database, 1))) == ("preview", 12)
    answer = upload(browser, "- words\n" * 650_000, "long.md")
    assert "Split them" in html.fromstring(answer.text).xpath("string(//p[@id='file-error'] | //p[@id='text-error'])")


def test_a_job_that_has_failed_can_be_tried_again(browser, database):
    upload(browser)
    with database.write() as tx:
        tx.execute(sa.update(Job).values(state="failed", error="It broke."))
    assert "Processing stopped after 0 of 480 lines. It broke." in shown(browser)
    browser.post("/imports/1/retry")
    run(database)
    assert state(browser) == "preview"


def test_a_file_with_too_many_records_says_where_reading_ended(browser, database, monkeypatch):
    monkeypatch.setattr(long_imports, "MAX_ENTRIES", 30)
    upload(browser)
    run(database)
    last = rows(database)[-1]
    assert (last[2], last[3], last[5]) == (BIBTEX.count("\n"), "snippet", "review")
    assert "Split the file" in last[6]


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "utf-8-sig"])
def test_long_files_in_any_encoding_are_decoded(browser, database, encoding):
    upload(browser, BIBTEX.replace("Person, A.", "张三").encode(encoding))
    run(database)
    assert {author for entry in entries_of(database, 1) for author in entry.authors} == {"张三", "B. Other"}


def test_the_limit_of_small_notes_is_the_only_difference(browser, database, monkeypatch):
    upload(browser, BIBTEX + "\n")
    run(database)
    monkeypatch.setattr("readtrack.web.dependencies.import_body.SMALL_BYTES", 10_000_000)
    upload(browser, BIBTEX)
    assert rows(database, 2)[:-1] == rows(database)[:-1]  # but for the length of the blank end


def test_a_long_text_is_read_in_turns_with_other_jobs(browser, database, monkeypatch):
    monkeypatch.setattr(long_imports, "TURN_SECONDS", 0.0)
    upload(browser)
    assert queue.run_due_job(database, NOBODY, kinds=("imports.parse",))
    first = count_of(database, Entry)
    assert (state(browser), 0 < first < RECORDS) == ("parsing", True)
    run(database)
    assert (state(browser), count_of(database, Entry) >= RECORDS) == ("preview", True)
    browser.post("/imports/1")
    run(database, "imports.commit")
    assert count_of(database, Paper) == RECORDS


def test_a_turn_begins_when_the_entries_read_before_are_looked_at(browser, database, monkeypatch):
    upload(browser)
    with monkeypatch.context() as patch:
        patch.setattr(long_imports, "TURN_SECONDS", 0.0)
        assert queue.run_due_job(database, NOBODY, kinds=("imports.parse",))
    clock, remember = [0.0], segments.LineReader.remember

    def remembering(self, kind, line, raw):
        clock[0] += long_imports.TURN_SECONDS
        remember(self, kind, line, raw)

    monkeypatch.setattr(segments.LineReader, "remember", remembering)
    monkeypatch.setattr(long_imports, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    assert queue.run_due_job(database, NOBODY, kinds=("imports.parse",))
    assert (state(browser), clock[0] > 0) == ("preview", True)


def test_blank_lines_are_not_looked_up_in_the_library(database, statements):
    blanks = [propose.to_row(ParsedEntry(line, line, 1, "blank", decision="skip"), line) for line in range(1, 4)]
    with database.read() as tx, statements() as seen:
        assert propose.mark_known_rows(tx, blanks, 1) == blanks
    assert seen == []
