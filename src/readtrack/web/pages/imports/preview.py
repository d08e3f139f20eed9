"""Pages for the preview of an import: check, filter, correct and commit; then its progress."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write, savepoint
from readtrack.infra.errors import Invalid, NotFound, TooLarge
from readtrack.infra.i18n import gettext as _
from readtrack.infra.i18n import ngettext
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.topic_lists import split_topic_names
from readtrack.ingest.imports import commands, compare_revisions, note_lines, queries, store
from readtrack.ingest.imports.columns import ColumnError, get_columns
from readtrack.ingest.imports.commands import ImportCommit
from readtrack.ingest.imports.edit_entries import correct_entries, decide_all, reset_entry
from readtrack.ingest.imports.existing import find_matches
from readtrack.ingest.imports.merge_entries import join_entries, split_entry
from readtrack.ingest.parser.column_fields import MAX_COLUMNS
from readtrack.library.enrichment.pending import describe_pending
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form
from readtrack.web.dependencies.import_body import ReadAgain
from readtrack.web.pages.imports.column_table import build_column_table
from readtrack.web.pages.imports.preview_form import (
    ANSWERS,
    FIELDS,
    PreviewAction,
    PreviewEdits,
    PreviewPosition,
    action_from_form,
    parse_preview_edits,
    position_from_form,
)
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()
PAGE_SIZE = 100  # entries on one page
Errors = Mapping[str, str] | None


@router.get("/imports/{import_id:int}")
def show_page(
    request: Request, import_id: int, me: Me, tx: ReadTx, place: Annotated[PreviewPosition, Depends()]
) -> Response:
    """Show the preview, or after the commit the progress and result."""
    state = queries.get_import(tx, import_id)
    if not state.is_read:
        return _show_reading(request, tx, me, state)
    is_open = state.state == "committed" and place.show == "open" and queries.has_open_entries(tx, import_id)
    if state.state != "preview" and not is_open:
        return _show_progress(request, tx, me, state)
    return _show_preview(request, tx, me, state, position=place)


@router.post("/imports/{import_id:int}")
def decide(request: Request, import_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the decisions of the form, then run the pressed button or commit the import.

    Errors show the form again with 422.
    """
    permissions.require(me, "import")
    state = queries.get_import(tx, import_id)
    position, action = position_from_form(fields), action_from_form(fields)
    edits = parse_preview_edits(fields.values, queries.find_entries(tx, import_id, _positions(fields, action)), action)
    defaults = validate_form(
        ImportCommit, {"topics": split_topic_names(fields.get("topics"), ","), "status": fields.get("status")}
    )
    errors = {**edits.errors, **defaults.errors}
    message = ""
    try:
        message = _apply_form(
            tx, me, import_id, edits=PreviewEdits(edits.edits, errors), action=action, position=position
        )
    except Invalid as rejection:
        errors = {_field(error.pointer, edits, action): error.detail for error in rejection.errors}
    if errors or defaults.value is None:
        return _show_preview(request, tx, me, state, position=position, typed=fields, errors=errors)
    if action.word:
        return _respond_after_action(
            request, tx, me, state, position=action.get_next_position(position), action=action, message=message
        )
    commands.commit_import(tx, me, import_id, defaults.value)
    return redirect_with_flash(request, f"/imports/{import_id}")


@router.post("/imports/{import_id:int}/columns")
def set_columns(request: Request, import_id: int, me: Me, fields: Form, database: ReadAgain) -> Response:
    """Read a CSV file again by the chosen columns, or show the form again (422)."""
    permissions.require(me, "import")
    values = [
        fields.get(f"column-{number}") for number in range(1, MAX_COLUMNS + 1) if f"column-{number}" in fields.values
    ]
    try:
        store.change_columns(database, me, import_id, values, has_header=bool(fields.get("header")))
    except ColumnError as error:
        with database.read() as tx:
            state = queries.get_import(tx, import_id)
            columns = get_columns(tx, import_id)
            names = columns.columns.names if columns else ()
            number = names.index(error.column) + 1 if error.column in names else 1
            errors = {f"column-{number}": error.message}
            if not state.is_read:
                return _show_reading(request, tx, me, state, errors=errors, typed_columns=values)
            return _show_preview(
                request, tx, me, state, position=PreviewPosition(), typed=fields, errors=errors, typed_columns=values
            )
    return redirect_with_flash(request, f"/imports/{import_id}")


