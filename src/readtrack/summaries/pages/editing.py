"""The editor of my summary in a browser, with its preview."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack.db import Read, Write
from readtrack.errors import Stale
from readtrack.languages import N_
from readtrack.languages import gettext as _
from readtrack.papers.queries import get_row
from readtrack.policy import Visitor
from readtrack.readings.commands import set_reading
from readtrack.readings.inputs import ReadingSet
from readtrack.readings.queries import find_my_reading
from readtrack.readings.states import may_follow
from readtrack.summaries import commands, queries
from readtrack.summaries.commands import SummaryEdit
from readtrack.summaries.pages.conflicts import conflict_page
from readtrack.summaries.queries import SummaryRow
from readtrack.web.forms import Form, check, whole
from readtrack.web.templating import go, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter(include_in_schema=False)
PARTS = (N_("Problem"), N_("Idea"), N_("Evaluation"), N_("Limits"), N_("For us"))  # of a summary begun with headings


@router.get("/papers/{paper_id:int}/summary/edit")
def edit_page(request: Request, paper_id: int, me: Me, tx: ReadTx, template: str = "") -> Response:
    """The editor with my text; `?template=1` begins an empty one with headings."""
    mine = queries.find_my_summary(tx, me, paper_id)
    typed = _typed(mine) if mine else {"markdown": _headings() if template else ""}
    return _editor(request, me, tx, paper_id, typed=typed, preview=typed["markdown"])


@router.post("/papers/{paper_id:int}/summary/edit")
def edit(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Saves; 409 with both texts when I saved in between elsewhere, 422 with the form when it cannot be used."""
    checked = check(SummaryEdit, fields.values)
    if checked.value is None:
        return _editor(request, me, tx, paper_id, typed=checked.typed, errors=checked.errors, status=422)
    version = fields.get("version")
    begun = whole(version) if version else None
    try:
        saved = commands.edit_summary(tx, me, paper_id, checked.value, version=begun)
    except Stale as stale:
        return conflict_page(request, me, tx, paper_id, mine=checked.value, stale=stale)
    said = _("Your summary is saved, version {version}.")
    if fields.get("then") == "read" and _finish(tx, me, paper_id):
        said = _("Your summary is saved, version {version}, and the paper is marked as read.")
    return go(request, f"/papers/{paper_id}", said.format(version=saved.version))


@router.post("/papers/{paper_id:int}/summary/preview")
def preview_page(request: Request, paper_id: int, me: Me, fields: Form, tx: ReadTx) -> Response:
    """The editor with what was typed and how it will look. Nothing is saved."""
    checked = check(SummaryEdit, fields.values)
    preview = fields.get("markdown") if "markdown" not in checked.errors else ""
    return _editor(request, me, tx, paper_id, typed=checked.typed, errors=checked.errors, preview=preview)


@router.post("/papers/{paper_id:int}/summary/delete")
def delete(request: Request, paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Hides my summary."""
    undo = (_("Bring back"), f"/trash/summaries/{commands.delete_summary(tx, me, paper_id)}/restore")
    return go(request, f"/papers/{paper_id}", _("Your summary is in the trash, for 30 days."), undo=undo)


@router.post("/summaries/preview")
def preview(request: Request, _me: Me, fields: Form) -> Response:
    """How a text will look, as a fragment, by the renderer of the pages. Nothing is saved."""
    text = fields.get("markdown").strip()
    errors = check(SummaryEdit, {"markdown": text}).errors if text else {}
    return render(request, "summaries/_preview.html", preview="" if errors else text, errors=errors)


def _finish(tx: Write, me: Visitor, paper_id: int) -> bool:
    """Marks the paper as read, when that can follow what it is."""
    mine = find_my_reading(tx, me, paper_id)
    if not may_follow(mine.status if mine else None, "read"):
        return False
    set_reading(tx, me, paper_id, ReadingSet(status="read"))
    return True


def _editor(
    request: Request,
    me: Me,
    tx: Read,
    paper_id: int,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    preview: str = "",
    status: int = 200,
) -> Response:
    found = {name or "markdown": sentence for name, sentence in (errors or {}).items()}
    paper = get_row(tx, me, paper_id)
    return render(request, "summaries/edit.html", status, paper=paper, typed=typed, errors=found, preview=preview)


def _typed(mine: SummaryRow) -> dict[str, str]:
    private = "true" if mine.private else "false"
    return {"markdown": mine.markdown, "tldr": mine.tldr, "private": private, "version": str(mine.version)}


def _headings() -> str:
    """What a summary begins with when one asks for it."""
    return "\n\n".join(f"## {_(part)}\n" for part in PARTS)
