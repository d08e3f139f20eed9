"""Preview of an import without writing, with the library's data if there is a library."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from readtrack.infra.config import Settings
from readtrack.infra.db import Database, current_revision, database_exists
from readtrack.ingest import parser
from readtrack.ingest.imports.commands import SMALL_BYTES, is_known_json, parse_notes
from readtrack.ingest.imports.propose import from_row, propose_rows, to_row
from readtrack.ingest.imports.stored_text import inspect_file
from readtrack.ingest.imports.uploads import refuse_unreadable
from readtrack.ingest.parser import ParsedEntry

NO_NOTE = 0  # a note id that matches no earlier revision, because the note is not stored
Proposer = Callable[[Sequence[ParsedEntry]], Sequence[ParsedEntry]]


def iter_parsed_entries(file: IO[bytes], size: int) -> Iterator[Sequence[ParsedEntry]]:
    """Yield the entries of a file of notes: all at once, or those of a long file of records by segment.

    Records that repeat one of another segment are not marked. Raise as parse_notes does.
    """
    from readtrack.ingest.parser import segments  # the parser is loaded when it is needed

    if size <= SMALL_BYTES:
        yield parse_notes(parser.decode(file.read())).entries
        return
    text = inspect_file(file, size)
    refuse_unreadable(text.sample, is_known_json)
    form = segments.record_format(text.sample)
    if not form:
        yield parse_notes("".join(text.pieces())).entries
        return
    reader = segments.open_reader(form)
    for piece in text.pieces():
        yield from (segment.entries for segment in reader.feed(piece))
    yield from (segment.entries for segment in reader.close())


@contextmanager
def open_previewer(settings: Settings) -> Iterator[Proposer]:
    """Yield a function that applies the team's rules to entries and marks what the library already has."""
    database = _open_library(settings)
    if database is None:
        yield lambda entries: entries
        return

    def propose(entries: Sequence[ParsedEntry]) -> Sequence[ParsedEntry]:
        rows = [to_row(entry, position) for position, entry in enumerate(entries, 1)]
        with database.read() as tx:
            return [from_row(row) for row in propose_rows(tx, entries, rows, NO_NOTE)]

    try:
        yield propose
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
