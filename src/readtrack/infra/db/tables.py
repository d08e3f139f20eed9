"""Whole tables, independent of the models: read at one point in time, created at any revision, and filled.

Rows are mappings of column to value. A column that is NULL is left out, so that None means null in JSON.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any, Literal, get_args

import sqlalchemy as sa
from pydantic_core import from_json

from readtrack.infra.db import dump_json, migrations
from readtrack.infra.errors import Invalid

Kind = Literal["boolean", "datetime", "date", "json", "bytes", "integer", "number", "text"]
KINDS: tuple[str, ...] = get_args(Kind)
Columns = Mapping[str, Kind]
Row = Mapping[str, Any]
BATCH_SIZE = 1_000  # Rows fetched at once.
_TYPES: tuple[tuple[type[sa.types.TypeEngine[Any]], Kind], ...] = (
    (sa.Boolean, "boolean"),
    (sa.DateTime, "datetime"),
    (sa.Date, "date"),
    (sa.JSON, "json"),
    (sa.LargeBinary, "bytes"),
    (sa.Integer, "integer"),
    (sa.Float, "number"),
    (sa.String, "text"),
)
_Convert = Callable[[Any], Any] | None


def list_tables(connection: sa.Connection) -> dict[str, Columns]:
    """Return the columns of each table that a migration has created, but not of Alembic's own and the search index."""
    inspector = sa.inspect(connection)
    names = migrations.created_tables().intersection(inspector.get_table_names())
    return {
        name: {column["name"]: _kind_of(column["type"]) for column in inspector.get_columns(name)}
        for name in sorted(names)
    }


def _kind_of(column_type: sa.types.TypeEngine[Any]) -> Kind:
    return next(kind for type_, kind in _TYPES if isinstance(column_type, type_))


