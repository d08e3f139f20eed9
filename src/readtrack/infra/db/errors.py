"""Translation of database errors into user messages by SQLSTATE (PostgreSQL) and result code (SQLite)."""

from collections.abc import Callable
from typing import Any

from sqlalchemy.exc import DataError, DBAPIError, OperationalError

from readtrack.infra.errors import Invalid, NotFound, ReadtrackError, StorageUnavailable
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

BUSY = N_("The database is busy. Try again in a moment.")
NO_SUCH = N_("This doesn't exist, or you don't have access to it.")
AWAY = N_("The database isn't responding. Try again.")
DAMAGED = N_("The database file is damaged or isn't a readtrack database. Restore the last backup.")
INDEX_DAMAGED = N_("The search index is damaged. Ask an admin to run `readtrack check --repair`.")
SLOW = N_("The search took too long. Narrow it down.")
FULL = N_("Not saved: the disk is full. Free some space and try again.")
READ_ONLY = N_("Not saved: the database is read-only. Check its permissions.")
BROKEN = N_("The database can't be opened. Check its folder and disk.")
CLOSED = N_("The database can't be opened. Check its folder and disk.")
DENIED = N_("The database denied access. Check the permissions of its user.")
LONG = N_("Something is too long to save. Shorten it.")


def busy_error() -> StorageUnavailable:
    """Return the error for a timeout while other transactions write."""
    return StorageUnavailable(_(BUSY), retry_after=5)


def _unavailable(message: str, seconds: float) -> Callable[[], ReadtrackError]:
    return lambda: StorageUnavailable(message, retry_after=seconds)


_NO_SUCH, _LONG = (lambda: NotFound(NO_SUCH)), (lambda: Invalid(LONG))
_AWAY, _FULL, _READ_ONLY = _unavailable(AWAY, 10), _unavailable(FULL, 60), _unavailable(READ_ONLY, 60)
_BROKEN, _CLOSED, _DENIED = _unavailable(BROKEN, 60), _unavailable(CLOSED, 60), _unavailable(DENIED, 60)
_SLOW, _DAMAGED = (lambda: StorageUnavailable(SLOW)), (lambda: StorageUnavailable(DAMAGED))
_INDEX_DAMAGED = lambda: StorageUnavailable(INDEX_DAMAGED)  # noqa: E731 - as the others

_BY_SQLSTATE = {  # https://www.postgresql.org/docs/current/errcodes-appendix.html; the longest matching prefix wins
    "08": _AWAY,
    "22": _NO_SUCH,  # A number out of range or a NUL character in a URL.
    "22001": _LONG,
    "25006": _READ_ONLY,
    "28": _DENIED,
    "3D": _CLOSED,
    "40": busy_error,
    "42501": _DENIED,
    "53": busy_error,
    "53100": _FULL,
    "54": _LONG,  # Index row or text search input too large.
    "55P03": busy_error,
    "57": _AWAY,
    "57014": _SLOW,
    "58": _BROKEN,
    "XX": _DAMAGED,
}
SQLITE_BUSY = 5
SQLITE_CORRUPT = 11
_BY_RESULT_CODE = {  # https://www.sqlite.org/rescode.html
    3: _DENIED,
    SQLITE_BUSY: busy_error,
    6: busy_error,
    8: _READ_ONLY,
    9: _SLOW,
    10: _BROKEN,
    SQLITE_CORRUPT: _DAMAGED,
    13: _FULL,
    14: _CLOSED,
    18: _LONG,
    26: _DAMAGED,
}


def is_busy(error: DBAPIError) -> bool:
    """Return True if another connection holds SQLite's write lock."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == SQLITE_BUSY


def is_about_search_index(message: str) -> bool:
    """Return True if SQLite found damage in a search index only, which can be built again."""
    return "fts5" in message.lower()


def _lacks_search_index(message: str) -> bool:
    """Return True if a table of the search index was dropped while readtrack was running."""
    return message.startswith(("no such table: search_", 'relation "search_'))


def translate_error(error: DBAPIError) -> ReadtrackError | None:
    """Return the error to show to the user.

    Return None for constraint violations and for errors that only a bug in readtrack can cause.
    """
    build_error = _by_code(error.orig)
    if build_error is None and isinstance(error, DataError):
        build_error = _NO_SUCH
    if build_error is None and isinstance(error, OperationalError) and not _has_code(error.orig):
        build_error = _AWAY  # Connection failures carry no code.
    return build_error() if build_error else None


def _by_code(original: Any) -> Callable[[], ReadtrackError] | None:  # noqa: ANN401 - the error of either driver
    if _lacks_search_index(str(original)):
        return _INDEX_DAMAGED
    code = getattr(original, "sqlite_errorcode", None)
    if code is not None:
        if code & 0xFF == SQLITE_CORRUPT and is_about_search_index(str(original)):
            return _INDEX_DAMAGED
        return _BY_RESULT_CODE.get(code & 0xFF)  # The low byte is the primary result code.
    state = getattr(original, "sqlstate", None) or ""
    return next((_BY_SQLSTATE[state[:length]] for length in (5, 2) if state[:length] in _BY_SQLSTATE), None)


def _has_code(original: Any) -> bool:  # noqa: ANN401
    return bool(getattr(original, "sqlstate", None) or getattr(original, "sqlite_errorcode", None))
