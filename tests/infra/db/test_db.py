"""Transactions: whole or not at all, readers beside writers, and tables that are brought up to date only once."""

import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import db
from readtrack.infra.db import Database, library_lock, migrate
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.db.sqlite import sqlite3
from readtrack.infra.errors import Conflict, StorageUnavailable
from readtrack.infra.models import Paper, Person
from tests import make
from tests.databases import Server
from tests.depth import DEEP

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

DEADLINE = 30
MIGRATE = "import sys; from readtrack.infra.db import Database, migrate; migrate(Database(sys.argv[1]))"


def count(database, table=Person):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table))


def in_threads(*functions):
    threads = [threading.Thread(target=function, daemon=True) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
        assert not thread.is_alive()


@pytest.fixture
def empty_url(dialect, request, tmp_path):
    """A database without any table."""
    if dialect == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.sqlite3'}"
        return
    server: Server = request.getfixturevalue("postgres")
    url = server.copy()
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    yield url
    server.drop(url)


def test_a_transaction_commits_when_its_block_succeeds(database):
    with database.write() as tx:
        make.person(tx)
    assert count(database) == 1


def test_a_transaction_is_stored_completely_or_not_at_all(database):
    def fail_half_way():
        with database.write() as tx:
            make.person(tx)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert count(database) == 0


def test_a_constraint_violation_raises_a_conflict_and_rolls_back(database):
    def twice():
        with database.write() as tx:
            make.person(tx, "Ada")
            tx.add(Person(name="ada", name_key="ada"))

    with pytest.raises(Conflict, match="at the same time"):
        twice()
    assert count(database) == 0


def test_a_failed_commit_raises_an_error(database, dialect):
    """A rule that is looked at only when the transaction ends."""
    deferred = "CREATE TABLE late (person INTEGER REFERENCES person (id) DEFERRABLE INITIALLY DEFERRED)"
    with database.write() as tx:
        tx.execute(sa.text(deferred))

    def refer_to_nobody():
        with database.write() as tx:
            make.person(tx)
            tx.execute(sa.text("INSERT INTO late VALUES (999)"))

    with pytest.raises(Conflict):
        refer_to_nobody()
    assert count(database) == 0
    with database.write() as tx:
        make.person(tx)
    assert count(database) == 1


def test_a_read_transaction_cannot_write(database):
    def write():
        with database.read() as tx:
            tx.execute(sa.insert(Person).values(name="Ada", name_key="ada"))

    with pytest.raises((StorageUnavailable, sa.exc.InternalError)):
        write()
    with database.read() as tx:
        tx.add(Person(name="Ada", name_key="ada"))
    assert count(database) == 0


def test_readers_do_not_wait_for_writers_and_see_no_partial_changes(database):
    with database.write() as tx:
        make.person(tx)
        assert count(database) == 0
    assert count(database) == 1


def test_a_reader_sees_a_consistent_snapshot(database):
    with database.read() as tx:
        before = tx.scalar(sa.select(sa.func.count()).select_from(Person))
        with database.write() as change:
            make.person(change)
        assert tx.scalar(sa.select(sa.func.count()).select_from(Person)) == before == 0


def test_concurrent_increments_lose_nothing(database):
    with database.write() as tx:
        paper_id = make.paper(tx, year=0).id
    other = Database(database.url)

    def add(own):
        for _ in range(25):
            with own.write() as tx:
                paper = tx.get_one(Paper, paper_id, with_for_update=True)
                paper.year += 1

    in_threads(*(lambda own=own: add(own) for own in (database, database, other, other)))
    other.dispose()
    with database.read() as tx:
        assert tx.scalar(sa.select(col(Paper.year))) == 100


def test_a_writer_that_reads_first_already_has_the_write_lock(database, dialect):
    """On SQLite BEGIN IMMEDIATE: what was read cannot change before it is written."""
    if dialect != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    impatient = sa.create_engine(database.url, module=sqlite3, connect_args={"timeout": 0})
    with database.write() as tx, impatient.connect() as outside:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Person)) == 0
        with pytest.raises(sa.exc.OperationalError, match="locked"):
            outside.exec_driver_sql("INSERT INTO person (name) VALUES ('Eve')")
    impatient.dispose()