@router.post("/imports/{import_id:int}/columns/forget")
def forget_columns(request: Request, import_id: int, me: Me, database: ReadAgain) -> Response:
    """Forget what the columns were read as, here and for files with the same header."""
    undo_id = store.forget_columns(database, me, import_id)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore") if undo_id else ("", "")
    return redirect_with_flash(request, f"/imports/{import_id}", _("Forgotten"), undo=undo)


def _apply_form(
    tx: Write, me: CurrentUser, import_id: int, *, edits: PreviewEdits, action: PreviewAction, position: PreviewPosition
) -> str:
    """Apply the form as a whole or not at all, and return a message. Raise Invalid."""
    with savepoint(tx):
        follower_count = 0
        if edits.errors or edits.edits:
            follower_count = correct_entries(tx, me, import_id, {} if edits.errors else edits.edits)
        handler = ACTIONS.get(action.word)
        if handler is not None and not edits.errors:
            return handler(tx, me, import_id, then=action, place=position)
    if not follower_count:
        return ""
    return ngettext("{count:,} entry below updated", "{count:,} entries below updated", follower_count).format(
        count=follower_count
    )


def _decide_all(tx: Write, me: CurrentUser, import_id: int, *, then: PreviewAction, place: PreviewPosition) -> str:
    decision: Literal["add", "skip"] = "skip" if then.value == "skip" else "add"
    count = decide_all(tx, me, import_id, place.entry_filter, decision=decision)
    if not count:
        return _("No entries changed")
    message = _("{count:,} set to skip") if decision == "skip" else _("{count:,} set to add")
    return message.format(count=count)


def _split_entry(tx: Write, me: CurrentUser, import_id: int, *, then: PreviewAction, place: PreviewPosition) -> str:  # noqa: ARG001 - signature of ACTIONS
    return _("Split into {count} entries").format(count=len(split_entry(tx, me, import_id, then.position)))


def _join_entries(tx: Write, me: CurrentUser, import_id: int, *, then: PreviewAction, place: PreviewPosition) -> str:  # noqa: ARG001 - signature of ACTIONS
    """Join the entry with the next one in the notes, which a filtered page may not show."""
    rows, _has_more = queries.list_preview_page(tx, import_id, after=then.position, limit=1)
    join_entries(tx, me, import_id, [then.position, *(row.position for row in rows)])
    return _("Entries merged")


def _reset_entry(tx: Write, me: CurrentUser, import_id: int, *, then: PreviewAction, place: PreviewPosition) -> str:  # noqa: ARG001 - signature of ACTIONS
    reset_entry(tx, me, import_id, then.position)
    return _("Restored")


ACTIONS: Mapping[str, Callable[..., str]] = {
    "all": _decide_all,
    "split": _split_entry,
    "join": _join_entries,
    "reset": _reset_entry,
}


def _respond_after_action(
    request: Request,
    tx: Write,
    me: CurrentUser,
    state: queries.ImportState,
    *,
    position: PreviewPosition,
    action: PreviewAction,
    message: str,
) -> Response:
    """Redirect to the changed entry; return only the entry if the page requested a fragment."""
    if is_fragment(request) and action.word in {"row", "edit"}:
        entry = queries.get_entry(tx, state.id, action.position)
        context = _entry_context(tx, me, state, [entry], position=position, typed=Fields())
        return render(request, "imports/_answer.html", entry=entry, **context)
    fragment = f"#{_row_anchor(action)}" if action.position and action.word not in {"after", "all"} else ""
    return redirect_with_flash(request, position.address(state.id) + fragment, message)


def _show_reading(
    request: Request,
    tx: Read,
    me: CurrentUser,
    state: queries.ImportState,
    *,
    errors: Errors = None,
    typed_columns: Sequence[str] = (),
) -> Response:
    """Show how far a long text is read, or that it could not be; it may be read again by other columns."""
    context = {
        "done": queries.count_parsed_lines(tx, state),
        "decides": commands.may_decide(me, state.created_by),
        "columns": build_column_table(tx, state.id, typed_columns) if state.state == "failed" else None,
        "errors": errors or {},
    }
    return render(request, "imports/parsing.html", 422 if errors else 200, state=state, **context)


