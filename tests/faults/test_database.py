"""F3, F5 and F7 to a serving readtrack: what cannot be saved is said, reading goes on, and it recovers alone."""

from contextlib import closing

import pytest
import sqlalchemy as sa

from readtrack.infra import db
from readtrack.infra.db.sqlite import sqlite3
from tests import make
from tests.nowhere import surroundings
from tests.processes import processes


@pytest.fixture
def ada(sign_in, database, dialect):
    if dialect != "sqlite":
        pytest.skip("a file of SQLite")
    with database.write() as tx:
        visitor = make.visitor(tx, "Ada")
    return sign_in(visitor)


def add(browser, title):
    return browser.post("/api/v1/papers", json={"title": title})


def titles(browser):
    return [paper["title"] for paper in browser.get("/api/v1/papers").json()["items"]]


def limit_pages(database, count):
    """Let the file grow to `count` pages, as a disk that has no more space would."""
    with database.write() as tx:
        tx.execute(sa.text(f"PRAGMA max_page_count = {count}"))


def test_f3_a_full_disk_refuses_writes_answers_reads_and_recovers_alone(ada, database):
    assert add(ada, "Before it was full").status_code == 201
    limit_pages(database, 1)  # SQLite takes the present size
    answers = [add(ada, f"{number} " + "while it is full " * 20) for number in range(60)]
    refusal = answers[-1]
    assert (refusal.status_code, refusal.json()["code"]) == (503, "storage-unavailable")
    assert "disk is full" in refusal.json()["detail"]
    assert int(refusal.headers["retry-after"]) > 0
    saved = [answer.json()["title"] for answer in answers if answer.status_code == 201]
    assert ada.get("/papers").status_code == 200
    limit_pages(database, 1_000_000)
    assert add(ada, "After it was full").status_code == 201
    assert set(titles(ada)) >= {"Before it was full", "After it was full"}
    with database.read() as tx:
        stored = set(tx.scalars(sa.text("SELECT title FROM paper")))
    assert stored == {*saved, "Before it was full", "After it was full"}
    assert (db.integrity_problems(database), db.foreign_key_problems(database)) == (([], []), [])


def test_f7_while_another_program_locks_the_database_reads_go_on_and_writes_are_told_to_come_back(
    ada, database, monkeypatch
):
    monkeypatch.setattr(db, "WRITE_WAIT", 0.3)
    monkeypatch.setitem(db.SQLITE_DRIVER, "timeout", 0.3)
    with closing(sqlite3.connect(str(sa.make_url(database.url).database), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refusal = add(ada, "While it is locked")
        assert (refusal.status_code, int(refusal.headers["retry-after"]) > 0) == (503, True)
        assert ada.get("/papers").status_code == 200
        other.execute("ROLLBACK")
    assert add(ada, "After it was locked").status_code == 201
    assert titles(ada) == ["After it was locked"]


BROKEN_FOLDERS = {
    "a file": lambda path: path.write_text("no folder"),
    "below a file": lambda path: path.parent.joinpath("file").write_text("no folder"),
}


@pytest.mark.parametrize("words", [("serve", "--port", "0"), ("migrate",)])
@pytest.mark.parametrize("what", BROKEN_FOLDERS)
def test_f5_a_data_folder_that_cannot_be_used_is_one_line_on_stderr(tmp_path, what, words):
    path = tmp_path / "data"
    BROKEN_FOLDERS[what](path)
    data = path if what == "a file" else tmp_path / "file" / "data"
    log = tmp_path / "log"
    ended = processes().wait(processes().start(*words, environment=surroundings(data), log=log))
    assert (ended, len(log.read_text().strip().splitlines())) == (1, 1), log.read_text()
    assert str(data) in log.read_text()
