"""Editor for my summary, with preview and conflict resolution."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.diff.merge3 import is_conflict, merge_value
from readtrack.library.papers.lists import get_row
from readtrack.library.references.queries import get_render_context
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.queries import find_my_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.reading.readings.status_rules import can_follow
from readtrack.reading.summaries import commands, queries
from readtrack.reading.summaries.commands import SummaryConflict, SummaryUpdate
from readtrack.reading.summaries.queries import SummaryRow
from readtrack.reading.summaries.three_way_save import SaveResult, save_merged, save_to_history
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.edit_conflict import build_edit_conflict, get_hidden_fields
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.web.templating.text_editor import build_editor_context, discard_draft, get_initial_fields

router = page_router()


@router.get("/papers/{paper_id:int}/summary/edit")
def edit_page(request: Request, paper_id: int, me: Me, tx: ReadTx, *, draft: int = 0, template: str = "") -> Response:
    """Show the editor with my text or a draft (`?draft=7`); `?template=3` adds the headings of a template."""
    stands = _summary_fields(queries.find_my_summary(tx, me, paper_id))
    typed = get_initial_fields(tx, me, DraftSubject("summary", paper_id), stands, draft=draft, template=template)
    return _editor(request, me, tx, paper_id, typed=typed)


@router.post("/papers/{paper_id:int}/summary/edit")
def edit(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save my summary; on a conflict show all texts (409), on errors the form again (422)."""
    checked = validate_form(SummaryUpdate, fields.values)
    if checked.value is None:
        return _editor(request, me, tx, paper_id, typed=checked.typed, errors=checked.errors, status=422)
    version = parse_int(fields.get("version")) if fields.get("version") else None
    try:
        saved = _save_form(tx, me, paper_id, checked.value, version=version, aside=fields.get("keep") == "theirs")
    except StaleVersion as stale:
        return _conflict_page(request, me, tx, paper_id, mine=checked.value, stale=stale, fields=fields)
    discard_draft(tx, me, DraftSubject("summary", paper_id), fields)
    read = fields.get("then") == "read" and _mark_as_read(tx, me, paper_id)
    return _saved_page(request, paper_id, saved, read=read)


@router.post("/papers/{paper_id:int}/summary/preview")
def preview_page(request: Request, paper_id: int, me: Me, fields: Form, tx: ReadTx) -> Response:
    """Show the editor with a preview of the submitted text. Nothing is saved."""
    checked = validate_form(SummaryUpdate, fields.values)
    return _editor(request, me, tx, paper_id, typed=checked.typed, errors=checked.errors)


@router.post("/papers/{paper_id:int}/summary/delete")
def delete(request: Request, paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete my summary."""
    undo = (_("Bring back"), f"/trash/summaries/{commands.delete_summary(tx, me, paper_id)}/restore")
    return redirect_with_flash(
        request, f"/papers/{paper_id}", _("Your summary is in the trash, for 30 days."), undo=undo
    )


@router.post("/summaries/preview")
def preview(request: Request, _me: Me, fields: Form, tx: ReadTx) -> Response:
    """Return a preview as a fragment, with mentions and references resolved. Nothing is saved."""
    text = (fields.get("markdown") or fields.get("notes")).strip()
    errors = validate_form(SummaryUpdate, {"markdown": text}).errors if text else {}
    shown = "" if errors else text
    return render(
        request, "summaries/_preview.html", preview=shown, errors=errors, context=get_render_context(tx, [shown])
    )


def _save_form(
    tx: Write, me: CurrentUser, paper_id: int, edit: SummaryUpdate, *, version: int | None, aside: bool
) -> SaveResult:
    """Save the form, merged with concurrent changes; with `aside`, to the history only.

    Raise StaleVersion on a conflict.
    """
    if aside:
        return SaveResult(save_to_history(tx, me, paper_id, edit, version=version or 0), aside=True)
    return save_merged(tx, me, paper_id, edit, version=version)


def _saved_page(request: Request, paper_id: int, saved: SaveResult, *, read: bool) -> Response:
    """Redirect to the paper, or to the history after a merge.

    `read`: the paper was also marked as read.
    """
    summary, there = saved.summary, f"/papers/{paper_id}"
    if saved.met is not None:
        said = _("Merged with version {number}, which was saved meanwhile. Below is what came together.")
        return redirect_with_flash(request, f"/summaries/{summary.id}/versions", said.format(number=saved.met))
    if saved.aside:
        return redirect_with_flash(
            request, there, _("What stands there is as it was. What you wrote is in the history.")
        )
    if saved.already not in {None, summary.version}:
        said = _("This text was saved already, as version {number}; version {newest} came after it.")
        return redirect_with_flash(request, there, said.format(number=saved.already, newest=summary.version))
    said = _("Your summary is saved, version {version}.")
    if read:
        said = _("Your summary is saved, version {version}, and the paper is marked as read.")
    return redirect_with_flash(request, there, said.format(version=summary.version))


def _conflict_page(
    request: Request,
    me: CurrentUser,
    tx: Read,
    paper_id: int,
    *,
    mine: SummaryUpdate,
    stale: StaleVersion,
    fields: Fields,
) -> Response:
    """Show the base and both texts, with the ways to resolve the conflict."""
    newer: Any = stale.current
    base = newer.base.markdown if newer.base else None
    clash = build_edit_conflict(base, newer.markdown, mine.markdown, version=newer.version)
    context = {
        "newer": newer,
        "mine": mine,
        "clash": clash,
        "line": _merge_tldr(newer, mine),
        "sent": get_hidden_fields(fields),
    }
    paper = get_row(tx, me, paper_id)
    private = newer.private or mine.private
    return render(request, "summaries/conflict.html", 409, paper=paper, private=private, said=stale.message, **context)


def _merge_tldr(newer: SummaryConflict, mine: SummaryUpdate) -> str:
    """Merge both one-line summaries; prefer mine if both changed it."""
    lines = (newer.base.tldr if newer.base else "", newer.tldr, mine.tldr)
    return mine.tldr if is_conflict(*lines) else merge_value(*lines)


def _mark_as_read(tx: Write, me: CurrentUser, paper_id: int) -> bool:
    """Mark the paper as read, if its status allows that."""
    mine = find_my_reading(tx, me, paper_id)
    if not can_follow(mine.status if mine else None, "read"):
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
    found = {name or "markdown": sentence for name, sentence in (errors or {}).items()}
    mine = queries.find_my_summary(tx, me, paper_id)
    editor = build_editor_context(tx, me, DraftSubject("summary", paper_id), typed, stands=_summary_fields(mine))
    paper = get_row(tx, me, paper_id)
    return render(request, "summaries/edit.html", status, paper=paper, mine=mine, typed=typed, errors=found, **editor)


def _summary_fields(mine: SummaryRow | None) -> dict[str, str]:
    if mine is None:
        return {}
    private = "true" if mine.private else "false"
    return {"markdown": mine.markdown, "tldr": mine.tldr, "private": private, "version": str(mine.version)}
