"""Commands of imports: store a note, build its preview, commit it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import islice
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.db.locks import lock_name
from readtrack.infra.errors import Conflict, FieldError, Invalid, TooLarge
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.models import CanceledText, Entry, Job, Note, NoteRevision
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.infra.validation import StrictModel, TrimmedModel
from readtrack.ingest import parser
from readtrack.ingest.imports import propose, queries
from readtrack.ingest.imports.columns import ColumnChoice, from_reading
from readtrack.ingest.imports.stored_text import LINE_END, hash_text
from readtrack.ingest.imports.uploads import SAMPLE_BYTES, count_unreadable, refuse_unreadable
from readtrack.ingest.parser.column_fields import MAX_COLUMNS
from readtrack.reading.readings.commands import FirstStatus

SMALL_BYTES = 200_000  # a larger text is read by a job
MAX_NOTE_CHARS = 5_000_000  # of notes in free form, which must be parsed as a whole
MAX_LINES = 100_000
MAX_ADDRESSES = 100_000  # takes a few seconds to parse
MAX_TITLE_CHARS = 200
# An address once, with the identifier in it, and a link whose text is an address.
_REST = r"[^\s<>()\[\]\"]*"
_ADDRESS = re.compile(rf"://{_REST}(?:\]\([a-z]{{1,5}}://{_REST})?|www\.{_REST}|(?:\d{{4}}|10)\.\d{{4}}", re.ASCII)
_LINK = re.compile(r"!?\[(?P<words>[^\[\]]{1,300})\]\([^()\s]{1,2000}\)")
_MAX_FIRST_CHARS = 60
STORE_BATCH_SIZE = 200  # entries stored per transaction, so that other writers do not wait long
PARSE, DISCARD = "imports.parse", "imports.discard"
UNFINISHED_DELAY = timedelta(minutes=1)  # delay before a job completes an unfinished preview
STILL_PARSING = N_("These notes are still being processed. Try again in a moment.")
WITHOUT_TEXT = sa.orm.defer(NoteRevision.text)  # type: ignore[arg-type]  # may be long and is rarely needed
_ENTRIES = Entry.__table__  # type: ignore[attr-defined]  # Core table for bulk inserts
APPLY_BATCH_SIZE = 500  # entries applied per transaction if most of them are independent


# What each column of a CSV file is read as, by its name.
Columns = Annotated[dict[str, Annotated[str, Field(max_length=100)]], Field(max_length=MAX_COLUMNS)]


class NoteCreate(StrictModel):
    """Raw notes in any format. `columns`: of a CSV file, what each is read as by its name; "" if it is not used."""

    text: Annotated[str, Field(min_length=1)]
    title: Annotated[str, Field(max_length=MAX_TITLE_CHARS)] = ""
    columns: Columns = Field(default_factory=dict)


class ImportCommit(TrimmedModel):
    """Defaults for all papers of an import."""

    topics: Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=50)] = Field(
        default_factory=list
    )
    status: FirstStatus | None = None


@dataclass(frozen=True)
class ParsedNotes:
    """Parsed notes. Table rows and search documents are built on first use."""

    title: str
    is_named: bool  # by a person or a file name; only named notes can become a later revision of another
    text: str
    entries: Sequence[parser.ParsedEntry]
    path: str = ""  # of the file in an imported folder
    columns: ColumnChoice | None = None

    @cached_property
    def rows(self) -> Sequence[propose.Row]:
        """The entries as rows of the entry table."""
        return propose.to_rows(self.entries)

    @cached_property
    def documents(self) -> Sequence[search.Document]:
        """The entries as search documents."""
        return [propose.to_search_document(row) for row in self.rows]


def prepare_notes(text: str, title: str = "", path: str = "", columns: ColumnChoice | None = None) -> ParsedNotes:
    """Parse notes and build their search documents before a transaction is opened.

    Raise as parse_notes does.
    """
    parsed = replace(parse_notes(text, title, columns), path=path)
    _ = parsed.documents
    return parsed


def parse_notes(text: str, title: str = "", columns: ColumnChoice | None = None) -> ParsedNotes:
    """Parse notes. Raise TooLarge, or Invalid if they contain no text."""
    text = text.removeprefix("\ufeff")
    check_limits(text)
    if not text.strip():
        message = _("Paste some notes or choose a file.")
        raise Invalid(message, [FieldError("/text", "missing", message)])
    refuse_unreadable(text[:SAMPLE_BYTES], is_known_json)
    clean_text, clean_title = normalize.clean(text), normalize.clean(title).strip()[:MAX_TITLE_CHARS]
    return ParsedNotes(
        title=clean_title or first_words(clean_text),
        is_named=bool(clean_title),
        text=clean_text,
        entries=parser.parse(clean_text, columns.mapping if columns else None),
        columns=columns,
    )


def store_preview(database: Database, me: CurrentUser, parsed: ParsedNotes) -> tuple[int, bool]:
    """Store notes and their preview in several short transactions that do not block other writers.

    Return the import and whether it is new. If the same text was stored before, its preview is completed. A job
    completes the preview if this process stops before the end.
    """
    with database.write() as tx:
        import_id, created = _begin_preview(tx, me, parsed)
        is_complete = extend_preview(tx, import_id, parsed)
        if not is_complete:
            enqueue_extension(tx, me, import_id)
    while not is_complete:
        with database.write() as tx:
            is_complete = extend_preview(tx, import_id, parsed)
    return import_id, created


def preview_notes(tx: Write, me: CurrentUser, parsed: ParsedNotes) -> tuple[int, bool]:
    """Store short notes and their preview in one transaction. Return the same as store_preview."""
    import_id, created = _begin_preview(tx, me, parsed)
    while not extend_preview(tx, import_id, parsed):
        pass
    return import_id, created


def extend_preview(tx: Write, import_id: int, parsed: ParsedNotes) -> bool:
    """Add the next entries to an unfinished preview. Return True when it is complete.

    Concurrent calls are safe: each continues after the last stored entry.
    """
    query = sa.select(NoteRevision).where(col(NoteRevision.id) == import_id).with_for_update()
    revision = tx.scalar(query.options(WITHOUT_TEXT).execution_options(populate_existing=True))
    if revision is None:
        raise queries.import_not_found(import_id)
    if revision.state != "parsing" or from_reading(revision.reading) != parsed.columns:
        return True  # complete, cancelled, or read by other columns meanwhile
    last = _last_entry(tx, import_id)
    position = last.position if last else 0
    # An older version of the parser began this preview and split the lines differently.
    if last and not _is_same_entry(parsed, last):
        _remove_entries(tx, import_id, after=max(position - STORE_BATCH_SIZE, 0))
        return False
    batch = slice(position, position + STORE_BATCH_SIZE)
    add_entries(tx, import_id, revision.note_id, parsed.entries[batch], parsed.rows[batch], parsed.documents[batch])
    if position + STORE_BATCH_SIZE < len(parsed.rows):
        return False
    revision.state, revision.line_count = "preview", _count_lines(parsed.entries)
    tx.flush()
    return True


def remove_outdated_entries(tx: Write, import_id: int) -> bool:
    """Remove some entries of an import that is read again. Return True if none are left."""
    query = sa.select(NoteRevision).where(col(NoteRevision.id) == import_id).with_for_update()
    revision = tx.scalar(query.options(WITHOUT_TEXT).execution_options(populate_existing=True))
    if revision is None or not revision.reading.get("is_outdated"):
        return True
    ids_query = sa.select(col(Entry.id)).where(col(Entry.revision_id) == import_id).limit(STORE_BATCH_SIZE)
    ids = [entry_id for entry_id in tx.scalars(ids_query) if entry_id]
    if not ids:
        revision.reading = {name: value for name, value in revision.reading.items() if name != "is_outdated"}
        return True
    tx.bulk_execute(sa.delete(Entry).where(col(Entry.id).in_(ids)))
    search.update_entries(tx, ids)
    return False


def _begin_preview(tx: Write, me: CurrentUser, parsed: ParsedNotes) -> tuple[int, bool]:
    """Store the text of the notes.

    Return False with the existing import if the same text was stored before.
    """
    sha256 = hash_text(parsed.text)
    revision = NoteRevision(
        note_id=0, text=parsed.text, sha256=sha256, line_count=_count_lines(parsed.entries), state="parsing"
    )
    if unreadable_count := count_unreadable(parsed.text):
        revision.reading = {"unreadable": unreadable_count}
    if parsed.columns:
        revision.reading = {**revision.reading, "columns": parsed.columns.to_json()}
    import_id, created = add_revision(tx, me, revision, parsed.title, is_named=parsed.is_named, path=parsed.path)
    if created:
        events.record_event(tx, me, "note.stored", data={"note": revision.note_id, "import": import_id})
    return import_id, created


def add_revision(
    tx: Write, me: CurrentUser, revision: NoteRevision, title: str, *, is_named: bool, path: str = ""
) -> tuple[int, bool]:
    """Add a revision to the note of that file or title. Return False with the existing import if the text is stored.

    An unfinished upload of the same text is replaced.
    """
    permissions.require(me, "import")
    lock_name(tx, f"import:{revision.sha256}")
    stored = find_stored_text(tx, revision.sha256)
    if stored is not None:
        if path:
            record_path(tx, stored.note_id, title, path)
        return stored.id, False
    if upload_id := tx.scalar(sa.select(col(NoteRevision.id)).where(col(NoteRevision.sha256) == revision.sha256)):
        discard_revision(tx, upload_id, created_by=me.id)
    revision.note_id, revision.number = _find_or_add_note(tx, me, title, is_named=is_named, path=path)
    tx.execute(sa.delete(CanceledText).where(col(CanceledText.sha256) == revision.sha256))
    revision.created_by = me.id
    tx.add(revision)
    tx.flush()
    return revision.id or 0, True


def find_stored_text(tx: Read, sha256: str) -> sa.Row[Any] | None:
    """Return the import of the text with this hash, and the path of its note; None if it is not stored completely."""
    columns = (col(NoteRevision.id), col(NoteRevision.state), col(NoteRevision.note_id), col(NoteRevision.reading))
    query = sa.select(*columns, col(Note.path)).join(Note, col(Note.id) == col(NoteRevision.note_id))
    is_stored = sa.and_(col(NoteRevision.sha256) == sha256, col(NoteRevision.state) != "uploading")
    return tx.execute(query.where(is_stored)).one_or_none()


def discard_revision(tx: Write, import_id: int, *, created_by: int | None = None) -> None:
    """Hide an import of which nothing is in the library, and have it deleted. Its text may be imported anew."""
    statement = sa.update(NoteRevision).where(col(NoteRevision.id) == import_id)
    tx.execute(statement.values(state="discarded", sha256=f"discarded:{import_id}"))
    queue.enqueue(tx, DISCARD, {"import": import_id}, dedup_key=f"{DISCARD}:{import_id}", created_by=created_by)


def cancel_import(tx: Write, me: CurrentUser, import_id: int) -> str:
    """Cancel an import that is being read, reviewed or committed, and return its new state.

    "cancelled": what was committed stays, and the rest can be committed later. "discarded": nothing was committed, and
    the import is deleted; unless it was only a preview, its text is remembered as canceled. Raise Conflict for a
    complete import.
    """
    revision = tx.get(NoteRevision, import_id, with_for_update=True, options=[WITHOUT_TEXT])
    if revision is None or revision.state == "discarded":
        raise queries.import_not_found(import_id)
    require_decider(me, revision)
    if revision.state == "committed":
        raise Conflict(_("This import is complete and can't be canceled."))
    has_results = sa.exists().where(col(Entry.revision_id) == import_id, col(Entry.done_at).is_not(None))
    if tx.scalar(sa.select(has_results)):
        revision.state = "cancelled"
        tx.flush()
    else:
        if revision.state != "preview":
            tx.add(CanceledText(sha256=revision.sha256))
        tx.flush()
        discard_revision(tx, import_id, created_by=me.id)
        tx.expire(revision, ["state"])
    events.record_event(tx, me, "import.cancelled", data={"import": import_id})
    return revision.state


def was_canceled(tx: Read, sha256: str) -> bool:
    """Return True if a person canceled the import of a text, and nobody has imported it since."""
    is_canceled = sa.exists().where(col(NoteRevision.sha256) == sha256, col(NoteRevision.state) == "cancelled")
    is_remembered = sa.exists().where(col(CanceledText.sha256) == sha256)
    return bool(tx.scalar(sa.select(sa.or_(is_canceled, is_remembered))))


def is_known_json(text: str) -> bool:
    """Return True if JSON that begins like this is a list of papers that can be read."""
    from readtrack.ingest.parser import segments
    from readtrack.ingest.parser.formats import csl_json, zotero_json

    if segments.record_format(text) or zotero_json.begins_library(text):
        return True
    return csl_json.read_items(text) is not None


def check_limits(text: str) -> None:
    """Raise TooLarge for notes in free form that would take too long to parse."""
    check_length(len(text))
    _check_limit(LINE_END.finditer(text), MAX_LINES)
    _check_limit(_ADDRESS.finditer(text), MAX_ADDRESSES)


def check_length(chars: int) -> None:
    """Raise TooLarge for notes in free form that have more characters than can be parsed as a whole."""
    if chars > MAX_NOTE_CHARS:
        message = _(
            "Notes in free form can have up to {longest:,} characters. Split them, or export BibTeX, RIS, CSL-JSON or "
            "CSV, which can be larger."
        )
        raise TooLarge(message.format(longest=MAX_NOTE_CHARS))


def enqueue_extension(tx: Write, me: CurrentUser, import_id: int) -> None:
    """Have a job complete the preview, should this process stop before the end."""
    options: dict[str, Any] = {
        "dedup_key": f"{PARSE}:{import_id}",
        "created_by": me.id,
        "run_at": now() + UNFINISHED_DELAY,
    }
    queue.enqueue(tx, PARSE, {"import": import_id}, **options)


def commit_import(tx: Write, me: CurrentUser, import_id: int, defaults: ImportCommit) -> int:
    """Start the job that applies the import and return its id.

    Undecided entries are not applied: they wait until a person decides, and the next commit applies them with the same
    defaults. An import without such entries keeps its job. A failed job is restarted for the person who committed the
    import.
    """
    permissions.require(me, "import")
    revision = tx.get(NoteRevision, import_id, with_for_update=True, options=[WITHOUT_TEXT])
    if revision is None:
        raise queries.import_not_found(import_id)
    if revision.state == "committing" and queries.get_import(tx, import_id).state == "failed":
        return _restart_commit(tx, me, revision)
    if revision.state in {"uploading", "parsing"}:
        raise Conflict(_(STILL_PARSING), code="parsing")
    is_decided = col(Entry.decision) != "review"
    has_rest = revision.state == "committed" and queries.has_open_entries(tx, import_id, is_decided)
    if revision.state not in {"preview", "cancelled"} and not has_rest:
        return revision.job_id or 0
    require_decider(me, revision)
    revision.job_id = _enqueue_commit(tx, me, import_id)
    if revision.state == "preview":
        revision.defaults = defaults.model_dump()  # the rest of an import is added like its first part
    revision.state = "committing"
    revision.committed_by, revision.committed_at = me.id, now()
    events.record_event(tx, me, "import.committed", data={"import": import_id})
    tx.flush()
    return revision.job_id


def _enqueue_commit(tx: Write, me: CurrentUser, import_id: int) -> int:
    query = sa.select(sa.func.count()).select_from(Entry).where(*queries.effective_entries(import_id))
    job_id = queue.enqueue(tx, "imports.commit", {"import": import_id}, priority=10, created_by=me.id)
    queue.set_total(tx, job_id, tx.scalar(query) or 0)
    return job_id


def retry_reading(tx: Write, me: CurrentUser, import_id: int) -> None:
    """Restart the failed job that reads a long text. Raise Conflict if it has not failed."""
    revision = tx.get(NoteRevision, import_id, with_for_update=True, options=[WITHOUT_TEXT])
    if revision is None:
        raise queries.import_not_found(import_id)
    require_decider(me, revision)
    if revision.state != "parsing" or revision.job_id is None:
        raise Conflict(_(STILL_PARSING), code="parsing")
    queue.retry_job(tx, revision.job_id)


def _restart_commit(tx: Write, me: CurrentUser, revision: NoteRevision) -> int:
    """Retry a failed job, or enqueue a new one if it no longer exists."""
    require_decider(me, revision)
    if revision.job_id is not None and tx.get(Job, revision.job_id) is not None:
        queue.retry_job(tx, revision.job_id)
    else:
        revision.job_id = _enqueue_commit(tx, me, revision.id or 0)
    tx.flush()
    return revision.job_id


def may_decide(me: CurrentUser, created_by: int | None) -> bool:
    """Return True if the person may decide on an import: their own, or any if they are an editor."""
    return permissions.has_permission(me, "import") and (
        created_by == me.id or permissions.has_permission(me, "commit-others")
    )


def require_decider(me: CurrentUser, revision: NoteRevision) -> None:
    """Raise NotAllowed, naming the missing permission."""
    permissions.require(me, "import" if revision.created_by == me.id else "commit-others")


def _check_limit(items: Iterator[object], limit: int) -> None:
    if next(islice(items, limit, None), None) is not None:
        message = _("These notes have more than {most:,} lines or links. Import them in parts.").format(most=limit)
        raise TooLarge(message)


def _last_entry(tx: Read, import_id: int) -> sa.Row[Any] | None:
    columns: tuple[Any, ...] = (col(Entry.position), col(Entry.first_line), col(Entry.fingerprint))
    query = sa.select(*columns).where(col(Entry.revision_id) == import_id)
    return tx.execute(query.order_by(col(Entry.position).desc()).limit(1)).one_or_none()


def _is_same_entry(parsed: ParsedNotes, stored: sa.Row[Any]) -> bool:
    """Return True if the stored entry is the one that was parsed for its position."""
    if stored.position > len(parsed.rows):
        return False
    row = parsed.rows[stored.position - 1]
    return bool((row["first_line"], row["fingerprint"]) == (stored.first_line, stored.fingerprint))


def add_entries(
    tx: Write,
    import_id: int,
    note_id: int,
    entries: Sequence[parser.ParsedEntry],
    parsed_rows: Sequence[propose.Row],
    documents: Sequence[search.Document],
) -> None:
    """Add entries with the proposals of parser, rules and existing papers."""
    rows = propose.propose_rows(tx, entries, parsed_rows, note_id)
    if not rows:
        return
    ids = tx.insert_rows(_ENTRIES, [{**row, "revision_id": import_id} for row in rows])
    documents_by_id = {
        entry_id: document if parsed_row["title"] == row["title"] else propose.to_search_document(row)
        for entry_id, parsed_row, row, document in zip(ids, parsed_rows, rows, documents, strict=True)
    }
    search.add_entries(tx, {entry_id: document for entry_id, document in documents_by_id.items() if any(document)})


def _remove_entries(tx: Write, import_id: int, *, after: int) -> None:
    condition = sa.and_(col(Entry.revision_id) == import_id, col(Entry.position) > after)
    ids = [entry_id for entry_id in tx.scalars(sa.select(col(Entry.id)).where(condition)) if entry_id]
    tx.bulk_execute(sa.delete(Entry).where(condition))
    search.update_entries(tx, ids)


def first_words(text: str) -> str:
    """Return the beginning of the first line, with links as their words, as the name of a note."""
    lines = (_LINK.sub(r"\g<words>", line).strip(" \t#-*>|•·") for line in text.splitlines())
    return next((line for line in lines if line), "Notes")[:_MAX_FIRST_CHARS]


def _count_lines(entries: Sequence[parser.ParsedEntry]) -> int:
    return max((entry.last for entry in entries), default=0)


def record_path(tx: Write, note_id: int, title: str, path: str) -> None:
    """Record whose note it is, if it is of that title and no file has it yet."""
    is_free = sa.and_(col(Note.path) == "", col(Note.title_key) == normalize.key(title))
    tx.execute(sa.update(Note).where(col(Note.id) == note_id, is_free).values(path=path))


def _find_or_add_note(tx: Write, me: CurrentUser, title: str, *, is_named: bool, path: str) -> tuple[int, int]:
    """Return the note of that file or title and the number of its next revision, creating the note if needed.

    The lock on the title makes two concurrent imports of a new title share one note.
    """
    note = None
    if is_named:
        lock_name(tx, f"note:{normalize.key(title)}")
        note, title = _find_note(tx, title, path)
    if note is None:
        note = Note(title=title, title_key=normalize.key(title), created_by=me.id)
        tx.add(note)
    note.path = path or note.path
    tx.flush()
    last = tx.scalar(sa.select(sa.func.max(col(NoteRevision.number))).where(col(NoteRevision.note_id) == note.id))
    return note.id or 0, (last or 0) + 1


def _find_note(tx: Read, title: str, path: str) -> tuple[Note | None, str]:
    """Return the note of that file, or without one that of the title, and the title that a new note should have.

    A title that is another file's is extended by the folders of this one: notes.md, b/notes.md, a/b/notes.md.
    """
    notes = sa.select(Note).order_by(col(Note.id)).limit(1)
    own = tx.scalar(notes.where(col(Note.path) == path)) if path else None
    if own is not None:
        return own, title
    for longer_title in _iter_titles(title, path):
        title = longer_title
        note = tx.scalar(notes.where(col(Note.title_key) == normalize.key(title)))
        if note is None or not (path and note.path):
            return note, title
    return None, title


def _iter_titles(title: str, path: str) -> Iterator[str]:
    yield title
    parts = path.split("/")
    for count in range(title.count("/") + 2, len(parts) + 1):
        yield normalize.clean("/".join(parts[-count:])).strip()[-MAX_TITLE_CHARS:]
