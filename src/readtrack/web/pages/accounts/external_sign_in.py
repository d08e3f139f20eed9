"""Sign-in by OpenID Connect or proxy header: sign in, join, and link identities."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra.db import Read, Write, savepoint
from readtrack.infra.errors import NotAllowed, NotFound, ReadtrackError, SourceRefused, SourceUnavailable
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PendingSignIn
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands, oidc, queries
from readtrack.team.accounts.commands import sessions
from readtrack.team.accounts.identities import ExternalIdentity, get_second_factor, list_identities
from readtrack.team.accounts.oidc import AuthorizationRequest, Provider
from readtrack.web.dependencies.auth import MaybeMe, Me, find_proxy_identity
from readtrack.web.dependencies.confirm_password import FormProof
from readtrack.web.dependencies.database import ReadTx, WriteTx, run_queued_write
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.sign_in import (
    clear_pending_cookie,
    get_pending_secret,
    set_pending_cookie,
    sign_in_options,
    start_session,
)
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
SETTINGS = "/settings/identities"
CALLBACK_PATH = "/sign-in/provider/answer"
MAX_CONCURRENCY = 4  # concurrent requests to the provider per process, because it may be slow
NO_ANSWER = N_("This sign-in has expired. Start again.")
DECLINED = N_("The provider denied access. Try again or sign in another way.")
NOT_YOU = N_("Someone else is signed in now. Start again.")


async def count_provider_request(request: Request, _visitor: MaybeMe) -> Provider:
    """Count the request to the provider in a separate transaction. Raise TooManyRequests."""
    provider, address = _provider(request), request.client.host if request.client else ""
    await run_queued_write(request.app.state.database, partial(sessions.count_provider_request, address=address))
    return provider


def begin_authorization(
    request: Request, provider: Annotated[Provider, Depends(count_provider_request)]
) -> AuthorizationRequest | ReadtrackError:
    """Return a new authorization request, or the error to show; no transaction is open meanwhile."""
    try:
        return oidc.build_authorization_request(provider, _callback_url(request))
    except (SourceRefused, SourceUnavailable) as problem:
        return problem


ProviderRequest = Annotated[
    AuthorizationRequest | ReadtrackError, Depends(begin_authorization, max_concurrency=MAX_CONCURRENCY)
]


@dataclass(frozen=True)
class ProviderResponse:
    """The provider's response: the pending sign-in, and the identity or the problem."""

    pending_sign_in: PendingSignIn | None
    identity: ExternalIdentity | None
    problem: str = ""


async def end_pending_sign_in(request: Request, _visitor: MaybeMe) -> PendingSignIn | None:
    """End the pending sign-in of this response, whatever its result."""
    secret = get_pending_secret(request)
    if not secret:
        return None
    state = request.query_params.get("state", "")
    return await run_queued_write(
        request.app.state.database, partial(sessions.complete_pending_sign_in, secret=secret, state=state)
    )


def verify_provider_response(
    request: Request, waiting: Annotated[PendingSignIn | None, Depends(end_pending_sign_in)]
) -> ProviderResponse:
    """Verify the response with the provider while no transaction is open."""
    parameters = request.query_params
    if waiting is None:
        return ProviderResponse(None, None, _(NO_ANSWER))
    if "error" in parameters:
        return ProviderResponse(waiting, None, _(DECLINED))
    authorization = AuthorizationRequest(parameters.get("state", ""), waiting.nonce, waiting.verifier)
    return _exchange_code(request, waiting, authorization, _provider(request))


@router.post("/sign-in/provider")
def begin(request: Request, _visitor: MaybeMe, fields: Form, asked: ProviderRequest, tx: WriteTx) -> Response:
    """Redirect to the provider to sign in."""
    return _send_to_provider(request, tx, asked, next_path=safe_next(fields.get("next"), "/"), error_path="/sign-in")


@router.post("/invitations/accept/{code}/provider")
def begin_joining(request: Request, code: str, _visitor: MaybeMe, asked: ProviderRequest, tx: WriteTx) -> Response:
    """Redirect to the provider to accept an invitation."""
    invitation = queries.get_invitation(tx, "join", code)
    _refuse_reset(invitation.person_id)
    return _send_to_provider(
        request, tx, asked, next_path="/", error_path=f"/invitations/accept/{code}", invitation_id=invitation.id
    )


@router.post("/settings/identities")
def begin_linking(request: Request, me: Me, proof: FormProof, asked: ProviderRequest, tx: WriteTx) -> Response:
    """Redirect to the provider to link an identity to the current user."""
    confirmation = commands.confirm(tx, me, proof)
    if not isinstance(confirmation, CurrentUser):
        return _identities(request, me, tx, errors=confirmation)
    return _send_to_provider(request, tx, asked, next_path=SETTINGS, error_path=SETTINGS, person_id=me.id)


@router.get("/sign-in/provider/answer")
def finish(
    request: Request,
    visitor: MaybeMe,
    answered: Annotated[ProviderResponse, Depends(verify_provider_response, max_concurrency=MAX_CONCURRENCY)],
    tx: WriteTx,
) -> Response:
    """Handle the redirect from the provider.

    OpenID Connect requires a GET that changes state; `state` is valid once, in the same browser.
    """
    if answered.pending_sign_in is None:  # another sign-in of this browser may still be pending
        return redirect_with_flash(request, "/sign-in", answered.problem, kind="bad")
    links = answered.pending_sign_in.person_id is not None
    if answered.identity is None:
        return _redirect_with_problem(request, answered.problem, links=links)
    try:
        with savepoint(tx):
            return _finish_sign_in(request, tx, answered.pending_sign_in, answered.identity, visitor=visitor)
    except ReadtrackError as problem:
        return _redirect_with_problem(request, problem.message, links=links)


