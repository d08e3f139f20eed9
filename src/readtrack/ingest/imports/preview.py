"""Preview of an import without writing, with the library's data if there is a library."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from readtrack.infra.config import Settings
from readtrack.infra.db import Database, current_revision, database_exists
from readtrack.ingest import parser
from readtrack.ingest.imports.columns import ColumnChoice, change_choice, choose_columns, from_reading
from readtrack.ingest.imports.commands import SMALL_BYTES, find_stored_text, is_known_json, parse_notes
from readtrack.ingest.imports.propose import from_row, propose_rows, to_rows
from readtrack.ingest.imports.stored_text import LongText, hash_notes, inspect_file
from readtrack.ingest.imports.uploads import refuse_unreadable
from readtrack.ingest.parser import ParsedEntry

NO_NOTE = 0  # a note id that matches no earlier revision, because the note is not stored


@dataclass(frozen=True)
class Previewer:
    """Reads notes as an import would: with the team's rules and papers if there is a library."""

    database: Database | None

    def choose_columns(self, text: str | LongText, chosen: Mapping[str, str]) -> ColumnChoice | None:
        """Return the columns of a text, which are those of its import if it is stored already. Raise ColumnError."""
        sample = text if isinstance(text, str) else text.sample
        if self.database is None:
            return choose_columns(None, sample, chosen)
        with self.database.read() as tx:
            stored = find_stored_text(tx, hash_notes(text))
            if stored is None:
                return choose_columns(tx, sample, chosen)
        choice = from_reading(stored.reading)
        return change_choice(choice, sample, chosen) if chosen else choice

    def propose(self, entries: Sequence[ParsedEntry]) -> Sequence[ParsedEntry]:
        """Apply the team's rules to entries and mark what the library already has."""
        if self.database is None:
            return entries
        rows = to_rows(entries)
        with self.database.read() as tx:
            return [from_row(row) for row in propose_rows(tx, entries, rows, NO_NOTE)]


@dataclass(frozen=True)
class NotePreview:
    """The columns of a file of notes, and its entries: all at once, or those of a long file of records by segment."""

    columns: ColumnChoice | None
    entries: Iterator[Sequence[ParsedEntry]]


def preview_file(previewer: Previewer, file: IO[bytes], size: int, chosen: Mapping[str, str]) -> NotePreview:
    """Read a file of notes. Records that repeat one of another segment are not marked. Raise as parse_notes does."""
    text = parser.decode(file.read()) if size <= SMALL_BYTES else inspect_file(file, size)
    columns = previewer.choose_columns(text, chosen)
    if isinstance(text, str):
        return NotePreview(columns, iter([parse_notes(text, columns=columns).entries]))
    return NotePreview(columns, _iter_entries(text, columns))


def _iter_entries(text: LongText, columns: ColumnChoice | None) -> Iterator[Sequence[ParsedEntry]]:
    from readtrack.ingest.parser import segments  # the parser is loaded when it is needed

    refuse_unreadable(text.sample, is_known_json)
    mapping = columns.mapping if columns else None
    form = "delimited" if mapping else segments.record_format(text.sample)
    if not form:
        yield parse_notes("".join(text.pieces())).entries
        return
    reader = segments.open_reader(form, columns=mapping)
    reader.look_ahead(text.pieces())
    for piece in text.pieces():
        yield from (segment.entries for segment in reader.feed(piece))
    yield from (segment.entries for segment in reader.close())


@contextmanager
def open_previewer(settings: Settings) -> Iterator[Previewer]:
    """Open the library if there is one."""
    database = _open_library(settings)
    try:
        yield Previewer(database)
    finally:
        if database is not None:
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
