"""Pages for bulk actions: the form of the action bar, confirmation, progress, history and undo."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.relations.links import get_paper_by_text
from readtrack.reading.readings import status_transitions
from readtrack.team.assignments import queries as assigned
from readtrack.team.meetings.queries.series import list_open_series
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, FormResult, parse_int, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.pages.papers.paper_choice import render_paper_choice
from readtrack.web.responses.json import StreamedResponse
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.workspace.bulk_actions import queries
from readtrack.workspace.bulk_actions.actions import ACTS, MAX_PAPERS, BulkRequest
from readtrack.workspace.bulk_actions.batch_jobs import act_or_enqueue, retry_bulk_action, undo_or_enqueue
from readtrack.workspace.bulk_actions.messages import result_message, undo_message
from readtrack.workspace.export import formats
from readtrack.workspace.export.stream import find_ids, stream_export

# By the value of the button; some need further fields.
ACTION_INPUTS: Final[Mapping[str, Mapping[str, Any]]] = {
    **{status: {"act": "reading", "reading": {"status": status}} for status in status_transitions.WORDS if status},
    "off": {"act": "off"},
    "first": {"act": "reading", "reading": {"status": "to_read", "priority": 1}},
    "next": {"act": "reading", "reading": {"status": "to_read", "priority": 0}},
    "later": {"act": "reading", "reading": {"status": "to_read", "priority": -1}},
    "file": {"act": "topics"},
    "unfile": {"act": "topics"},
    "assign": {"act": "assign"},
    "propose": {"act": "propose"},
    "keep": {"act": "triage", "triage": "library"},
    "reject": {"act": "triage", "triage": "rejected"},
    "inbox": {"act": "triage", "triage": "inbox"},
    "merge": {"act": "merge"},
    "refresh": {"act": "refresh"},
    "delete": {"act": "delete"},
    "restore": {"act": "restore"},
}
EXPORT: Final = "export"  # changes nothing; leads to the page that asks for the format
# Required field by action; if it is missing, a page asks for it.
REQUIRED_DETAILS: Final[Mapping[str, str]] = {
    "file": "topic",
    "unfile": "topic",
    "assign": "person",
    "propose": "series",
    "merge": "into",
}
DETAILS = ("topic", "person", "due_on", "depth", "note", "series", "reason", "into", "other")
MAX_SHOWN = 50  # titles on the confirmation page


@dataclass(frozen=True)
class BulkSelection:
    """The action and its papers: the selected ones, or with `all_matching` all that match `q`.

    `reselect`: the list that comes next shows the papers as selected again.
    """

    action: str
    papers: Sequence[int] = ()
    q: str = ""
    all_matching: bool = False
    count: int | None = None
    fingerprint: str | None = None
    reselect: bool = False
    next: str = "/papers"
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """True if the required fields are present and, for all matches, their number was confirmed."""
        detail = self.action != EXPORT and self.details.get(REQUIRED_DETAILS.get(self.action, ""), "-")
        return bool(detail) and (not self.all_matching or self.count is not None)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """The selection as query parameters or hidden fields."""
        selected = (
            [("q", self.q), ("every", "1")] if self.all_matching else [("paper", str(paper)) for paper in self.papers]
        )
        details = [(name, text) for name, text in self.details.items() if text]
        return [("do", self.action), *selected, ("next", self.next), *details]


def parse_selection(fields: Fields, next_path: str) -> BulkSelection:
    """Parse the selection from a form or a query string."""
    count = fields.get("count")
    return BulkSelection(
        action=fields.get("do"),
        papers=[number for number in map(parse_int, fields.lists.get("paper", ())) if number],
        q=fields.get("q"),
        all_matching=fields.get("every") == "1",
        count=parse_int(count) if count else None,
        fingerprint=fields.get("seen") or None,
        reselect=fields.get("reselect") == "1",
        next=next_path,
        details={name: fields.get(name).strip() for name in DETAILS},
    )


def validate_selection(selection: BulkSelection, *, reader: int | None = None) -> FormResult[BulkRequest]:
    """Validate the input of the command. `reader`: id of the person named in the form."""
    matching = {"q": selection.q or " ", "count": selection.count, "seen": selection.fingerprint}
    selected = matching if selection.all_matching else {"papers": selection.papers}
    return validate_form(BulkRequest, {**selected, **ACTION_INPUTS[selection.action], **_details(selection, reader)})


def _details(selection: BulkSelection, reader: int | None) -> dict[str, Any]:
    details = selection.details
    if selection.action in {"file", "unfile"}:
        return {"topics": {"add" if selection.action == "file" else "remove": [details["topic"]]}}
    if selection.action == "assign":
        assignment = {name: details[name] for name in ("due_on", "depth", "note") if details[name]}
        return {"assign": {"person": reader or 0, **assignment}}
    if selection.action == "propose":
        return {"propose": {"series": parse_int(details["series"]), "reason": details["reason"]}}
    return {"into": parse_int(details["into"])} if selection.action == "merge" else {}


router = page_router()


@router.get("/bulk")
def ask_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the papers that would be affected, and ask for missing input."""
    return _render_confirmation(request, tx, me, _require_selection(_fields_from_query(request)))


