"""Actions of admins on people: role, password link, disable and enable."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import require
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.schemas import PasswordLinkCreate, PersonUpdate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import FormProof, confirm_on_page
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.dependencies.invitation_links import render_invitation_link
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash

router = page_router()


@router.post("/people/{person_id:int}/link")
def invite_back(request: Request, person_id: int, me: Me, fields: Form, proof: FormProof, tx: WriteTx) -> Response:
    """Create a link to set a password: mail it, or show it once."""
    name = queries.get_person_row(tx, me, person_id).name
    if validate_form(PasswordLinkCreate, fields.values).or_raise().mail:
        commands.mail_reset_link(tx, me, person_id)
        return redirect_with_flash(
            request, "/people", _("A link to set a password goes to {name} by mail.").format(name=name)
        )
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
    return redirect_with_flash(
        request, "/people", _("{name} is {role} now.").format(name=queries.get_person(tx, person_id).name, role=role)
    )


@router.post("/people/{person_id:int}/disable")
def disable(request: Request, person_id: int, me: Me, tx: WriteTx) -> Response:
    """Disable a person and end their sessions."""
    commands.disable_person(tx, me, person_id)
    name = queries.get_person(tx, person_id).name
    return redirect_with_flash(
        request,
        "/people",
        _("{name} is signed out everywhere and cannot come in. What they wrote stays.").format(name=name),
    )


@router.post("/people/{person_id:int}/enable")
def enable(request: Request, person_id: int, me: Me, tx: WriteTx) -> Response:
    """Enable a disabled person."""
    commands.enable_person(tx, me, person_id)
    name = queries.get_person(tx, person_id).name
    return redirect_with_flash(
        request, "/people", _("{name} can sign in again. Old tokens stay revoked.").format(name=name)
    )
