"""What databases refuse is told in a sentence that says what to do; faults of readtrack's own stay errors."""

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import db
from readtrack.infra.db import Database, migrate, savepoint
from readtrack.infra.db.errors import translate_error
from readtrack.infra.errors import Conflict, Invalid, NotFound, StorageUnavailable
from readtrack.infra.models import Person
from tests import make

pytestmark = pytest.mark.both_databases

TABLE = "CREATE TABLE long (word VARCHAR)"


def people(database):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(Person))


def add_people(database, count):
    with database.write() as tx:
        for _ in range(count):
            make.person(tx)


def rejected(statement, database, error=StorageUnavailable, **values):
    """The sentence for a statement that the database refuses."""

    def run():
        with database.write() as tx:
            tx.execute(sa.text(statement), values)

    with pytest.raises(error) as refusal:
        run()
    return refusal.value


@pytest.fixture
def file(database, dialect):
    """The file of a database on SQLite."""
    if dialect != "sqlite":
        pytest.skip("a file of SQLite")
    return Path(str(sa.make_url(database.url).database))


def test_a_full_disk_is_reported_as_such(database, file):
    with database.write() as tx:
        tx.execute(sa.text(f"PRAGMA max_page_count = {tx.scalar(sa.text('PRAGMA page_count'))}"))
    refusal = rejected("CREATE TABLE big AS SELECT zeroblob(9000000) AS a", database)
    assert "disk is full" in refusal.message
    assert refusal.retry_after


def test_a_read_only_library_is_reported_as_such(database, file):
    other = Database(f"sqlite:///file:{file}?mode=ro&uri=true")
    assert "read-only" in rejected("DELETE FROM person", other).message
    other.dispose()


def test_writing_in_a_read_transaction_is_refused_on_both_databases(database):
    def write():
        with database.read() as tx:
            tx.execute(sa.insert(Person).values(name="Ada", name_key="ada"))

    with pytest.raises(StorageUnavailable, match="read-only"):
        write()


@pytest.mark.deep
def test_a_damaged_file_is_reported_as_such_while_serving(database, file, tmp_path):
    add_people(database, 200)
    database.dispose()
    damaged = tmp_path / "damaged.sqlite3"
    shutil.copyfile(file, damaged)
    with damaged.open("r+b") as written:
        written.seek(4096)
        written.write(b"\xff" * (damaged.stat().st_size - 4096))
    other = Database(f"sqlite:///{damaged}")
    with pytest.raises(StorageUnavailable, match=r"damaged.*Restore the last backup"):
        people(other)
    other.dispose()


def test_a_damaged_search_index_is_told_from_a_damaged_file(database, file):
    with database.write() as tx:
        search.ensure(tx)
        tx.execute(sa.text("DELETE FROM search_paper_data"))
    with pytest.raises(StorageUnavailable, match=r"search index is damaged.*check --repair"), database.read() as tx:
        tx.execute(sa.text("SELECT rowid FROM search_paper WHERE search_paper MATCH 'paper'")).all()


@pytest.mark.both_databases
def test_f33_a_search_index_dropped_while_serving_is_told_and_works_when_it_is_built_again(database):
    count = sa.text("SELECT count(*) FROM search_paper")
    with database.write() as tx:
        search.ensure(tx)
        tx.execute(sa.text("DROP TABLE search_paper"))
    with pytest.raises(StorageUnavailable, match=r"search index is damaged.*check --repair"), database.read() as tx:
        tx.execute(count)
    with database.write() as tx:
        search.rebuild(tx)
    with database.read() as tx:
        assert tx.scalar(count) == 0


def test_a_value_too_long_for_an_index_is_reported_as_such(database, dialect):
    if dialect == "sqlite":
        pytest.skip("SQLite's indexes take anything")
    with database.write() as tx:
        tx.execute(sa.text(TABLE))
        tx.execute(sa.text("CREATE INDEX ix_long ON long (word)"))
    said = "".join(chr(0x4E00 + (number * 7919) % 20000) for number in range(5000))
    assert "too long" in rejected("INSERT INTO long VALUES (:word)", database, Invalid, word=said).message


