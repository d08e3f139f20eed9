"""Whole tables: any rows come back as they were, through an archive and on either database."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readtrack.infra.db import Database, change_schema, tables
from readtrack.infra.errors import Invalid
from readtrack.workspace.backup.archive import ArchiveWriter, open_archive

# Tables with every kind of column, and no constraint but their key.
NAMES = ("image", "reading_event", "event", "saved_search", "series")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
INTEGERS = st.integers(-(2**31), 2**31 - 1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
VALUES = {
    "integer": INTEGERS,
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "text": TEXTS,
    "boolean": st.booleans(),
    "datetime": st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)),  # noqa: DTZ001
    "date": st.dates(date(1, 1, 1)),
    "json": JSON,
    "bytes": st.binary(max_size=20),
}


@pytest.fixture(scope="module")
def databases(sqlite_files, postgres):
    opened = [(server, Database(server.copy())) for server in (sqlite_files, postgres)]
    yield [database for _, database in opened]
    for server, database in opened:
        database.dispose()
        server.drop(database.url)


@pytest.fixture(scope="module")
def nullable(databases):
    """The columns of each table, and which of them may be NULL."""
    with databases[0].snapshot() as connection:
        columns = tables.list_tables(connection)
        inspector = sa.inspect(connection)
        return {
            name: (columns[name], {column["name"] for column in inspector.get_columns(name) if column["nullable"]})
            for name in NAMES
        }


def draw_rows(draw: Any, columns: Any, optional: Any) -> list[dict[str, Any]]:
    rows = []
    for number in range(draw(st.integers(0, 3))):
        row = {
            name: draw(VALUES[kind]) for name, kind in columns.items() if name not in optional or draw(st.booleans())
        }
        unique = {name: f"{number}" for name in ("name", "sha256") if name in row}
        fixed = {"weekday": 0, "interval_weeks": 0, "display": "list"}
        rows.append(row | unique | {name: value for name, value in fixed.items() if name in row} | {"id": number + 1})
    return rows


@pytest.mark.filterwarnings("ignore:.*expression-based index")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_rows_come_back_on_either_database(databases, nullable, tmp_path, data):
    name = data.draw(st.sampled_from(NAMES))
    columns, optional = nullable[name]
    rows = draw_rows(data.draw, columns, optional)
    path = tmp_path / "rows.zip"
    with path.open("wb") as file, ArchiveWriter.open(file) as writer:
        writer.add_table(name, columns, rows)
        writer.finish(kind="library", revision="", database="")
    for database in databases:
        with open_archive(path) as archive, change_schema(database) as connection:
            drop_foreign_keys(connection, name)
            tables.fill_table(connection, name, columns, archive.rows(name))
            found = list(tables.read_rows(connection, name, columns))
            connection.execute(sa.delete(sa.table(name)))
        assert sorted(found, key=lambda row: row["id"]) == rows


def drop_foreign_keys(connection, table):
    if connection.dialect.name == "postgresql":
        for key in sa.inspect(connection).get_foreign_keys(table):
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP CONSTRAINT {key['name']}")


@pytest.mark.both_databases
def test_numbering_continues_after_the_highest_id_ever_given(database):
    with change_schema(database) as connection:
        tables.set_last_ids(connection, {"topic": 41, "comparison": 7}, tables.list_tables(connection))
    with database.snapshot() as connection:
        assert {"topic": 41, "comparison": 7}.items() <= tables.last_ids(
            connection, tables.list_tables(connection)
        ).items()
    with database.write() as tx:
        tx.execute(sa.text("INSERT INTO macro (name, body, created_at) VALUES ('a', '', '2026-03-31')"))
    with change_schema(database) as connection:
        tables.set_last_ids(connection, {}, tables.list_tables(connection))
        values = {"id": 3, "name": "b", "body": "", "created_at": datetime(2026, 3, 31, tzinfo=UTC)}
        tables.fill_table(connection, "macro", tables.list_tables(connection)["macro"], [values])


@pytest.mark.both_databases
def test_a_missing_reference_is_named(database):
    row = {"id": 1, "paper_id": 5, "scheme": "doi", "value": "10.1/1", "asserted_by": ""}
    with pytest.raises(Invalid, match="table identifier refers to a missing row of paper"):
        fill_without_foreign_keys(database, "identifier", row)


def fill_without_foreign_keys(database, table, row):
    with change_schema(database) as connection, tables.without_foreign_keys(connection):
        tables.fill_table(connection, table, tables.list_tables(connection)[table], [row])


def test_tables_are_filled_without_their_indexes_and_have_them_afterwards(database, dialect):
    if dialect != "sqlite":
        pytest.skip("PostgreSQL keeps its indexes")
    with change_schema(database) as connection:
        before = list_indexes(connection)
        with tables.without_indexes(connection):
            assert not any(list_indexes(connection).values())
            fill_papers(connection, "a", "b")
        assert list_indexes(connection) == before


def test_a_row_that_an_index_refuses_afterwards_is_an_error(database):
    message = r"Table paper has a row that the database refuses \((UNIQUE|duplicate key).*citation_key"
    with (
        pytest.raises(Invalid, match=message),
        change_schema(database) as connection,
        tables.without_indexes(connection),
    ):
        fill_papers(connection, "a", "A")


def list_indexes(connection):
    """Return the definitions of indexes by name; those of constraints have none."""
    return dict(connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'index'").all())


def fill_papers(connection, *citation_keys):
    columns = tables.list_tables(connection)["paper"]
    rows = [make_paper_row(columns, id=number, citation_key=key) for number, key in enumerate(citation_keys, 1)]
    tables.fill_table(connection, "paper", columns, rows)


def make_paper_row(columns, **values):
    """Return a row with a value for each column that needs one."""
    blank: dict[str, Any] = {"text": "", "json": [], "datetime": datetime(2026, 3, 31, tzinfo=UTC)}
    row = {name: blank[kind] for name, kind in columns.items() if kind in blank and name != "deleted_at"}
    return row | {"kind": "paper", "triage": "library", "version": 1, "compared_version": 0} | values
