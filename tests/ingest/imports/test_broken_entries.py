"""One entry that breaks costs no more than itself; an import that fails as a whole says so and is tried again."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DataError, IntegrityError, OperationalError
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.errors import NotAllowed, StorageUnavailable
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeaseLostError
from readtrack.infra.models import Job, Paper
from readtrack.ingest.imports import commit_job as imports_jobs
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.apply_batch import apply_or_flag_entry
from readtrack.ingest.imports.commands import ImportCommit, commit_import, prepare_notes, preview_notes
from readtrack.ingest.imports.reasons import BROKEN
from readtrack.ingest.imports.report import get_report
from readtrack.ingest.imports.rules import RuleCreate, add_rule
from readtrack.ingest.parser import parse_note
from readtrack.ingest.parser.formats import all_shapes
from readtrack.ingest.parser.reasons import UNREAD
from tests import make
from tests.depth import some
from tests.raising import raise_when
from tests.sample_library import count_of, entries_of

pytestmark = pytest.mark.slow

GUILTY = "Zebras Crossing Datacentre Networks"
NOTES = f"""# Networks

- [Fast Recovery from Memory](https://arxiv.org/abs/2401.00001)
- [{GUILTY}](https://arxiv.org/abs/2401.00002)
- [Elastic Training on Spot Machines](https://arxiv.org/abs/2401.00003)
Why is it so slow?
"""


NOBODY: Any = None  # no import asks the network


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@contextmanager
def broken(database, error, *, beginning="INSERT INTO paper ", word=GUILTY, times=-1):
    """Statements that begin so and carry that word raise, as if the code that gives them had."""
    left = times

    def fail(_connection, _cursor, statement, parameters, *_):
        nonlocal left
        if left and statement.startswith(beginning) and word.lower() in str(parameters).lower():
            left -= 1
            raise error

    engine = database.engines[0]
    sa.event.listen(engine, "before_cursor_execute", fail)
    try:
        yield
    finally:
        sa.event.remove(engine, "before_cursor_execute", fail)


def commit(database, me, text=NOTES):
    with database.write() as tx:
        import_id, _ = preview_notes(tx, me, prepare_notes(text, "notes.md"))
        commit_import(tx, me, import_id, ImportCommit())
    return import_id


def run(database):
    while queue.run_due_job(database, NOBODY, kinds=("imports.commit",)):
        pass


def run_to_the_end(database):
    """As often as the job is put off until later."""
    for _ in range(queue.MAX_ATTEMPTS):
        run(database)
        with database.write() as tx:
            tx.execute(sa.update(Job).values(run_at=now() - timedelta(seconds=1)))


def state_of(database, import_id):
    with database.read() as tx:
        return queries.get_import(tx, import_id)


def statement_error(kind):
    return kind("INSERT", {}, Exception("refused"))


@pytest.mark.deep
@pytest.mark.parametrize(
    "error",
    some(
        [
            KeyError("title"),
            ZeroDivisionError(),
            AssertionError(),
            RecursionError(),
            MemoryError(),
            statement_error(DataError),
            statement_error(IntegrityError),
        ],
        3,
    ),
    ids=lambda error: type(error).__name__,
)
def test_a_failing_entry_is_left_for_a_person_and_all_others_are_added(database, me, error):
    import_id = commit(database, me)
    with broken(database, error):
        run(database)
    state = state_of(database, import_id)
    assert (state.state, state.job.state, state.job.progress_done) == ("committed", "done", state.job.total)
    assert (state.undecided, count_of(database, Paper)) == (1, 2)
    [left] = [entry for entry in entries_of(database, import_id) if entry.decision == "review"]
    assert (left.title, left.paper_id, left.reason) == (GUILTY, None, BROKEN)
    with database.read() as tx:
        report = get_report(tx, import_id)
        assert sum(report.lines.values()) == report.line_count == len(NOTES.splitlines())
        assert [warning.title for warning in report.warnings if not warning.is_done] == [GUILTY]
        assert search.check(tx) == []


def test_entries_of_a_failed_batch_are_added_in_steps_that_let_others_write(database, me, statements, monkeypatch):
    monkeypatch.setattr(imports_jobs, "MAX_SINGLE_ENTRIES", 2)
    commit(database, me)
    with broken(database, KeyError("title")), statements() as seen:
        run(database)
    assert len([one for one in seen if one.startswith("UPDATE job SET") and "progress_done=" in one]) >= 5 / 2
    assert count_of(database, Paper) == 2


def test_an_entry_that_crashes_a_native_library_affects_no_other(database, me, monkeypatch):
    def give_up(*_):
        raise SystemExit

    def carry_out(tx, me, entry, whole):
        (give_up if entry.title == GUILTY else apply_or_flag_entry)(tx, me, entry, whole)

    import_id = commit(database, me)
    monkeypatch.setattr(imports_jobs, "apply_entries", give_up)
    monkeypatch.setattr(imports_jobs, "apply_or_flag_entry", carry_out)
    monkeypatch.setattr(imports_jobs, "import_tables", give_up)
    run(database)
    assert state_of(database, import_id).state == "committed"
    assert count_of(database, Paper) == 2
    assert [entry.title for entry in entries_of(database, import_id) if entry.decision == "review"] == [GUILTY]


@pytest.mark.parametrize("beginning", ["SELECT", "INSERT INTO identifier", "INSERT INTO event", "UPDATE entry"])
def test_the_step_in_which_an_entry_fails_does_not_matter(database, me, beginning):
    import_id = commit(database, me)
    word = {"SELECT": "2401.00002", "INSERT INTO identifier": "2401.00002"}.get(beginning, "")
    times = 2 if not word else -1  # what carries no word of one entry breaks once for all, and once for the first
    with broken(database, KeyError("x"), beginning=beginning, word=word, times=times):
        run(database)
        run_to_the_end(database)
    state = state_of(database, import_id)
    assert state.state == "committed"
    papers = [entry for entry in entries_of(database, import_id) if entry.kind == "paper"]
    undone = [entry for entry in papers if entry.paper_id is None]
    assert len(undone) <= 1
    assert all(entry.decision == "review" for entry in undone)
    assert count_of(database, Paper) == len(papers) - len(undone)


def test_adding_the_same_paper_concurrently_loses_no_entry(database, me):
    import_id = commit(database, me)
    with broken(
        database, statement_error(IntegrityError), times=3
    ):  # in the set, then by itself, then in the step for single entries
        run(database)
    assert state_of(database, import_id).state == "committed"
    assert "review" not in {entry.decision for entry in entries_of(database, import_id)}
    assert count_of(database, Paper) == 3


def test_a_job_that_was_taken_over_stops_and_changes_no_entries(database, me):
    import_id = commit(database, me)
    with broken(database, LeaseLostError()):
        run(database)
    assert state_of(database, import_id).state == "committing"
    assert count_of(database, Paper) == 0
    assert "review" not in {entry.decision for entry in entries_of(database, import_id)}


@pytest.fixture
def failed(database, me):
    import_id = commit(database, me)
    with broken(database, StorageUnavailable("The disk is away.")):
        run_to_the_end(database)
    return import_id


@pytest.mark.deep
def test_an_import_whose_job_was_given_up_has_failed_and_can_be_retried_by_its_person(database, me, failed, sign_in):
    browser = sign_in(me)
    job = state_of(database, failed).job
    assert job.state == "failed"
    page = browser.get(f"/imports/{failed}").text
    assert "failed" in page
    assert "The disk is away." in page
    assert "Try again" in page
    assert "hx-trigger" not in page.partition('id="progress"')[2].partition(">")[0]
    assert "http-equiv" not in page
    told = browser.get(f"/api/v1/imports/{failed}").json()
    assert (told["state"], told["problem"], told["job"]) == ("failed", "The disk is away.", job.id)
    for address in ("/imports", "/notes", "/notes/1", f"/imports/{failed}/report", "/imports/new"):
        assert browser.get(address).status_code == 200

    assert browser.post(f"/imports/{failed}").status_code == 303
    assert state_of(database, failed).state == "committing"
    run(database)
    assert state_of(database, failed).state == "committed"
    assert count_of(database, Paper) == 3


def test_the_api_restarts_a_failed_import_whose_job_was_deleted(database, me, failed, sign_in):
    with database.write() as tx:
        tx.execute(sa.delete(Job).where(col(Job.kind) == "imports.commit"))
    browser = sign_in(me)
    assert browser.get(f"/api/v1/imports/{failed}").json()["state"] == "failed"
    assert "Try again" in browser.get(f"/imports/{failed}").text
    answer = browser.post(f"/api/v1/imports/{failed}/commit", json={})
    assert answer.status_code == 202
    run(database)
    assert state_of(database, failed).state == "committed"


def test_a_person_who_cannot_decide_on_an_import_cannot_restart_it(database, failed, sign_in):
    with database.write() as tx:
        other, editor = make.visitor(tx, "Bo", role="member"), make.visitor(tx, "Ed", role="editor")
    assert "Try again" not in sign_in(other).get(f"/imports/{failed}").text
    with database.write() as tx, pytest.raises(NotAllowed):
        commit_import(tx, other, failed, ImportCommit())
    assert "Try again" in sign_in(editor).get(f"/imports/{failed}").text
    with database.write() as tx:
        assert commit_import(tx, editor, failed, ImportCommit()) == state_of(database, failed).job.id


def test_follow_up_work_cannot_undo_an_import(database, me):
    import_id = commit(database, me)
    with broken(database, KeyError("x"), beginning="INSERT INTO job", word="duplicates"):
        run(database)
    assert state_of(database, import_id).state == "committed"


def test_a_line_that_crashes_one_format_is_read_by_another_or_kept_as_is(monkeypatch):
    """Every line is accounted for all the same."""
    every = [shape.name for shape in all_shapes()]
    for names in ([name] for name in every):
        entries = parse_with_broken(monkeypatch, names)
        assert tiled(entries) == len(NOTES.splitlines())
    entries = parse_with_broken(monkeypatch, every)
    assert tiled(entries) == len(NOTES.splitlines())
    assert {(entry.kind, entry.decision, entry.reason) for entry in entries} == {("snippet", "review", UNREAD)}


def parse_with_broken(monkeypatch, names):
    def fail(*_):
        raise KeyError

    shapes = [replace(shape, read=fail) if shape.name in names else shape for shape in all_shapes()]
    with monkeypatch.context() as patched:
        patched.setattr(parse_note, "all_shapes", lambda: shapes)
        return parse_note.parse(NOTES)


def tiled(entries):
    return sum(entry.last - entry.first + 1 for entry in entries if entry.part == 1)


def test_an_entry_that_crashes_a_rule_is_proposed_as_parsed(database, me):
    with database.write() as tx:
        add_rule(tx, me, RuleCreate(pattern="heading", value="Networks", says="no_topic"))
        parsed = prepare_notes(NOTES, "notes.md")
        guilty = next(entry for entry in parsed.entries if entry.title == GUILTY)
        vars(guilty)["links"] = (None,)  # what a rule asks for its address
        import_id, _ = preview_notes(tx, me, parsed)
    topics = {entry.title: entry.topics for entry in entries_of(database, import_id) if entry.kind == "paper"}
    assert topics.pop(GUILTY) == ["Networks"]
    assert {*map(tuple, topics.values())} == {()}


@pytest.mark.parametrize(
    "step", ["ingest.imports.propose.fingerprint", "ingest.imports.propose._mark_known", "search.entry_document"]
)
def test_an_entry_that_cannot_be_prepared_for_the_preview_costs_no_more_than_itself(database, me, monkeypatch, step):
    raise_when(monkeypatch, step, lambda *given: GUILTY in str(given), KeyError("title"))
    import_id = commit(database, me)
    run(database)
    entries = entries_of(database, import_id)
    assert sum(entry.last_line - entry.first_line + 1 for entry in entries) == len(NOTES.splitlines())
    assert any(GUILTY in entry.title or GUILTY in entry.raw for entry in entries)
    assert count_of(database, Paper) == (2 if step.endswith("fingerprint") else 3)


@pytest.mark.both_databases
def test_an_error_of_the_database_during_the_comparison_is_raised(database, me):
    """It is not caused by an entry, and known papers must not be proposed as new."""
    lost = broken(database, statement_error(OperationalError), beginning="SELECT identifier.", word="2401.00002")
    with lost, pytest.raises(StorageUnavailable), database.write() as tx:
        preview_notes(tx, me, prepare_notes(NOTES, "notes.md"))
