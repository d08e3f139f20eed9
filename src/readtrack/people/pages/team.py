"""Who is here; for admins: inviting, roles, shutting out and letting in again."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from readtrack import policy
from readtrack.models import ROLES
from readtrack.people import commands, queries
from readtrack.people.inputs import Invite
from readtrack.web.cursors import cursor_for, cut_for
from readtrack.web.forms import Form, check
from readtrack.web.templating import go, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = APIRouter()
QUESTION = "people"


@router.get("/people")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Everybody, by name."""
    return _people(request, me, tx, after=after)


@router.post("/people/invitations")
def invite(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Makes an invitation. The answer is a page, for its link is shown this once."""
    checked = check(Invite, fields.values)
    if checked.value is None:
        return _people(request, me, tx, status=422, errors=checked.errors)
    code = commands.invite(tx, me, checked.value)
    return _link_page(request, code, name="", role=checked.value.role)


@router.post("/people/{person_id:int}/link")
def invite_back(request: Request, person_id: int, me: Me, tx: WriteTx) -> Response:
    """Makes a link with which that person sets a password; shown this once."""
    code = commands.invite_back(tx, me, person_id)
    return _link_page(request, code, name=queries.get_person(tx, person_id).name, role="")


@router.post("/people/{person_id:int}/role")
def set_role(request: Request, person_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Gives another role."""
    checked = check(Invite, fields.values)
    if checked.value is None:
        return _people(request, me, tx, status=422, errors=checked.errors)
    commands.set_role(tx, me, person_id, checked.value.role)
    return go(request, "/people", f"{queries.get_person(tx, person_id).name} is {checked.value.role} now.")


@router.post("/people/{person_id:int}/disable")
def disable(request: Request, person_id: int, me: Me, tx: WriteTx) -> Response:
    """Shuts out at once."""
    commands.disable_person(tx, me, person_id)
    name = queries.get_person(tx, person_id).name
    return go(request, "/people", f"{name} is signed out everywhere and cannot come in. What they wrote stays.")


@router.post("/people/{person_id:int}/enable")
def enable(request: Request, person_id: int, me: Me, tx: WriteTx) -> Response:
    """Lets in again."""
    commands.enable_person(tx, me, person_id)
    return go(
        request, "/people", f"{queries.get_person(tx, person_id).name} can sign in again. Old tokens stay revoked."
    )


def _people(
    request: Request, me: Me, tx: ReadTx, *, after: str = "", status: int = 200, errors: Mapping[str, str] | None = None
) -> Response:
    page = queries.list_people(tx, me, cut_for(request, QUESTION, after=after))
    context = {
        "people": page.items,
        "count": queries.count_people(tx),
        "next": cursor_for(request, QUESTION, page),
        "manages": policy.may(me, "manage-people"),
        "roles": [(role, role) for role in ROLES],
        "errors": errors or {},
    }
    return render(request, "people/list.html", status, **context)


def _link_page(request: Request, code: str, *, name: str, role: str) -> Response:
    """The address comes from the settings: the Host header is said by whoever asks."""
    link = f"{request.app.state.settings.base_url.rstrip('/')}/join/{code}"
    return render(request, "people/link.html", link=link, name=name, role=role)
