"""`readtrack check`: each thing that is wrong is a sentence that says what to do, and --repair loses nothing."""

import hashlib
import json
import os
import shutil
import stat
import time
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col
from typer.testing import CliRunner

from readtrack import search
from readtrack.bootstrap import open_library
from readtrack.cli import app as commands
from readtrack.cli import findings
from readtrack.infra import config as operator
from readtrack.infra import db
from readtrack.infra.clock import now
from readtrack.infra.db.sqlite import sqlite3
from readtrack.infra.jobs import queue
from readtrack.infra.models import Change, Event, Job, Paper
from tests import make

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="modes of files")]

FINE, WARNINGS, PROBLEMS = range(3)


@pytest.fixture
def data(tmp_path, monkeypatch, sqlite_files):
    """The folder of a library with a paper."""
    for name in [name for name in os.environ if name.startswith("READTRACK_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "data"
    monkeypatch.setenv("READTRACK_DATA", str(folder))
    monkeypatch.setenv("READTRACK_OFFLINE", "1")
    folder.mkdir(mode=0o700)
    shutil.move(str(sa.make_url(sqlite_files.copy()).database), folder / "readtrack.sqlite3")
    operator.load().ready()
    with opened(folder) as database, database.write() as tx:
        make.paper(tx, "Finding one paper")
        search.rebuild(tx)
    for path in folder.glob("readtrack.sqlite3*"):
        path.chmod(0o600)
    return folder


@contextmanager
def opened(folder):
    database = open_library(operator.load({}, data=folder).ready())
    try:
        yield database
    finally:
        database.dispose()


def check(*words):
    """Exit code, and what `readtrack check` prints."""
    result = CliRunner().invoke(commands, ["check", *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output


def change(folder, *statements):
    with closing(sqlite3.connect(folder / "readtrack.sqlite3", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def count(folder, table):
    with opened(folder) as database, database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table))


def test_a_healthy_library_has_no_findings(data):
    assert check()[0] == check("--full")[0] == check("--repair")[0] == FINE
    code, out = check("--json")
    result = json.loads(out)
    assert (code, result["findings"], result["repairs"]) == (FINE, [], [])
    assert result["settings"]["data"] == str(data)
    assert result["settings"]["secret_key"] == "(not set)"


def test_json_says_how_bad_each_finding_is_and_whether_it_can_be_repaired(data):
    (data / "secret_key").chmod(0o644)
    with opened(data) as database, database.write() as tx:
        tx.add(Job(kind="graph.map", state="failed", error="It broke.", run_at=now(), ended_at=now()))
    code, out = check("--json")
    told = {finding["part"]: (finding["level"], finding["repairable"]) for finding in json.loads(out)["findings"]}
    assert (code, told) == (PROBLEMS, {"permissions": ("problem", True), "jobs": ("warning", False)})
    (data / "secret_key").chmod(0o600)
    assert check()[0] == WARNINGS


def test_f36_an_invalid_setting_is_a_problem_with_its_name(data, monkeypatch):
    monkeypatch.setenv("READTRACK_METRICS_NETWORKS", "everywhere")
    code, out = check("--json")
    assert (code, "METRICS_NETWORKS has 'everywhere'" in json.loads(out)["findings"][0]["message"]) == (PROBLEMS, True)


UNSAFE = [
    ({"BASE_URL": "http://reading.example.org", "INSECURE_HTTP": "1"}, "passwords travel in the open"),
    ({"BASE_URL": "https://reading.example.org"}, "READTRACK_TRUSTED_PROXIES is not set"),
    ({"METRICS_NETWORKS": "0.0.0.0/0"}, "a wide network"),
]


@pytest.mark.parametrize(("environment", "said"), UNSAFE)
def test_unsafe_settings_are_warnings(data, monkeypatch, environment, said):
    for name, value in environment.items():
        monkeypatch.setenv(f"READTRACK_{name}", value)
    code, out = check()
    assert (code, said in out) == (WARNINGS, True)


def test_files_that_others_can_read_are_found_and_closed(data):
    paths = [data / "secret_key", data / "readtrack.sqlite3"]
    for path in paths:
        path.chmod(0o644)
    data.chmod(0o755)
    code, out = check()
    assert code == PROBLEMS
    assert all(f"{path} is open to other users (mode 0" in out for path in [*paths, data])
    assert check("--repair")[0] == FINE
    assert [stat.S_IMODE(path.stat().st_mode) for path in [*paths, data]] == [0o600, 0o640, 0o750]


def test_missing_triggers_are_created_and_what_they_missed_counts_as_changed(data):
    change(data, "DROP TRIGGER record_change_paper_delete", "DROP TRIGGER record_change_paper_update")
    with opened(data) as database, database.read() as tx:
        [before] = tx.scalars(sa.select(Change)).all()
    code, out = check()
    assert (code, "record_change_paper_delete, record_change_paper_update" in out) == (PROBLEMS, True)
    assert check("--repair")[0] == FINE
    with opened(data) as database, database.read() as tx:
        [after] = tx.scalars(sa.select(Change)).all()
    assert (after.kind, after.item, (after.id or 0) > (before.id or 0)) == (before.kind, before.item, True)


def test_a_file_left_by_a_killed_process_is_removed_after_a_day(data):
    old, new = data / ".secret_key-old", data / ".secret_key-new"
    for path in (old, new):
        path.write_text("half a key")
    os.utime(old, (time.time() - findings.GRACE_SECONDS - 60,) * 2)
    code, out = check()
    assert (code, str(old) in out, str(new) in out) == (WARNINGS, True, False)
    assert check("--repair")[0] == FINE
    assert (old.exists(), new.exists()) == (False, True)


def test_f14_a_hard_linked_database_is_a_problem(data):
    os.link(data / "readtrack.sqlite3", data / "same")
    code, out = check()
    assert (code, "hard link" in out) == (PROBLEMS, True)


def damaged_page(path):
    content = bytearray(path.read_bytes())
    content[8192:] = os.urandom(len(content) - 8192)
    path.write_bytes(content)


DAMAGES = {
    "a corrupt page": damaged_page,
    "truncated": lambda path: os.truncate(path, path.stat().st_size // 2),
    "zero length": lambda path: os.truncate(path, 0),
    "another file": lambda path: path.write_bytes(b"no database " * 1_000),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_f14_a_damaged_database_is_a_problem_and_nothing_in_it_is_repaired(data, damage):
    path = data / "readtrack.sqlite3"
    DAMAGES[damage](path)
    before = hashlib.sha256(path.read_bytes()).digest()
    code, out = check("--repair")
    assert code == PROBLEMS
    assert any(advice in out for advice in ("estore the last backup", "readtrack migrate")), out
    assert hashlib.sha256(path.read_bytes()).digest() == before or damage == "zero length"
    assert "Traceback" not in out


def test_f33_a_lost_or_wrong_search_index_is_rebuilt(data):
    ruins = ("UPDATE search_stamp SET stamp = 'older'", "DELETE FROM search_stamp", "DELETE FROM search_paper_data")
    for ruin in (*ruins, "UPDATE search_paper_data SET block = zeroblob(10)", "DROP TABLE search_paper"):
        change(data, ruin)
        code, out = check()
        assert (code, "search index" in out, "--repair" in out) == (PROBLEMS, True, True)
        code, out = check("--repair")
        assert (code, out.count("Rebuilt the search index.")) == (FINE, 1)


def test_f8_a_log_that_a_long_reader_lets_grow_is_a_problem_and_does_not_grow_for_ever(data, monkeypatch):
    monkeypatch.setattr(findings, "MAX_LOG_BYTES", 1_000_000)
    log = data / "readtrack.sqlite3-wal"

    def write(database):
        for _ in range(8):
            with database.write() as tx:
                tx.execute(sa.text("INSERT INTO search_stamp VALUES (hex(randomblob(100000)))"))
                tx.execute(sa.text("DELETE FROM search_stamp WHERE length(stamp) > 1000"))
        return log.stat().st_size

    with opened(data) as database:
        with database.snapshot() as connection:
            connection.execute(sa.text("SELECT count(*) FROM paper")).all()
            size = write(database)
            code, out = check()
            assert (code, "The write-ahead log has " in out) == (PROBLEMS, True)
        for _ in range(3):
            write(database)
        assert log.stat().st_size < 2 * size


def test_rows_that_refer_to_missing_rows_are_moved_to_a_file_and_never_only_deleted(data):
    change(
        data,
        "PRAGMA foreign_keys=OFF",
        "INSERT INTO topic_alias (topic_id, alias, alias_key, is_canonical) VALUES (99, 'ゼロ', 'a', 0)",
        "INSERT INTO topic_alias (topic_id, alias, alias_key, is_canonical) VALUES (98, 'b', 'b', 0)",
        "INSERT INTO event (created_at, person_id, verb, paper_id, data, address, private) "
        "VALUES ('2026-01-01 00:00:00.000000', 77, 'paper.added', 88, '{}', '', 0)",
    )
    code, out = check()
    assert (code, out.count("refers to a missing row")) == (PROBLEMS, 4)
    code, out = check("--repair")
    assert (code, "Moved 3 rows" in out) == (FINE, True)
    (path,) = data.glob("orphans-*.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {(row["table"], row["row"].get("alias"), row["row"].get("verb")) for row in rows} == {
        ("topic_alias", "ゼロ", None), ("topic_alias", "b", None), ("event", None, "paper.added"),
    }  # fmt: skip
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert count(data, Paper) == 1


def test_stuck_jobs_are_released_and_others_left_alone(data):
    def job(**values):
        return Job(**{"kind": "graph.map", "state": "running", "run_at": now(), "fencing_token": "a", **values})

    stuck = [
        job(lease_until=None),
        job(lease_until=now() - timedelta(hours=1)),
        job(lease_until=now() + timedelta(days=300)),  # by a clock that was a year ahead
        job(state="queued", run_at=now() + timedelta(days=300)),
    ]
    healthy = [job(lease_until=now()), job(state="queued", run_at=now() + timedelta(days=1)), job(state="paused")]
    with opened(data) as database, database.write() as tx:
        tx.add_all([*stuck, *healthy])
    code, out = check()
    assert (code, "4 jobs are stuck" in out) == (PROBLEMS, True)
    code, out = check("--repair")
    assert (code, "Made 4 stuck jobs due." in out) == (FINE, True)
    with opened(data) as database, database.read() as tx:
        states = [row.state for row in queue.list_jobs(tx)]
        assert sorted(states) == ["paused", *["queued"] * 5, "running"]
        assert tx.scalars(sa.select(col(Job.run_at)).order_by(col(Job.run_at).desc())).first() < now() + timedelta(
            days=2
        )


def test_jobs_that_wait_without_any_worker_are_a_warning(data):
    with opened(data) as database, database.write() as tx:
        tx.add(Job(kind="graph.map", run_at=now() - timedelta(hours=1)))
    code, out = check()
    assert (code, "no worker runs" in out) == (WARNINGS, True)


def test_f22_entries_in_the_future_show_that_the_clock_is_or_was_wrong(data):
    with opened(data) as database, database.write() as tx:
        tx.add(Event(verb="paper.added", created_at=now() + timedelta(days=400)))
    code, out = check()
    assert (code, "Set the clock" in out) == (WARNINGS, True)


def test_f3_a_disk_that_is_almost_full_is_a_problem(data, monkeypatch):
    monkeypatch.setenv("READTRACK_MIN_FREE_MB", str(10**15))
    code, out = check()
    assert (code, "Free some space" in out) == (PROBLEMS, True)


def test_an_old_sqlite_is_a_warning(data, monkeypatch):
    monkeypatch.setattr(db, "is_safe", lambda: False)
    code, out = check()
    assert (code, "rare fault" in out) == (WARNINGS, True)
