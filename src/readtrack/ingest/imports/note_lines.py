"""Queries on stored notes: the list of notes, their lines with the entries they became, their open questions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comparison as Table
from readtrack.infra.models import Entry, Note, NoteRevision, Person, Question, Topic
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.compare_revisions import RevisionDiff, compare_lines
from readtrack.ingest.imports.queries import ImportState

LINE_END = re.compile(r"\r\n|\r|\n")  # the only line ends: docs/model.md, law 1
MAX_LIST_LENGTH = 500
MAX_OPEN_QUESTIONS = 100  # open questions on one page


@dataclass
class NoteLine:
    """One line: its number, its text, and the entries that begin on it."""

    number: int
    text: str
    outcome: str = "blank"
    entries: list[Any] = field(default_factory=list)


def build_note_lines(text: str, entries: Iterable[Any]) -> Sequence[NoteLine]:
    """Return all lines of a note with the entries that begin on them.

    The kind of a line is that of its first entry.
    """
    lines = [NoteLine(number, line) for number, line in enumerate(split_lines(text), 1)]
    for entry in entries:
        for number in range(entry.first_line, min(entry.last_line, len(lines)) + 1):
            line = lines[number - 1]
            if entry.part == 1:
                line.outcome = entry.kind
            if number == entry.first_line:
                line.entries.append(entry)
    return lines


def split_lines(text: str) -> list[str]:
    """Return the lines of a note. A line end at the end of the text does not begin another line."""
    texts = LINE_END.split(text)
    if texts and not texts[-1]:
        texts.pop()
    return texts


@dataclass(frozen=True)
class NoteText:
    """A revision of a note: its text, and the requested lines with their entries."""

    id: int
    title: str
    revision: ImportState
    text: str
    lines: Sequence[NoteLine]
    revisions: Sequence[sa.Row[Any]]
    slugs: Mapping[int, str]  # of the topics that the lines became, by id
    tables: Mapping[int, int]  # by entry: the ids of tables that the lines became


def list_notes(tx: Read) -> list[sa.Row[Any]]:
    """Return every note with its latest revision, newest first."""
    latest = (
        sa.select(col(NoteRevision.note_id), sa.func.max(col(NoteRevision.number)).label("number"))
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
        .where(col(NoteRevision.note_id) == note_id)
        .order_by(col(NoteRevision.number).desc())
    ).all()
    revision = next((row for row in revisions if number in (None, row.number)), None)
    if revision is None:
        message = _("Note {note_id} not found.").format(note_id=note_id)
        raise NotFound(message)
    state = queries.get_import(tx, revision.id)
    text = tx.scalar(sa.select(col(NoteRevision.text)).where(col(NoteRevision.id) == revision.id)) or ""
    all_lines = build_note_lines(text, queries.list_entries(tx, revision.id, lines=lines))
    first, last = lines or (1, len(all_lines))
    slugs, tables = _find_slugs(tx, revision.id, lines=lines), _find_tables(tx, revision.id)
    return NoteText(note_id, state.title, state, text, all_lines[first - 1 : last], revisions, slugs, tables)


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


def get_lines(tx: Read, import_id: int) -> Sequence[str]:
    """Return the lines of a revision."""
    return split_lines(tx.scalar(sa.select(col(NoteRevision.text)).where(col(NoteRevision.id) == import_id)) or "")


def compare_revision(tx: Read, note_id: int, number: int, lines: Sequence[str]) -> tuple[Sequence[str], RevisionDiff]:
    """Return the lines of an earlier revision and their differences from these lines.

    Raise NotFound.
    """
    query = sa.select(col(NoteRevision.text)).where(
        col(NoteRevision.note_id) == note_id, col(NoteRevision.number) == number
    )
    text = tx.scalar(query)
    if text is None:
        message = _("Version {number} of note {note_id} not found.").format(note_id=note_id, number=number)
        raise NotFound(message)
    before = split_lines(text)
    return before, compare_lines(before, lines)


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
