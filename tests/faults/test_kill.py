"""`readtrack serve` killed at any moment: what was acknowledged is there, and nothing was done twice."""

import os
import random
import signal
import threading
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col

from bench.import_forms import repeated
from readtrack.bootstrap import open_library
from readtrack.infra import config as operator
from readtrack.infra.db import Database
from readtrack.infra.models import (
    Entry,
    Event,
    IdempotencyKey,
    Identifier,
    Job,
    Lead,
    Link,
    MetadataRecord,
    MetadataRequest,
    Note,
    NoteRevision,
    Paper,
    PaperTopic,
    Question,
    Reading,
    ReadingEvent,
    Topic,
    TopicAlias,
    Version,
)
from readtrack.team.accounts.commands import create_token
from readtrack.team.accounts.schemas import TokenCreate
from tests import make
from tests.depth import DEEP
from tests.nowhere import surroundings
from tests.ports import free_port
from tests.processes import TIMES, Client, Processes, processes, until
from tests.standin import ArxivStandIn, made_up_title

KILLS = 20 if DEEP else 3
INTERVAL = 0.1
SEED = int(os.environ.get("READTRACK_TEST_SEED", "20"))  # other moments for the kills
RECORDS = 100
LONG_SECONDS = 600  # for an import that others on this machine delay
SHORT_STEPS = {  # a file that is long, and is read in many steps, although it is soon read
    "readtrack.web.dependencies.import_body.SMALL_BYTES": 20_000,
    "readtrack.ingest.parser.segments.SEGMENT_CHARS": 5_000,
    "readtrack.ingest.imports.stored_text.CHUNK_CHARS": 6_000,
    "readtrack.ingest.imports.long_imports.STEP_SIZE": 10,
    "readtrack.ingest.imports.commit_job.APPLY_BATCH_SIZE": 5,
}
COUNTED = (
    Note, NoteRevision, Entry, Paper, Identifier, Link, Version, MetadataRecord, Topic, TopicAlias, PaperTopic,
    Question, Lead, Reading, ReadingEvent, Event, IdempotencyKey, Job,
)  # fmt: skip


def note(number):
    """Sixty papers of its own, one that another note has too, a mention, a question and a topic."""
    keys = [f"24{number:02}.{line:05}" for line in range(60)]
    papers = "".join(f"- https://arxiv.org/abs/{key}\n" for key in [*keys, "2312.00001"])
    return f"# Topic {number}\n{papers}- [x] see again https://arxiv.org/pdf/{keys[0]}\n\nDoes {number} pay?\n"


def children_of(process_id):
    tasks = Path(f"/proc/{process_id}/task").glob("*/children")
    return sorted(int(child) for path in tasks for child in path.read_text().split())


def story():
    """What the client wants: (method, path, body), each acknowledged before the next. Ids are known beforehand."""
    wanted = []
    for number in range(1, 5):
        wanted.append(("POST", "/api/v1/imports", {"text": note(number), "title": f"note {number}"}))
        wanted.append(("POST", f"/api/v1/imports/{number}/commit", {"topics": ["All"], "status": "to_read"}))
        wanted.append(("POST", "/api/v1/papers", {"title": f"Only named {number}", "status": "reading"}))
    return wanted


