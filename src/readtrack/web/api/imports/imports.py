"""API endpoints for imports: create a preview, list its entries, commit, and get the report."""

from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.ingest.imports import commands, queries
from readtrack.ingest.imports import report as imports_report
from readtrack.ingest.imports.commands import ImportCommit, NoteCreate
from readtrack.web.api.imports.schemas import (
    EntryList,
    EntrySelection,
    ImportDetailRead,
    ImportRead,
    entries_json,
    import_json,
)
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.import_body import OneAtATime, TextImportBody
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import IdempotentPost, JsonResponse, conditional_response, read_json
from readtrack.web.routing import api_router

router = api_router("imports")
MAX_ENTRIES = 1000  # maximum entries per page


class EntriesQuery(EntrySelection):
    """A filter of entries with pagination: those after the entry `after`, at most `limit`.

    Blank lines are only listed without any parameter.
    """

    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int | None, Field(ge=1)] = None


class DoubtfulEntry(BaseModel):
    """An entry that needs review."""

    n: int
    line: int
    title: str
    reason: str
    paper: int | None


class RuleUse(BaseModel):
    """A rule and the number of entries it was applied to."""

    rule: str
    entries: int


class ImportReport(BaseModel):
    """The result of an import.

    The counts in `lines` add up to `line_count`, those in `kinds` and in `decisions` to `entries`.
    """

    id: int
    state: str
    line_count: int
    lines: dict[str, int]
    entries: int
    kinds: dict[str, int]
    decisions: dict[str, int]
    papers: dict[str, int]
    rules: list[RuleUse]
    warnings: list[DoubtfulEntry]
    warning_count: int


@router.post(
    "/imports",
    responses={200: {"model": ImportDetailRead}, 201: {"model": ImportDetailRead}},
    openapi_extra=request_body_schema(NoteCreate),
)
def create_import(me: Me, sent: TextImportBody, database: OneAtATime) -> Response:
    """Preview an import of notes.

    The note is stored and the answer says what its lines would become. The same text is the same import. Nothing is
    fetched.
    """
    permissions.require(me, "import")
    parsed = commands.prepare_notes(sent.text, sent.title)
    import_id, created = commands.store_preview(database, me, parsed)
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

    In the order of the lines: all of them, or those of a filter by page.
    """
    queries.get_import(tx, import_id)
    if not wanted.model_fields_set:
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


@router.post("/imports/{import_id:int}/commit", status_code=202, openapi_extra=request_body_schema(ImportCommit))
def commit_import(import_id: int, me: Me, body: OptionalBody, once: IdempotentPost, tx: WriteTx) -> Response:
    """Commit an import with a job.

    If it was committed before, the same job is returned, and resumed if it has failed.
    """
    defaults = validate_input(ImportCommit, body or {})
    job_id = commands.commit_import(tx, me, import_id, defaults)
    return once.answer({"job": job_id, "import": import_id}, status=202, headers={"Location": f"/api/v1/jobs/{job_id}"})


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
