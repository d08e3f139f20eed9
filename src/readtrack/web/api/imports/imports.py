"""API endpoints for imports: create a preview, list its entries and decide on them, commit, and get the report."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.validation import StrictModel
from readtrack.ingest.imports import commands, edit_entries, merge_entries, queries
from readtrack.ingest.imports import report as imports_report
from readtrack.ingest.imports.columns import get_columns
from readtrack.ingest.imports.commands import Columns, ImportCommit, NoteCreate
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry, decide_all
from readtrack.ingest.imports.merge_entries import MAX_MERGED_ENTRIES
from readtrack.ingest.imports.queries import EntryFilter
from readtrack.ingest.imports.store import change_columns, store_notes
from readtrack.ingest.imports.stored_text import is_long
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.import_body import OneAtATime, ReadAgain, TextImportBody
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    JsonResponse,
    ResponseModel,
    conditional_response,
    read_json,
)
from readtrack.web.routing import api_router

_PLAIN = (
    "part", "identifiers", "links", "title", "topics", "venue", "year", "authors", "read_on", "rating", "abstract",
    "status", "details", "text", "twin", "apart", "aliases", "alias_taken", "rules", "decision", "reason", "made",
)  # fmt: skip
MAX_ENTRIES = 1000  # maximum entries per page


class EntrySelection(StrictModel):
    """The filter of entries: by decision, kind, and words in their lines; all by default.

    `open`: those that no commit has dealt with yet.
    """

    show: Literal["", "new", "kept", "review", "known", "skip", "open"] = ""
    kind: Annotated[str, Field(max_length=20)] = ""
    q: Annotated[str, Field(max_length=1000)] = ""

    @property
    def narrowed(self) -> EntryFilter:
        return EntryFilter(self.show, self.kind, self.q)


class EntryRead(ResponseModel):
    """An entry: a range of lines, and what it becomes.

    `n`: permanent number; entries are listed in the order of their lines. `twin`: the identifier of an earlier entry
    with the same title, or `paper:` and the id of a paper of the library with the same or a similar title; `apart`: a
    person confirmed that it is another work; `aliases`: suggested for a topic; `rules`: ids of applied rules;
    `changed`: edited by a person; `made`: it created its paper, topic, question or lead; `details`: of
    a record of readtrack's own exports, its reading, texts and relations.
    """

    n: int
    lines: Annotated[list[int], Field(min_length=2, max_length=2)]
    part: int
    kind: str
    identifiers: list[str]
    links: list[dict[str, str]]
    title: str
    topics: list[str]
    venue: str
    year: int | None
    authors: list[str]
    date: str
    read_on: str
    rating: str
    abstract: str
    status: str | None
    details: dict[str, Any] | None
    text: str
    twin: str
    apart: bool
    aliases: list[str]
    alias_taken: bool
    rules: list[int]
    decision: str
    reason: str
    changed: bool
    made: bool
    paper: int | None


class ImportRead(ResponseModel):
    """An import: state, number of lines by kind, number of entries by decision.

    `undecided`: entries that need a decision. They are not added until they are decided on and the import is committed
    again. `unreadable`: characters that could not be decoded. `columns`: of a CSV file, what each column is read as by
    its name, "" if it is not used; null for other notes. `problem`: why its job is waiting or has failed.
    """

    id: int
    note: int
    title: str
    revision: int
    state: str
    line_count: int
    lines: dict[str, int]
    decisions: dict[str, int]
    undecided: int
    unreadable: int
    columns: dict[str, str] | None
    job: int | None
    done: int
    total: int | None
    problem: str


class StartedCommit(ResponseModel):
    """The job that commits an import."""

    job: int | None
    import_id: Annotated[int, Field(serialization_alias="import")]


class ImportCancelled(ResponseModel):
    """The new state of an import: "cancelled" or "discarded"."""

    id: int
    state: str


class ImportDetailRead(ImportRead):
    """An import with its entries."""

    entries: list[EntryRead]


class EntryList(ResponseModel):
    """A list of entries; `next` is the `after` of the next page, null at the end."""

    items: list[EntryRead]
    next: int | None


def import_json(tx: Read, import_id: int) -> dict[str, Any]:
    """Return the state and counts of an import as JSON. Raise NotFound."""
    state, columns = queries.get_import(tx, import_id), get_columns(tx, import_id)
    return {
        "id": state.id,
        "note": state.note_id,
        "title": state.title,
        "revision": state.number,
        "state": state.state,
        "line_count": state.line_count,
        **queries.count_by_kind(tx, import_id),
        "undecided": state.undecided,
        "unreadable": state.unreadable_count,
        "columns": columns.fields if columns else None,
        "job": state.job.id if state.job else None,
        "done": state.job.progress_done if state.job else 0,
        "total": state.job.total if state.job else None,
        "problem": state.job.error if state.job else "",
    }


def entries_json(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return rows of entries as JSON."""
    return [entry_json(row) for row in rows]