def test_a_connection_in_use_when_all_are_closed_is_closed_afterwards(database, dialect):
    with database.read() as tx:
        connection = tx.connection().connection.dbapi_connection
        database.dispose()
        assert tx.scalar(sa.select(sa.func.count()).select_from(Person)) == 0
    if dialect == "sqlite":
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    else:
        assert connection.closed


def test_connections_opened_after_all_were_closed_are_used_again(database):
    """As in `readtrack serve`, which closes its connections before it forks."""
    database.dispose()
    for transaction in (database.read, database.write):
        used = set()
        for _ in range(2):
            with transaction() as tx:
                used.add(tx.connection().connection.dbapi_connection)
        assert len(used) == 1


def test_a_library_is_opened_as_soon_as_the_transaction_that_replaced_it_has_ended(database):
    with database.connect_writer() as connection:
        with connection.begin():
            library_lock.refuse_other_sessions(connection)
        other = Database(database.url)
        assert count(other) == 0
        other.dispose()


def test_a_database_locked_by_another_process_is_reported_as_busy(database, dialect, monkeypatch):
    if dialect != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    monkeypatch.setitem(db.SQLITE_DRIVER, "timeout", 0.05)
    other = Database(database.url)

    def write_too():
        with other.write() as tx:
            make.person(tx)

    with database.write() as tx:
        tx.execute(sa.select(Person))  # a turn begins with its first statement
        with pytest.raises(StorageUnavailable, match="busy") as refusal:
            write_too()
    other.dispose()
    assert refusal.value.retry_after
    assert count(database) == 0


def test_a_query_that_takes_too_long_is_cancelled(database, dialect, monkeypatch):
    if dialect != "sqlite":
        pytest.skip("a setting of the server there")
    monkeypatch.setattr(db, "READING_LIMIT", 0.2)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"

    def ask():
        with database.read() as tx:
            tx.execute(sa.text(endless))

    with pytest.raises(StorageUnavailable, match="took too long"):
        ask()
    assert count(database) == 0


def test_sqlite_is_configured_for_durability(database, dialect):
    if dialect != "sqlite":
        pytest.skip("settings of SQLite")
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0}
    for engine in database.engines:
        with engine.connect() as connection:
            assert {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted} == wanted


@pytest.mark.deep
@pytest.mark.slow
@pytest.mark.one_database  # threads below do it on both
def test_processes_migrating_at_once_migrate_once(empty_url):
    count_of_them = 4 if DEEP else 2
    started = [
        subprocess.Popen([sys.executable, "-c", MIGRATE, empty_url], stderr=subprocess.PIPE, text=True)
        for _ in range(count_of_them)
    ]
    ended = [(process.communicate(timeout=90)[1], process.returncode) for process in started]
    assert ended == [("", 0)] * count_of_them
    database = Database(empty_url)
    at, wanted = db.current_revision(database)
    assert at == wanted
    assert count(database) == 0
    database.dispose()


@pytest.mark.deep
def test_threads_migrating_at_once_migrate_once(empty_url):
    databases = [Database(empty_url) for _ in range(4)]
    in_threads(*(lambda own=own: migrate(own) for own in databases))
    at, wanted = db.current_revision(databases[0])
    assert at == wanted
    for own in databases:
        own.dispose()


@pytest.mark.deep
@pytest.mark.slow
def test_everyone_opening_a_new_file_at_once_succeeds(tmp_path):
    for number in range(60 if DEEP else 20):
        ready = threading.Barrier(8)

        def open_it(url=f"sqlite:///{tmp_path}/{number}.sqlite3", ready=ready):
            own = Database(url)
            ready.wait()
            with own.write() as tx:
                tx.execute(sa.text("CREATE TABLE IF NOT EXISTS a (b INTEGER)"))
            own.dispose()

        in_threads(*[open_it] * 8)


