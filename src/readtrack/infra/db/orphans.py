"""Rows that refer to missing rows, which only a damaged or hand-edited SQLite file has."""

import base64
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from readtrack.infra.db import Database

BATCH_SIZE = 500


def move_orphans(database: Database, path: Path) -> int:
    """Move all rows that refer to missing rows to a file of JSON lines, and return their number.

    The file is on the disk before the rows are deleted. What referred to a moved row is moved after it.
    """
    moved_count = 0
    with _without_foreign_keys(database) as connection, _create_file(path) as descriptor:
        while orphans := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(BATCH_SIZE):
            rows = {(orphan[0], orphan[1]) for orphan in orphans}  # A row may refer to several.
            for table, row_id in sorted(rows):
                _move_row(connection, descriptor, table, row_id)
            os.fsync(descriptor)
            connection.commit()
            moved_count += len(rows)
    return moved_count


def _move_row(connection: sa.Connection, descriptor: int, table: str, row_id: int) -> None:
    name = connection.dialect.identifier_preparer.quote(table)
    row = connection.exec_driver_sql(f"SELECT * FROM {name} WHERE rowid = ?", (row_id,)).mappings().one()  # noqa: S608
    line = json.dumps({"table": table, "row": dict(row)}, default=_encode_bytes, ensure_ascii=False)
    os.write(descriptor, f"{line}\n".encode(errors="surrogateescape"))
    connection.exec_driver_sql(f"DELETE FROM {name} WHERE rowid = ?", (row_id,))  # noqa: S608


def _encode_bytes(value: Any) -> str:  # noqa: ANN401 - what JSON does not know: bytes
    return base64.b64encode(value).decode()


@contextmanager
def _create_file(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _without_foreign_keys(database: Database) -> Iterator[sa.Connection]:
    """Open a connection on which deleting a row neither fails for nor deletes those that refer to it."""
    with database.connect_writer() as connection:
        try:
            connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")  # Before BEGIN, else it has no effect.
            yield connection
        finally:
            connection.invalidate()
