"""Imports and notes as JSON: the entries with their decisions, the commit, and each line's fate."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from readtrack import policy
from readtrack.db import Read
from readtrack.imports import commands, noted, queries
from readtrack.imports.commands import ImportCommit, NoteAdd
from readtrack.imports.correcting import EntryEdit, correct_entry
from readtrack.imports.reading import OneAtATime, SentNotes
from readtrack.web.answers import Body, JsonAnswer, OnceOnly, answer_for, described_body, read_json
from readtrack.web.forms import valid
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(prefix="/api/v1", tags=["imports"])
MOST_LINES = 50  # of notes, in one answer
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


class NotesQuery(BaseModel):
    """Words to look for in the lines of notes, in the language of the search box; all notes without."""

    model_config = ConfigDict(extra="forbid")
    q: Annotated[str, Field(max_length=1000)] = ""


@router.post(
    "/imports",
    responses={200: {"model": ImportWithEntries}, 201: {"model": ImportWithEntries}},
    openapi_extra=described_body(NoteAdd),
)
def create(me: Me, sent: SentNotes, database: OneAtATime) -> Response:
    """Keeps a note and answers what its lines would become; the same text is the same import. Nothing is fetched."""
    policy.require(me, "import")
    parsed = commands.read_notes(sent.text, sent.title)
    with database.write() as tx:
        import_id, created = commands.preview_notes(tx, me, parsed)
    with database.read() as tx:  # the long answer is made when others may write again
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
    correct_entry(tx, me, import_id, position, edit=edit)
    return JsonAnswer(_entry(queries.get_entry(tx, import_id, position)))


async def _body_or_none(request: Request) -> Any:  # noqa: ANN401 - JSON
    """The body as JSON; none at all is as good as an empty one."""
    return await read_json(request) if await request.body() else {}


OptionalBody = Annotated[Any, Depends(_body_or_none)]


@router.post("/imports/{import_id}/commit", status_code=202, openapi_extra=described_body(ImportCommit))
def commit(import_id: int, me: Me, body: OptionalBody, once: OnceOnly, tx: WriteTx) -> Response:
    """Starts carrying it out; the same job again when it was started before."""
    if replayed := once.replay(body):
        return replayed
    defaults = valid(ImportCommit, body or {})
    job_id = commands.commit_import(tx, me, import_id, defaults)
    return once.answer(
        body, {"job": job_id, "import": import_id}, status=202, headers={"Location": f"/api/v1/jobs/{job_id}"}
    )


@router.get("/notes")
def list_notes(request: Request, wanted: Annotated[NotesQuery, Query()], me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Every note with its latest revision; with `q`, the lines of notes that have these words and became no paper."""
    if not wanted.q.strip():
        return answer_for(request, {"items": [dict(row._mapping) for row in noted.list_notes(tx)]})  # noqa: SLF001 - SQLAlchemy's public name
    found = queries.find_lines(tx, wanted.q, limit=MOST_LINES)
    lines = [
        {"note": row.note_id, "title": row.title, "line": row.first_line, "kind": row.kind, "text": row.raw}
        for row in found
    ]
    return answer_for(request, {"items": lines})


@router.get("/notes/{note_id}")
def show_note(request: Request, note_id: int, wanted: Annotated[NoteQuery, Query()], me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """The text, its revisions, and each line's fate."""
    note = noted.get_note(tx, note_id, wanted.revision)
    lines = [
        {
            "line": line.number,
            "text": line.text,
            "kind": line.fate,
            "papers": [e.paper_id for e in line.entries if e.paper_id],
        }
        for line in note.lines
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


def _out(tx: Read, import_id: int) -> dict[str, Any]:
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


def _entries(tx: Read, import_id: int) -> list[dict[str, Any]]:
    return [_entry(row) for row in queries.list_entries(tx, import_id)]


def _entry(row: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of the table
    return {
        "n": row.position,
        "lines": [row.first_line, row.last_line],
        "kind": row.paper_kind or "paper" if row.kind == "paper" else row.kind,
        **{name: getattr(row, name) for name in _PLAIN},
        "paper": row.paper_id,
    }