def _show_preview(
    request: Request,
    tx: Read,
    me: CurrentUser,
    state: queries.ImportState,
    *,
    position: PreviewPosition,
    typed: Fields | None = None,
    errors: Errors = None,
    typed_columns: Sequence[str] = (),
) -> Response:
    """Show the preview. `typed`: the submitted fields, if there are errors; `typed_columns`: of all columns."""
    entries, has_more = queries.list_preview_page(
        tx, state.id, position.entry_filter, after=position.after, limit=PAGE_SIZE
    )
    context: dict[str, Any] = {
        **_entry_context(tx, me, state, entries, position=position, typed=typed or Fields(), errors=errors),
        "entries": entries,
        "before": queries.find_page_before(tx, state.id, position.entry_filter, after=position.after, limit=PAGE_SIZE),
        "next": entries[-1].position if has_more else None,
        "changed": _describe_changes(tx, state, position),
        "columns": build_column_table(tx, state.id, typed_columns) if state.state == "preview" else None,
    }
    return render(request, "imports/preview.html", 422 if errors else 200, **context)


def _entry_context(
    tx: Read,
    me: CurrentUser,
    state: queries.ImportState,
    entries: Sequence[Any],
    *,
    position: PreviewPosition,
    typed: Fields,
    errors: Errors = None,
) -> dict[str, Any]:
    """Return the context of entries and counts, for the page and for fragments."""
    return {
        "state": state,
        "position": position,
        "decides": commands.may_decide(me, state.created_by),
        "counts": queries.count_preview_entries(tx, state.id, position.entry_filter),
        "matches": find_matches(tx, entries),
        "undecided_count": queries.get_import(tx, state.id).undecided,
        "ready_count": queries.count_ready_entries(tx, state),
        "source": note_lines.get_lines(
            tx, state.id, [(entry.first_line - 1, min(entry.last_line, entry.first_line + 11) + 2) for entry in entries]
        ),
        "typed": typed.values,
        "errors": errors or {},
    }


def _describe_changes(tx: Read, state: queries.ImportState, position: PreviewPosition) -> str:
    """Return a summary of the changes since the previous revision, for the first page only."""
    if state.number == 1 or position != PreviewPosition():
        return ""
    with suppress(NotFound, TooLarge):  # the earlier version was cancelled, or one of them is too long
        _, comparison = note_lines.compare_revision(tx, state.note_id, state.number - 1, state.id)
        return compare_revisions.summarize_changes(comparison.counts)
    return ""


def _show_progress(request: Request, tx: Read, me: CurrentUser, state: queries.ImportState) -> Response:
    rows = queries.list_paper_results(tx, state.id)
    pending_or_done = [row for row in rows if row.record_id or row.waits_for or row.problem]
    waiting = queries.find_pending_services(tx, rows)
    context: dict[str, Any] = {
        "rows": rows,
        "request_count": len(pending_or_done),
        "found": sum(bool(row.record_id) for row in pending_or_done),
        "fetching": any(reason.is_running or reason.retry_at for reason in waiting.values()),
        "waiting": waiting,
        "reasons": describe_pending(waiting.values(), me.time_zone),
        "decides": commands.may_decide(me, state.created_by),
    }
    return render(
        request, "imports/progress.html", state=state, counts_by_kind=queries.count_by_kind(tx, state.id), **context
    )


def _positions(fields: Fields, action: PreviewAction) -> set[int]:
    positions = {number for name in fields.values if (number := parse_int(name.partition("-")[2]))}
    return positions | ({action.position} if action.word in ANSWERS else set())


def _row_anchor(action: PreviewAction) -> str:
    return f"entry-{action.position}"


def _field(pointer: str, edits: PreviewEdits, action: PreviewAction) -> str:
    """Return the form field of an error: /7/identifier is id-7; without one, the entry of the button."""
    _, position, name = [*pointer.split("/", 2), "", ""][:3]
    if position == "keep_rule":
        name, position = position, next((str(n) for n, edit in edits.edits.items() if edit.keep_rule), "")
    field = FIELDS.get(name.partition("/")[0])
    if not position.isdecimal():
        return _row_anchor(action)
    return f"{field}-{position}" if field else f"entry-{position}"
