"""Long texts: stored in chunks by the request, read by a job segment by segment, and deleted in steps when cancelled.

Every step is one short transaction that says where the next one continues, so that another process can go on.
"""

import math
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.db.batch_size import BatchSize
from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.http.types import Http
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.jobs.queue import LeasedJob
from readtrack.infra.models import Entry, Note, NoteChunk, NoteRevision, Notification
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.ingest.imports import commands, propose, reasons, stored_text
from readtrack.ingest.imports.columns import ColumnChoice, from_reading
from readtrack.ingest.imports.commands import DISCARD, MAX_TITLE_CHARS, PARSE
from readtrack.ingest.imports.stored_text import LongText
from readtrack.ingest.imports.uploads import refuse_unreadable
from readtrack.ingest.parser import ParsedEntry

if TYPE_CHECKING:
    from readtrack.ingest.parser.segments import ReaderState, Segment

MAX_ENTRIES = 200_000  # read from one file, without blank lines
TURN_SECONDS = 20.0  # seconds that one text may keep other imports waiting
STEP_SIZE = 500  # entries per transaction at most
CHANGED_PER_STEP = 50
ROWS_PER_READ = 2_000
MAX_GROUP_ENTRIES = 2_000  # possible duplicates compared at once
DELETED_PER_STEP = 200
TOO_MANY = reasons.TOO_MANY.format(count=f"{MAX_ENTRIES:,}")
_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]
_REVISION = (
    sa.select(col(NoteRevision.state), col(NoteRevision.note_id))
    .where(col(NoteRevision.id) == sa.bindparam("import_id"))
    .with_for_update()
)
_COMPARED = ("kind", "identifiers", "twin", "title", "venue", "year", "status", "authors", "published", "read_on",
             "rating", "abstract", "language", "publication_type")  # fmt: skip
_CHANGED = (*_COMPARED, "decision", "reason")


_ENTRY_COLUMNS = ("id", "position", "first_line", "last_line", "part", "paper_kind", "decision", "reason")


class _CancelledError(Exception):
    """The import was cancelled while it was being read."""


class _TurnOverError(Exception):
    """Other jobs may come first now."""


def store_long_text(
    database: Database,
    me: CurrentUser,
    text: LongText,
    title: str,
    path: str = "",
    columns: ColumnChoice | None = None,
) -> tuple[int, bool]:
    """Store a text and enqueue the job that reads it. Return the import and whether it is new.

    Until all of the text is stored, nothing is acknowledged and nothing is read. Raise TooLarge for long notes in free
    form, Invalid if there is no text.
    """
    from readtrack.ingest.parser.segments import record_format  # the parser is loaded when it is needed

    refuse_unreadable(text.sample, commands.is_known_json)
    form = record_format(text.sample) if not columns or not columns.mapping else "delimited"
    if not form:
        commands.check_length(text.chars)
        commands.check_limits("".join(text.pieces()))
    if text.is_blank:
        message = _("Paste some notes or choose a file.")
        raise Invalid(message, [FieldError("/text", "missing", message)])
    clean_title = normalize.clean(title).strip()[:MAX_TITLE_CHARS]
    revision = NoteRevision(
        note_id=0,
        text="",
        sha256=text.sha256,
        line_count=text.line_count,
        state="uploading",
        reading=build_reading(form, text.unreadable_count, columns),
    )
    with database.write() as tx:
        name = clean_title or commands.first_words(text.sample)
        import_id, created = commands.add_revision(tx, me, revision, name, is_named=bool(clean_title), path=path)
    if created:
        chunk_count = stored_text.store_chunks(database, import_id, text)
        with database.write() as tx:
            _begin_reading(tx, me, import_id, chunk_count)
    return import_id, created


def build_reading(form: str, unreadable_count: int, columns: ColumnChoice | None) -> dict[str, Any]:
    """Return how a long text is to be read from its beginning."""
    reading = {"form": form, "entries": 0, "unreadable": unreadable_count}
    return {**reading, "columns": columns.to_json()} if columns else reading


def discard_interrupted_uploads(database: Database) -> None:
    """Have texts deleted whose upload was interrupted a day ago, by a stop of the server."""
    statement = sa.update(NoteRevision).where(
        col(NoteRevision.state) == "uploading", col(NoteRevision.created_at) < now() - timedelta(days=1)
    )
    with database.write() as tx:
        ids = tx.scalars(statement.values(state="discarded").returning(col(NoteRevision.id))).all()
        for import_id in ids:
            commands.discard_revision(tx, import_id or 0)