@router.post("/bulk")
def act(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Run the action, or redirect to the confirmation page if input is missing."""
    selection = _require_selection(fields)
    if not selection.papers and not selection.all_matching:
        return redirect_with_flash(request, selection.next, _("Select papers first"), kind="info")
    try:
        selection = _resolve_survivor(tx, me, selection)
    except Invalid as error:
        return render_paper_choice(request, fields, error, field="other", back=selection.next)
    if not selection.is_complete:
        return _redirect_with_fields(request, "/bulk", fields)
    return _act(request, tx, me, selection)


def _resolve_survivor(tx: Read, me: CurrentUser, selection: BulkSelection) -> BulkSelection:
    """Return the selection with the id of the paper to merge into, if that is given as text."""
    text = selection.details["other"]
    if selection.action != "merge" or not text:
        return selection
    survivor = get_paper_by_text(tx, me, text)
    return replace(selection, details={**selection.details, "into": str(survivor)})


def _act(request: Request, tx: Write, me: CurrentUser, selection: BulkSelection) -> Response:
    reader = assigned.find_reader(tx, selection.details["person"]) if selection.action == "assign" else None
    form_result = validate_selection(selection, reader=reader)
    if form_result.value is None or (selection.action == "assign" and reader is None):
        return _render_confirmation(
            request, tx, me, selection, status=422, problem=_selection_problem(selection, reader, form_result.errors)
        )
    try:
        result = act_or_enqueue(tx, me, form_result.value)
    except Conflict as error:
        return _render_confirmation(request, tx, me, selection, status=409, problem=error.message)
    if isinstance(result, int):
        return _redirect(request, f"/bulk/{result}?{urlencode({'next': selection.next})}")
    undo = (_("Undo"), f"/bulk/{result.undo_id}/undo") if result.undo_id else ("", "")
    return redirect_with_flash(
        request,
        selection.next,
        result_message(result, selection.action),
        kind="good" if result.changed_count else "info",
        undo=undo,
        selected=selection.papers if selection.reselect and not selection.all_matching else (),
    )


@router.get("/bulk/export")
def export(request: Request, me: Me, tx: ReadTx) -> Response:
    """Export the selected papers, or all matches, as a file."""
    fields = _fields_from_query(request)
    kind = formats.all_exports().get(fields.get("format"))
    if kind is None:
        raise Invalid(_("Choose an export format."))
    selection = parse_selection(fields, "/papers")
    ids = find_ids(tx, me, selection.q) if selection.all_matching else sorted({*selection.papers})
    chunks = stream_export(request.app.state.database, me, fields.get("format"), ids)
    headers = {"Content-Disposition": f'attachment; filename="readtrack{kind.suffix}"'}
    return StreamedResponse(chunks, media_type=kind.media_type, headers=headers)


@router.get("/history")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show my bulk actions with undo."""
    page = queries.list_undo_entries(tx, me, read_page_request(request, queries.QUESTION, after=after))
    cursor = get_next_cursor(request, queries.QUESTION, page)
    expired_ids = {
        undo_entry.id for undo_entry in page.items if queries.is_over(undo_entry.verb, undo_entry.created_at)
    }
    progress = queries.find_progress(tx, page.items)
    context: dict[str, Any] = {
        "undo_entries": page.items,
        "progress": progress,
        "expired_ids": expired_ids,
        "next": cursor,
        "after": after,
    }
    return render(request, "bulk_actions/done.html", **context)


@router.post("/bulk/{deed_id:int}/undo")
def undo(request: Request, deed_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo a bulk action."""
    next_path = safe_next(fields.get("next"), "/papers")
    result = undo_or_enqueue(tx, me, deed_id)
    if result is None:
        return _redirect(request, f"/bulk/{deed_id}?{urlencode({'next': next_path})}")
    return redirect_with_flash(request, next_path, undo_message(result), kind="info" if result.unchanged else "good")


@router.post("/bulk/{deed_id:int}/retry")
def retry(request: Request, deed_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Resume a bulk action that failed."""
    retry_bulk_action(tx, me, deed_id)
    return redirect_with_flash(
        request, f"/bulk/{deed_id}?{urlencode({'next': safe_next(fields.get('next'), '/papers')})}"
    )


@router.get("/bulk/{deed_id:int}")
def progress_page(request: Request, deed_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the progress of a large bulk action, and its result."""
    undo_entry = queries.get_undo_entry(tx, me, deed_id)
    progress = queries.find_progress(tx, [undo_entry])[deed_id]
    _items, refusals = queries.get_outcomes(tx, me, deed_id)
    next_path = safe_next(request.query_params.get("next", ""), "/papers")
    context: dict[str, Any] = {"undo_entry": undo_entry, "progress": progress, "stays": refusals, "back": next_path}
    return render(
        request,
        "bulk_actions/progress.html",
        **context,
        is_expired=queries.is_over(undo_entry.verb, undo_entry.created_at),
    )


def _fields_from_query(request: Request) -> Fields:
    """Return the query string as form fields."""
    pairs = request.query_params.multi_items()[: MAX_PAPERS + 20]
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        lists.setdefault(name, []).append(value)
    return Fields(dict(pairs), lists)


def _require_selection(fields: Fields) -> BulkSelection:
    if fields.get("do") not in {*ACTION_INPUTS, EXPORT}:
        raise Invalid(_("Choose an action."))
    return parse_selection(fields, safe_next(fields.get("next"), "/papers"))


def _redirect_with_fields(request: Request, path: str, fields: Fields) -> Response:
    """Redirect with a full page load, because the target is another page or a file."""
    pairs = [(name, text) for name, texts in fields.lists.items() for text in texts if text]
    return _redirect(request, f"{path}?{urlencode(pairs)}")


def _redirect(request: Request, address: str) -> Response:
    if request.headers.get("hx-request"):
        return Response(headers={"HX-Redirect": address})
    return redirect_with_flash(request, address)


def _selection_problem(selection: BulkSelection, reader: int | None, errors: Any) -> str:  # noqa: ANN401 - by field
    if selection.action == "assign" and reader is None:
        return _("No such member.")
    return " ".join(errors.values())


def _render_confirmation(
    request: Request, tx: Read, me: CurrentUser, selection: BulkSelection, *, status: int = 200, problem: str = ""
) -> Response:
    is_export = selection.action == EXPORT
    permissions.require(
        me, "see" if is_export else ACTS[str(ACTION_INPUTS[selection.action]["act"])].required_permission
    )
    papers = queries.list_matching_papers(tx, me, selection.q) if selection.all_matching else selection.papers
    context = {
        "selection": selection,
        "needed": REQUIRED_DETAILS.get(selection.action, ""),
        "count": len(papers),
        "fingerprint": queries.selection_fingerprint(papers),
        "papers": queries.list_titles(tx, papers[:MAX_SHOWN]),
        "askable": assigned.list_names(tx, me) if selection.action == "assign" else (),
        "series": list_open_series(tx) if selection.action == "propose" else (),
        "formats": [(name, name) for name in formats.all_exports()] if is_export else (),
        "problem": problem,
    }
    return render(request, "bulk_actions/ask.html", status, **context)
