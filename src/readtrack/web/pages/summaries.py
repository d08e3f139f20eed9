"""Pages for summaries: the editor of mine, with preview and conflict resolution, and the version history of all."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.diff import VERSIONS_AT_ONCE, is_conflict, merge_value, version_steps
from readtrack.library.papers.lists import get_row
from readtrack.library.references.resolve import get_render_context
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.queries import find_my_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.reading.readings.status_transitions import can_follow
from readtrack.reading.summaries import commands, queries
from readtrack.reading.summaries.commands import SummaryConflict, SummaryUpdate
from readtrack.reading.summaries.queries import SummaryRow
from readtrack.reading.summaries.three_way_save import SaveResult, restore_version, save_merged, save_to_history
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.web.templating.text_editor import (
    VersionPair,
    VersionRange,
    VersionRangeParams,
    build_edit_conflict,
    build_editor_context,
    compare_versions,
    discard_draft,
    get_hidden_fields,
    get_initial_fields,
)

router = page_router()


@router.get("/papers/{paper_id:int}/summary/edit")
def edit_page(request: Request, paper_id: int, me: Me, tx: ReadTx, *, draft: int = 0, template: str = "") -> Response:
    """Show the editor with my text or a draft (`?draft=7`); `?template=3` adds the headings of a template."""
    current_fields = _summary_fields(queries.find_my_summary(tx, me, paper_id))
    typed = get_initial_fields(
        tx, me, DraftSubject("summary", paper_id), current_fields, draft=draft, template=template
    )
    return _editor(request, me, tx, paper_id, typed=typed)


@router.post("/papers/{paper_id:int}/summary/edit")
def edit(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save my summary; on a conflict show all texts (409), on errors the form again (422)."""
    form_result = validate_form(SummaryUpdate, fields.values)
    if form_result.value is None:
        return _editor(request, me, tx, paper_id, typed=form_result.raw_values, errors=form_result.errors, status=422)
    version = parse_int(fields.get("version")) if fields.get("version") else None
    try:
        result = _save_form(
            tx, me, paper_id, form_result.value, version=version, history_only=fields.get("keep") == "theirs"
        )
    except StaleVersion as error:
        return _conflict_page(request, me, tx, paper_id, edit=form_result.value, error=error, fields=fields)
    discard_draft(tx, me, DraftSubject("summary", paper_id), fields)
    marked_read = fields.get("then") == "read" and _mark_as_read(tx, me, paper_id)
    return _saved_page(request, paper_id, result, marked_read=marked_read)


@router.post("/papers/{paper_id:int}/summary/preview")
def preview_page(request: Request, paper_id: int, me: Me, fields: Form, tx: ReadTx) -> Response:
    """Show the editor with a preview of the submitted text. Nothing is saved."""
    form_result = validate_form(SummaryUpdate, fields.values)
    return _editor(request, me, tx, paper_id, typed=form_result.raw_values, errors=form_result.errors)


