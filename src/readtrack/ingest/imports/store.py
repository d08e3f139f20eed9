"""Store notes as an import, short ones with their preview, and read them again by other columns."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import Conflict, TooLarge
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import NoteRevision
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import commands, long_imports, queries, rules, stored_text
from readtrack.ingest.imports.columns import (
    ColumnChoice,
    change_choice,
    choose_columns,
    from_reading,
    remember_columns,
)
from readtrack.ingest.imports.stored_text import LongText, hash_notes


def store_notes(
    database: Database,
    me: CurrentUser,
    text: str | LongText,
    title: str,
    columns: Mapping[str, str] | None = None,
    *,
    path: str = "",
) -> tuple[int, bool]:
    """Store notes. Return the import and whether it is new. `path`: of the file in an imported folder.

    `columns`: chosen fields by the names of columns. They are remembered. If the same text was stored before and is not
    committed, it is read again by them. Raise ColumnError if they do not fit the file.
    """
    permissions.require(me, "import")
    sample = text if isinstance(text, str) else text.sample
    with database.read() as tx:
        stored = commands.find_stored_text(tx, hash_notes(text))
        choice = from_reading(stored.reading) if stored else choose_columns(tx, sample, columns)
    if stored and stored.state != "parsing":  # nothing is left to read
        import_id, created = stored.id, False
        if path and not stored.path:
            with database.write() as tx:
                commands.record_path(tx, stored.note_id, title, path)
    elif isinstance(text, str):
        import_id, created = commands.store_preview(database, me, commands.prepare_notes(text, title, path, choice))
    else:
        import_id, created = long_imports.store_long_text(database, me, text, title, path, choice)
    if columns and choice and not stored:
        with database.write() as tx:
            remember_columns(tx, me, choice)
    elif columns and (choice is None or change_choice(choice, sample, columns).columns != choice.columns):
        change_columns(database, me, import_id, columns)
    return import_id, created


def change_columns(
    database: Database,
    me: CurrentUser,
    import_id: int,
    chosen: Mapping[str, str] | Sequence[str],
    *,
    has_header: bool | None = None,
) -> None:
    """Read an import again by other columns, and remember them. Decisions on its entries are lost.

    `chosen`: by name, and the others stay as they are; or of all columns in their order. `has_header`: whether the
    first row is one, if a person says so. Raise ColumnError if they do not fit, Conflict if the import is not under
    review.
    """
    with database.read() as tx:
        revision = _get_revision(tx, import_id)
        _require_changeable(tx, me, revision)
        stored = from_reading(revision.reading)
        choice = change_choice(stored, stored_text.read_sample(tx, import_id), chosen, has_header=has_header)
        if stored and choice.columns == stored.columns and not _has_failed(tx, revision):
            return
    _read_again(database, me, import_id, choice)


def forget_columns(database: Database, me: CurrentUser, import_id: int) -> int:
    """Remove the rule on the columns of an import and read it as the parser finds them.

    Return the undo entry, 0 if there was no rule. Raise TooLarge for a file that is too long without chosen columns.
    """
    with database.write() as tx:
        revision = _get_revision(tx, import_id)
        _require_changeable(tx, me, revision)
        stored = from_reading(revision.reading)
        rule = rules.find_column_rule(tx, stored.columns.names) if stored else None
        undo_id = rules.remove_rule(tx, me, rule[0]) if rule else 0
        sample = stored_text.read_sample(tx, import_id)
        choice = choose_columns(tx, sample)
        if choice and not _find_form(sample, choice) and stored_text.is_long(tx, import_id):
            _require_readable_as_text(tx, import_id)
    if choice:
        _read_again(database, me, import_id, choice)
    return undo_id


def _require_changeable(tx: Read, me: CurrentUser, revision: NoteRevision) -> None:
    """Raise NotAllowed, or Conflict if the import is neither under review nor one that could not be read."""
    commands.require_decider(me, revision)
    has_failed = _has_failed(tx, revision)
    if revision.state in {"uploading", "parsing"} and not has_failed:
        raise Conflict(_(commands.STILL_PARSING), code="parsing")
    if revision.state != "preview" and not has_failed:
        raise Conflict(_("Columns can only be changed before the import."), code="imported")


def _has_failed(tx: Read, revision: NoteRevision) -> bool:
    """Return True for an import that could not be read."""
    return revision.state == "parsing" and queries.get_import(tx, revision.id or 0).state == "failed"


def _require_readable_as_text(tx: Read, import_id: int) -> None:
    """Raise TooLarge if a text is too long for notes in free form."""
    try:
        commands.check_length(stored_text.count_chars(tx, import_id))
        commands.check_limits(stored_text.read_text(tx, import_id))
    except TooLarge:
        raise TooLarge(_("This file is too long to be read without chosen columns.")) from None


def _find_form(sample: str, choice: ColumnChoice) -> str:
    """Return the format of the records of a long text, "" if it is read as notes in free form."""
    from readtrack.ingest.parser.segments import record_format  # the parser is loaded when it is needed

    return "delimited" if choice.mapping else record_format(sample)


def _get_revision(tx: Read, import_id: int, *, lock: bool = False) -> NoteRevision:
    query = sa.select(NoteRevision).where(col(NoteRevision.id) == import_id, col(NoteRevision.state) != "discarded")
    query = query.options(commands.WITHOUT_TEXT)
    revision = tx.scalar(query.with_for_update() if lock else query, execution_options={"populate_existing": True})
    if revision is None:
        raise queries.import_not_found(import_id)
    return revision


def _read_again(database: Database, me: CurrentUser, import_id: int, choice: ColumnChoice) -> None:
    """Replace the entries of an import by those that these columns give, and remember columns that a person chose."""
    with database.read() as tx:
        is_long, sample = stored_text.is_long(tx, import_id), stored_text.read_sample(tx, import_id)
    parsed = None if is_long else commands.prepare_notes(sample, columns=choice)
    with database.write() as tx:
        if choice.source == "person":
            remember_columns(tx, me, choice)
        revision = _get_revision(tx, import_id, lock=True)
        is_complete = _is_read_by(revision, choice) and not _has_failed(tx, revision)
        if not is_complete:
            _require_changeable(tx, me, revision)
            _begin_again(tx, me, revision, choice, long_sample=sample if is_long else None)
    while parsed and not is_complete:
        with database.write() as tx:
            is_empty = commands.remove_outdated_entries(tx, import_id)
            is_complete = is_empty and commands.extend_preview(tx, import_id, parsed)


def _is_read_by(revision: NoteRevision, choice: ColumnChoice) -> bool:
    stored = from_reading(revision.reading)
    return bool(stored and stored.columns == choice.columns and (stored.mapping is None) == (choice.mapping is None))


def _begin_again(
    tx: Write, me: CurrentUser, revision: NoteRevision, choice: ColumnChoice, *, long_sample: str | None
) -> None:
    """Mark the entries as outdated, and enqueue the job that reads a long text, or completes a short one if need be."""
    if long_sample is None:
        revision.reading = {**revision.reading, "columns": choice.to_json(), "is_outdated": True}
        revision.state = "parsing"
        commands.enqueue_extension(tx, me, revision.id or 0)
    else:
        form = _find_form(long_sample, choice)
        reading = long_imports.build_reading(form, revision.reading.get("unreadable", 0), choice)
        revision.reading = {**reading, "is_outdated": True}
        long_imports.enqueue_reading(tx, me, revision)
    tx.flush()
