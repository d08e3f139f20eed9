"""Pages to sign in and out, and to request a password reset by mail.

Slow checks run in dependencies with limited concurrency, before the write transaction. The response to a request for
a reset and its timing do not reveal whether the account exists.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import Claim
from readtrack.team.accounts.passwords import Verdict, check_password
from readtrack.team.accounts.schemas import PasswordResetRequest, SignInTry
from readtrack.web.dependencies.auth import MaybeMe
from readtrack.web.dependencies.database import ReadTx, WriteTx, run_queued_write
from readtrack.web.dependencies.forms import Form, FormResult, validate_form
from readtrack.web.dependencies.invitation_links import has_mail
from readtrack.web.dependencies.sign_in import (
    clear_session_cookie,
    continue_sign_in,
    find_device,
    get_session_secret,
    sign_in_options,
)
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
HOME = "/"
MAX_CONCURRENCY = 2  # concurrent password checks per process: each uses a core and 19 MiB
WRONG = N_("Incorrect name or password.")
RESET_REQUESTED = N_(
    "If the account exists and has an email address, you'll get a link that works once, for "
    "30 minutes. If nothing arrives, ask an admin."
)
NO_MAIL = N_("This server can't send email. Ask an admin for a link to set a new password.")


@dataclass(frozen=True)
class SignInClaim:
    """The form, and the account it claims; the attempt is counted."""

    form_result: FormResult[SignInTry]
    claim: Claim | None


@dataclass(frozen=True)
class SignInResult:
    """The form, and whether the password was right."""

    form_result: FormResult[SignInTry]
    claim: Claim | None
    verdict: Verdict


async def claim_sign_in(request: Request, _visitor: MaybeMe, fields: Form) -> SignInClaim:
    """Count the attempt in a separate transaction, so that it is kept.

    Cross-site forms are refused before.
    """
    form_result = validate_form(SignInTry, fields.values)
    if form_result.value is None:
        return SignInClaim(form_result, None)
    address = request.client.host if request.client else ""
    attempt = partial(
        commands.claim_sign_in, name_or_email=form_result.value.name, address=address, device=find_device(request)
    )
    return SignInClaim(form_result, await run_queued_write(request.app.state.database, attempt))


def compare_password(claimed: Annotated[SignInClaim, Depends(claim_sign_in)]) -> SignInResult:
    """Check the password while no write transaction is open."""
    data, claim = claimed.form_result.value, claimed.claim
    if data is None or claim is None:
        return SignInResult(claimed.form_result, None, Verdict(is_correct=False))
    return SignInResult(claimed.form_result, claim, check_password(data.password, claim.password_hash))


@router.get("/sign-in")
def sign_in_page(request: Request, visitor: MaybeMe, tx: ReadTx, next: str = "") -> Response:
    """Show the form, or redirect if the user is already signed in."""
    if visitor is not None:
        return RedirectResponse(safe_next(next, HOME), 303)
    return _form(request, next, anybody=queries.has_people(tx), **sign_in_options(request, tx))


@router.post("/sign-in")
def sign_in(
    request: Request,
    visitor: MaybeMe,
    fields: Form,
    tried: Annotated[SignInResult, Depends(compare_password, max_concurrency=MAX_CONCURRENCY)],
    tx: WriteTx,
) -> Response:
    """Start a new session, or show an error that does not reveal whether the account exists."""
    person = commands.verify_claim(tx, tried.claim, tried.verdict) if tried.claim else None
    if person is None:
        errors = {"password": _(WRONG)} if tried.claim else tried.form_result.errors
        context = {"name": fields.get("name"), "errors": errors, **sign_in_options(request, tx)}
        return _form(request, fields.get("next"), status=422, **context)
    return continue_sign_in(request, tx, person, next_path=safe_next(fields.get("next"), HOME), instead_of=visitor)


@router.post("/sign-out")
def sign_out(request: Request, visitor: MaybeMe, tx: WriteTx) -> Response:
    """End the session; idempotent."""
    if visitor is not None:
        commands.sign_out(tx, visitor, cookie=get_session_secret(request))
    if visitor is not None and visitor.scopes is None and visitor.sign_in_id is None:
        response = redirect_with_flash(request, HOME, _("The proxy signs you in. Sign out there."), kind="info")
        return clear_session_cookie(request, response)
    return clear_session_cookie(request, redirect_with_flash(request, "/sign-in", _("Signed out")))


def _form(request: Request, next_path: str, *, status: int = 200, **context: object) -> Response:
    page_context = {"anybody": True, "name": "", "errors": {}, **context}
    return render(request, "accounts/sign_in.html", status, next=safe_next(next_path, ""), **page_context)


@router.get("/password-reset")
def forgotten_page(request: Request, _visitor: MaybeMe) -> Response:
    """Show the form, or the contact if no mail server is configured."""
    return render(request, "accounts/password_reset.html", mails=has_mail(request), name="", errors={})


@router.post("/password-reset")
def ask_for_link(request: Request, _visitor: MaybeMe, fields: Form, tx: WriteTx) -> Response:
    """Enqueue the request.

    A job does everything that depends on the account, so that the timing reveals nothing.
    """
    if not has_mail(request):
        raise Conflict(_(NO_MAIL), code="no-mail")
    form_result = validate_form(PasswordResetRequest, fields.values)
    if form_result.value is None:
        context = {"mails": True, "name": fields.get("name"), "errors": form_result.errors}
        return render(request, "accounts/password_reset.html", 422, **context)
    address = request.client.host if request.client else ""
    commands.request_reset_link(tx, form_result.value.name, address=address)
    return redirect_with_flash(request, "/sign-in", _(RESET_REQUESTED), kind="info")