@router.post("/papers/{paper_id:int}/summary/delete")
def delete(request: Request, paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete my summary."""
    undo = (_("Restore"), f"/trash/summaries/{commands.delete_summary(tx, me, paper_id)}/restore")
    return redirect_with_flash(request, f"/papers/{paper_id}", _("Moved to trash"), undo=undo)


@router.post("/summaries/preview")
def preview(request: Request, _me: Me, fields: Form, tx: ReadTx) -> Response:
    """Return a preview as a fragment, with mentions and references resolved. Nothing is saved."""
    text = (fields.get("markdown") or fields.get("notes")).strip()
    errors = validate_form(SummaryUpdate, {"markdown": text}).errors if text else {}
    preview_text = "" if errors else text
    return render(
        request,
        "summaries/_preview.html",
        preview=preview_text,
        errors=errors,
        render_context=get_render_context(tx, [preview_text]),
    )


def _save_form(
    tx: Write, me: CurrentUser, paper_id: int, edit: SummaryUpdate, *, version: int | None, history_only: bool
) -> SaveResult:
    """Save the form, merged with concurrent changes; with `history_only`, to the history only.

    Raise StaleVersion on a conflict.
    """
    if history_only:
        return SaveResult(save_to_history(tx, me, paper_id, edit, version=version or 0), is_history_only=True)
    return save_merged(tx, me, paper_id, edit, version=version)


def _saved_page(request: Request, paper_id: int, result: SaveResult, *, marked_read: bool) -> Response:
    """Redirect to the paper, or to the history after a merge.

    `marked_read`: the paper was also marked as read.
    """
    summary, paper_url = result.summary, f"/papers/{paper_id}"
    if result.merged_version is not None:
        message = _("Merged with version {number}, saved while you were editing.")
        return redirect_with_flash(
            request, f"/summaries/{summary.id}/versions", message.format(number=result.merged_version)
        )
    if result.is_history_only:
        return redirect_with_flash(request, paper_url, _("Kept the current version. Yours is in the edit history."))
    if result.identical_version not in {None, summary.version}:
        message = _("Already saved as version {number}. The latest is version {newest}.")
        return redirect_with_flash(
            request, paper_url, message.format(number=result.identical_version, newest=summary.version)
        )
    message = _("Saved and marked as read") if marked_read else _("Saved")
    return redirect_with_flash(request, paper_url, message)


def _conflict_page(
    request: Request,
    me: CurrentUser,
    tx: Read,
    paper_id: int,
    *,
    edit: SummaryUpdate,
    error: StaleVersion,
    fields: Fields,
) -> Response:
    """Show the base and both texts, with the ways to resolve the conflict."""
    current: Any = error.current
    base = current.base.markdown if current.base else None
    conflict = build_edit_conflict(base, current.markdown, edit.markdown, version=current.version)
    context = {
        "newer": current,
        "mine": edit,
        "clash": conflict,
        "line": _merge_tldr(current, edit),
        "sent": get_hidden_fields(fields),
    }
    paper = get_row(tx, me, paper_id)
    private = current.private or edit.private
    return render(
        request, "summaries/conflict.html", 409, paper=paper, private=private, message=error.message, **context
    )


def _merge_tldr(current: SummaryConflict, edit: SummaryUpdate) -> str:
    """Merge both one-line summaries; prefer mine if both changed it."""
    lines = (current.base.tldr if current.base else "", current.tldr, edit.tldr)
    return edit.tldr if is_conflict(*lines) else merge_value(*lines)


def _mark_as_read(tx: Write, me: CurrentUser, paper_id: int) -> bool:
    """Mark the paper as read, if its status allows that."""
    reading = find_my_reading(tx, me, paper_id)
    if not can_follow(reading.status if reading else None, "read"):
        return False
    set_reading(tx, me, paper_id, ReadingUpdate(status="read"))
    return True


def _editor(
    request: Request,
    me: Me,
    tx: Read,
    paper_id: int,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    field_errors = {name or "markdown": message for name, message in (errors or {}).items()}
    own_summary = queries.find_my_summary(tx, me, paper_id)
    editor = build_editor_context(tx, me, DraftSubject("summary", paper_id), typed, stands=_summary_fields(own_summary))
    paper = get_row(tx, me, paper_id)
    return render(
        request,
        "summaries/edit.html",
        status,
        paper=paper,
        mine=own_summary,
        typed=typed,
        errors=field_errors,
        **editor,
    )


def _summary_fields(summary: SummaryRow | None) -> dict[str, str]:
    if summary is None:
        return {}
    private = "true" if summary.private else "false"
    return {"markdown": summary.markdown, "tldr": summary.tldr, "private": private, "version": str(summary.version)}


@router.get("/papers/{paper_id:int}/summary/versions")
def my_versions_page(request: Request, paper_id: int, wanted: VersionRangeParams, me: Me, tx: ReadTx) -> Response:
    """Show the versions of my summary."""
    return versions_page(request, queries.get_my_summary(tx, me, paper_id).id, wanted, me, tx)


@router.get("/summaries/{summary_id:int}/versions")
def versions_page(request: Request, summary_id: int, wanted: VersionRangeParams, me: Me, tx: ReadTx) -> Response:
    """Show the visible versions of a summary, newest first; `?compare=3&to=5` compares two."""
    summary = queries.get_summary(tx, me, summary_id)
    cursor_context = f"versions of {summary_id}"
    page_request = read_page_request(request, cursor_context, limit=VERSIONS_AT_ONCE, after=wanted.after)
    page = queries.list_versions(tx, me, summary_id, page_request)
    previous_version = queries.find_version_before(tx, me, summary_id, page.items[-1].number) if page.next else None
    context: dict[str, Any] = {
        "steps": version_steps(page.items, previous_version),
        "pair": _compared_versions(tx, me, summary, wanted),
    }
    context |= {"summary": summary, "paper": get_row(tx, me, summary.paper_id), "mine": summary.person_id == me.id}
    cursor = get_next_cursor(request, cursor_context, page)
    return render(request, "summaries/versions.html", **context, next=cursor, after=wanted.after)


@router.post("/summaries/{summary_id:int}/versions/{number:int}/restore")
def restore(request: Request, summary_id: int, number: int, me: Me, tx: WriteTx) -> Response:
    """Restore an old version of my summary as the newest."""
    summary = restore_version(tx, me, summary_id, number)
    message = _("Version {number} restored. Only you can see it.") if summary.private else _("Restored")
    return redirect_with_flash(request, f"/papers/{summary.paper_id}", message.format(number=number))


def _compared_versions(
    tx: Read, me: CurrentUser, summary: SummaryRow, version_range: VersionRange
) -> VersionPair | None:
    numbers = version_range.numbers(summary.version)
    if numbers is None:
        return None
    return compare_versions(*(queries.get_summary_version(tx, me, summary.id, number) for number in numbers))
