"""F3, F14, F21 as a load balancer sees them: /readyz has a word for each part that is not as it should be."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.jobs import scheduler
from readtrack.infra.jobs.scheduler import record_heartbeat
from readtrack.infra.models import PeriodicTask
from readtrack.web.app import create_app
from tests.client import AppClient
from tests.conftest import ADDRESS

MORE_THAN_ANY_DISK = 10**15  # megabytes


def ask(settings, database, **given):
    client = AppClient(create_app(settings.model_copy(update=given), database), ADDRESS)
    answer = client.get("/readyz")
    assert client.get("/healthz").text == "ok\n", "the process is up all the same"
    return answer.status_code, answer.text


def test_it_is_ready_while_a_worker_gives_signs_of_life(settings, database):
    assert ask(settings, database) == (503, "not ready: worker\n")
    record_heartbeat(database)
    assert ask(settings, database) == (200, "ready\n")


@pytest.mark.parametrize("seconds", [-scheduler.MAX_SILENCE_SECONDS - 5, 3600])
def test_a_worker_that_is_silent_is_told_also_after_the_clock_was_set_back(settings, database, seconds):
    with database.write() as tx:
        seen_at = now() + timedelta(seconds=seconds)
        next_at = seen_at + timedelta(seconds=scheduler.HEARTBEAT_SECONDS)
        tx.add(PeriodicTask(name=scheduler.HEARTBEAT, next_at=next_at))
    assert ask(settings, database) == (503, "not ready: worker\n")


def test_f3_too_little_space_is_told(settings, database):
    assert ask(settings, database, min_free_mb=MORE_THAN_ANY_DISK) == (503, "not ready: worker, disk\n")


def test_another_schema_is_told(settings, database):
    record_heartbeat(database)
    with database.write() as tx:
        tx.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    assert ask(settings, database) == (503, "not ready: schema\n")


def test_f14_a_damaged_database_is_told_without_its_path(settings, tmp_path):
    (tmp_path / "damaged.sqlite3").write_bytes(b"no database " * 1_000)
    damaged = Database(f"sqlite:///{tmp_path / 'damaged.sqlite3'}")
    assert ask(settings, damaged) == (503, "not ready: database\n")
    damaged.dispose()
