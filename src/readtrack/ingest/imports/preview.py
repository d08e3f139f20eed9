"""Preview of an import without writing, with the library's data if there is a library."""

from collections.abc import Iterable
from typing import Any

from readtrack.infra.config import Settings
from readtrack.infra.db import Database, Read, current_revision, database_exists
from readtrack.ingest import parser
from readtrack.ingest.imports.commands import ParsedNotes
from readtrack.ingest.imports.propose import from_row, propose_rows

NO_NOTE = 0  # a note id that matches no earlier revision, because the note is not stored


def build_preview(settings: Settings, parsed_files: Iterable[tuple[str, ParsedNotes]]) -> list[dict[str, Any]]:
    """Return the entries of these files, each with its path, in the documented JSON form."""
    database = _open_library(settings)
    if database is None:
        return [record for path, parsed in parsed_files for record in parser.preview_json(parsed.entries, path)]
    try:
        with database.read() as tx:
            return [
                record
                for path, parsed in parsed_files
                for record in parser.preview_json(_propose_entries(tx, parsed), path)
            ]
    finally:
        database.dispose()


def _open_library(settings: Settings) -> Database | None:
    """Open the library if it exists and its schema is up to date."""
    if not database_exists(settings.url):
        return None
    database = Database(settings.url)
    current, expected = current_revision(database)
    if current is not None and current == expected:
        return database
    database.dispose()
    return None


def _propose_entries(tx: Read, parsed: ParsedNotes) -> list[parser.ParsedEntry]:
    return [from_row(row) for row in propose_rows(tx, parsed.entries, parsed.rows, NO_NOTE)]
