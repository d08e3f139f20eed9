"""Queries on stored notes: the list of notes, their lines with the entries they became, their open questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound, TooLarge
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comparison as Table
from readtrack.infra.models import Entry, Note, NoteRevision, Person, Question, Topic
from readtrack.ingest.imports import queries, stored_text
from readtrack.ingest.imports.compare_revisions import RevisionDiff, compare_lines
from readtrack.ingest.imports.queries import ImportState

MAX_LINES_OF_LONG_TEXT = 2000  # lines shown at a time of a text that is stored in chunks
NEAR_LINES = 200
_HIDDEN = ("uploading", "discarded")
MAX_LIST_LENGTH = 500
MAX_OPEN_QUESTIONS = 100  # open questions on one page


@dataclass
class NoteLine:
    """One line: its number, its text, and the entries that begin on it."""

    number: int
    text: str
    outcome: str = "blank"
    entries: list[Any] = field(default_factory=list)


def build_note_lines(texts: Sequence[str], entries: Iterable[Any], first: int = 1) -> Sequence[NoteLine]:
    """Return lines of a note, from the number `first` on, with the entries that begin on them.

    The kind of a line is that of its first entry.
    """
    lines = [NoteLine(number, text) for number, text in enumerate(texts, first)]
    for entry in entries:
        for number in range(max(entry.first_line, first), min(entry.last_line, first + len(lines) - 1) + 1):
            line = lines[number - first]
            if entry.part == 1:
                line.outcome = entry.kind
            if number == entry.first_line:
                line.entries.append(entry)
    return lines


@dataclass(frozen=True)
class NoteText:
    """A revision of a note: the requested lines with their entries, and its text unless it is long."""

    id: int
    title: str
    revision: ImportState
    text: str
    lines: Sequence[NoteLine]
    revisions: Sequence[sa.Row[Any]]
    slugs: Mapping[int, str]  # of the topics that the lines became, by id
    tables: Mapping[int, int]  # by entry: the ids of tables that the lines became
    is_long: bool = False


def list_notes(tx: Read) -> list[sa.Row[Any]]:
    """Return every note with its latest revision, newest first."""
    latest = (
        sa.select(col(NoteRevision.note_id), sa.func.max(col(NoteRevision.number)).label("number"))
        .where(col(NoteRevision.state).not_in(_HIDDEN))
        .group_by(col(NoteRevision.note_id))
        .subquery()
    )
    query: sa.Select[*tuple[Any, ...]] = (
        sa.select(
            col(Note.id),
            col(Note.title),
            col(NoteRevision.id).label("import_id"),
            col(NoteRevision.number),
            queries.revision_state().label("state"),
            col(NoteRevision.line_count),
            col(NoteRevision.created_at),
            col(Person.name).label("person"),
            queries.undecided_count().label("undecided"),
        )
        .join(latest, latest.c.note_id == col(Note.id))
        .join(
            NoteRevision,
            sa.and_(col(NoteRevision.note_id) == col(Note.id), col(NoteRevision.number) == latest.c.number),
        )
        .join(Person, col(Person.id) == col(NoteRevision.created_by), isouter=True)
        .order_by(col(NoteRevision.id).desc())
        .limit(MAX_LIST_LENGTH)
    )
    return list(tx.execute(query))


def get_note(tx: Read, note_id: int, number: int | None = None, *, lines: tuple[int, int] | None = None) -> NoteText:
    """Return a revision of a note, by default the latest, with all its lines or a range of them.

    Raise NotFound if there is no such revision.
    """
    revisions = tx.execute(
        sa.select(
            col(NoteRevision.id),
            col(NoteRevision.number),
            queries.revision_state().label("state"),
            col(NoteRevision.created_at),
        )
        .where(col(NoteRevision.note_id) == note_id, col(NoteRevision.state).not_in(_HIDDEN))
        .order_by(col(NoteRevision.number).desc())
    ).all()
    revision = next((row for row in revisions if number in (None, row.number)), None)
    if revision is None:
        message = _("Note {note_id} not found.").format(note_id=note_id)
        raise NotFound(message)
    state = queries.get_import(tx, revision.id)
    is_long = stored_text.is_long(tx, revision.id)
    lines = lines or ((1, MAX_LINES_OF_LONG_TEXT) if is_long else None)
    first, last = lines or (1, state.line_count)
    text = "" if is_long else stored_text.read_text(tx, revision.id)
    texts = stored_text.read_lines(tx, revision.id, first, last) if is_long else stored_text.split_lines(text)
    entries = queries.list_entries(tx, revision.id, lines=lines)
    note_lines = build_note_lines(texts, entries, first if is_long else 1)
    shown_lines = note_lines if is_long or lines is None else note_lines[first - 1 : last]
    slugs, tables = _find_slugs(tx, revision.id, lines=lines), _find_tables(tx, revision.id)
    return NoteText(note_id, state.title, state, text, shown_lines, revisions, slugs, tables, is_long)


def _find_tables(tx: Read, import_id: int) -> dict[int, int]:
    """Return the tables of all lines of this revision."""
    query = sa.select(col(Table.entry_id), col(Table.id))
    query = query.join(Entry, col(Entry.id) == col(Table.entry_id)).where(col(Entry.revision_id) == import_id)
    return {row.entry_id: row.id for row in tx.execute(query)}


def _find_slugs(tx: Read, import_id: int, *, lines: tuple[int, int] | None) -> dict[int, str]:
    """Return the slugs of the topics that headings of this revision became."""
    query = (
        sa.select(col(Topic.id), col(Topic.slug))
        .join(Entry, col(Entry.topic_id) == col(Topic.id))
        .where(col(Entry.revision_id) == import_id)
    )
    if lines is not None:
        query = query.where(col(Entry.last_line) >= lines[0], col(Entry.first_line) <= lines[1])
    return {row.id: row.slug for row in tx.execute(query)}


def get_lines(tx: Read, import_id: int, ranges: Iterable[tuple[int, int]]) -> dict[int, str]:
    """Return lines of a revision by number: all, or of a long text those of these ranges."""
    if not stored_text.is_long(tx, import_id):
        return dict(enumerate(stored_text.split_lines(stored_text.read_text(tx, import_id)), 1))
    lines = dict[int, str]()
    for first, last in _merge_ranges(ranges):
        lines |= dict(enumerate(stored_text.read_lines(tx, import_id, first, last), first))
    return lines


def _merge_ranges(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges of lines that are near each other."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + NEAR_LINES:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((max(first, 1), last))
    return merged


def compare_revision(tx: Read, note_id: int, number: int, import_id: int) -> tuple[Sequence[str], RevisionDiff]:
    """Return the lines of an earlier revision and how those of an import differ from them.

    Raise NotFound, or TooLarge if one of the two is long.
    """
    query = sa.select(col(NoteRevision.id)).where(
        col(NoteRevision.note_id) == note_id, col(NoteRevision.number) == number
    )
    earlier_id = tx.scalar(query)
    if earlier_id is None:
        message = _("Version {number} of note {note_id} not found.").format(note_id=note_id, number=number)
        raise NotFound(message)
    if stored_text.is_long(tx, earlier_id) or stored_text.is_long(tx, import_id):
        raise TooLarge(_("These versions are too long to compare."))
    before, after = (stored_text.split_lines(stored_text.read_text(tx, row_id)) for row_id in (earlier_id, import_id))
    return before, compare_lines(before, after)


def list_open_questions(tx: Read) -> list[sa.Row[Any]]:
    """Return the open questions in notes, newest first, each with its line."""
    columns: tuple[Any, ...] = (
        col(Question.id), col(Question.text), col(NoteRevision.note_id), col(NoteRevision.number), col(Entry.first_line)
    )  # fmt: skip
    query: sa.Select[*tuple[Any, ...]] = (
        sa.select(*columns)
        .join(Entry, col(Entry.question_id) == col(Question.id))
        .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
        .where(col(Question.state) == "open")
        .order_by(col(Question.id).desc())
        .limit(MAX_OPEN_QUESTIONS)
    )
    return list(tx.execute(query))
