"""A preview without writing anything: what a library already has is marked as known, if there is a library."""

from typing import Any

from readtrack.db import Database, current_revision, is_there
from readtrack.imports.queries import papers_of
from readtrack.settings import Settings


def marked_known(given: Settings, entries: list[dict[str, Any]]) -> None:
    """Sets the decision of entries whose identifier is in the library; leaves all as it is when there is none."""
    if not is_there(given.url):
        return
    database = Database(given.url)
    try:
        if current_revision(database)[0] is not None:
            _mark(database, entries)
    finally:
        database.dispose()


def _mark(database: Database, entries: list[dict[str, Any]]) -> None:
    with database.read() as tx:
        known = papers_of(tx, {identifier for entry in entries for identifier in entry["identifiers"]})
    for entry in entries:
        if entry["decision"] in {"add", "review"} and known.keys() & set(entry["identifiers"]):
            entry["decision"], entry["reason"] = "known", "already here"
