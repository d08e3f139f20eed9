"""What nobody needs any more is deleted in slices; what something still refers to stays."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.jobs import cleanup, queue
from readtrack.infra.jobs.cleanup import DONE_KEPT, FAILED_KEPT, purge_jobs, purge_outdated
from readtrack.infra.models import (
    IdempotencyKey,
    Job,
    LoginAttempt,
    Note,
    NoteRevision,
    Notification,
    PendingSignIn,
    UserSession,
)
from readtrack.ingest.imports.queries import get_import
from tests import make

MOMENT = timedelta(minutes=1)


def ended(tx, state, ago, **fields):
    at = now() - ago
    return make.added(tx, Job(kind="test.purged", state=state, ended_at=at, run_at=at, created_at=at, **fields)).id


def left(database, table=Job):
    with database.read() as tx:
        return list(tx.scalars(sa.select(table.id).order_by(table.id)))


def imported(tx, state, job_id):
    note = make.added(tx, Note(title="Links", title_key=f"links {job_id}"))
    revision = NoteRevision(note_id=note.id, text="x", sha256=str(job_id), line_count=1, state=state, job_id=job_id)
    return make.added(tx, revision).id


def test_finished_jobs_are_deleted_after_thirty_days_and_failed_ones_after_ninety(database):
    with database.write() as tx:
        old_done, old_failed = ended(tx, "done", DONE_KEPT + MOMENT), ended(tx, "failed", FAILED_KEPT + MOMENT)
        young = [ended(tx, "done", DONE_KEPT - MOMENT), ended(tx, "failed", FAILED_KEPT - MOMENT)]
        young += [ended(tx, "failed", DONE_KEPT + MOMENT), ended(tx, "done", MOMENT)]
        waiting = make.added(tx, Job(kind="test.waits", run_at=now() - timedelta(days=400))).id
        running = make.added(tx, Job(kind="test.runs", state="running", run_at=now() - timedelta(days=400))).id
    assert purge_jobs(database) == 2
    assert left(database) == [*young, waiting, running]
    assert {old_done, old_failed}.isdisjoint(left(database))


def test_the_job_of_an_uncommitted_import_stays_and_can_be_retried(database):
    with database.write() as tx:
        failed, handed_back, committed = (ended(tx, state, timedelta(days=400)) for state in ("failed", "done", "done"))
        stuck, preview = imported(tx, "committing", failed), imported(tx, "preview", handed_back)
        over = imported(tx, "committed", committed)
        ended(tx, "done", MOMENT)
    assert purge_jobs(database) == 1
    with database.write() as tx:
        assert [get_import(tx, number).job is not None for number in (stuck, preview, over)] == [True, True, False]
        queue.retry_job(tx, failed)


def test_the_id_of_a_purged_job_is_never_reused(database):
    with database.write() as tx:
        old = [ended(tx, "done", timedelta(days=400)) for _ in range(3)]
    purge_jobs(database)
    with database.write() as tx:
        assert queue.enqueue(tx, "test.new") not in old


def test_a_notification_of_a_purged_job_is_still_shown(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
        job_id = ended(tx, "failed", timedelta(days=400))
        make.notice(tx, ada.id, "job", job_id=job_id, data={"happened": "given-up", "problem": "It is away."})
        ended(tx, "done", MOMENT)
    purge_jobs(database)
    assert "It is away." in sign_in(ada).get("/notifications").text


def test_many_jobs_are_deleted_in_batches(database, monkeypatch, statements):
    monkeypatch.setattr(cleanup, "BATCH_SIZE", 2)
    with database.write() as tx:
        for _ in range(5):
            ended(tx, "done", timedelta(days=400))
        ended(tx, "done", MOMENT)
    with statements() as seen:
        assert purge_jobs(database) == 5
    assert len([statement for statement in seen if statement.startswith("DELETE")]) == 3
    assert len(left(database)) == 1


def test_rows_another_worker_is_deleting_are_skipped(database, dialect):
    if dialect == "sqlite":
        pytest.skip("it has one writer at a time")
    with database.write() as tx:
        held, free = ended(tx, "done", timedelta(days=400)), ended(tx, "done", timedelta(days=400))
        newest = ended(tx, "done", MOMENT)
    with database.write() as tx:
        tx.execute(sa.select(col(Job.id)).where(col(Job.id) == held).with_for_update())
        assert purge_jobs(database) == 1
    assert left(database) == [held, newest]
    assert free not in left(database)


def test_expired_responses_sign_ins_and_attempts_are_deleted_and_others_stay(database):
    with database.write() as tx:
        ada = make.person(tx, "Ada")
        kept = {}
        for until in (now() - MOMENT, now() + MOMENT):
            said = {"person_id": ada.id, "method": "POST", "path": "/x", "body_hash": "", "status": 201, "body": "{}"}
            rows = [
                IdempotencyKey(key=str(until), expires_at=until, **said),
                PendingSignIn(kind="code", secret_hash=str(until), expires_at=until),
                UserSession(person_id=ada.id, secret_hash=str(until), expires_at=until),
                LoginAttempt(subject="person:1", created_at=until - cleanup.ATTEMPTS_KEPT),
            ]
            kept = {type(row): make.added(tx, row).id for row in rows}
    assert purge_outdated(database) == 4
    assert {table: left(database, table) for table in kept} == {table: [number] for table, number in kept.items()}


def test_a_request_with_a_key_deletes_no_expired_responses_but_its_own(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada", role="editor")
    browser = sign_in(ada)

    def post(key, name):
        return browser.post("/api/v1/topics", json={"name": name}, headers={"Idempotency-Key": key})

    assert [post("a", "MoE").status_code, post("b", "Pipelines").status_code] == [201, 201]
    with database.write() as tx:
        tx.execute(sa.update(IdempotencyKey).values(expires_at=now() - MOMENT))
    before = left(database, IdempotencyKey)
    assert post("a", "Checkpoints").status_code == 201
    assert before[1] in left(database, IdempotencyKey)
    assert before[0] not in left(database, IdempotencyKey)
    assert len(left(database, IdempotencyKey)) == 2
    assert left(database, Notification) == []
