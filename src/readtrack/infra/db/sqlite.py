"""The SQLite driver: `pysqlite3`, which brings a current SQLite, where it has a wheel, else Python's own.

SQLite before 3.51.3 has a rare fault when several processes write and checkpoint at the same time.
"""

import sqlite3 as standard_sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    sqlite3 = standard_sqlite3
else:
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        sqlite3 = standard_sqlite3

__all__ = ["SAFE_VERSION", "is_safe", "sqlite3"]

SAFE_VERSION = (3, 51, 3)


def is_safe() -> bool:
    """Return True if several processes may write to one database."""
    return sqlite3.sqlite_version_info >= SAFE_VERSION
