"""What an admin sees at a glance of database, disk, worker, jobs and sources."""

from datetime import timedelta

import pytest

from readtrack.infra.clock import now
from readtrack.infra.errors import NotAllowed
from readtrack.infra.http.rate_limiter import DatabaseRateLimiter
from readtrack.infra.jobs.scheduler import record_heartbeat
from readtrack.infra.models import Job
from readtrack.workspace.system_status import get_system_status
from tests import make


@pytest.mark.both_databases
def test_the_state_is_read_on_both_databases(database, settings, dialect):
    record_heartbeat(database)
    record_heartbeat(database)
    due_at = now() - timedelta(minutes=5)
    with database.write() as tx:
        admin, member = make.visitor(tx, role="admin"), make.visitor(tx)
        make.paper(tx)
        make.paper(tx, deleted_at=now())
        tx.add(Job(kind="graph.map", run_at=due_at))
        tx.add(Job(kind="graph.map", run_at=now() + timedelta(hours=1)))
        tx.add(Job(kind="papers.again", state="failed", run_at=now() - timedelta(days=1)))
        tx.add(Job(kind="papers.again", state="done", run_at=now()))
    limiter = DatabaseRateLimiter(database)
    for _ in range(2):
        with limiter.acquire("localhost", 0.0):
            pass
    with limiter.acquire("localhost", 0.0) as slot:
        slot.problem = "It did not answer."
    with database.read() as tx:
        status = get_system_status(tx, admin, settings)
        with pytest.raises(NotAllowed):
            get_system_status(tx, member, settings)
    assert (status.papers, status.is_worker_running) == (1, True)
    assert {(job.kind, job.state, job.count) for job in status.jobs} == {
        ("graph.map", "queued", 2),
        ("papers.again", "failed", 1),
    }
    assert status.oldest_due_at == due_at
    assert status.database.total_bytes > 10_000
    assert (status.database.wal_bytes is None) == (dialect == "postgresql")
    results = {source.name: (source.answers, source.errors) for source in status.sources}
    assert results["arxiv"] == (2, 1)


def test_the_page_shows_it_to_admins(database, sign_in):
    with database.write() as tx:
        admin = make.visitor(tx, role="admin")
    browser = sign_in(admin)
    page = browser.get("/settings/system").text
    assert "No worker is running" in page
    record_heartbeat(database)
    page = browser.get("/settings/system").text
    assert "No worker is running" not in page
    assert "just now" in page