class Library:
    """A data folder, and the readtrack that serves it."""

    def __init__(
        self, folder: Path, arxiv: ArxivStandIn, running: Processes, times: Mapping[str, float] = TIMES
    ) -> None:
        self.folder, self._running, self._times = folder, running, times
        self.port = free_port()
        self.environment = surroundings(folder, arxiv_url=arxiv.url, arxiv_interval=INTERVAL)
        self.database = open_library(operator.load({}, data=folder).ready())
        for path in folder.glob("readtrack.sqlite3*"):
            path.chmod(0o600)  # as the command line makes them
        with self.database.write() as tx:
            me = make.visitor(tx, "Ada", role="admin")
            _, secret = create_token(tx, me, TokenCreate(name="test", scopes=["read", "write", "import"]))
        self.client = Client(self.port, secret)
        self.imported = ""
        self.left = [(f"key {number}", *wanted) for number, wanted in enumerate(story())]

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    @contextmanager
    def served(self):
        """Runs `readtrack serve` until it is killed at the end of the block, as a process of that id."""
        arguments = ("serve", "--port", str(self.port))
        number = self._running.start(*arguments, environment=self.environment, log=self._log, times=self._times)
        until(lambda: self.client.send("GET", "/healthz") is not None, f"it serves; see {self._log}")
        try:
            yield number
        finally:
            self._running.kill(number)

    def live(self, seconds: float) -> bool:
        """Serves, with a client that asks for one thing after the other, and is killed then; True when it was busy."""
        over = threading.Event()
        asking = threading.Thread(target=self._ask_for_all, args=(over,))
        with self.served():
            asking.start()
            over.wait(seconds)
        over.set()
        asking.join(60)
        return not self._is_at_rest()

    def _ask_for_all(self, over: threading.Event) -> None:
        while self.left and not over.is_set():
            key, method, path, body = self.left[0]
            if self.client.send(method, path, body, key=key) is not None:
                self.left.pop(0)

    def import_file(self, text: str, over: threading.Event) -> None:
        """Gives a file in until it is imported; where it stands is asked after each kill."""
        sent = None
        while not over.is_set() and self.imported != "committed":
            sent = sent or self.client.send("POST", "/api/v1/imports", {"text": text, "title": "papers.bib"})
            found = self.client.send("GET", "/api/v1/imports/1") if sent else None
            self.imported = found["state"] if found else self.imported
            if self.imported == "preview":
                self.client.send("POST", "/api/v1/imports/1/commit", {})

    def add_and_read(self, title: str, status: str) -> int:
        """Adds a paper and sets its status, each until it is acknowledged; its id."""
        body, added = {"title": title}, None
        while added is None:
            added = self.client.send("POST", "/api/v1/papers", body, key=title)
        reading = f"/api/v1/papers/{added['id']}/reading"
        until(lambda: self.client.send("PUT", reading, {"status": status}) is not None, "the status is saved")
        return int(added["id"])

    def complete(self) -> None:
        with self.served():
            self._ask_for_all(threading.Event())
            until(self._is_at_rest, "all is imported and fetched", seconds=LONG_SECONDS)

    def _is_at_rest(self) -> bool:
        """All is imported, and arXiv was asked about all of it; the others are nowhere, and asked again and again."""
        own = sa.or_(col(Job.kind) == "imports.commit", col(Job.payload)["service"].as_string() == "arxiv")
        with self.database.read() as tx:
            busy = sa.select(sa.func.count()).select_from(Job).where(own, col(Job.state) != "done")
            open_ones = (
                sa.select(sa.func.count()).select_from(NoteRevision).where(col(NoteRevision.state) != "committed")
            )
            return not self.left and tx.scalar(busy) == tx.scalar(open_ones) == 0

    def checked(self) -> int:
        return self._running.wait(
            self._running.start("check", environment=self.environment, log=self._log, times=TIMES)
        )


def contents(database: Database):
    """What is there, as numbers and as titles."""
    with database.read() as tx:
        numbers = {table.__name__: tx.scalar(sa.select(sa.func.count()).select_from(table)) for table in COUNTED}
        verbs = dict(tuple(row) for row in tx.execute(sa.select(col(Event.verb), sa.func.count()).group_by(Event.verb)))
        named = sa.select(col(Identifier.value), col(Paper.title)).join(Paper).order_by(col(Identifier.value))
        titles = [tuple(row) for row in tx.execute(named)]
        # not by decision: whether the shared paper is known yet, or added, depends on how far the import before is
        became = sa.select(col(Entry.kind), sa.func.count(), sa.func.count(col(Entry.paper_id))).group_by(Entry.kind)
        entries = {tuple(row) for row in tx.execute(became)}
    numbers.pop("Job")  # asking arXiv is one job or several, as the additions come
    return numbers, verbs, titles, entries


def expect_each_record_once(database: Database) -> None:
    with database.read() as tx:
        said = tx.execute(
            sa.select(col(MetadataRecord.value), col(MetadataRecord.state), sa.func.count()).group_by(
                MetadataRecord.value, MetadataRecord.state
            )
        )
        assert {tuple(row)[1:] for row in said} == {("agrees", 1)}
        arxiv = sa.select(col(MetadataRequest.state)).where(col(MetadataRequest.service) == "arxiv")
        assert tx.scalars(arxiv.distinct()).all() == ["answered"]