def entry_json(row: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    """Return an entry as JSON."""
    return {
        "n": row.position,
        "lines": [row.first_line, row.last_line],
        "kind": queries.display_kind(row),
        **{name: getattr(row, name) for name in _PLAIN},
        "date": row.published,
        "changed": row.proposed is not None,
        "paper": row.paper_id,
    }


router = api_router("imports")


class EntriesQuery(EntrySelection):
    """A filter of entries with pagination: those after the entry `after`, at most `limit`.

    Blank lines are only listed without any parameter.
    """

    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int | None, Field(ge=1)] = None


class DoubtfulEntry(ResponseModel):
    """An entry that needs review."""

    n: int
    line: int
    title: str
    reason: str
    paper: int | None


class RuleUse(ResponseModel):
    """A rule and the number of entries it was applied to."""

    rule: str
    entries: int


class ImportReport(ResponseModel):
    """The result of an import.

    The counts in `lines` add up to `line_count`, those in `kinds` and in `decisions` to `entries`. `undecided`: entries
    that wait for a decision; they are not among `papers`.
    """

    id: int
    state: str
    line_count: int
    lines: dict[str, int]
    entries: int
    kinds: dict[str, int]
    decisions: dict[str, int]
    papers: dict[str, int]
    undecided: int
    rules: list[RuleUse]
    warnings: list[DoubtfulEntry]
    warning_count: int


@router.post(
    "/imports",
    responses={status: {"model": ImportDetailRead} for status in (200, 201, 202)},
    openapi_extra=request_body_schema(NoteCreate, {"text": "2403.00001"}),
)
def create_import(me: Me, sent: TextImportBody, database: OneAtATime) -> Response:
    """Preview an import of notes.

    The note is stored and the answer says what its lines would become. The same text is the same import. Nothing is
    fetched. Text over 200 kB is read in the background: the answer is 202 without entries, and the state of the import
    changes from "parsing" to "preview". `columns` says what the columns of a CSV file are; they are remembered for
    files with the same header.
    """
    permissions.require(me, "import")
    import_id, created = store_notes(database, me, sent.notes, sent.title, sent.columns)
    if sent.long_text is not None:
        with database.read() as tx:
            payload = import_json(tx, import_id) | {"entries": []}
        status = 202 if payload["state"] == "parsing" else 200
        return JsonResponse(payload, status, {"Location": f"/api/v1/imports/{import_id}"})
    with database.read() as tx:  # a separate transaction, so that writers do not wait while the long response is built
        payload = import_json(tx, import_id) | {"entries": entries_json(queries.list_entries(tx, import_id))}
    return JsonResponse(payload, 201 if created else 200, {"Location": f"/api/v1/imports/{import_id}"})


