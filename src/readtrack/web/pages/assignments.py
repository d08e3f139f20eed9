"""Pages for assignments: list by week, assign, edit, answer."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid, StaleVersion
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.lists import get_row
from readtrack.team.assignments import commands, queries
from readtrack.team.assignments.commands import AssignmentAnswer, AssignmentCreate, AssignmentUpdate
from readtrack.team.assignments.queries import AssignmentFilter, AssignmentRow, Which, group_by_week
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render, with_query

router = page_router()
SCOPE_LABELS = {"mine": N_("Assigned to me"), "given": N_("Assigned by me"), "all": N_("Team")}
STATES: Mapping[str, tuple[Which, str]] = {
    "open": ("open", N_("To read")),
    "done": ("done", N_("Done")),
    "declined": ("declined", N_("Declined")),
}


@router.get("/assignments")
def list_page(request: Request, me: Me, tx: ReadTx, of: str = "mine", state: str = "open", after: str = "") -> Response:
    """Show assignments by week. Unknown parameters fall back to my open ones."""
    of, state = of if of in SCOPE_LABELS else "mine", state if state in STATES else "open"
    assignment_filter = _assignment_filter(me, of, STATES[state][0])
    page = queries.list_assignments(
        tx, me, assignment_filter, read_page_request(request, assignment_filter.question, after=after)
    )
    cursor = get_next_cursor(request, assignment_filter.question, page)
    context: dict[str, Any] = {
        "of": of,
        "state": state,
        "weeks": group_by_week(page.items, queries.local_today(me)),
        "scope_links": [_facet(_(text), on=key == of, of=key, state=state) for key, text in SCOPE_LABELS.items()],
        "states": [_facet(_(text), on=key == state, of=of, state=key) for key, (_state_filter, text) in STATES.items()],
        "back": with_query("/assignments", of=of, state=state, after=after),
        "older": with_query("/assignments", of=of, state=state, after=cursor) if cursor else "",
        "newer": with_query("/assignments", of=of, state=state) if after else "",
    }
    return render(request, "assignments/list.html", **context)


@router.post("/papers/{paper_id:int}/assignments")
def create(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Assign the paper to the named person; show the form again (422) if there is no such person."""
    form_result = validate_form(AssignmentCreate, _assignment_input(tx, paper_id, fields))
    if form_result.value is None:
        return _form(request, me, tx, paper_id, typed=fields.values, errors=form_result.errors)
    try:
        assignment = commands.make_assignment(tx, me, form_result.value)
    except Invalid as error:  # raised before anything was written
        return _form(request, me, tx, paper_id, typed=fields.values, errors=_errors_by_field(error))
    row = queries.get_assignment(tx, me, assignment.id or 0)
    message = _("Assigned to {person}").format(person=row.person)
    undo = (_("Undo"), f"/assignments/{assignment.id}/withdraw")
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{paper_id}"), message, undo=undo)


@router.get("/papers/{paper_id:int}/assignments")
def of_paper_page(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the assignments of a paper, and the form to add one."""
    return _form(request, me, tx, paper_id)


@router.get("/assignments/{assignment_id:int}/edit")
def edit_page(request: Request, assignment_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    row = queries.get_assignment(tx, me, assignment_id)
    commands.require_asker(me, row.by_id)
    typed = {"due_on": row.due_on.isoformat() if row.due_on else "", "depth": row.depth, "note": row.note}
    return _edit_form(request, row, typed=typed)


@router.post("/assignments/{assignment_id:int}/edit")
def edit(request: Request, assignment_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save changes; show the form again with 409 if the assignment was changed in the meantime."""
    row = queries.get_assignment(tx, me, assignment_id)
    typed = {name: fields.get(name) for name in AssignmentUpdate.model_fields if name in fields.values}
    form_result = validate_form(AssignmentUpdate, typed)
    if form_result.value is None:
        return _edit_form(request, row, typed=typed, errors=form_result.errors, status=422)
    cleared = {name: None if name == "due_on" else "" for name, text in typed.items() if not text}
    change = form_result.value.model_copy(update=cleared)
    try:
        commands.edit_assignment(tx, me, assignment_id, change, version=parse_int(fields.get("version")))
    except Invalid as error:
        return _edit_form(request, row, typed=typed, errors=_errors_by_field(error), status=422)
    except StaleVersion:
        return _edit_form(request, row, typed=typed, stale=True, status=409)
    return redirect_with_flash(
        request, safe_next(fields.get("next"), f"/papers/{row.paper_id}/assignments"), _("Saved")
    )


@router.post("/assignments/{assignment_id:int}/answer")
def answer(request: Request, assignment_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Accept or decline an assignment of mine."""
    answer = validate_form(AssignmentAnswer, fields.values).or_raise()
    assignment = commands.answer_assignment(tx, me, assignment_id, answer)
    message = _("Assignment accepted") if assignment.state == "accepted" else _("Assignment declined")
    return redirect_with_flash(request, safe_next(fields.get("next"), "/assignments"), message)


@router.post("/assignments/{assignment_id:int}/withdraw")
def withdraw(request: Request, assignment_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Withdraw an assignment."""
    assignment = commands.withdraw_assignment(tx, me, assignment_id)
    next_path = safe_next(fields.get("next"), f"/papers/{assignment.paper_id}")
    return redirect_with_flash(request, next_path, _("Assignment withdrawn"))


def _assignment_filter(me: CurrentUser, of: str, which: Which) -> AssignmentFilter:
    if of == "all":
        return AssignmentFilter(which=which)
    return AssignmentFilter(by=me.id, which=which) if of == "given" else AssignmentFilter(person=me.id, which=which)


def _facet(text: str, *, on: bool, of: str, state: str) -> dict[str, Any]:
    return {"href": with_query("/assignments", of=of, state=state), "text": text, "count": "", "on": on, "status": ""}


def _assignment_input(tx: Read, paper_id: int, fields: Fields) -> dict[str, Any]:
    """Return the form as input of the command, with the person's id, or 0 for an unknown name."""
    person_name = fields.get("person").strip()
    person = {"person": queries.find_reader(tx, person_name) or 0} if person_name else {}
    return {"paper": paper_id, **{name: fields.get(name) for name in AssignmentUpdate.model_fields}, **person}


def _errors_by_field(error: Invalid) -> dict[str, str]:
    return {problem.pointer.removeprefix("/"): problem.detail for problem in error.errors}


def _edit_form(
    request: Request,
    row: AssignmentRow,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    stale: bool = False,
    status: int = 200,
) -> Response:
    context = {"row": row, "typed": typed, "errors": errors or {}, "stale": stale}
    return render(request, "assignments/edit.html", status, **context)


def _form(
    request: Request,
    me: CurrentUser,
    tx: Read,
    paper_id: int,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    context: dict[str, Any] = {
        "row": get_row(tx, me, paper_id),
        "assignments": queries.list_for_paper(tx, me, paper_id),
        "askable": queries.list_names(tx, me),
        "typed": typed or {},
        "errors": errors or {},
    }
    return render(request, "assignments/of_paper.html", 422 if errors else 200, **context)
