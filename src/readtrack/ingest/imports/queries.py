"""Queries on notes and imports: revisions, entries and progress."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    PAPER_KINDS,
    Entry,
    Identifier,
    Job,
    MetadataRequest,
    Note,
    NoteRevision,
    Paper,
    Person,
)
from readtrack.infra.models.columns import ENTRY_KINDS
from readtrack.infra.permissions import CurrentUser
from readtrack.library.enrichment.pending import PendingReason, get_pending_reason

IMPORTED_KINDS = ("paper", "mention", "topic", "question", "lead")  # kinds of entries that create or find an object
ENTRY_ORDER = (col(Entry.first_line), col(Entry.part), col(Entry.position))  # document order
_BECOMES = col(Entry.kind).in_(IMPORTED_KINDS)
IS_ACTIVE = col(Entry.joined_to).is_(None)  # excludes entries merged into another
IS_UNDECIDED = sa.and_(col(Entry.decision) == "review", col(Entry.done_at).is_(None))  # waits for a person's decision
# Entries that a commit applies. One that it flags for review has been applied all the same.
HAS_EFFECT = sa.and_(_BECOMES, col(Entry.decision) != "skip", sa.not_(IS_UNDECIDED))
DECISION_FILTERS = {  # filters of the preview
    "new": sa.and_(col(Entry.decision) == "add", _BECOMES),
    "kept": sa.and_(col(Entry.decision) == "add", sa.not_(_BECOMES)),
    "review": col(Entry.decision) == "review",
    "known": col(Entry.decision) == "known",
    "skip": col(Entry.decision) == "skip",
    "open": col(Entry.done_at).is_(None),  # of a committed import: the entries that waited, decided or not
}
MAX_LISTED = 150_000  # entries of notes in free form; of long texts, one page at a time is asked for
MAX_RESULTS = 1_000  # papers and failures listed on the page of an import
PAPER_ENTRY_KINDS = ("paper", "mention")  # kinds of entries that are a paper or a mention of one


@dataclass(frozen=True)
class EntryFilter:
    """A filter of entries: a key of DECISION_FILTERS, a displayed kind (a paper's own) and words.

    "" matches all.
    """

    show: str = ""
    kind: str = ""
    q: str = ""


@dataclass(frozen=True)
class EntryCounts:
    """The number of entries for each value of one filter, given the other filters."""

    shown: Mapping[str, int]
    kinds: Mapping[str, int]


ALL = EntryFilter()
_shown_paper_kind = sa.func.coalesce(sa.func.nullif(col(Entry.paper_kind), ""), "paper")


@dataclass(frozen=True)
class ImportJob:
    """The job that applies an import, with its progress."""

    id: int
    state: str
    progress_done: int
    total: int | None
    error: str


@dataclass(frozen=True)
class ImportState:
    """An import and its progress.

    `state`: that of the revision, or "failed" if its job has failed.
    """

    id: int
    note_id: int
    title: str
    number: int
    state: str
    line_count: int
    created_by: int | None
    person: str
    created_at: Any
    job: ImportJob | None
    is_read: bool  # all entries are stored
    unreadable_count: int  # characters that could not be decoded
    undecided: int  # entries that wait for a person's decision


def get_import(tx: Read, import_id: int) -> ImportState:
    """Return an import. Raise NotFound if it does not exist."""
    row = tx.execute(_imports_query().where(col(NoteRevision.id) == import_id)).one_or_none()
    if row is None:
        raise import_not_found(import_id)
    columns = (Job.id, Job.state, Job.progress_done, Job.total, Job.error)
    job = tx.execute(sa.select(*(col(column) for column in columns)).where(col(Job.id) == row.job_id)).one_or_none()
    return _to_import_state(row, ImportJob(*job) if job else None)


def list_imports(tx: Read, limit: int = 50) -> list[ImportState]:
    """Return the latest imports, newest first."""
    return [
        _to_import_state(row, None)
        for row in tx.execute(_imports_query().order_by(col(NoteRevision.id).desc()).limit(limit))
    ]


def list_entries(tx: Read, import_id: int, *, lines: tuple[int, int] | None = None) -> Sequence[sa.Row[Any]]:
    """Return the entries in document order: all, or those that overlap the given range of lines, at most MAX_LISTED."""
    query = _entries_query(import_id).limit(MAX_LISTED)
    if lines is not None:
        query = query.where(col(Entry.last_line) >= lines[0], col(Entry.first_line) <= lines[1])
    return tx.execute(query).all()


def list_entry_page(tx: Read, import_id: int, *, after: int, limit: int) -> tuple[Sequence[sa.Row[Any]], bool]:
    """Return a page of all entries after the one at position `after`, and True if more follow."""
    query = _entries_query(import_id)
    order = _find_entry_order(tx, import_id, after)
    if order is not None:
        query = query.where(sa.tuple_(*ENTRY_ORDER) > sa.tuple_(*order))
    rows = tx.execute(query.limit(limit + 1)).all()
    return rows[:limit], len(rows) > limit


def list_preview_page(
    tx: Read, import_id: int, entry_filter: EntryFilter = ALL, *, after: int = 0, limit: int
) -> tuple[Sequence[sa.Row[Any]], bool]:
    """Return a page of preview entries after the entry at position `after`, and True if more follow.

    Blank lines are left out.
    """
    query = _entries_query(import_id).where(*entry_filters(tx, entry_filter))
    order = _find_entry_order(tx, import_id, after)
    if order is not None:
        query = query.where(sa.tuple_(*ENTRY_ORDER) > sa.tuple_(*order))
    rows = tx.execute(query.limit(limit + 1)).all()
    return rows[:limit], len(rows) > limit


def find_page_before(
    tx: Read, import_id: int, entry_filter: EntryFilter = ALL, *, after: int, limit: int
) -> int | None:
    """Return the `after` of the previous page, 0 if that is the first page, None if there is none."""
    order = _find_entry_order(tx, import_id, after)
    if order is None:
        return None
    descending = [column.desc() for column in ENTRY_ORDER]
    before = sa.select(col(Entry.position)).where(col(Entry.revision_id) == import_id, *entry_filters(tx, entry_filter))
    before = before.where(sa.tuple_(*ENTRY_ORDER) <= sa.tuple_(*order)).order_by(*descending)
    positions = tx.scalars(before.limit(limit + 1)).all()
    return positions[limit] if len(positions) > limit else 0


def count_preview_entries(tx: Read, import_id: int, entry_filter: EntryFilter = ALL) -> EntryCounts:
    """Count the preview entries of each filter in one statement."""
    decision = sa.case((DECISION_FILTERS["kept"], sa.literal_column("'kept'")), else_=col(Entry.decision)).label("said")
    columns = (decision, col(Entry.kind), col(Entry.paper_kind))
    query = sa.select(*columns, sa.func.count().label("entries")).group_by(*columns)
    decision_counts: Counter[str] = Counter()
    kind_counts: Counter[str] = Counter()
    within = "open" if entry_filter.show == "open" else ""
    conditions = entry_filters(tx, EntryFilter(show=within, q=entry_filter.q))
    for row in tx.execute(query.where(col(Entry.revision_id) == import_id, *conditions)):
        kind, show = display_kind(row), "new" if row.said == "add" else row.said
        if entry_filter.kind in {"", kind}:
            decision_counts.update({show: row.entries, within: row.entries})
        if entry_filter.show in {within, show}:
            kind_counts[kind] += row.entries
    return EntryCounts(decision_counts, kind_counts)


def entry_filters(tx: Read, entry_filter: EntryFilter) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for active, non-blank entries that match the filter."""
    conditions: list[sa.ColumnElement[bool]] = [IS_ACTIVE, col(Entry.kind) != "blank"]
    if entry_filter.show:
        conditions.append(DECISION_FILTERS.get(entry_filter.show, sa.false()))
    if entry_filter.kind in PAPER_KINDS:
        conditions += [col(Entry.kind) == "paper", _shown_paper_kind.in_([entry_filter.kind])]
    elif entry_filter.kind:
        conditions.append(col(Entry.kind) == entry_filter.kind)
    if entry_filter.q.strip():
        conditions.append(search.entry_filter(tx, search.build_word_query(entry_filter.q)))
    return conditions


def display_kind(entry: Any) -> str:  # noqa: ANN401 - a row of the table
    """Return the paper's own kind (article, video, …) for papers, otherwise the entry's kind."""
    return entry.paper_kind or "paper" if entry.kind == "paper" else str(entry.kind)


def get_entry(tx: Read, import_id: int, position: int) -> sa.Row[Any]:
    """Return an entry. Raise NotFound if it does not exist."""
    row = tx.execute(_entries_query(import_id).where(col(Entry.position) == position, IS_ACTIVE)).one_or_none()
    if row is None:
        message = _("Entry {position} not found.").format(position=position)
        raise NotFound(message)
    return row


def find_entries(tx: Read, import_id: int, positions: Collection[int]) -> dict[int, sa.Row[Any]]:
    """Return the existing entries at these positions, in one statement."""
    rows = tx.execute(_entries_query(import_id).where(col(Entry.position).in_(positions)))
    return {row.position: row for row in rows}


def count_by_kind(tx: Read, import_id: int) -> dict[str, dict[str, int]]:
    """Count lines by kind (in all the length of the note) and entries by decision.

    Blank lines are no entries. "kept" counts entries that create nothing and need no decision: they only stay in the
    notes.
    """
    lines = sa.func.sum(sa.case((col(Entry.part) == 1, col(Entry.last_line) - col(Entry.first_line) + 1), else_=0))
    condition = sa.and_(col(Entry.revision_id) == import_id, IS_ACTIVE)
    by_kind = tx.execute(sa.select(col(Entry.kind), lines).where(condition).group_by(col(Entry.kind)))
    decision = sa.case((DECISION_FILTERS["kept"], sa.literal_column("'kept'")), else_=col(Entry.decision)).label("said")
    query = sa.select(decision, sa.func.count()).where(condition, col(Entry.kind) != "blank")
    by_decision = tx.execute(query.group_by(decision))
    return {"lines": {kind: int(count) for kind, count in by_kind}, "decisions": dict(by_decision.all())}


def has_note(tx: Read, path: str) -> bool:
    """Return True if a file with this full path was imported with its folder."""
    return tx.scalar(sa.select(col(Note.id)).where(col(Note.path) == path).limit(1)) is not None


def count_parsed_lines(tx: Read, state: ImportState) -> int:
    """Count the lines whose entries are stored so far."""
    import_id = state.id
    if state.job is not None:  # of a long text
        return state.job.progress_done
    return tx.scalar(sa.select(sa.func.max(col(Entry.last_line))).where(col(Entry.revision_id) == import_id)) or 0


def list_paper_results(tx: Read, import_id: int) -> list[sa.Row[Any]]:
    """Return the papers of an import in document order, at most 1000, with their metadata requests."""
    condition = col(MetadataRequest.paper_id) == col(Paper.id)
    waiting_query = (
        sa.select(col(MetadataRequest.service)).where(condition, col(MetadataRequest.state) == "waiting").limit(1)
    )
    waits_for = waiting_query.scalar_subquery().label("waits_for")
    problem_query = sa.select(col(MetadataRequest.problem)).where(
        condition, col(MetadataRequest.problem) != "", col(MetadataRequest.state) != "earlier"
    )
    problem = sa.func.coalesce(problem_query.limit(1).scalar_subquery(), "").label("problem")
    has_paper = sa.and_(col(Entry.revision_id) == import_id, col(Entry.paper_id).is_not(None))
    first_entries = sa.select(col(Entry.id)).where(has_paper).order_by(col(Entry.position)).limit(MAX_RESULTS)
    query = (
        sa.select(
            col(Paper.id),
            col(Paper.title),
            col(Paper.record_id),
            waits_for,
            col(Identifier.scheme),
            col(Identifier.value),
            problem,
            sa.func.min(col(Entry.position)).label("position"),
        )
        .join(Entry, col(Entry.paper_id) == col(Paper.id))
        .join(Identifier, col(Identifier.paper_id) == col(Paper.id), isouter=True)
        .where(col(Entry.id).in_(first_entries))
        .group_by(
            col(Paper.id),
            col(Paper.title),
            col(Identifier.scheme),
            col(Identifier.value),
            col(Paper.record_id),
        )
        .order_by("position")
        .limit(MAX_RESULTS)
    )
    return list(tx.execute(query))


def count_ready_entries(tx: Read, state: ImportState) -> int:
    """Count the entries that the next commit adds."""
    conditions = [col(Entry.revision_id) == state.id, IS_ACTIVE, DECISION_FILTERS["new"]]
    if state.state != "preview" or state.job:  # else none has been applied, which the index of the counts can answer
        conditions.append(DECISION_FILTERS["open"])
    return tx.scalar(sa.select(sa.func.count()).select_from(Entry).where(*conditions)) or 0


def has_open_entries(tx: Read, import_id: int, *conditions: sa.ColumnElement[bool]) -> bool:
    """Return True if a commit has not dealt with all entries, or with all that match the conditions."""
    is_open = (col(Entry.revision_id) == import_id, IS_ACTIVE, DECISION_FILTERS["open"], *conditions)
    return tx.scalar(sa.select(col(Entry.id)).where(*is_open).limit(1)) is not None


def undecided_count() -> sa.ScalarSelect[int]:
    """Return an expression for the number of undecided entries of a revision."""
    # All kinds are named so that the index of the counts finds them without reading the other entries.
    is_undecided = (col(Entry.kind).in_(ENTRY_KINDS), IS_UNDECIDED, IS_ACTIVE)
    query = sa.select(sa.func.count()).select_from(Entry)
    return (
        query.where(col(Entry.revision_id) == col(NoteRevision.id), *is_undecided)
        .correlate(NoteRevision)
        .scalar_subquery()
    )


def find_pending_services(tx: Read, rows: Sequence[sa.Row[Any]]) -> dict[str, PendingReason]:
    """Return why the services are still pending, by service."""
    services = sorted({row.waits_for for row in rows if row.waits_for and row.record_id is None})
    return {service: get_pending_reason(tx, service) for service in services}


def find_lines(tx: Read, me: CurrentUser, q: str, *, limit: int = 10) -> Sequence[sa.Row[Any]]:
    """Return lines of notes with these words that became no paper, newest first.

    Queries without words match none. A line that occurs in several revisions is returned once. Only the newest matching
    lines are read, so that a common word is as fast as a rare one.
    """
    query = search.parse(q)
    if not query.has_words:
        return []
    lines: sa.Select[*tuple[Any, ...]] = (
        sa.select(
            col(Entry.kind),
            col(Entry.first_line),
            col(Entry.raw),
            col(Entry.fingerprint),
            col(Note.id).label("note_id"),
            col(Note.title),
        )
        .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
        .join(Note, col(Note.id) == col(NoteRevision.note_id))
        .where(search.entry_filter(tx, query, me), col(Entry.paper_id).is_(None), IS_ACTIVE)
        .order_by(col(Entry.id).desc())
        .limit(limit * 5)
    )
    unique_rows = {row.fingerprint: row for row in reversed(tx.execute(lines).all())}
    return sorted(unique_rows.values(), key=lambda row: (-row.note_id, row.first_line))[:limit]


def effective_entries(import_id: int | sa.BindParameter[int]) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions for the entries that a commit applies."""
    return col(Entry.revision_id) == import_id, IS_ACTIVE, HAS_EFFECT


def revision_state() -> sa.ColumnElement[str]:
    """Return an expression for the state of a revision, "failed" if its job failed or is gone."""
    has_job = sa.exists().where(col(Job.id) == col(NoteRevision.job_id), col(Job.state) != "failed")
    is_running = sa.or_(col(NoteRevision.state) == "committing", col(NoteRevision.job_id).is_not(None))
    is_failed = sa.and_(col(NoteRevision.state).in_(("committing", "parsing")), is_running, sa.not_(has_job))
    return sa.case((is_failed, sa.literal_column("'failed'")), else_=col(NoteRevision.state))


def import_not_found(import_id: int) -> NotFound:
    """Build the error for an import that does not exist."""
    return NotFound(_("Import {import_id} not found.").format(import_id=import_id))


def _entries_query(import_id: int) -> sa.Select[*tuple[Any, ...]]:
    query = sa.select(Entry.__table__).where(col(Entry.revision_id) == import_id, IS_ACTIVE)  # type: ignore[attr-defined]
    return query.order_by(*ENTRY_ORDER)


def _find_entry_order(tx: Read, import_id: int, position: int) -> sa.Row[Any] | None:
    """Return the sort key of the entry at that position.

    Merged entries are included: one may have ended a page.
    """
    if not position:
        return None
    query = sa.select(*ENTRY_ORDER).where(col(Entry.revision_id) == import_id, col(Entry.position) == position)
    return tx.execute(query).one_or_none()


@cache
def _imports_query() -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(
            col(NoteRevision.id),
            col(NoteRevision.note_id),
            col(Note.title),
            col(NoteRevision.number),
            revision_state().label("state"),
            col(NoteRevision.state).not_in(("uploading", "parsing")).label("is_read"),
            col(NoteRevision.line_count),
            col(NoteRevision.reading)["unreadable"].as_integer().label("unreadable_count"),
            col(NoteRevision.created_by),
            col(NoteRevision.created_at),
            col(NoteRevision.job_id),
            col(Person.name).label("person"),
            undecided_count().label("undecided"),
        )
        .join(Note, col(Note.id) == col(NoteRevision.note_id))
        .join(Person, col(Person.id) == col(NoteRevision.created_by), isouter=True)
        .where(col(NoteRevision.state) != "discarded")
    )


def _to_import_state(row: sa.Row[Any], job: ImportJob | None) -> ImportState:
    return ImportState(
        id=row.id,
        note_id=row.note_id,
        title=row.title,
        number=row.number,
        state=row.state,
        line_count=row.line_count,
        created_by=row.created_by,
        person=row.person or "",
        created_at=row.created_at,
        job=job,
        is_read=bool(row.is_read),
        unreadable_count=row.unreadable_count or 0,
        undecided=row.undecided,
    )