def _begin_reading(tx: Write, me: CurrentUser, import_id: int, chunk_count: int) -> None:
    revision = _lock_revision(tx, import_id)
    if revision is None or revision.state != "uploading":  # the same text was uploaded again in the meantime
        return
    revision.chunk_count = chunk_count
    enqueue_reading(tx, me, revision)
    events.record_event(tx, me, "note.stored", data={"note": revision.note_id, "import": import_id})


def enqueue_reading(tx: Write, me: CurrentUser, revision: NoteRevision) -> None:
    """Enqueue the job that reads a long text."""
    options: dict[str, Any] = {"dedup_key": f"{PARSE}:{revision.id}", "priority": 10, "created_by": me.id}
    revision.job_id = queue.enqueue(tx, PARSE, {"import": revision.id}, **options)
    queue.set_total(tx, revision.job_id, revision.line_count)
    revision.state = "parsing"


@queue.handler(PARSE)
def read_import(database: Database, _http: Http, job: LeasedJob) -> None:
    """Read a long text, or complete the preview of a short one whose request was interrupted."""
    import_id = job.payload["import"]
    with database.read() as tx:
        revision = tx.get(NoteRevision, import_id)
        is_parsing = revision is not None and revision.state == "parsing"
    try:
        if revision is not None and is_parsing:
            _remove_outdated_entries(database, job, import_id)
            if revision.reading.get("form"):
                RecordsJob(database, job, import_id).run(revision)
            else:
                _read_free_form(database, job, import_id, from_reading(revision.reading))
    except _CancelledError:
        pass
    except _TurnOverError:
        with database.write() as tx:
            queue.requeue_job(tx, job)
        return
    with database.write() as tx:
        queue.finish_job(tx, job)


def _remove_outdated_entries(database: Database, job: LeasedJob, import_id: int) -> None:
    is_done = False
    while not is_done:
        with database.write() as tx:
            queue.extend_lease(tx, job)
            is_done = commands.remove_outdated_entries(tx, import_id)


def _read_free_form(database: Database, job: LeasedJob, import_id: int, columns: ColumnChoice | None) -> None:
    with database.read() as tx:
        text = stored_text.read_text(tx, import_id)
    parsed = commands.prepare_notes(text, columns=columns)
    is_complete = False
    while not is_complete:
        with database.write() as tx:
            queue.extend_lease(tx, job)
            is_complete = commands.extend_preview(tx, import_id, parsed)
            if is_complete:
                _end_reading(tx, import_id)


def _end_reading(tx: Write, import_id: int) -> None:
    """Forget the job, so that the preview is not taken for an import that was stopped."""
    statement = sa.update(NoteRevision).where(col(NoteRevision.id) == import_id)
    tx.execute(statement.where(col(NoteRevision.state) == "preview").values(job_id=None))


