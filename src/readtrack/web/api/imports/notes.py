"""API endpoints for imported notes."""

from datetime import datetime
from typing import Annotated

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.ingest.imports import note_lines, queries
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("imports")
MAX_LINES = 50  # entries of notes in one response


class NoteQuery(StrictModel):
    """The revision to show; the latest by default. `line`: only the lines from there on, at most 2,000."""

    revision: int | None = None
    line: Annotated[int | None, Field(ge=1)] = None


class NotesQuery(StrictModel):
    """`q`: search text for the entries of notes; all notes if blank."""

    q: Annotated[str, Field(max_length=1000)] = ""


class NoteRead(ResponseModel):
    """A note with its latest revision. `undecided`: entries that need a decision."""

    id: int
    title: str
    import_id: int
    number: int
    state: str
    line_count: int
    created_at: datetime
    person: str | None
    undecided: int


class FoundLine(ResponseModel):
    """Lines of a note that match a search and became no paper. `note`: its id; `line`: the first of them."""

    note: int
    title: str
    line: int
    kind: str
    text: str


class NoteList(ResponseModel):
    """All notes, newest first; with `q`, lines."""

    items: list[NoteRead] | list[FoundLine]


class NoteLineRead(ResponseModel):
    """A line of a note. `papers`: ids of the papers that it became."""

    line: int
    text: str
    kind: str
    papers: list[int]


class NoteRevisionRead(ResponseModel):
    """A revision of a note. `id`: of its import."""

    id: int
    number: int
    state: str
    created_at: datetime


class NoteTextRead(ResponseModel):
    """A revision of a note with its lines.

    `import`: the id of its import; `text`: blank if it was read in the background; `next`: the first line of the next
    page.
    """

    id: int
    title: str
    import_id: Annotated[int, Field(serialization_alias="import")]
    text: str
    revisions: list[NoteRevisionRead]
    lines: list[NoteLineRead]
    next: int | None


@router.get("/notes", responses={200: {"model": NoteList}})
def list_notes(request: Request, wanted: Annotated[NotesQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List notes.

    Each with its latest revision; with `q`, the matching lines that became no paper.
    """
    if not wanted.q.strip():
        return conditional_response(request, {"items": [dict(row._mapping) for row in note_lines.list_notes(tx)]})  # noqa: SLF001 - SQLAlchemy's public name
    matches = queries.find_lines(tx, me, wanted.q, limit=MAX_LINES)
    lines = [
        {"note": row.note_id, "title": row.title, "line": row.first_line, "kind": row.kind, "text": row.raw}
        for row in matches
    ]
    return conditional_response(request, {"items": lines})


@router.get("/notes/{note_id:int}", responses={200: {"model": NoteTextRead}})
def get_note(request: Request, note_id: int, wanted: Annotated[NoteQuery, Query()], me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Get a note.

    Its text, its revisions and what became of each line. With `line`, 2,000 lines from there on, and `next` is the
    first line of the next page. A text that was read in the background is not included, and its lines always come
    in pages.
    """
    first = wanted.line or 1
    end = first + note_lines.MAX_LINES_OF_LONG_TEXT
    note = note_lines.get_note(tx, note_id, wanted.revision, lines=(first, end - 1) if wanted.line else None)
    is_paged = wanted.line is not None or note.is_long
    lines = [
        {
            "line": line.number,
            "text": line.text,
            "kind": line.outcome,
            "papers": [entry.paper_id for entry in line.entries if entry.paper_id],
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
        "next": end if is_paged and end <= note.revision.line_count else None,
    }
    return conditional_response(request, payload)
