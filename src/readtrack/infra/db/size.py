"""What the database is and how much space it takes."""

from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from readtrack.infra.db import Read
from readtrack.infra.db.sqlite import sqlite3


@dataclass(frozen=True)
class DatabaseSize:
    """Kind, version and size. `wal_bytes`: the write-ahead log, None on PostgreSQL, where it is the server's."""

    kind: str
    version: str
    total_bytes: int
    wal_bytes: int | None = None


def measure_database(tx: Read) -> DatabaseSize:
    """Return the size of the database. On SQLite the files are only looked at: to open them would end its locks."""
    if tx.is_in_process:
        path = Path(tx.get_bind().engine.url.database or "")
        return DatabaseSize("SQLite", sqlite3.sqlite_version, _file_bytes(path), _file_bytes(Path(f"{path}-wal")))
    query = sa.text("SELECT current_setting('server_version'), pg_database_size(current_database())")
    version, total_bytes = tx.connection().execute(query).one()
    return DatabaseSize("PostgreSQL", version.partition(" ")[0], total_bytes)


def _file_bytes(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
