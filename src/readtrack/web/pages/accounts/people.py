"""Pages for people: list and profiles; for admins: role, password link, disable, enable and erase."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import ROLES
from readtrack.infra.permissions import require
from readtrack.infra.text import normalize
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.queries import PersonRow
from readtrack.team.accounts.schemas import PasswordLinkCreate, PersonUpdate
from readtrack.team.activity.feed_items import build_feed_items
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import FormProof, confirm_on_page
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.dependencies.invitation_links import render_invitation_link
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.workspace.home.profile import find_current_papers, get_reader_profile

router = page_router()
QUESTION = "people"
MAX_LINES = 10


@router.get("/people")
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show everyone by name, with what they are reading."""
    page = queries.list_people(tx, me, read_page_request(request, QUESTION, after=after))
    context: dict[str, Any] = {
        "people": page.items,
        "at": find_current_papers(tx, me, [person.id for person in page.items]),
        "count": queries.count_people(tx),
        "next": get_next_cursor(request, QUESTION, page),
        **_management_context(request, me),
    }
    return render(request, "accounts/list.html", **context)


@router.get("/people/{person_id:int}")
def show_page(request: Request, person_id: int, me: Me, tx: ReadTx) -> Response:
    """Show a person's profile: what they read and wrote, as far as it is shared."""
    profile = get_reader_profile(tx, me, person_id)
    feed_items = build_feed_items(profile.events, me.time_zone)[:MAX_LINES]
    return render(request, "accounts/person.html", reader=profile, lines=feed_items, **_management_context(request, me))


def _management_context(request: Request, me: Me) -> dict[str, Any]:
    return {
        "manages": permissions.has_permission(me, "manage-people"),
        "mails": bool(request.app.state.settings.smtp_url),
        "roles": [(role, _(role)) for role in ROLES],
    }


@router.post("/people/{person_id:int}/link")
def create_password_link(
    request: Request, person_id: int, me: Me, fields: Form, proof: FormProof, tx: WriteTx
) -> Response:
    """Create a link to set a password: mail it, or show it once."""
    name = queries.get_person_row(tx, me, person_id).name
    if validate_form(PasswordLinkCreate, fields.values).or_raise().mail:
        commands.mail_reset_link(tx, me, person_id)
        return redirect_with_flash(request, "/people", _("The link will be emailed to {name}.").format(name=name))
    require(me, "manage-people")
    confirmation = confirm_on_page(request, tx, me, fields=fields, proof=proof)
    if isinstance(confirmation, Response):
        return confirmation
    return render_invitation_link(request, commands.create_reset_link(tx, confirmation, person_id), name=name)


@router.post("/people/{person_id:int}/role")
def set_role(request: Request, person_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Change a person's role."""
    role = validate_form(PersonUpdate, fields.values).or_raise().role
    commands.set_role(tx, me, person_id, role)
    return redirect_with_flash(request, "/people", _("Saved"))


@router.post("/people/{person_id:int}/disable")
def disable(request: Request, person_id: int, me: Me, tx: WriteTx) -> Response:
    """Disable a person and end their sessions."""
    commands.disable_person(tx, me, person_id)
    name = queries.get_person(tx, person_id).name
    return redirect_with_flash(
        request,
        "/people",
        _("{name} was disabled and signed out everywhere.").format(name=name),
    )


@router.post("/people/{person_id:int}/enable")
def enable(request: Request, person_id: int, me: Me, tx: WriteTx) -> Response:
    """Enable a disabled person."""
    commands.enable_person(tx, me, person_id)
    name = queries.get_person(tx, person_id).name
    return redirect_with_flash(
        request, "/people", _("{name} can sign in again. Old API tokens stay revoked.").format(name=name)
    )


@router.get("/people/{person_id:int}/erase")
def erase_page(request: Request, person_id: int, me: Me, tx: ReadTx) -> Response:
    """Show what would be deleted and what would be kept."""
    permissions.require(me, "manage-people")
    return _erase_form(request, queries.get_person_row(tx, me, person_id))


@router.post("/people/{person_id:int}/erase")
def erase(request: Request, person_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Erase the person if their name was entered correctly."""
    permissions.require(me, "manage-people")
    person = queries.get_person_row(tx, me, person_id)
    if normalize.key(fields.get("name")) != normalize.key(person.name):
        return _erase_form(request, person, error=_("Type the name to confirm"))
    new_name = commands.erase_person(tx, me, person_id)
    return redirect_with_flash(
        request, "/people", _("Erased. Shared content stays under “{called}”.").format(called=new_name)
    )


def _erase_form(request: Request, person: PersonRow, *, error: str = "") -> Response:
    errors = {"name": error} if error else {}
    return render(request, "accounts/erase.html", 422 if error else 200, person=person, errors=errors)
