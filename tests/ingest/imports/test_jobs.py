"""Carrying an import out: in steps, again and again the same, and stopped by nothing."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.errors import StorageUnavailable
from readtrack.infra.jobs import queue
from readtrack.infra.models import (  # fmt: skip
    Entry,
    Event,
    Identifier,
    Job,
    Lead,
    Link,
    NoteRevision,
    Paper,
    PaperTopic,
    Question,
    Reading,
    Topic,
    TopicAlias,
)
from readtrack.ingest.imports import commit_job as imports_jobs
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.commands import ImportCommit, commit_import, prepare_notes, preview_notes
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from tests import make
from tests.depth import DEEP

pytestmark = pytest.mark.slow

NOTES = """\
# Checkpointing

- [Fast Recovery from Memory](https://arxiv.org/abs/2401.00001)
- https://arxiv.org/abs/2401.00002
- https://www.usenix.org/conference/nsdi24/presentation/hu
- see again https://arxiv.org/pdf/2401.00001v2 for details
- [x] https://arxiv.org/abs/2401.00003

How does it compare with local SSDs?

# Scheduling
- https://arxiv.org/abs/2401.00004
- https://example.org/blog/elastic-training
"""
LATER = NOTES + "- https://arxiv.org/abs/2401.00005\n\nDoes it pay on small clusters?\n"
NOBODY: Any = None  # no import asks the network
MADE = (Paper, Identifier, Link, Topic, TopicAlias, PaperTopic, Question, Lead, Reading)


@pytest.fixture
def database(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def commit(database, me, text=NOTES, title="notes.md", **defaults):
    with database.write() as tx:
        import_id, _ = preview_notes(tx, me, prepare_notes(text, title))
        commit_import(tx, me, import_id, ImportCommit.model_validate(defaults))
    return import_id


def run(database):
    """Runs the imports that are due; how many runs it took."""
    runs = 0
    while queue.run_due_job(database, NOBODY, kinds=("imports.commit",)):
        runs += 1
    return runs


def run_again(database):
    with database.write() as tx:
        tx.execute(sa.update(Job).values(run_at=now() - timedelta(seconds=1)))
    return run(database)


def carry_out(database, me, text=NOTES, title="notes.md", **defaults):
    import_id = commit(database, me, text, title, **defaults)
    assert run(database) == 1
    return import_id


def counts(database):
    with database.read() as tx:
        found = {table.__tablename__: tx.scalar(sa.select(sa.func.count()).select_from(table)) for table in MADE}
        added = (
            sa.select(sa.func.count()).select_from(Event).where(col(Event.verb).in_(("paper.added", "topic.linked")))
        )
        return found | {"told": tx.scalar(added)}


def entries(database, import_id, *columns):
    query = sa.select(*columns).where(col(Entry.revision_id) == import_id, col(Entry.kind) != "blank")
    with database.read() as tx:
        return [tuple(row) for row in tx.execute(query.order_by(col(Entry.position)))]


def job_of(database, import_id):
    with database.read() as tx:
        return queries.get_import(tx, import_id).job


def state_of(database, import_id):
    with database.read() as tx:
        return queries.get_import(tx, import_id).state


def topics_of(database, identifier):
    with database.read() as tx:
        query = sa.select(col(Topic.name)).join(PaperTopic).join(Paper).join(Identifier)
        return set(tx.scalars(query.where(col(Identifier.value) == identifier)))


class FailingDatabase:
    """The writer of this database fails once: at its n-th statement of those that begin so."""

    def __init__(self, database, number, beginning=""):
        self._engine, self._left, self._beginning = database.engines[0], number, beginning

    def __enter__(self):
        sa.event.listen(self._engine, "before_cursor_execute", self._fail)
        return self

    def __exit__(self, *_):
        sa.event.remove(self._engine, "before_cursor_execute", self._fail)

    @property
    def failed(self):
        return self._left <= 0

    def _fail(self, _connection, _cursor, statement, *_):
        self._left -= statement.startswith(self._beginning)
        if self._left == 0:
            self._left = -1
            raise sa.exc.OperationalError(statement, {}, Exception("disk I/O error"))


@pytest.mark.deep
def test_every_entry_becomes_what_the_preview_showed(database, me):
    import_id = carry_out(database, me)
    assert state_of(database, import_id) == "committed"
    assert counts(database) | {"link": 0} == {
        "paper": 6, "identifier": 6, "link": 0, "topic": 2, "topic_alias": 2, "paper_topic": 6, "question": 1,
        "lead": 0, "reading": 1, "told": 12,
    }  # fmt: skip
    job = job_of(database, import_id)
    assert (job.state, job.progress_done) == ("done", job.total)
    for kind, paper, topic, question in entries(
        database, import_id, col(Entry.kind), col(Entry.paper_id), col(Entry.topic_id), col(Entry.question_id)
    ):
        became = {"paper": paper, "mention": paper, "topic": topic, "question": question}
        assert became[kind] is not None
        assert [value is not None for value in (paper, topic, question)].count(True) == 1


def test_a_mention_adds_no_second_paper_and_links_to_the_first(database, me):
    import_id = carry_out(database, me)
    rows = entries(database, import_id, col(Entry.kind), col(Entry.identifiers), col(Entry.paper_id))
    first, mention = (row for row in rows if row[1] == ["arxiv:2401.00001"])
    assert (first[0], mention[0]) == ("paper", "mention")
    assert first[2] == mention[2]


@pytest.mark.deep
def test_papers_are_filed_under_their_headings_and_the_commit_topics(database, me):
    carry_out(database, me, topics=["Reading group", "checkpointing"])
    assert topics_of(database, "2401.00002") == {"Checkpointing", "Reading group"}
    assert {"Scheduling", "Reading group"} <= topics_of(database, "2401.00004")


def test_statuses_apply_to_the_importing_person_only_and_have_no_dates(database, me):
    with database.write() as tx:
        other = make.visitor(tx, "Bo")
    carry_out(database, me, status="to_read")
    with database.read() as tx:
        rows = tx.execute(sa.select(*sa.inspect(Reading).columns)).all()
    assert {row.person_id for row in rows} == {me.id} != {other.id}
    assert sorted(row.status for row in rows) == ["read"] + ["to_read"] * 5
    assert {(row.started_on, row.finished_on) for row in rows} == {(None, None)}


def test_without_a_stated_status_none_is_set(database, me):
    carry_out(database, me, "https://arxiv.org/abs/2401.00001\n")
    assert counts(database)["reading"] == 0


def test_an_existing_status_of_mine_is_kept(database, me):
    with database.write() as tx:
        paper = make.paper(tx, identifier="arxiv:2401.00003")
        set_reading(tx, me, paper.id, ReadingUpdate(status="dropped", reason="not ours"))
    carry_out(database, me, status="to_read")
    with database.read() as tx:
        mine = tx.execute(sa.select(*sa.inspect(Reading).columns).where(col(Reading.paper_id) == paper.id)).one()
    assert (mine.status, mine.reason) == ("dropped", "not ours")


@pytest.mark.deep
def test_importing_the_same_note_again_changes_nothing(database, me):
    import_id = carry_out(database, me)
    before = counts(database)
    assert commit(database, me) == import_id
    assert run(database) == 0
    assert counts(database) == before


def test_the_same_note_imported_by_another_person_sets_no_status_for_them(database, me):
    carry_out(database, me)
    before = counts(database)
    with database.write() as tx:
        other = make.visitor(tx, "Bo", role="editor")
    commit(database, other)
    assert run(database) == 0
    assert counts(database) == before


@pytest.mark.both_databases
def test_a_later_revision_proposes_and_adds_only_new_entries(database, me):
    carry_out(database, me)
    before = counts(database)
    with database.write() as tx:
        import_id, created = preview_notes(tx, me, prepare_notes(LATER, "notes.md"))
        revision = tx.get_one(NoteRevision, import_id)
    assert (created, revision.number) == (True, 2)
    new = [
        row[1:] for row in entries(database, import_id, col(Entry.decision), col(Entry.identifiers), col(Entry.text))
    ]
    decisions = [row[0] for row in entries(database, import_id, col(Entry.decision))]
    assert [new[n][0] or new[n][1] for n, decision in enumerate(decisions) if decision == "add"] == [
        ["arxiv:2401.00005"],
        "Does it pay on small clusters?",
    ]
    carry_out(database, me, LATER)
    after = counts(database)
    assert {name: after[name] - before[name] for name in after if after[name] != before[name]} == {
        "paper": 1, "identifier": 1, "link": 2, "paper_topic": 1, "question": 1, "told": 2,
    }  # fmt: skip


def test_skipped_entries_are_not_added(database, me):
    with database.write() as tx:
        import_id, _ = preview_notes(tx, me, prepare_notes(NOTES, "notes.md"))
        tx.execute(sa.update(Entry).where(col(Entry.kind) == "paper").values(decision="skip"))
        tx.execute(sa.update(Entry).where(col(Entry.kind) == "mention").values(decision="skip"))
    carry_out(database, me)
    assert counts(database)["paper"] == 0
    assert {row[0] for row in entries(database, import_id, col(Entry.paper_id))} == {None}


@pytest.mark.both_databases
def test_a_failing_entry_is_reported_on_the_entry_and_stops_nothing_else(database, me):
    with database.write() as tx:
        import_id, _ = preview_notes(tx, me, prepare_notes(NOTES, "notes.md"))
        poisoned = tx.scalars(sa.select(Entry).where(col(Entry.kind) == "paper")).all()[1]
        poisoned.identifiers, poisoned.title = [], ""
        tx.flush()
    carry_out(database, me)
    assert state_of(database, import_id) == "committed"
    rows = entries(
        database, import_id, col(Entry.position), col(Entry.decision), col(Entry.reason), col(Entry.paper_id)
    )
    (told,) = [row for row in rows if row[0] == poisoned.position]
    assert told[1] == "review"
    assert "neither an identifier nor a title" in told[2]
    assert told[3] is None
    assert counts(database)["paper"] == 5


@pytest.mark.both_databases
def test_an_entry_that_fails_midway_leaves_nothing_behind(database, me):
    """The paper is added before its topic is found to have no name: neither stays."""
    with database.write() as tx:
        import_id, _ = preview_notes(tx, me, prepare_notes(NOTES, "notes.md"))
        poisoned = tx.scalars(sa.select(Entry).where(col(Entry.kind) == "paper")).all()[1]
        poisoned.topics = ["  "]
        tx.flush()
    carry_out(database, me)
    rows = entries(
        database, import_id, col(Entry.position), col(Entry.decision), col(Entry.reason), col(Entry.paper_id)
    )
    assert [row[1:] for row in rows if row[0] == poisoned.position] == [("review", "Enter a topic name.", None)]
    assert counts(database)["paper"] == counts(database)["identifier"] == 5
    with database.read() as tx:
        assert search.check(tx) == []


@pytest.mark.both_databases
def test_a_step_applies_no_more_entries_than_its_limit(database, me, monkeypatch):
    monkeypatch.setattr(imports_jobs, "APPLY_BATCH_SIZE", 30)
    monkeypatch.setattr(queue, "HEARTBEAT_SECONDS", 60.0)  # a renewed lease is an UPDATE too, and would be counted
    lines = "".join(f"https://arxiv.org/abs/2401.{number:05}\n" for number in range(130))
    import_id = commit(database, me, lines)
    with FailingDatabase(database, 5, "UPDATE job") as failing:  # claim, begin, end, begin, end
        assert run(database) == 1
        assert failing.failed
    job = job_of(database, import_id)
    assert (job.state, job.progress_done, job.total) == ("queued", 30, 130)
    assert "Try again" in job.error
    assert (counts(database)["paper"], state_of(database, import_id)) == (30, "committing")
    assert run_again(database) == 1
    assert (counts(database)["paper"], state_of(database, import_id)) == (130, "committed")
    assert job_of(database, import_id).error == ""


def test_a_job_that_is_not_that_of_the_import_any_more_adds_nothing(database, me):
    """Its import was canceled and is imported by another job, while this one waited for its next attempt."""
    import_id = commit(database, me)
    with database.write() as tx:
        later = queue.enqueue(tx, "imports.commit", {"import": import_id}, run_at=now() + timedelta(hours=1))
        tx.execute(sa.update(NoteRevision).values(job_id=later))
    assert run(database) == 1
    assert (counts(database)["paper"], state_of(database, import_id)) == (0, "committing")
    run_again(database)
    assert state_of(database, import_id) == "committed"


@pytest.fixture
def server(dialect, request):
    return request.getfixturevalue({"sqlite": "sqlite_files", "postgresql": "postgres"}[dialect])


def undisturbed(database, me, monkeypatch):
    """Makes the import with nothing in its way: how many statements that takes, until its job is told to be done."""
    monkeypatch.setattr(imports_jobs, "APPLY_BATCH_SIZE", 4)
    import_id = commit(database, me)
    seen = []
    sa.event.listen(database.engines[0], "before_cursor_execute", lambda *given: seen.append(given[2]))
    run(database)
    assert state_of(database, import_id) == "committed"
    return max(at for at, statement in enumerate(seen) if statement.startswith("UPDATE job"))


@pytest.mark.slow
@pytest.mark.one_database
def test_an_import_survives_a_database_failure_at_any_statement(database, me, server, monkeypatch):
    """Swept over the whole job: the step in hand is undone, the job says so, and is done once all the same."""
    total = undisturbed(database, me, monkeypatch)
    wanted = counts(database)
    assert total > 100
    for number in range(5, total, 29 if DEEP else 67):
        url = server.copy()
        fail_at(Database(url), number, wanted)
        server.drop(url)


def fail_at(own, number, wanted):
    with own.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, "Ada", role="editor")
    import_id = commit(own, me)
    with FailingDatabase(own, number) as failing:
        with suppress(StorageUnavailable):  # of the queue itself, which the worker looks at again
            run(own)
        assert failing.failed
    assert job_of(own, import_id).state == "queued", number
    run_again(own)
    assert (counts(own), state_of(own, import_id)) == (wanted, "committed"), number
    with own.read() as tx:
        assert search.check(tx) == []
    own.dispose()
