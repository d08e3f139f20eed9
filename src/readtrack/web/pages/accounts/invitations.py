"""Pages for invitations: admins list, create and revoke them; who has the link joins or sets a new password.

The first admin joins by such a link, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import ROLES
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.invitation_queries import list_invitations
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.queries import InvitationLink
from readtrack.team.accounts.schemas import InvitationCreate, PasswordSet, PersonSetUp
from readtrack.web.dependencies.auth import MaybeMe, Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.dependencies.invitation_links import has_mail, render_invitation_link
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.dependencies.sign_in import continue_sign_in, sign_in_options
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
HERE = "/people/invitations"
QUESTION = "invitations"
NO_MAIL = N_("Email isn't set up (READTRACK_SMTP_URL). Leave this blank and share the link yourself.")
MAX_CONCURRENCY = 2  # concurrent password hashes per process


@router.get(HERE)
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show all valid invitations."""
    return _list_invitations(request, me, tx, after=after)


@router.post(HERE)
def invite(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Create an invitation; mail it, or show its link once."""
    form_result = validate_form(InvitationCreate, fields.values)
    data, errors = form_result.value, dict(form_result.errors)
    if data and data.email and not has_mail(request):
        errors = {"email": _(NO_MAIL)}
    if data is None or errors:
        return _list_invitations(request, me, tx, typed=form_result.raw_values, errors=errors)
    if data.email:
        commands.invite_by_mail(tx, me, data)
        return redirect_with_flash(
            request,
            HERE,
            _("The link will be emailed to {name}.").format(name=data.email),
        )
    return render_invitation_link(request, commands.invite(tx, me, data), role=data.role)


@router.post(HERE + "/{invitation_id:int}/revoke")
def revoke(request: Request, invitation_id: int, me: Me, tx: WriteTx) -> Response:
    """Revoke an invitation."""
    commands.revoke_invitation(tx, me, invitation_id)
    return redirect_with_flash(request, HERE, _("Revoked"))


def _list_invitations(
    request: Request,
    me: Me,
    tx: ReadTx,
    *,
    after: str = "",
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    page = list_invitations(tx, me, read_page_request(request, QUESTION, after=after))
    context = {
        "links": page.items,
        "next": get_next_cursor(request, QUESTION, page),
        "roles": [(role, _(role)) for role in ROLES],
        "mails": has_mail(request),
        "typed": typed or {},
        "errors": errors or {},
    }
    return render(request, "accounts/invitations.html", 422 if errors else 200, **context)


@dataclass(frozen=True)
class InvitationForm:
    """A valid link and its form. `password_set`: None if there are errors; the password is hashed."""

    invited: InvitationLink
    password_set: PasswordSet | None
    errors: Mapping[str, str]
    raw_values: Mapping[str, str]
    password_hash: str = ""


def prepare_set_up(request: Request, _visitor: MaybeMe, code: str, fields: Form) -> InvitationForm:
    return _prepare_form(request, "set-up", code, fields)


def prepare_join(request: Request, _visitor: MaybeMe, code: str, fields: Form) -> InvitationForm:
    return _prepare_form(request, "join", code, fields)


@router.get("/setup/{code}")
def set_up_page(request: Request, code: str, _visitor: MaybeMe, tx: ReadTx) -> Response:
    """Show the form for the first admin."""
    queries.get_invitation(tx, "set-up", code)
    return _join_form(request, "accounts/setup.html", {}, {})


@router.post("/setup/{code}")
def set_up(
    request: Request,
    code: str,
    visitor: MaybeMe,
    prepared: Annotated[InvitationForm, Depends(prepare_set_up, max_concurrency=MAX_CONCURRENCY)],
    tx: WriteTx,
) -> Response:
    """Create the first admin and sign them in."""
    if not isinstance(prepared.password_set, PersonSetUp):
        return _join_form(request, "accounts/setup.html", prepared.errors, prepared.raw_values, status=422)
    person = commands.set_up(tx, code, prepared.password_set, password_hash=prepared.password_hash)
    return continue_sign_in(request, tx, person, next_path="/", instead_of=visitor)


@router.get("/invitations/accept/{code}")
def join_page(request: Request, code: str, _visitor: MaybeMe, tx: ReadTx) -> Response:
    """Show the form for a new person, or for a new password."""
    invitation = queries.get_invitation(tx, "join", code)
    return _join_form(
        request, "accounts/accept_invitation.html", {}, {}, invited=invitation, **sign_in_options(request, tx)
    )


@router.post("/invitations/accept/{code}")
def join(
    request: Request,
    code: str,
    visitor: MaybeMe,
    prepared: Annotated[InvitationForm, Depends(prepare_join, max_concurrency=MAX_CONCURRENCY)],
    tx: WriteTx,
) -> Response:
    """Create the person, or set the password of the link's owner, and sign them in."""
    if prepared.password_set is None:
        context = {"invited": prepared.invited, **sign_in_options(request, tx)}
        return _join_form(
            request, "accounts/accept_invitation.html", prepared.errors, prepared.raw_values, status=422, **context
        )
    if isinstance(prepared.password_set, PersonSetUp):
        person = commands.join(tx, code, prepared.password_set, password_hash=prepared.password_hash)
    else:
        person = commands.reset_password(tx, code, password_hash=prepared.password_hash)
    return continue_sign_in(request, tx, person, next_path="/", instead_of=visitor)


def _prepare_form(request: Request, kind: str, code: str, fields: Fields) -> InvitationForm:
    """Validate and hash while no transaction is open.

    Hashing is slow, so it is only done for a valid link and form.
    """
    with request.app.state.database.read() as tx:
        form = _validate_invitation(tx, queries.get_invitation(tx, kind, code), fields)
    return replace(form, password_hash=hash_password(form.password_set.password)) if form.password_set else form


def _validate_invitation(tx: Read, invitation: InvitationLink, fields: Fields) -> InvitationForm:
    model = PersonSetUp if invitation.person_id is None else PasswordSet
    fixed_fields = {"name": invitation.name} if invitation.person_id is not None else {}
    form_result = validate_form(model, {**fields.values, **fixed_fields})
    data, errors = form_result.value, dict(form_result.errors)
    if isinstance(data, PersonSetUp):
        errors = queries.find_name_conflicts(tx, data.name, data.email)
    return InvitationForm(invitation, None if errors else data, errors, form_result.raw_values)


def _join_form(
    request: Request,
    template: str,
    errors: Mapping[str, str],
    typed: Mapping[str, str],
    *,
    status: int = 200,
    **context: object,
) -> Response:
    return render(request, template, status, errors=errors, typed=typed, **context)