def read_rows(
    connection: sa.Connection, table: str, columns: Columns, *conditions: sa.ColumnElement[bool]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, a batch in memory at a time."""
    is_sqlite = connection.dialect.name == "sqlite"
    source = sa.table(table, *(sa.column(name) for name in columns))
    # PostgreSQL's driver would parse JSON, so that null in JSON and NULL were the same.
    selected = [
        sa.cast(source.c[name], sa.Text).label(name) if kind == "json" and not is_sqlite else source.c[name]
        for name, kind in columns.items()
    ]
    readers = _SQLITE_READERS if is_sqlite else _POSTGRES_READERS
    fields = [(name, readers.get(kind)) for name, kind in columns.items()]
    options = {"stream_results": True, "yield_per": BATCH_SIZE}
    result = connection.execute(sa.select(*selected).where(*conditions), execution_options=options)
    for row in result:
        yield {
            name: value if convert is None else convert(value)
            for (name, convert), value in zip(fields, row, strict=True)
            if value is not None
        }


def _aware(stored: str) -> datetime:
    return datetime.fromisoformat(f"{stored}+00:00")


def _parse_json(stored: str | float) -> Any:  # noqa: ANN401 - any value of JSON
    """Return a value that was stored as JSON. SQLite turns a text that is a number into one."""
    return from_json(stored) if isinstance(stored, str) else stored


_SQLITE_READERS: Mapping[str, _Convert] = {
    "boolean": bool,
    "datetime": _aware,
    "date": date.fromisoformat,
    "json": _parse_json,
}
_POSTGRES_READERS: Mapping[str, _Convert] = {"json": from_json, "datetime": lambda moment: moment.astimezone(UTC)}


def last_ids(connection: sa.Connection, tables: Iterable[str]) -> dict[str, int]:
    """Return the highest ID ever given to a row, of the tables for which the database remembers it."""
    if connection.dialect.name == "sqlite":
        if not _numbers_rows(connection):
            return {}
        wanted = set(tables)
        rows = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence").all()
        return {name: number for name, number in rows if name in wanted}
    found = {}
    for table, sequence in _sequences(connection, tables).items():
        last = connection.exec_driver_sql(f"SELECT last_value FROM {sequence} WHERE is_called").scalar()  # noqa: S608
        if last is not None:
            found[table] = int(last)
    return found


def set_last_ids(connection: sa.Connection, numbers: Mapping[str, int], tables: Iterable[str]) -> None:
    """Continue numbering after these IDs and after the rows that there are."""
    if connection.dialect.name == "sqlite":
        query = sa.text("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
        for table in connection.scalars(query).all():
            values = {"table": table, "number": numbers.get(table, 0)}
            found = connection.execute(sa.text("SELECT seq FROM sqlite_sequence WHERE name = :table"), values).scalar()
            if found is None:
                connection.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :number)"), values)
            elif found < values["number"]:
                connection.execute(sa.text("UPDATE sqlite_sequence SET seq = :number WHERE name = :table"), values)
        return
    for table, sequence in _sequences(connection, tables).items():
        highest = connection.scalar(sa.select(sa.func.max(sa.column("id"))).select_from(sa.table(table)))
        if last := max(highest or 0, numbers.get(table, 0)):
            connection.execute(sa.text("SELECT setval(:sequence, :last)"), {"sequence": sequence, "last": last})


def _numbers_rows(connection: sa.Connection) -> bool:
    """Return True if SQLite has its table of the highest IDs, which it creates with the first table that needs it."""
    return connection.exec_driver_sql("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").first() is not None


def _sequences(connection: sa.Connection, tables: Iterable[str]) -> dict[str, str]:
    """Return the name of the sequence of each table that has one on PostgreSQL."""
    query = sa.text(
        "SELECT table_name, pg_get_serial_sequence(quote_ident(table_name), 'id') FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND column_name = 'id'"
    )
    wanted = set(tables)
    return {table: sequence for table, sequence in connection.execute(query) if sequence and table in wanted}


@contextmanager
def without_foreign_keys(connection: sa.Connection) -> Iterator[None]:
    """Allow the tables to be filled in any order, within `change_schema`.

    Raise Invalid if a row then refers to a missing one.
    """
    if connection.dialect.name == "sqlite":
        yield
        if orphan := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
            raise Invalid(MISSING.format(table=orphan[0], other=orphan[2]))
        return
    keys = connection.exec_driver_sql(
        "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid), confrelid::regclass::text "
        "FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
    ).all()
    for table, name, *_ in keys:
        connection.exec_driver_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    yield
    for table, name, definition, other in keys:
        try:
            connection.exec_driver_sql(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        except sa.exc.IntegrityError as error:
            raise Invalid(MISSING.format(table=table, other=other)) from error


@contextmanager
def without_indexes(connection: sa.Connection) -> Iterator[None]:
    """Create the indexes after the tables are filled on SQLite, where sorting all rows is faster than inserting each.

    Raise Invalid if rows are then not unique. PostgreSQL's stay, as its foreign keys depend on some of them.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    query = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    indexes = connection.exec_driver_sql(query).all()
    for name, *_ in indexes:
        connection.exec_driver_sql(f"DROP INDEX {name}")
    yield
    for _name, table, definition in indexes:
        try:
            connection.exec_driver_sql(definition)
        except sa.exc.IntegrityError as error:
            raise Invalid(REFUSED.format(table=table, reason=error.orig)) from error


MISSING = "A row of table {table} refers to a missing row of {other}."


def fill_table(connection: sa.Connection, table: str, columns: Columns, rows: Iterable[Row]) -> None:
    """Insert rows of any number, a few in memory at a time. Raise Invalid if the database refuses one."""
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(map(quote, columns))
    is_sqlite = connection.dialect.name == "sqlite"
    writers = _SQLITE_WRITERS if is_sqlite else _POSTGRES_WRITERS
    converted = [(at, name, writers[kind]) for at, (name, kind) in enumerate(columns.items()) if kind in writers]
    values = (_values(row, columns, converted) for row in rows)
    driver: Any = connection.dialect.loaded_dbapi
    cursor: Any = connection.connection.cursor()
    try:
        if is_sqlite:
            places = ", ".join("?" for _ in columns)
            cursor.executemany(f"INSERT INTO {quote(table)} ({names}) VALUES ({places})", values)  # noqa: S608
        else:
            with cursor.copy(f"COPY {quote(table)} ({names}) FROM STDIN") as copy:
                for value in values:
                    copy.write_row(value)
    except (driver.IntegrityError, driver.DataError) as error:
        raise Invalid(REFUSED.format(table=table, reason=str(error).partition("\n")[0])) from error
    except driver.Error as error:
        raise sa.exc.DBAPIError("", None, error) from error
    finally:
        cursor.close()


REFUSED = "Table {table} has a row that the database refuses ({reason})."


def _values(row: Row, columns: Columns, converted: Sequence[tuple[int, str, Callable[[Any], Any]]]) -> list[Any]:
    """Return the values of a row as the driver takes them. `converted`: the columns whose values it does not know."""
    values = [*map(row.get, columns)]
    for at, name, convert in converted:
        if name in row:
            values[at] = convert(row[name])
    return values


_UTC = "+00:00"


def _naive(moment: datetime) -> str:
    text = moment.isoformat(" ", "microseconds")
    return text[: -len(_UTC)] if text.endswith(_UTC) else _naive(moment.astimezone(UTC))


_SQLITE_WRITERS: Mapping[str, Callable[[Any], Any]] = {
    "datetime": _naive,
    "date": date.isoformat,
    "json": dump_json,
}
_POSTGRES_WRITERS: Mapping[str, Callable[[Any], Any]] = {"json": json.dumps}


def drop_tables(connection: sa.Connection) -> None:
    """Drop all tables of readtrack on PostgreSQL, the search index included. Other tables stay."""
    names = sa.inspect(connection).get_table_names()
    ours = migrations.created_tables() | {migrations.TABLE}
    quote = connection.dialect.identifier_preparer.quote
    dropped = [quote(name) for name in names if name in ours or name.startswith("search_")]
    if dropped:
        connection.exec_driver_sql(f"DROP TABLE {', '.join(dropped)} CASCADE")
