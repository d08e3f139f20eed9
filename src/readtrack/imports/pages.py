"""Imports in a browser: paste, check what each line becomes, watch it being done; and the notes, line by line."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack import demo, policy
from readtrack.db import Read
from readtrack.errors import Invalid, TooLarge
from readtrack.imports import commands, noted, queries
from readtrack.imports.commands import ImportCommit
from readtrack.imports.correcting import correct_entries
from readtrack.imports.deciding import FIELDS, decided
from readtrack.imports.reading import OneAtATime, SentNotes
from readtrack.policy import Visitor
from readtrack.web.forms import Fields, Form, check, whole
from readtrack.web.templating import go, render, with_query
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)
SHOWN = 200  # entries on one page of a preview
LINES = 2000  # lines on one page of a note
Errors = Mapping[str, str] | None


@router.get("/imports/new")
def new_page(request: Request, me: Me, tx: ReadTx, sample: str = "") -> Response:
    """The box for notes; `sample` fills it with some."""
    policy.require(me, "import")
    typed = {"text": demo.sample_notes(), "title": "sample notes"} if sample else {}
    return render(request, "imports/new.html", typed=typed, errors={}, imports=queries.list_imports(tx, 8))


@router.post("/imports")
def create(request: Request, me: Me, sent: SentNotes, database: OneAtATime) -> Response:
    """Keeps the note and leads to its preview. Parsing comes before the transaction: a long note holds up nobody."""
    policy.require(me, "import")
    try:
        parsed = commands.read_notes(sent.text, sent.title)
    except (Invalid, TooLarge) as problem:
        typed = {"text": sent.text[:200_000], "title": sent.title}
        return render(
            request, "imports/new.html", problem.status, typed=typed, errors={"text": problem.message}, imports=[]
        )
    with database.write() as tx:
        import_id, created = commands.preview_notes(tx, me, parsed)
    return go(request, f"/imports/{import_id}", "" if created else "These very notes are here already.", kind="info")


@router.get("/imports")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """All imports, the newest first."""
    return render(request, "imports/list.html", imports=queries.list_imports(tx))


@router.get("/imports/{import_id:int}")
def show_page(request: Request, import_id: int, me: Me, tx: ReadTx, show: str = "", after: int = 0) -> Response:
    """The preview while it is being decided; then its progress and what came of it."""
    state = queries.get_import(tx, import_id)
    if state.state != "preview":
        return _show_progress(request, tx, state, queries.tally(tx, import_id))
    return _show_preview(request, tx, me, state, shown=Fields({"show": show, "after": str(after)}))


@router.post("/imports/{import_id:int}")
def decide(request: Request, import_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Keeps the decisions of the entries shown; then others of them, or the commit: 303 to the progress at once.

    422 with the form as it was filled in, when something in it cannot be.
    """
    policy.require(me, "import")
    state = queries.get_import(tx, import_id)
    wanted = decided(fields.values, queries.entries_at(tx, import_id, _positions(fields)))
    defaults = check(ImportCommit, {"topics": _names(fields.get("topics")), "status": fields.get("status")})
    errors = {**wanted.errors, **defaults.errors}
    try:
        if errors or wanted.edits:
            correct_entries(tx, me, import_id, {} if errors else wanted.edits)
    except Invalid as problem:
        errors = {_field(error.pointer): error.detail for error in problem.errors}
    if errors or defaults.value is None:
        return _show_preview(request, tx, me, state, shown=fields, errors=errors)
    if fields.get("then"):
        return go(request, with_query(f"/imports/{import_id}", **_place(fields)))
    commands.commit_import(tx, me, import_id, defaults.value)
    return go(request, f"/imports/{import_id}")


@router.get("/notes")
def notes_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Every note the team ever gave in, and what they leave open."""
    context: dict[str, Any] = {"questions": noted.list_open_questions(tx), "leads": noted.list_open_leads(tx)}
    return render(request, "notes/list.html", notes=noted.list_notes(tx), most=noted.MOST_OPEN, **context)


@router.get("/notes/{note_id:int}")
def note_page(
    request: Request,
    note_id: int,
    me: Me,  # noqa: ARG001
    tx: ReadTx,
    revision: int | None = None,
    line: int = 1,
) -> Response:
    """The text as it came, with what each line became; the page of it that holds that line."""
    first = max(line - 1, 0) // LINES * LINES + 1
    note = noted.get_note(tx, note_id, revision, lines=(first, first + LINES - 1))
    return render(request, "notes/show.html", note=note, first=first, step=LINES)


def _show_preview(
    request: Request, tx: Read, me: Visitor, state: queries.ImportState, *, shown: Fields, errors: Errors = None
) -> Response:
    """`shown`: which entries, and what was typed there when something of it cannot be."""
    show, after = shown.get("show"), whole(shown.get("after"))
    entries, more = queries.list_shown(tx, state.id, show=show, after=after, limit=SHOWN)
    context: dict[str, Any] = {
        "entries": entries,
        "show": show,
        "after": after,
        "before": queries.find_page_before(tx, state.id, show=show, after=after, limit=SHOWN),
        "next": entries[-1].position if more else None,
        "decides": commands.may_decide(me, state.created_by),
        "typed": shown.values,
        "errors": errors or {},
    }
    counted = queries.tally(tx, state.id)
    return render(request, "imports/preview.html", 422 if errors else 200, state=state, counted=counted, **context)


def _show_progress(request: Request, tx: Any, state: queries.ImportState, counted: Any) -> Response:  # noqa: ANN401
    rows = queries.results(tx, state.id)
    asked = [row for row in rows if row.fetch_state in {"waiting", "fetched", "unknown", "refused"}]
    context: dict[str, Any] = {
        "rows": rows,
        "asked": len(asked),
        "answered": sum(row.fetch_state != "waiting" for row in asked),
        "waiting": queries.waited_for(tx, rows),
        "left": queries.list_undone(tx, state.id),
    }
    return render(request, "imports/progress.html", state=state, counted=counted, **context)


def _positions(fields: Fields) -> set[int]:
    return {number for name in fields.values if (number := whole(name.partition("-")[2]))}


def _place(fields: Fields) -> dict[str, object]:
    """Where "then" leads: "after:200" to other entries of the same kind, "show:new" to those of another."""
    word, _, value = fields.get("then").partition(":")
    return {"after": whole(value) or None, "show": fields.get("show")} if word == "after" else {"show": value}


def _field(pointer: str) -> str:
    """The field of the form that a problem points at: /7/identifier is id-7."""
    _, position, name = pointer.split("/", 2)
    return f"{FIELDS[name.partition('/')[0]]}-{position}"


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