class RecordsJob:
    """The reading of one text of records."""

    def __init__(self, database: Database, job: LeasedJob, import_id: int) -> None:
        self._database, self._job, self._import_id = database, job, import_id
        self._position = self._count = 0  # of the last entry stored, and of entries that are not blank
        self._place = (0, 0)  # line and part of the last entry stored
        self._batch = BatchSize(database, STEP_SIZE)
        self._deadline = math.inf

    def run(self, revision: NoteRevision) -> None:
        if not revision.reading.get("is_read"):
            self._read(revision)
        self._mark_duplicates()
        with self._database.write() as tx:
            self._begin_step(tx)
            tx.get_one(NoteRevision, self._import_id, options=[commands.WITHOUT_TEXT]).state = "preview"
            tx.flush()
            _end_reading(tx, self._import_id)

    def _read(self, revision: NoteRevision) -> None:
        from readtrack.ingest.parser import segments

        state = segments.ReaderState(**revision.reading.get("state", {}))
        columns = from_reading(revision.reading)
        reader = segments.open_reader(revision.reading["form"], state, columns.mapping if columns else None)
        reader.look_ahead(self._iter_text())
        for row in self._iter_rows("kind", "first_line", "part", "raw"):
            self._position, self._place = row["position"], (row["first_line"], row["part"])
            self._count += row["kind"] != "blank"
            if row["position"] <= revision.reading["entries"]:
                reader.remember(row["kind"], row["first_line"], row["raw"])
        self._deadline = time.monotonic() + TURN_SECONDS  # each turn reads something, however much was read before
        for chunk in stored_text.iter_chunks(self._database, self._import_id, state.offset):
            for segment in reader.feed(chunk):
                self._store_segment(segment)
                if self._count >= MAX_ENTRIES:
                    self._store_rest(revision, segment.state)
                    return
        for segment in reader.close():
            self._store_segment(segment)
        self._save_progress({"is_read": True})

    def _iter_text(self) -> Iterator[str]:
        """Yield the whole text, and keep the job's lease meanwhile."""
        for chunk in stored_text.iter_chunks(self._database, self._import_id):
            with self._database.write() as tx:
                self._begin_step(tx)
            yield chunk

    def _store_segment(self, segment: "Segment") -> None:
        """Store the entries of a segment, except those that were stored before an interruption."""
        entries = [entry for entry in segment.entries if (entry.first, entry.part) > self._place]
        while entries:
            step, entries = entries[: self._batch.size], entries[self._batch.size :]
            self._store_entries(step)
        state = {"state": asdict(segment.state), "entries": self._position}
        self._save_progress(state, done=segment.state.line - 1)
        if time.monotonic() > self._deadline:
            raise _TurnOverError

    def _store_entries(self, entries: Sequence[ParsedEntry]) -> None:
        rows = propose.to_rows(entries, self._position + 1)
        documents = [propose.to_search_document(row) for row in rows]
        with self._database.write() as tx, self._batch.measured():
            commands.add_entries(tx, self._import_id, self._begin_step(tx), entries, rows, documents)
        self._position, self._place = self._position + len(entries), (entries[-1].first, entries[-1].part)
        self._count += sum(entry.kind != "blank" for entry in entries)

    def _store_rest(self, revision: NoteRevision, state: "ReaderState") -> None:
        """Store the lines after the last record that is read, as one entry."""
        if state.line <= revision.line_count:
            rest = ParsedEntry(state.line, revision.line_count, 1, "snippet", text=TOO_MANY, decision="review")
            self._store_entries([replace(rest, reason=TOO_MANY, raw=TOO_MANY)])
        self._save_progress({"is_read": True})

    def _save_progress(self, values: dict[str, Any], done: int | None = None) -> None:
        with self._database.write() as tx:
            self._begin_step(tx, done)
            revision = tx.get_one(NoteRevision, self._import_id, options=[commands.WITHOUT_TEXT])
            revision.reading = {**revision.reading, **values}

    def _begin_step(self, tx: Write, done: int | None = None) -> int:
        """Renew the lease, lock the revision and return its note. Raise _CancelledError."""
        queue.extend_lease(tx, self._job, done=done)
        rows = tx.rows(_REVISION, {"import_id": self._import_id})
        if not rows or rows[0].state != "parsing":
            raise _CancelledError
        note_id: int = rows[0].note_id
        return note_id

    def _iter_rows(self, *columns: str, condition: sa.ColumnElement[bool] | None = None) -> Iterator[Any]:
        """Yield these columns of the stored entries, and their position, in order of position."""
        selected = [_ENTRIES.c[name] for name in (*columns, "position")]
        last = 0
        while True:
            query = sa.select(*selected).where(_ENTRIES.c.revision_id == self._import_id, _ENTRIES.c.position > last)
            query = query if condition is None else query.where(condition)
            with self._database.read() as tx:
                rows = tx.execute(query.order_by(_ENTRIES.c.position).limit(ROWS_PER_READ)).mappings().all()
            if not rows:
                return
            yield from rows
            last = rows[-1]["position"]

    def _mark_duplicates(self) -> None:
        """Mark records that repeat an earlier one, wherever it is. Repeating this changes nothing.

        The records of readtrack's own exports are distinct papers.
        """
        from readtrack.ingest.parser import deduplicate

        positions = array("L")

        def iter_keys() -> Iterator[list[str]]:
            for row in self._iter_rows("kind", "identifiers", "title", condition=_ENTRIES.c.details.is_(None)):
                if row["kind"] in {"paper", "mention"}:
                    positions.append(row["position"])
                    yield deduplicate.duplicate_keys(row["identifiers"], row["title"])

        waiting: list[int] = []
        for group in deduplicate.group_duplicates(iter_keys()):
            waiting += [positions[index] for index in group]
            if len(waiting) >= MAX_GROUP_ENTRIES:
                self._mark_group(waiting)
                waiting = []
        self._mark_group(waiting)

    def _mark_group(self, positions: Sequence[int]) -> None:
        """Mark the duplicates among these entries, of which only the compared columns are loaded together."""
        from readtrack.ingest.parser import deduplicate

        rows: list[Any] = []
        for start in range(0, len(positions), ROWS_PER_READ):
            chosen = _ENTRIES.c.position.in_(positions[start : start + ROWS_PER_READ])
            rows += self._load_rows(chosen, *_ENTRY_COLUMNS, *_COMPARED)
        rows.sort(key=lambda row: row["position"])
        marked = deduplicate.mark_duplicates([_to_unmarked_entry(row) for row in rows])
        changed = {row["id"]: entry for row, entry in zip(rows, marked, strict=True) if _differs(row, entry)}
        ids = list(changed)
        for start in range(0, len(ids), CHANGED_PER_STEP):
            self._store_changes({entry_id: changed[entry_id] for entry_id in ids[start : start + CHANGED_PER_STEP]})

    def _load_rows(self, condition: sa.ColumnElement[bool], *columns: str) -> Sequence[Any]:
        selected: list[Any] = [_ENTRIES.c[name] for name in columns] or [_ENTRIES]
        with self._database.read() as tx:
            query = sa.select(*selected).where(_ENTRIES.c.revision_id == self._import_id, condition)
            return tx.execute(query).mappings().all()

    def _store_changes(self, changed: Mapping[int, ParsedEntry]) -> None:
        rows = self._load_rows(_ENTRIES.c.id.in_(changed))
        with self._database.write() as tx:
            note_id = self._begin_step(tx)
            changed_rows = [_to_changed_row(row, changed[row["id"]]) for row in rows]
            known_rows = propose.mark_known_rows(tx, changed_rows, note_id)
            values = [{"entry_id": row["id"], **{name: row[name] for name in _CHANGED}} for row in known_rows]
            tx.connection().execute(sa.update(_ENTRIES).where(_ENTRIES.c.id == sa.bindparam("entry_id")), values)
            search.update_entries(tx, [row["id"] for row in rows if row["title"] != changed[row["id"]].title])


