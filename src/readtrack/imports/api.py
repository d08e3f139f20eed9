"""Imports and notes as JSON: the entries with their decisions, the commit, and each line's fate."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack import policy
from readtrack.imports import commands, queries
from readtrack.imports.commands import EntryEdit, ImportCommit, NoteAdd
from readtrack.imports.fates import fates
from readtrack.imports.reading import SentNotes
from readtrack.web.answers import Body, JsonAnswer, OnceOnly, answer_for, described_body
from readtrack.web.forms import valid
from readtrack.web.transactions import ReadTx, TheDatabase, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(prefix="/api/v1", tags=["imports"])
_PLAIN = ("part", "identifiers", "links", "title", "topics", "venue", "year", "status", "text", "decision", "reason")


class EntryOut(BaseModel):
    """A span of lines and what it becomes."""

    n: int
    lines: tuple[int, int]
    part: int
    kind: str
    identifiers: list[str]
    links: list[dict[str, str]]
    title: str
    topics: list[str]
    venue: str
    year: int | None
    status: str | None
    text: str
    decision: str
    reason: str
    paper: int | None


class ImportOut(BaseModel):
    """An import: its state, the lines by kind, the entries by decision."""

    id: int
    note: int
    title: str
    revision: int
    state: str
    line_count: int
    lines: dict[str, int]
    decisions: dict[str, int]
    job: int | None
    done: int
    total: int | None


class ImportWithEntries(ImportOut):
    """The same with its entries."""

    entries: list[EntryOut]


class NoteQuery(BaseModel):
    """Which revision; the latest when not said."""

    model_config = ConfigDict(extra="forbid")
    revision: int | None = None


@router.post(
    "/imports",
    responses={200: {"model": ImportWithEntries}, 201: {"model": ImportWithEntries}},
    openapi_extra=described_body(NoteAdd),
)
def create(me: Me, sent: SentNotes, database: TheDatabase) -> Response:
    """Keeps a note and answers what its lines would become; the same text is the same import. Nothing is fetched."""
    policy.require(me, "import")
    parsed = commands.read_notes(sent.text, sent.title)
    with database.write() as tx:
        import_id, created = commands.preview_notes(tx, me, parsed)
        payload = _out(tx, import_id) | {"entries": _entries(tx, import_id)}
    return JsonAnswer(payload, 201 if created else 200, {"Location": f"/api/v1/imports/{import_id}"})


@router.get("/imports/{import_id}", responses={200: {"model": ImportOut}})
def show(request: Request, import_id: int, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """How far an import is."""
    return answer_for(request, _out(tx, import_id))


@router.get("/imports/{import_id}/entries", responses={200: {"model": list[EntryOut]}})
def list_entries(request: Request, import_id: int, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Every entry, in the order of the lines."""
    queries.get_import(tx, import_id)
    return answer_for(request, {"items": _entries(tx, import_id)})


@router.patch(
    "/imports/{import_id}/entries/{position}",
    responses={200: {"model": EntryOut}},
    openapi_extra=described_body(EntryEdit),
)
def correct(import_id: int, position: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Sets what one entry becomes; 409 once the import is committed."""
    edit = valid(EntryEdit, body)
    commands.correct_entry(tx, me, import_id, position, edit=edit)
    return JsonAnswer(_entries(tx, import_id, after=position - 1, limit=1)[0])


@router.post("/imports/{import_id}/commit", status_code=202, openapi_extra=described_body(ImportCommit))
def commit(import_id: int, me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Starts carrying it out; the same job again when it was started before."""
    if replayed := once.replay(body):
        return replayed
    defaults = valid(ImportCommit, body or {})
    job_id = commands.commit_import(tx, me, import_id, defaults)
    return once.answer(
        body, {"job": job_id, "import": import_id}, status=202, headers={"Location": f"/api/v1/jobs/{job_id}"}
    )


@router.get("/notes")
def list_notes(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Every note with its latest revision."""
    return answer_for(request, {"items": [dict(row._mapping) for row in queries.list_notes(tx)]})  # noqa: SLF001 - SQLAlchemy's public name


@router.get("/notes/{note_id}")
def show_note(request: Request, note_id: int, wanted: Annotated[NoteQuery, Query()], me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """The text, its revisions, and each line's fate."""
    note = queries.get_note(tx, note_id, wanted.revision)
    lines = [
        {
            "line": line.number,
            "text": line.text,
            "kind": line.fate,
            "papers": [e.paper_id for e in line.entries if e.paper_id],
        }
        for line in fates(note.text, note.entries)
    ]
    revisions = [dict(row._mapping) for row in note.revisions]  # noqa: SLF001
    payload = {
        "id": note.id,
        "title": note.title,
        "import": note.revision.id,
        "text": note.text,
        "revisions": revisions,
        "lines": lines,
    }
    return answer_for(request, payload)


def _out(tx: Any, import_id: int) -> dict[str, Any]:  # noqa: ANN401
    state = queries.get_import(tx, import_id)
    return {
        "id": state.id,
        "note": state.note_id,
        "title": state.title,
        "revision": state.number,
        "state": state.state,
        "line_count": state.line_count,
        **queries.tally(tx, import_id),
        "job": state.job.id if state.job else None,
        "done": state.job.done if state.job else 0,
        "total": state.job.total if state.job else None,
    }


def _entries(tx: Any, import_id: int, *, after: int = 0, limit: int | None = None) -> list[dict[str, Any]]:  # noqa: ANN401
    rows = queries.list_entries(tx, import_id, after=after)
    return [
        {
            "n": row.position,
            "lines": [row.first_line, row.last_line],
            "kind": row.paper_kind or "paper" if row.kind == "paper" else row.kind,
            **{name: getattr(row, name) for name in _PLAIN},
            "paper": row.paper_id,
        }
        for row in rows[:limit]
    ]