@router.get("/imports/{import_id:int}", responses={200: {"model": ImportRead}})
def get_import(request: Request, import_id: int, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Get an import.

    With its progress.
    """
    return conditional_response(request, import_json(tx, import_id))


@router.get("/imports/{import_id:int}/entries", responses={200: {"model": EntryList}})
def list_import_entries(
    request: Request,
    import_id: int,
    wanted: Annotated[EntriesQuery, Query()],
    me: Me,  # noqa: ARG001
    tx: ReadTx,
) -> Response:
    """List the entries of an import.

    In the order of the lines: all of them, or those of a filter by page. Those of a long text always come by page.
    """
    queries.get_import(tx, import_id)
    if not wanted.model_fields_set and not is_long(tx, import_id):
        return conditional_response(request, {"items": entries_json(queries.list_entries(tx, import_id)), "next": None})
    limit = min(wanted.limit or MAX_ENTRIES, MAX_ENTRIES)
    rows, has_more = queries.list_preview_page(tx, import_id, wanted.narrowed, after=wanted.after, limit=limit)
    return conditional_response(request, {"items": entries_json(rows), "next": rows[-1].position if has_more else None})


@router.get("/imports/{import_id:int}/report", responses={200: {"model": ImportReport}})
def get_import_report(request: Request, import_id: int, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Get the report of an import.

    What became of every line, in sums that add up; of a preview, what would become of it.
    """
    return conditional_response(request, report_json(imports_report.get_report(tx, import_id)))


async def _body_or_none(request: Request) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON body; an empty body counts as {}."""
    return await read_json(request) if await request.body() else {}


OptionalBody = Annotated[Any, Depends(_body_or_none)]


@router.post(
    "/imports/{import_id:int}/commit",
    responses={202: {"model": StartedCommit}},
    openapi_extra=request_body_schema(ImportCommit, {}, required=False),
)
def commit_import(import_id: int, me: Me, body: OptionalBody, once: IdempotentPost, tx: WriteTx) -> Response:
    """Commit an import with a job.

    Entries that need review wait: decide on them and commit again. Otherwise a repeated commit returns the same job,
    resumed if it has failed.
    """
    defaults = validate_input(ImportCommit, body)
    job_id = commands.commit_import(tx, me, import_id, defaults)
    return once.answer({"job": job_id, "import": import_id}, status=202, headers={"Location": f"/api/v1/jobs/{job_id}"})


class ColumnsUpdate(StrictModel):
    """What each column of a CSV file is read as, by its name; "" if it is not used."""

    columns: Annotated[Columns, Field(min_length=1)]


@router.put(
    "/imports/{import_id:int}/columns",
    responses={200: {"model": ImportRead}},
    openapi_extra=request_body_schema(ColumnsUpdate, {"columns": {"My title": "title"}}),
)
def update_columns(import_id: int, me: Me, body: Body, database: ReadAgain) -> Response:
    """Change what the columns of a CSV file are read as.

    The preview is made again, and decisions on its entries are lost. The columns are remembered for files with the same
    header. 409 once the import is committed. Safe to repeat.
    """
    change_columns(database, me, import_id, validate_input(ColumnsUpdate, body).columns)
    with database.read() as tx:
        return JsonResponse(import_json(tx, import_id))


@router.post("/imports/{import_id:int}/cancel", responses={200: {"model": ImportCancelled}})
def cancel_import(import_id: int, me: Me, tx: WriteTx) -> Response:
    """Cancel an import.

    While it is read, reviewed or committed. "cancelled": what was committed stays, and committing again adds the rest.
    "discarded": nothing was added, and the import is deleted. 409 if it is complete.
    """
    return JsonResponse({"id": import_id, "state": commands.cancel_import(tx, me, import_id)})


def report_json(report: imports_report.Report) -> dict[str, Any]:
    """Return the report as JSON."""
    data = dict(vars(report))
    warnings = [
        {
            "n": warning.position,
            "line": warning.line,
            "title": warning.title,
            "reason": warning.reason,
            "paper": warning.paper_id,
        }
        for warning in report.warnings
    ]
    rules = [{"rule": rule, "entries": entries} for rule, entries in report.rules]
    return {"id": data.pop("import_id"), **data, "rules": rules, "warnings": warnings}


class EntryDecision(EntrySelection):
    """A decision for all entries that match a filter."""

    decision: Literal["add", "skip"]


class EntryJoin(StrictModel):
    """The numbers of adjacent entries to join."""

    entries: Annotated[list[int], Field(min_length=2, max_length=MAX_MERGED_ENTRIES)]


class DecisionCounts(ResponseModel):
    """The number of changed entries, and the resulting counts."""

    changed: int
    decisions: dict[str, int]


@router.patch(
    "/imports/{import_id:int}/entries/{position:int}",
    responses={200: {"model": EntryRead}},
    openapi_extra=request_body_schema(EntryUpdate, {"decision": "skip"}),
)
def update_entry(import_id: int, position: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Correct an entry.

    Optionally saved as a rule. Entries below a heading follow it. 409 once the entry is imported.
    """
    edit = validate_input(EntryUpdate, body)
    correct_entry(tx, me, import_id, position, edit=edit)
    return JsonResponse(entry_json(queries.get_entry(tx, import_id, position)))


@router.post(
    "/imports/{import_id:int}/entries/{position:int}/split",
    responses={200: {"model": EntryList}},
)
def split_entry(import_id: int, position: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Split an entry by its identifiers, or else by its lines.

    Return the resulting entries.
    """
    return once.answer(
        _entries_payload(tx, import_id, merge_entries.split_entry(tx, me, import_id, position)), status=200
    )


@router.post("/imports/{import_id:int}/entries/{position:int}/reset", responses={200: {"model": EntryList}})
def reset_entry(import_id: int, position: int, me: Me, tx: WriteTx) -> Response:
    """Reset an entry.

    It is as it was proposed, and so is what it was joined with or split into. Safe to repeat.
    """
    return JsonResponse(_entries_payload(tx, import_id, edit_entries.reset_entry(tx, me, import_id, position)))


@router.post(
    "/imports/{import_id:int}/join",
    responses={200: {"model": EntryRead}},
    openapi_extra=request_body_schema(EntryJoin, {"entries": [1, 2]}),
)
def join_entries(import_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Join adjacent entries into one, which keeps the number of the first."""
    position = merge_entries.join_entries(tx, me, import_id, validate_input(EntryJoin, body).entries)
    return once.answer(entry_json(queries.get_entry(tx, import_id, position)), status=200)


@router.post(
    "/imports/{import_id:int}/decide",
    responses={200: {"model": DecisionCounts}},
    openapi_extra=request_body_schema(EntryDecision, {"decision": "skip"}),
)
def decide_entries(import_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Accept or skip all entries that match a filter.

    Safe to repeat.
    """
    data = validate_input(EntryDecision, body)
    changed_count = decide_all(tx, me, import_id, data.narrowed, decision=data.decision)
    return JsonResponse({"changed": changed_count, "decisions": queries.count_by_kind(tx, import_id)["decisions"]})


def _entries_payload(tx: Read, import_id: int, positions: list[int]) -> dict[str, Any]:
    rows = queries.find_entries(tx, import_id, positions)
    return {"items": entries_json(rows[position] for position in positions), "next": None}
