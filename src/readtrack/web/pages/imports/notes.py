"""Pages for imported notes: list, text with the result of each line, and comparison of revisions."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.ingest.imports import compare_revisions, note_lines
from readtrack.library.matching.inbox import count_leads
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render

router = page_router()
LINES_PER_PAGE = 2000  # lines on one page of a note


@router.get("/notes")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show all notes, and their open questions and leads."""
    context: dict[str, Any] = {
        "questions": note_lines.list_open_questions(tx),
        "leads": count_leads(tx, me).get("open", 0),
    }
    return render(
        request, "notes/list.html", notes=note_lines.list_notes(tx), most=note_lines.MAX_OPEN_QUESTIONS, **context
    )


@router.get("/notes/{note_id:int}")
def show_page(
    request: Request,
    note_id: int,
    me: Me,  # noqa: ARG001
    tx: ReadTx,
    *,
    revision: int | None = None,
    line: int = 1,
    compare: int | None = None,
) -> Response:
    """Show the page of a note with this line, with the result of each line; or compare two revisions."""
    if compare is not None:
        return _render_comparison(request, tx, note_lines.get_note(tx, note_id, revision), number=compare, first=line)
    first = max(line - 1, 0) // LINES_PER_PAGE * LINES_PER_PAGE + 1
    note = note_lines.get_note(tx, note_id, revision, lines=(first, first + LINES_PER_PAGE - 1))
    return render(request, "notes/show.html", note=note, first=first, step=LINES_PER_PAGE)


def _render_comparison(request: Request, tx: ReadTx, note: note_lines.NoteText, *, number: int, first: int) -> Response:
    """Show the differences from an earlier revision with some context.

    `first`: first row of the page, from 1.
    """
    earlier_revision, comparison = note_lines.compare_revision(tx, note.id, number, note.revision.id)
    rows = compare_revisions.fold_unchanged(comparison.changes)
    start = max(first - 1, 0) // LINES_PER_PAGE * LINES_PER_PAGE
    context: dict[str, Any] = {
        "before": earlier_revision,
        "number": number,
        "counts": comparison.counts,
        "rows": _page(rows, start),
        "total": len(rows),
        "first": start + 1,
        "step": LINES_PER_PAGE,
    }
    return render(request, "notes/compare.html", note=note, **context)


def _page(rows: Sequence[Any], start: int) -> list[Any]:
    return list(islice(rows, start, start + LINES_PER_PAGE))