@router.post("/invitations/accept/{code}/proxy")
def join_by_proxy(request: Request, code: str, visitor: MaybeMe, tx: WriteTx) -> Response:
    """Accept an invitation with the proxy's identity."""
    invitation = queries.get_invitation(tx, "join", code)
    _refuse_reset(invitation.person_id)
    person = commands.join_with_identity(tx, invitation.id, _require_proxy_identity(request))
    return start_session(request, tx, person, next_path="/", instead_of=visitor)


@router.get("/settings/identities")
def identities_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the linked identities, and those that can be linked."""
    return _identities(request, me, tx)


@router.post("/settings/identities/proxy")
def link_proxy(request: Request, me: Me, proof: FormProof, tx: WriteTx) -> Response:
    """Link the proxy's identity to the current user."""
    confirmation = commands.confirm(tx, me, proof)
    if not isinstance(confirmation, CurrentUser):
        return _identities(request, me, tx, errors=confirmation)
    commands.link_identity(tx, confirmation, _require_proxy_identity(request))
    return redirect_with_flash(request, SETTINGS, _("Added"))


@router.post("/settings/identities/{identity_id:int}/unlink")
def unlink(request: Request, identity_id: int, me: Me, tx: WriteTx) -> Response:
    """Unlink an identity. Sessions are not ended."""
    commands.unlink_identity(tx, me, identity_id)
    return redirect_with_flash(request, SETTINGS, _("Removed"))


def _identities(request: Request, me: CurrentUser, tx: Read, *, errors: Mapping[str, str] | None = None) -> Response:
    sign_in_methods = get_second_factor(tx, me)
    context = {
        "identities": list_identities(tx, me),
        "password": sign_in_methods.password,
        "second_factor": sign_in_methods.is_enabled,
    }
    page_context = {**context, **sign_in_options(request, tx), "errors": errors or {}}
    return render(request, "accounts/identities.html", 422 if errors else 200, **page_context)


def _exchange_code(
    request: Request, pending: PendingSignIn, authorization: AuthorizationRequest, provider: Provider
) -> ProviderResponse:
    parameters = request.query_params
    try:
        claims = oidc.fetch_claims(
            provider,
            authorization,
            parameters.get("code", ""),
            redirect_uri=_callback_url(request),
            issuer=parameters.get("iss"),
        )
    except (NotAllowed, SourceRefused, SourceUnavailable) as error:
        return ProviderResponse(pending, None, error.message)
    return ProviderResponse(pending, ExternalIdentity(provider.key, claims.subject, claims.name))


def _finish_sign_in(
    request: Request, tx: Write, pending: PendingSignIn, external: ExternalIdentity, *, visitor: CurrentUser | None
) -> Response:
    if pending.person_id is not None:
        if visitor is None or visitor.id != pending.person_id:
            raise NotAllowed(_(NOT_YOU))
        # The password was confirmed before the redirect
        commands.link_identity(tx, replace(visitor, confirmed=True), external)
        return clear_pending_cookie(request, redirect_with_flash(request, SETTINGS, _("Added")))
    if pending.invitation_id is not None:
        person = commands.join_with_identity(tx, pending.invitation_id, external)
        return start_session(request, tx, person, next_path="/", instead_of=visitor)
    person = commands.sign_in_with_identity(tx, external)
    return start_session(request, tx, person, next_path=safe_next(pending.next, "/"), instead_of=visitor)


def _send_to_provider(
    request: Request,
    tx: Write,
    authorization: AuthorizationRequest | ReadtrackError,
    *,
    next_path: str,
    error_path: str,
    **ids: int | None,
) -> Response:
    """Redirect by an intermediate page, because the CSP does not allow forms to redirect to another site."""
    if isinstance(authorization, ReadtrackError):
        return redirect_with_flash(request, error_path, authorization.message, kind="bad")
    secret = sessions.start_pending_sign_in(
        tx,
        "oidc",
        next_path=next_path,
        state=authorization.state,
        nonce=authorization.nonce,
        verifier=authorization.verifier,
        **ids,
    )
    name = _provider(request).name
    return set_pending_cookie(
        request, render(request, "accounts/leaving.html", address=authorization.address, provider=name), secret
    )


def _redirect_with_problem(request: Request, message: str, *, links: bool) -> Response:
    return clear_pending_cookie(
        request, redirect_with_flash(request, SETTINGS if links else "/sign-in", message, kind="bad")
    )


def _provider(request: Request) -> Provider:
    provider: Provider | None = request.app.state.provider
    if provider is None:
        raise NotFound(_("This sign-in method isn't set up. Sign in with your password."))
    return provider


def _require_proxy_identity(request: Request) -> ExternalIdentity:
    identity = find_proxy_identity(request)
    if identity is None:
        raise NotFound(_("This sign-in method isn't set up. Sign in with your password."))
    return identity


def _refuse_reset(person_id: int | None) -> None:
    if person_id is not None:
        message = _("This link can't be used here.")
        raise NotAllowed(message)


def _callback_url(request: Request) -> str:
    """Return the callback URL.

    The host comes from the settings, because the Host header is set by the client.
    """
    return f"{request.app.state.settings.base_url.rstrip('/')}{CALLBACK_PATH}"