@pytest.mark.deep
def test_a_migration_waits_for_another_one_as_long_as_needed(empty_url, dialect, monkeypatch):
    if dialect != "sqlite":
        pytest.skip("a lock of the server there")
    monkeypatch.setattr(db, "SQLITE_SETTINGS", (*db.SQLITE_SETTINGS, "busy_timeout=1"))
    first, second = Database(empty_url), Database(empty_url)
    with first.write() as tx:
        tx.execute(sa.text("CREATE TABLE being_migrated (a INTEGER)"))
        waiting = threading.Thread(target=migrate, args=(second,), daemon=True)
        waiting.start()
        time.sleep(0.2)  # far longer than its usual patience
    waiting.join(DEADLINE)
    assert db.current_revision(second)[0] is not None
    first.dispose()
    second.dispose()


def test_migrations_can_rebuild_tables_without_touching_referencing_rows(database, dialect):
    if dialect != "sqlite":
        pytest.skip("only SQLite rebuilds tables")
    with database.engines[0].connect() as connection:
        with db._migration_lock(connection, dialect), connection.begin():  # noqa: SLF001
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 0
        connection.invalidate()


def test_migrating_an_up_to_date_database_changes_nothing(database, dialect):
    with database.write() as tx:
        make.person(tx)
    migrate(database)
    assert count(database) == 1
    if dialect == "sqlite":
        with database.write() as tx:
            assert tx.scalar(sa.text("PRAGMA foreign_keys")) == 1


def test_a_file_of_another_program_is_refused_and_left_unchanged(tmp_path):
    path = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE paper (title TEXT)")
        other.commit()
    database = Database(f"sqlite:///{path}")
    with pytest.raises(StorageUnavailable, match=r"tables of another program \(paper\)"):
        migrate(database)
    database.dispose()
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("paper",)]


def test_the_schema_of_a_newer_readtrack_is_refused_and_left_unchanged(database, dialect):
    with database.write() as tx:
        tx.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StorageUnavailable, match="created by a newer version"):
        migrate(database)
    assert db.current_revision(database)[0] == "9999"
    with database.write() as tx:
        make.person(tx)
        if dialect == "sqlite":
            assert tx.scalar(sa.text("PRAGMA foreign_keys")) == 1
    assert count(database) == 1


def test_a_healthy_database_has_no_problems(database):
    with database.write() as tx:
        make.paper(tx)
    assert db.integrity_problems(database) == db.integrity_problems(database, full=True) == ([], [])
    assert db.foreign_key_problems(database) == []


@pytest.mark.deep
def test_checking_a_large_library_is_exempt_from_the_query_timeout(database, dialect, monkeypatch):
    if dialect != "sqlite":
        pytest.skip("PostgreSQL looks after its own")
    with database.write() as tx:
        rows = [{"name": f"Person {number}", "name_key": f"person {number}"} for number in range(5000)]
        tx.execute(sa.insert(Person), rows)
    monkeypatch.setattr(db, "READING_LIMIT", -1.0)
    assert db.integrity_problems(database) == ([], [])


def test_a_dangling_reference_is_found(database, dialect):
    if dialect != "sqlite":
        pytest.skip("PostgreSQL never lets it happen")
    loose = sa.create_engine(database.url, module=sqlite3)
    with loose.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO topic_alias (topic_id, alias, alias_key, is_canonical) VALUES (99, 'a', 'a', 0)"
        )
    loose.dispose()
    (problem,) = db.foreign_key_problems(database)
    assert "topic_alias row 1 refers to a missing row of topic" in problem


@pytest.mark.parametrize("many", [0, 1, 3, 2_000])
def test_any_number_of_ids_is_one_parameter(database, many):
    with database.write() as tx:
        ids = [make.person(tx).id for _ in range(3)]
    asked = (
        sa.select(col(Person.id))
        .where(in_id_list(col(Person.id), "ids"), col(Person.name) != "")
        .order_by(col(Person.id))
    )
    with database.read() as tx:
        found = [row.id for row in tx.rows(asked, {"ids": [*ids, *range(10_000, 12_000)][:many]})]
    assert found == ids[:many]
