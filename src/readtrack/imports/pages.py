"""Imports in a browser: paste, check what each line becomes, watch it being done; and the notes, line by line."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack import demo, policy
from readtrack.errors import Invalid, TooLarge
from readtrack.imports import commands, queries
from readtrack.imports.commands import EntryEdit, ImportCommit
from readtrack.imports.fates import fates
from readtrack.imports.reading import SentNotes
from readtrack.web.forms import Fields, Form, check, whole
from readtrack.web.templating import go, render
from readtrack.web.transactions import ReadTx, TheDatabase, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)
SHOWN = 200  # entries on one page of a preview


@router.get("/imports/new")
def new_page(request: Request, me: Me, tx: ReadTx, sample: str = "") -> Response:
    """The box for notes; `sample` fills it with some."""
    policy.require(me, "import")
    typed = {"text": demo.sample_notes(), "title": "sample notes"} if sample else {}
    return render(request, "imports/new.html", typed=typed, errors={}, imports=queries.list_imports(tx, 8))


@router.post("/imports")
def create(request: Request, me: Me, sent: SentNotes, database: TheDatabase) -> Response:
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
def show_page(request: Request, import_id: int, me: Me, tx: ReadTx, show: str = "", after: int = 0) -> Response:  # noqa: ARG001
    """The preview while it is being decided; then its progress and what came of it."""
    state = queries.get_import(tx, import_id)
    counted = queries.tally(tx, import_id)
    if state.state != "preview":
        return _show_progress(request, tx, state, counted)
    entries = queries.list_entries(tx, import_id, show=show, after=after, limit=SHOWN + 1)
    more = len(entries) > SHOWN
    shown = entries[:SHOWN]
    context: dict[str, Any] = {
        "entries": shown,
        "more": more,
        "last": shown[-1].position if shown else 0,
        "show": show,
        "after": after,
    }
    return render(request, "imports/preview.html", state=state, counted=counted, typed={}, errors={}, **context)


@router.post("/imports/{import_id:int}")
def decide(request: Request, import_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Keeps the decisions of the entries shown; then the next ones, or the commit: 303 to the progress at once."""
    for position, edit in _edits(fields).items():
        commands.correct_entry(tx, me, import_id, position, edit=edit)
    if fields.get("then") == "more":
        return go(
            request, f"/imports/{import_id}?after={fields.get('last')}&show={fields.get('show')}".removesuffix("&show=")
        )
    topics = [name.strip() for name in fields.get("topics").split(",") if name.strip()]
    checked = check(ImportCommit, {"topics": topics, "status": fields.get("status")})
    if checked.value is None:
        raise Invalid(" ".join(checked.errors.values()) + " Nothing was imported yet.")
    commands.commit_import(tx, me, import_id, checked.value)
    return go(request, f"/imports/{import_id}")


@router.get("/notes")
def notes_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Every note the team ever gave in."""
    return render(request, "notes/list.html", notes=queries.list_notes(tx))


@router.get("/notes/{note_id:int}")
def note_page(request: Request, note_id: int, me: Me, tx: ReadTx, revision: int | None = None) -> Response:  # noqa: ARG001
    """The text as it came, with what each line became."""
    note = queries.get_note(tx, note_id, revision)
    return render(request, "notes/show.html", note=note, lines=fates(note.text, note.entries))


def _show_progress(request: Request, tx: Any, state: queries.ImportState, counted: Any) -> Response:  # noqa: ANN401
    rows = queries.results(tx, state.id)
    asked = [row for row in rows if row.fetch_state in {"waiting", "fetched", "unknown", "refused"}]
    context: dict[str, Any] = {
        "rows": rows,
        "asked": len(asked),
        "answered": sum(row.fetch_state != "waiting" for row in asked),
        "waiting": queries.waiting_sentences(tx, rows),
        "left": queries.list_undone(tx, state.id),
    }
    return render(request, "imports/progress.html", state=state, counted=counted, **context)


def _edits(fields: Fields) -> dict[int, EntryEdit]:
    """What the form says of each entry: do-7, title-7, id-7, topics-7."""
    said: dict[int, dict[str, Any]] = {}
    for name, value in fields.values.items():
        word, _, number = name.partition("-")
        if whole(number) and word in _MEANS:
            said.setdefault(whole(number), {})[_MEANS[word]] = _lines(value) if word == "topics" else value
    edits = {position: check(EntryEdit, values | _emptied(values)) for position, values in said.items()}
    wrong = [
        f"Entry {position}: {' '.join(edit.errors.values())}" for position, edit in edits.items() if edit.value is None
    ]
    if wrong:
        raise Invalid(" ".join(wrong) + " Nothing was changed.")
    return {position: edit.value for position, edit in edits.items() if edit.value is not None}


_MEANS = {"do": "decision", "title": "title", "id": "identifier", "topics": "topics"}


def _emptied(values: dict[str, Any]) -> dict[str, Any]:
    """An emptied field is a word too; `check` would take it for one that was not sent."""
    return {
        name: [] if name == "topics" else " " for name, value in values.items() if value == "" and name != "decision"
    }


def _lines(text: str) -> list[str]:
    """One topic a line: headings of notes have commas of their own."""
    return [name.strip() for name in text.splitlines() if name.strip()]
