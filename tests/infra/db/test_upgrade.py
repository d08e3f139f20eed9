"""A library that an earlier version wrote is upgraded with all that it has.

`library-0011.json.gz` is the content of every table at revision 0011, written by the version that had it: the demo, and
a library in which everything happened once.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import ScriptDirectory
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Database, migrate
from readtrack.infra.db.migrations import config_over
from readtrack.infra.jobs import queue
from readtrack.infra.models import (
    AgendaItem,
    DuplicateKey,
    Job,
    Meeting,
    Paper,
    Person,
    Reading,
    Series,
    Topic,
    UndoEntry,
)
from readtrack.infra.permissions import CurrentUser
from readtrack.library.duplicates.jobs import JOB, schedule_duplicate_search
from readtrack.library.duplicates.stored_keys import has_uncompared
from readtrack.workspace.trash.restore import restore_item
from tests.databases import Server
from tests.infra.db.test_migrations import move

pytestmark = [
    pytest.mark.slow,
    pytest.mark.both_databases,
    pytest.mark.filterwarnings("ignore:.*expression-based index"),
]

OLD, NEW = "0011", "0012"
PLACE = {"place": "position"}
SERIES = {"at": "start_time", "every": "interval_weeks", "place": "location", "rota": "presenter_order"}
IN_JSON = {  # table and beginning of the verb: columns that `before` and `after` name
    ("reading_event", ""): PLACE,
    ("event", "agenda."): PLACE,
    ("event", "meeting."): {"place": "location"},
    ("event", "series."): SERIES,
}

Content = dict[str, list[dict[str, Any]]]  # table: its rows


def older_library(database: Database) -> None:
    """The library as it was at revision 0011."""
    _drop_tables(database.url)
    move(database, command.upgrade, OLD)
    _load(database)


def upgraded_library(database: Database) -> None:
    """The same, upgraded to what this readtrack wants."""
    older_library(database)
    migrate(database)
    with database.write() as tx:
        search.ensure(tx)


@pytest.fixture
def older(server: Server) -> Iterator[Database]:
    database = Database(server.copy(older_library))
    yield database
    database.dispose()
    server.drop(database.url)


@pytest.fixture
def database_url(server: Server) -> Iterator[str]:
    url = server.copy(upgraded_library)
    yield url
    server.drop(url)


@pytest.mark.deep
def test_every_value_of_an_older_library_survives_the_upgrade(older):
    before = _content(older)
    assert before == _dump()
    assert all(before.values()), "a table without rows shows nothing"
    move(older, command.upgrade, NEW)
    expected = {_tables().get(table, table): _renamed(table, rows) for table, rows in before.items()}
    assert _content(older) == expected
    move(older, command.downgrade, OLD)
    assert _content(older) == before


@pytest.mark.deep
def test_undo_entries_from_before_the_upgrade_work_after_it(database):
    with database.write() as tx:
        entry = tx.scalars(sa.select(UndoEntry).where(col(UndoEntry.verb) == "meeting.deleted")).one()
        planned = entry.undo["row"]
        restore_item(tx, _person(tx, "Editor"), "others", entry.id or 0)
    with database.read() as tx:
        meeting = tx.get_one(Meeting, planned["id"])
        assert (meeting.title, meeting.location) == (planned["title"], planned["location"])
        items = tx.scalars(sa.select(AgendaItem).where(col(AgendaItem.meeting_id) == meeting.id)).all()
        assert [item.position for item in items] == [item["position"] for item in entry.undo["items"]]


@pytest.mark.one_database
def test_the_pages_of_an_upgraded_library_open(database, sign_in):
    with database.read() as tx:
        admin = _person(tx, "Admin")
        queued = tx.scalars(sa.select(col(Reading.paper_id)).where(col(Reading.position).is_not(None))).first()
        topic = tx.scalars(sa.select(col(Topic.slug))).first()
        series, meeting = (tx.scalars(sa.select(col(table.id))).first() for table in (Series, Meeting))
        present = sa.select(col(Paper.id)).where(col(Paper.deleted_at).is_(None), col(Paper.merged_into).is_(None))
        papers = tx.scalars(present.limit(3)).all()
    browser = sign_in(admin)
    pages = ["/", "/papers", "/queue", "/board", "/topics", "/meetings", "/assignments", "/questions", "/views"]
    pages += ["/activity", "/admin/audit", "/trash", "/imports", "/bulk/done", "/api/v1/meetings", "/api/v1/series"]
    pages += [f"/papers/{paper}" for paper in (queued, *papers)]
    pages += [f"/topics/{topic}", f"/meetings/series/{series}", f"/meetings/{meeting}"]
    answers = {page: browser.get(page, follow_redirects=True).status_code for page in pages}
    assert answers == dict.fromkeys(pages, 200)


def test_the_papers_of_an_upgraded_library_are_compared_once(database):
    with database.read() as tx:
        assert has_uncompared(tx)
    schedule_duplicate_search(database)
    with database.write() as tx:
        tx.execute(sa.update(Job).where(col(Job.kind) == JOB).values(run_at=now()))
    assert queue.run_due_job(database, cast("Any", None), kinds=(JOB,))
    with database.read() as tx:
        assert not has_uncompared(tx)
        assert tx.scalar(sa.select(sa.func.count()).select_from(DuplicateKey))


def _drop_tables(url: str) -> None:
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        Path(parsed.database or "").unlink()
        return
    engine = sa.create_engine(parsed)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()


@cache
def _dump() -> Content:
    held = json.loads(gzip.decompress(Path(__file__).with_name(f"library-{OLD}.json.gz").read_bytes()))
    return {name: [dict(zip(one["columns"], row, strict=True)) for row in one["rows"]] for name, one in held.items()}


@cache
def _tables() -> Mapping[str, str]:
    return dict(_migration().TABLES)


def _migration() -> Any:
    return ScriptDirectory.from_config(config_over(None)).get_revision(NEW).module


def _renamed(table: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    columns = _migration().COLUMNS.get(_tables().get(table, table), {})
    return [{columns.get(name, name): _in_json(table, name, row) for name, value in row.items()} for row in rows]


def _in_json(table: str, column: str, row: Mapping[str, Any]) -> Any:
    value = row[column]
    if table == "deed" and row["verb"] == "meeting.deleted" and column == "undo":
        items = [_with_keys(item, PLACE) for item in value["items"]]
        return {**value, "row": _with_keys(value["row"], {"place": "location"}), "items": items}
    if column in {"before", "after"} and value is not None:
        for (of, verb), names in IN_JSON.items():
            if of == table and row["verb"].startswith(verb):
                return _with_keys(value, names)
    return value


def _with_keys(value: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): each for name, each in value.items()}


def _load(database: Database) -> None:
    with database.engines[0].connect() as connection, connection.begin():
        if database.dialect == "sqlite":
            connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        for name, table in _reflected(connection).items():
            rows = [{key: _stored(table.c[key], value) for key, value in row.items()} for row in _dump()[name]]
            connection.execute(sa.insert(table), rows)
            if database.dialect == "postgresql" and "id" in table.c:  # rows to come are numbered from there on
                sequence = sa.func.pg_get_serial_sequence(name, "id")
                connection.execute(sa.select(sa.func.setval(sequence, max(row["id"] for row in rows))))


def _content(database: Database) -> Content:
    with database.read() as tx:
        found = {}
        for name, table in _reflected(tx.connection()).items():
            rows = tx.execute(sa.select(table).order_by(*table.primary_key.columns)).mappings()
            found[name] = [{key: _plain(value) for key, value in row.items()} for row in rows]
    return found


def _reflected(connection: sa.Connection) -> dict[str, sa.Table]:
    """The tables as they are at this revision, those first that others refer to."""
    known = sa.MetaData()
    known.reflect(connection, only=lambda name, _: not name.startswith(("search_", "alembic_")))
    return {table.name: table for table in known.sorted_tables}


def _plain(value: Any) -> Any:
    """As the dump has it."""
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return (value.astimezone(UTC) if value.tzinfo else value).strftime("%Y-%m-%d %H:%M:%S.%f")
    return value.isoformat() if isinstance(value, date) else value


def _stored(column: sa.Column[Any], value: Any) -> Any:
    if value is None:
        return None if not isinstance(column.type, sa.JSON) else sa.null()
    if isinstance(column.type, sa.DateTime):
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    if isinstance(column.type, sa.Date):
        return date.fromisoformat(value)
    return base64.b64decode(value["bytes"]) if isinstance(column.type, sa.LargeBinary) else value


def _person(tx: Any, name: str) -> CurrentUser:
    found = tx.scalars(sa.select(Person).where(col(Person.name) == name)).one()
    return CurrentUser(found.id, found.name, found.role, confirmed=True)