def _to_unmarked_entry(row: Any) -> ParsedEntry:  # noqa: ANN401 - a row of the table
    """Return the compared part of an entry, as a paper whatever it was marked as."""
    values: dict[str, Any] = {
        name: tuple(row[name]) if isinstance(row[name], list) else row[name] for name in _COMPARED
    }
    values |= {name: row[name] for name in ("part", "paper_kind", "decision", "reason")} | {"kind": "paper", "twin": ""}
    return ParsedEntry(first=row["first_line"], last=row["last_line"], **values)


def _differs(row: Any, entry: ParsedEntry) -> bool:  # noqa: ANN401 - a row of the table
    return any(row[name] != _to_column(getattr(entry, name)) for name in _COMPARED)


def _to_changed_row(row: Any, entry: ParsedEntry) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    values = {name: _to_column(getattr(entry, name)) for name in _COMPARED}
    if row["decision"] != "known":
        values |= {"decision": entry.decision, "reason": entry.reason}
    return {**row, **values}


def _to_column(value: Any) -> Any:  # noqa: ANN401 - type of the column
    return list(value) if isinstance(value, tuple) else value


@queue.handler(DISCARD)
def delete_import(database: Database, _http: Http, job: LeasedJob) -> None:
    """Delete a discarded import in steps."""
    import_id = job.payload["import"]
    while _delete_some(database, job, import_id):
        pass
    with database.write() as tx:
        queue.extend_lease(tx, job)
        revision = tx.get(NoteRevision, import_id)
        if revision is not None and revision.state == "discarded":
            tx.execute(sa.delete(Notification).where(col(Notification.import_id) == import_id))
            tx.delete(revision)
            tx.flush()
            is_used = sa.exists().where(col(NoteRevision.note_id) == revision.note_id)
            tx.execute(sa.delete(Note).where(col(Note.id) == revision.note_id, ~is_used))
        queue.finish_job(tx, job)


def _delete_some(database: Database, job: LeasedJob, import_id: int) -> bool:
    """Delete some entries and chunks. Return False if there are none left, or the import is not discarded."""
    with database.write() as tx:
        queue.extend_lease(tx, job)
        state = tx.scalar(sa.select(col(NoteRevision.state)).where(col(NoteRevision.id) == import_id))
        if state != "discarded":
            return False
        query = sa.select(col(Entry.id)).where(col(Entry.revision_id) == import_id).limit(DELETED_PER_STEP)
        ids = [entry_id for entry_id in tx.scalars(query) if entry_id]
        tx.bulk_execute(sa.delete(Entry).where(col(Entry.id).in_(ids)))
        search.update_entries(tx, ids)
        numbers = sa.select(col(NoteChunk.number)).where(col(NoteChunk.revision_id) == import_id).limit(20)
        is_chosen = sa.and_(
            col(NoteChunk.revision_id) == import_id, col(NoteChunk.number).in_(tx.scalars(numbers).all())
        )
        return bool(tx.bulk_execute(sa.delete(NoteChunk).where(is_chosen)).rowcount or ids)


def _lock_revision(tx: Read, import_id: int) -> NoteRevision | None:
    options: dict[str, Any] = {"populate_existing": True}
    query = sa.select(NoteRevision).where(col(NoteRevision.id) == import_id).with_for_update()
    return tx.scalar(query.options(commands.WITHOUT_TEXT), execution_options=options)