@pytest.mark.deep
@pytest.mark.slow
def test_after_many_kills_nothing_acknowledged_is_lost_and_nothing_runs_twice(tmp_path):
    moments = random.Random(SEED)
    running = processes()
    with ArxivStandIn() as arxiv, ArxivStandIn() as calm:
        undisturbed = Library(tmp_path / "undisturbed", calm, running)
        undisturbed.complete()
        disturbed = Library(tmp_path / "disturbed", arxiv, running)
        for _ in range(KILLS):
            disturbed.live(moments.uniform(0.05, 1.0))
        disturbed.complete()
        assert disturbed.checked() == 0, (disturbed.folder / "log").read_text()[-2000:]
    assert contents(disturbed.database) == contents(undisturbed.database)
    expect_each_record_once(disturbed.database)
    numbers, _, titles, _ = contents(disturbed.database)
    assert (numbers["Paper"], numbers["MetadataRecord"], numbers["Question"]) == (245, 241, 4)
    assert all(title == made_up_title(key) for key, title in titles)
    for earlier, later in pairwise(arxiv.requests):
        assert later.at - earlier.at >= INTERVAL
    disturbed.database.dispose()
    undisturbed.database.dispose()


@pytest.mark.slow
def test_a_long_file_is_read_and_imported_once_however_often_it_is_interrupted(tmp_path):
    moments = random.Random(SEED)
    text = repeated("bibtex_full", RECORDS)
    with ArxivStandIn() as arxiv:
        library = Library(tmp_path, arxiv, processes(), TIMES | SHORT_STEPS)
        for seconds in [*(moments.uniform(0.2, 1.5) for _ in range(KILLS)), LONG_SECONDS]:
            over = threading.Event()
            asking = threading.Thread(target=library.import_file, args=(text, over))
            with library.served():
                asking.start()
                asking.join(seconds)
            over.set()
            asking.join(60)
        assert library.checked() == 0, (tmp_path / "log").read_text()[-2000:]
    numbers, verbs, _, entries = contents(library.database)
    assert library.imported == "committed"
    assert (numbers["Paper"], numbers["NoteRevision"], numbers["Entry"]) == (RECORDS, 1, RECORDS)
    assert (verbs["note.stored"], verbs["import.committed"], verbs["paper.added"]) == (1, 1, RECORDS)
    assert entries == {("paper", RECORDS, RECORDS)}
    library.database.dispose()


@pytest.mark.deep
@pytest.mark.slow
def test_changes_and_a_large_import_survive_kills_of_single_processes(tmp_path, monkeypatch):
    monkeypatch.setitem(TIMES, "readtrack.cli.supervisor.MAX_RESTART_SECONDS", 0.2)
    moments, records = random.Random(SEED), 3_000
    statuses = {}
    with ArxivStandIn() as arxiv:
        library, over = Library(tmp_path, arxiv, processes()), threading.Event()
        importing = threading.Thread(target=library.import_file, args=(repeated("ris", records), over))
        with library.served() as number:
            importing.start()
            for kill in range(20):
                over.wait(moments.uniform(0.1, 2.0))
                with suppress(ProcessLookupError):  # It may have ended meanwhile.
                    os.kill(moments.choice(until(partial(children_of, number), "it has children")), signal.SIGKILL)
                status = moments.choice(("to_read", "reading", "read"))
                statuses[library.add_and_read(f"Added after kill {kill}", status)] = status
            importing.join(LONG_SECONDS)
            over.set()
        importing.join(60)
        assert library.checked() == 0, (tmp_path / "log").read_text()[-2000:]
    numbers, verbs, titles, _ = contents(library.database)
    assert library.imported == "committed"
    assert (numbers["Paper"], verbs["paper.added"], len(titles)) == (
        records + len(statuses),
        records + len(statuses),
        records,
    )
    with library.database.read() as tx:
        saved = dict(tuple(row) for row in tx.execute(sa.select(col(Reading.paper_id), col(Reading.status))))
        entries = sa.select(sa.func.count(), sa.func.count(sa.distinct(col(Entry.paper_id))))
        assert tuple(tx.execute(entries.where(col(Entry.kind) == "paper")).one()) == (records, records)
    assert saved == statuses
    library.database.dispose()
