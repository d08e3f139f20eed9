"""Acts on many papers in a browser: the bar under a list, the page that asks what is missing, and undoing."""

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.team.assignments import queries as assigned
from readtrack.team.meetings.queries.series import open_series
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form
from readtrack.web.dependencies.pagination import cursor_for, cut_for
from readtrack.web.pages import bulk_action_form
from readtrack.web.pages.bulk_action_form import Chosen
from readtrack.web.responses.json import StreamedAnswer
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import go, render
from readtrack.workspace.bulk_actions import queries
from readtrack.workspace.bulk_actions.actions import ACTS
from readtrack.workspace.bulk_actions.batch_jobs import act_or_enqueue, retry_act, undo_or_enqueue
from readtrack.workspace.bulk_actions.messages import told, told_back
from readtrack.workspace.bulk_actions.schemas import MOST
from readtrack.workspace.export import formats
from readtrack.workspace.export.stream import find_ids, streamed

router = page_router()
MOST_SHOWN = 50  # titles on the page that asks


@router.get("/bulk")
def ask_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """How many papers it would be, which, and what has to be said still."""
    return _asked(request, tx, me, _wanted(_asked_fields(request)))


@router.post("/bulk")
def act(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Does it; or goes to the page that asks for what is missing, when something is."""
    wanted = _wanted(fields)
    if not wanted.papers and not wanted.every:
        return go(request, wanted.next, _("No paper is chosen. Tick some rows first."), kind="info")
    if not wanted.settled:
        return _away(request, "/bulk", fields)
    reader = assigned.find_reader(tx, wanted.said["person"]) if wanted.do == "assign" else None
    checked = bulk_action_form.checked(wanted, reader=reader)
    if checked.value is None or (wanted.do == "assign" and reader is None):
        return _asked(request, tx, me, wanted, status=422, problem=_problem(wanted, reader, checked.errors))
    try:
        done = act_or_enqueue(tx, me, checked.value)
    except Conflict as changed:
        return _asked(request, tx, me, wanted, status=409, problem=changed.message)
    if isinstance(done, int):
        return _lead(request, f"/bulk/{done}?{urlencode({'next': wanted.next})}")
    undo = (_("Undo all"), f"/bulk/{done.deed}/undo") if done.deed else ("", "")
    return go(request, wanted.next, told(done, wanted.do), kind="good" if done.changed else "info", undo=undo)


@router.get("/bulk/export")
def export(request: Request, me: Me, tx: ReadTx) -> Response:
    """The chosen papers, or all that match, as a file."""
    fields = _asked_fields(request)
    kind = formats.all_exports().get(fields.get("format"))
    if kind is None:
        raise Invalid(_("Say in which format. Nothing was exported."))
    wanted = bulk_action_form.chosen(fields, "/papers")
    ids = find_ids(tx, me, wanted.q) if wanted.every else sorted({*wanted.papers})
    pieces = streamed(request.app.state.database, me, fields.get("format"), ids)
    headers = {"Content-Disposition": f'attachment; filename="readtrack{kind.suffix}"'}
    return StreamedAnswer(pieces, media_type=kind.media_type, headers=headers)


@router.get("/bulk/done")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """What I did to many papers, each with its undo."""
    page = queries.list_deeds(tx, me, cut_for(request, queries.QUESTION, after=after))
    older = cursor_for(request, queries.QUESTION, page)
    over = {deed.id for deed in page.items if queries.is_over(deed.verb, deed.at)}
    progress = queries.progress_of(tx, page.items)
    context: dict[str, Any] = {"deeds": page.items, "progress": progress, "over": over, "next": older, "after": after}
    return render(request, "bulk_actions/done.html", **context)


@router.post("/bulk/{deed_id:int}/undo")
def undo(request: Request, deed_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Takes back what was done together."""
    there = safe_next(fields.get("next"), "/papers")
    back = undo_or_enqueue(tx, me, deed_id)
    if back is None:
        return _lead(request, f"/bulk/{deed_id}?{urlencode({'next': there})}")
    return go(request, there, told_back(back), kind="info" if back.left else "good")


@router.post("/bulk/{deed_id:int}/retry")
def retry(request: Request, deed_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Goes on with one that failed."""
    retry_act(tx, me, deed_id)
    return go(request, f"/bulk/{deed_id}?{urlencode({'next': safe_next(fields.get('next'), '/papers')})}")


@router.get("/bulk/{deed_id:int}")
def progress_page(request: Request, deed_id: int, me: Me, tx: ReadTx) -> Response:
    """How far an act on very many papers is, and in the end what came of it."""
    deed = queries.get_deed(tx, me, deed_id)
    progress = queries.progress_of(tx, [deed])[deed_id]
    _items, stays = queries.items_of(tx, me, deed_id)
    back = safe_next(request.query_params.get("next", ""), "/papers")
    context: dict[str, Any] = {"deed": deed, "progress": progress, "stays": stays, "back": back}
    return render(request, "bulk_actions/progress.html", **context, over=queries.is_over(deed.verb, deed.at))


def _asked_fields(request: Request) -> Fields:
    """What an address says, as a form would."""
    pairs = request.query_params.multi_items()[: MOST + 20]
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        lists.setdefault(name, []).append(value)
    return Fields(dict(pairs), lists)


def _wanted(fields: Fields) -> Chosen:
    if fields.get("do") not in {*bulk_action_form.ACTS, bulk_action_form.EXPORT}:
        raise Invalid(_("Say what to do with these papers. Nothing was changed."))
    return bulk_action_form.chosen(fields, safe_next(fields.get("next"), "/papers"))


def _away(request: Request, path: str, fields: Fields) -> Response:
    """Goes there by the browser itself: it is another page, or a file, and none that would fit into this one."""
    pairs = [(name, text) for name, texts in fields.lists.items() for text in texts if text]
    return _lead(request, f"{path}?{urlencode(pairs)}")


def _lead(request: Request, address: str) -> Response:
    if request.headers.get("hx-request"):
        return Response(headers={"HX-Redirect": address})
    return go(request, address)


def _problem(wanted: Chosen, reader: int | None, errors: Any) -> str:  # noqa: ANN401 - by field
    if wanted.do == "assign" and reader is None:
        return _("Nobody active on the team has this name. Look at the list of people.")
    return " ".join(errors.values())


def _asked(
    request: Request, tx: Read, me: Visitor, wanted: Chosen, *, status: int = 200, problem: str = ""
) -> Response:
    exporting = wanted.do == bulk_action_form.EXPORT
    permissions.require(me, "see" if exporting else ACTS[str(bulk_action_form.ACTS[wanted.do]["act"])].needs)
    papers = queries.matching(tx, me, wanted.q) if wanted.every else wanted.papers
    context = {
        "wanted": wanted,
        "needed": bulk_action_form.NEEDED.get(wanted.do, ""),
        "count": len(papers),
        "seen": queries.mark_of(papers),
        "papers": queries.titles_of(tx, papers[:MOST_SHOWN]),
        "askable": assigned.list_names(tx, me) if wanted.do == "assign" else (),
        "series": open_series(tx) if wanted.do == "propose" else (),
        "formats": [(name, name) for name in formats.all_exports()] if exporting else (),
        "problem": problem,
    }
    return render(request, "bulk_actions/ask.html", status, **context)