@pytest.mark.parametrize("value", [2**70, "a\0b"])
def test_a_value_no_column_can_hold_is_not_found(database, dialect, value):
    if dialect == "sqlite" and isinstance(value, str):
        pytest.skip("SQLite holds a NUL")
    kind = "INTEGER" if isinstance(value, int) else "VARCHAR"
    statement = f"INSERT INTO odd VALUES (CAST(:value AS {kind}))"
    with database.write() as tx:
        tx.execute(sa.text(f"CREATE TABLE odd (value {kind})"))
    assert "doesn't exist" in rejected(statement, database, NotFound, value=value).message


def test_a_bug_in_readtrack_is_not_reported_as_a_database_problem(database):
    with pytest.raises(sa.exc.DBAPIError), database.write() as tx:
        tx.execute(sa.text("SELECT 1 FORM person"))


def test_an_error_without_a_code_means_the_database_is_unreachable():
    lost = sa.exc.OperationalError("", {}, RuntimeError("the connection is lost"))
    assert "isn't responding" in str(translate_error(lost))


def test_a_savepoint_can_fail_alone(database):
    def add_and_fail(tx):
        with savepoint(tx):
            make.person(tx, "Bob")
            raise Invalid("No Bob.")

    with database.write() as tx:
        make.person(tx, "Ada")
        with pytest.raises(Invalid):
            add_and_fail(tx)
        make.person(tx, "Cem")
    assert people(database) == 2


def test_an_error_in_a_savepoint_is_translated_and_the_transaction_continues(database):
    def too_large(tx):
        with savepoint(tx):
            tx.execute(sa.select(Person).where(col(Person.id) == 2**80)).all()

    with database.write() as tx:
        make.person(tx, "Ada")
        with pytest.raises(NotFound):
            too_large(tx)
    assert people(database) == 1


def test_a_unique_violation_in_a_savepoint_fails_the_whole_transaction(database):
    """So that a job does it again, and finds what the other one made."""

    def twice():
        with database.write() as tx, savepoint(tx):
            make.person(tx, "Ada")
            make.person(tx, "Ada")

    with pytest.raises(Conflict, match="at the same time"):
        twice()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql+psycopg://ada:hidden-word@127.0.0.1:9/library", "Connection refused"),
        ("sqlite:////nowhere/library.sqlite3", "can't be opened"),
    ],
)
def test_an_unreachable_database_is_reported_to_the_operator(url, said):
    unreachable = Database(url)
    with pytest.raises(StorageUnavailable) as refusal:
        migrate(unreachable)
    unreachable.dispose()
    assert said in refusal.value.message
    assert "hidden-word" not in refusal.value.message
    assert len(refusal.value.message.splitlines()) == 1


def test_a_driver_that_is_not_installed_is_named_in_the_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StorageUnavailable, match=r"pip install 'readtrack\[postgres\]'"):
        Database("postgresql+psycopg://ada@127.0.0.1/library")


def test_a_missing_file_is_not_created_by_checking_it(tmp_path):
    path = tmp_path / "library.sqlite3"
    assert not db.database_exists(f"sqlite:///{path}")
    assert not path.exists()
    path.touch()
    assert db.database_exists(f"sqlite:///{path}")
    assert db.database_exists("postgresql+psycopg://ada@127.0.0.1/library")


def test_a_request_is_told_to_retry_when_all_connections_are_in_use(database, monkeypatch):
    engine = database.engines[-1]
    monkeypatch.setattr(engine.pool, "_timeout", 0.01)
    monkeypatch.setattr(engine.pool, "_max_overflow", 0)
    with ExitStack() as taken:
        for _ in range(engine.pool.size()):
            taken.enter_context(engine.connect())
        with pytest.raises(StorageUnavailable) as refusal:
            people(database)
    assert "database is busy" in refusal.value.message
    assert refusal.value.retry_after
