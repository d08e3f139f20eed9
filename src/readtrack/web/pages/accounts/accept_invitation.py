"""Pages to set up the first admin, accept an invitation, or set a new password by link."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.passwords import hash_password
from readtrack.team.accounts.queries import InvitationLink
from readtrack.team.accounts.schemas import PasswordSet, PersonSetUp
from readtrack.web.dependencies.auth import MaybeMe
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, validate_form
from readtrack.web.dependencies.sign_in import continue_sign_in, sign_in_options
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render

router = page_router()
MAX_CONCURRENCY = 2  # concurrent password hashes per process


@dataclass(frozen=True)
class InvitationForm:
    """A valid link and its form. `password_set`: None if there are errors; the password is hashed."""

    invited: InvitationLink
    password_set: PasswordSet | None
    errors: Mapping[str, str]
    raw_values: Mapping[str, str]
    password_hash: str = ""


def prepare_set_up(request: Request, _visitor: MaybeMe, code: str, fields: Form) -> InvitationForm:
    return _prepare(request, "set-up", code, fields)


def prepare_join(request: Request, _visitor: MaybeMe, code: str, fields: Form) -> InvitationForm:
    return _prepare(request, "join", code, fields)


@router.get("/setup/{code}")
def set_up_page(request: Request, code: str, _visitor: MaybeMe, tx: ReadTx) -> Response:
    """Show the form for the first admin."""
    queries.get_invitation(tx, "set-up", code)
    return _form(request, "accounts/setup.html", {}, {})


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
        return _form(request, "accounts/setup.html", prepared.errors, prepared.raw_values, status=422)
    person = commands.set_up(tx, code, prepared.password_set, password_hash=prepared.password_hash)
    message = _("Welcome, {name}. Invite the others under People.").format(name=person.name)
    return continue_sign_in(request, tx, person, next_path="/", flash=message, instead_of=visitor)


@router.get("/invitations/accept/{code}")
def join_page(request: Request, code: str, _visitor: MaybeMe, tx: ReadTx) -> Response:
    """Show the form for a new person, or for a new password."""
    invitation = queries.get_invitation(tx, "join", code)
    return _form(request, "accounts/accept_invitation.html", {}, {}, invited=invitation, **sign_in_options(request, tx))


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
        return _form(
            request, "accounts/accept_invitation.html", prepared.errors, prepared.raw_values, status=422, **context
        )
    if isinstance(prepared.password_set, PersonSetUp):
        person = commands.join(tx, code, prepared.password_set, password_hash=prepared.password_hash)
    else:
        person = commands.reset_password(tx, code, password_hash=prepared.password_hash)
    return continue_sign_in(
        request, tx, person, next_path="/", flash=_("Welcome, {name}.").format(name=person.name), instead_of=visitor
    )


def _prepare(request: Request, kind: str, code: str, fields: Fields) -> InvitationForm:
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


def _form(
    request: Request,
    template: str,
    errors: Mapping[str, str],
    typed: Mapping[str, str],
    *,
    status: int = 200,
    **context: object,
) -> Response:
    return render(request, template, status, errors=errors, typed=typed, **context)
