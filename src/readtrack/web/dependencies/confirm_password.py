"""Confirmation by password and second factor before credentials change, for pages and API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import FieldError, NotConfirmed
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands
from readtrack.team.accounts.commands import Claim, Proof
from readtrack.team.accounts.identities import get_second_factor
from readtrack.team.accounts.passwords import MAX_LENGTH, Verdict, check_password
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import run_queued_write
from readtrack.web.dependencies.forms import Fields, Form
from readtrack.web.dependencies.sign_in import build_code_attempt
from readtrack.web.responses.errors import error_response
from readtrack.web.responses.json import Body
from readtrack.web.templating.environment import render

MAX_CONCURRENCY = 2  # concurrent password checks per process
SECRET = ("current", "code", "password")  # never repeated in a form


@dataclass(frozen=True)
class PasswordClaim:
    """The submitted fields, and the counted attempt (None without a password)."""

    fields: Fields
    claim: Claim | None


async def claim_by_form(request: Request, me: Me, fields: Form) -> PasswordClaim:
    """Count the attempt in a separate transaction, so that it is kept if the request fails."""
    return await _claim(request, me, fields)


async def claim_by_body(request: Request, me: Me, body: Body) -> PasswordClaim:
    """Count the attempt of a JSON request.

    Values that are not strings are rejected later by the input model.
    """
    fields: dict[str, Any] = body if isinstance(body, dict) else {}
    return await _claim(request, me, Fields({name: value for name, value in fields.items() if isinstance(value, str)}))


def compare_form(request: Request, claimed: Annotated[PasswordClaim, Depends(claim_by_form)]) -> Proof:
    """Check the password of a form while no write transaction is open."""
    return _compare(request, claimed)


def compare_body(request: Request, claimed: Annotated[PasswordClaim, Depends(claim_by_body)]) -> Proof:
    """Check the password of a JSON body while no write transaction is open."""
    return _compare(request, claimed)


FormProof = Annotated[Proof, Depends(compare_form, max_concurrency=MAX_CONCURRENCY)]
BodyProof = Annotated[Proof, Depends(compare_body, max_concurrency=MAX_CONCURRENCY)]


def confirm_in_api(request: Request, tx: Write, me: CurrentUser, proof: Proof) -> CurrentUser | Response:
    """Return the confirmed user, or an error response.

    The error is returned instead of raised, so that a wrong code stays counted.
    """
    confirmation = commands.confirm(tx, me, proof)
    if isinstance(confirmation, CurrentUser):
        return confirmation
    errors = [FieldError(f"/{name}", "confirm", detail) for name, detail in confirmation.items()]
    return error_response(request, NotConfirmed(" ".join(confirmation.values()), errors))


def confirm_on_page(
    request: Request, tx: Write, me: CurrentUser, *, fields: Fields, proof: Proof
) -> CurrentUser | Response:
    """Return the confirmed user, or a page that asks for the missing credentials and repeats the form."""
    confirmation = commands.confirm(tx, me, proof)
    if isinstance(confirmation, CurrentUser):
        return confirmation
    return _page(request, tx, me, fields=fields, errors=confirmation)


def _page(request: Request, tx: Read, me: CurrentUser, *, fields: Fields, errors: Mapping[str, str]) -> Response:
    sign_in_methods = get_second_factor(tx, me)
    if (sign_in_methods.password or sign_in_methods.is_enabled) and not {"current", "code"} & fields.values.keys():
        errors = {}  # first display of the page
    hidden_fields = [(name, value) for name, values in fields.lists.items() if name not in SECRET for value in values]
    context = {
        "password": sign_in_methods.password,
        "second_factor": sign_in_methods.is_enabled,
        "repeated": hidden_fields,
        "errors": errors,
    }
    return render(request, "accounts/confirm.html", 422, name=me.name, action=request.url.path, **context)


async def _claim(request: Request, me: CurrentUser, fields: Fields) -> PasswordClaim:
    password = fields.get("current")
    if me.scopes is not None or not 0 < len(password) <= MAX_LENGTH:
        return PasswordClaim(fields, None)
    claim = await run_queued_write(request.app.state.database, lambda tx: commands.claim_password_change(tx, me))
    return PasswordClaim(fields, claim)


def _compare(request: Request, password_claim: PasswordClaim) -> Proof:
    code = build_code_attempt(request, password_claim.fields)
    if password_claim.claim is None:
        return Proof(None, Verdict(is_correct=False), code)
    return Proof(
        password_claim.claim,
        check_password(password_claim.fields.get("current"), password_claim.claim.password_hash),
        code,
    )
