"""Pages for personal settings: profile, appearance, tokens, sessions, password."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from readtrack.infra.clock import now, to_local, zones
from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import SCOPES_OF, CurrentUser
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import Claim, Proof
from readtrack.team.accounts.identities import get_second_factor
from readtrack.team.accounts.passwords import Verdict, check_password, hash_password
from readtrack.team.accounts.schemas import MeUpdate, PasswordChange, Profile, TokenCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import FormProof, confirm_on_page
from readtrack.web.dependencies.database import ReadTx, WriteTx, run_queued_write
from readtrack.web.dependencies.forms import Form, FormResult, validate_form
from readtrack.web.dependencies.sign_in import build_code_attempt
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.workspace.saved_searches.queries import list_views

router = page_router()
MAX_CONCURRENCY = 2  # concurrent password checks and hashes per process
REJECTED_VERDICT = Verdict(is_correct=False)
# Labels of token scopes.
SCOPE_LABELS = {
    "read": N_("Read everything I can see"),
    "write": N_("Make changes as me"),
    "import": N_("Import notes as me"),
    "feed": N_("Read feeds"),
    "admin": N_("Manage members and jobs"),
}


@dataclass(frozen=True)
class PasswordUpdate:
    """A password change: the form, the counted attempt, the result of the check, and the new hash."""

    form_result: FormResult[PasswordChange]
    claim: Claim | None = None
    verdict: Verdict = REJECTED_VERDICT
    password_hash: str = ""


async def claim_change(request: Request, me: Me, fields: Form) -> PasswordUpdate:
    """Count the attempt in a separate transaction, so that it is kept if the request fails."""
    form_result = validate_form(PasswordChange, {**fields.values, "name": me.name})
    if form_result.value is None:
        return PasswordUpdate(form_result)
    claim = partial(commands.claim_password_change, me=me)
    return PasswordUpdate(form_result, await run_queued_write(request.app.state.database, claim))


def compare_and_hash(asked: Annotated[PasswordUpdate, Depends(claim_change)]) -> PasswordUpdate:
    """Check the password and hash the new one while no write transaction is open."""
    data, claim = asked.form_result.value, asked.claim
    if data is None or claim is None:
        return asked
    verdict = check_password(data.current, claim.password_hash)
    return PasswordUpdate(asked.form_result, claim, verdict, hash_password(data.password) if verdict.is_correct else "")


@router.get("/settings")
@router.get("/settings/profile")
def profile_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the form for name, email, language and time zone."""
    account = queries.get_me(tx, me)
    return _profile(request, {field: getattr(account, field) for field in Profile.model_fields}, {})


@router.post("/settings/profile")
def edit_profile(request: Request, me: Me, fields: Form, proof: FormProof, tx: WriteTx) -> Response:
    """Save the profile; a blank email removes it. Changing the email requires the password."""
    form_result = validate_form(Profile, fields.values)
    profile, errors = form_result.value, dict(form_result.errors)
    if profile is not None:
        errors = queries.find_name_conflicts(tx, profile.name, "", except_id=me.id)
    if profile is None or errors:
        return _profile(request, form_result.raw_values, errors)
    if me.scopes is None and profile.email != queries.get_me(tx, me).email:
        confirmation = confirm_on_page(request, tx, me, fields=fields, proof=proof)
        if isinstance(confirmation, Response):
            return confirmation
        me = confirmation
        errors = queries.find_name_conflicts(tx, "", profile.email, except_id=me.id)
        if errors:
            commands.count_address_conflict(tx, me)
            return _profile(request, form_result.raw_values, errors)
    commands.edit_me(tx, me, MeUpdate(**profile.model_dump()))
    return redirect_with_flash(request, "/settings/profile", _("Saved"))


@router.get("/settings/appearance")
def appearance_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the appearance settings."""
    return _appearance(request, me, tx)


@router.post("/settings/appearance")
def edit_appearance(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the appearance settings."""
    values = {name: fields.get(name) for name in ("theme", "single_keys", "start")}
    values |= {name: fields.get(name) for name in ("density", "reading_limit", "variants") if name in fields.values}
    form_result = validate_form(MeUpdate, values)
    if form_result.value is None:
        return _appearance(request, me, tx, errors=form_result.errors, status=422)
    commands.edit_me(tx, me, form_result.value)
    return redirect_with_flash(request, "/settings/appearance", _("Saved"))


@router.get("/settings/tokens")
def tokens_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show my access tokens."""
    return _tokens(request, me, tx)


@router.post("/settings/tokens")
def create_token(request: Request, me: Me, fields: Form, proof: FormProof, tx: WriteTx) -> Response:
    """Create a token and show its secret once, without a redirect."""
    values = {**fields.values, "scopes": fields.lists.get("scopes", []), "days": fields.get("days") or None}
    form_result = validate_form(TokenCreate, values)
    if form_result.value is None:
        return _tokens(request, me, tx, status=422, typed=values, errors=form_result.errors)
    confirmation = confirm_on_page(request, tx, me, fields=fields, proof=proof)
    if isinstance(confirmation, Response):
        return confirmation
    _token, secret = commands.create_token(tx, confirmation, form_result.value)
    return _tokens(request, me, tx, secret=secret)


@router.post("/settings/tokens/{token_id:int}/revoke")
def revoke_token(request: Request, token_id: int, me: Me, tx: WriteTx) -> Response:
    """Revoke a token."""
    commands.revoke_token(tx, me, token_id)
    return redirect_with_flash(request, "/settings/tokens", _("Revoked"))


@router.get("/settings/sessions")
def sessions_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show my sessions."""
    return render(request, "accounts/sessions.html", sessions=queries.list_sign_ins(tx, me), this=me.sign_in_id)


@router.post("/settings/sessions/{sign_in_id:int}/end")
def end_session(request: Request, sign_in_id: int, me: Me, tx: WriteTx) -> Response:
    """End one of my sessions."""
    commands.end_sign_in(tx, me, sign_in_id)
    return redirect_with_flash(request, "/settings/sessions", _("Session ended"))


@router.post("/settings/sessions/sign-out-others")
def sign_out_others(request: Request, me: Me, tx: WriteTx) -> Response:
    """End all my other sessions."""
    commands.sign_out_others(tx, me)
    return redirect_with_flash(request, "/settings/sessions", _("Signed out everywhere else"))


@router.get("/settings/password")
def password_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the form for a new password."""
    return _password(request, me, tx, {})


@router.post("/settings/password")
def change_password(
    request: Request,
    me: Me,
    fields: Form,
    asked: Annotated[PasswordUpdate, Depends(compare_and_hash, max_concurrency=MAX_CONCURRENCY)],
    tx: WriteTx,
) -> Response:
    """Set a new password and end all other sessions."""
    if asked.claim is None:
        return _password(request, me, tx, asked.form_result.errors)
    confirmation = commands.confirm(tx, me, Proof(asked.claim, asked.verdict, build_code_attempt(request, fields)))
    if not isinstance(confirmation, CurrentUser):
        return _password(request, me, tx, confirmation)
    commands.change_password(tx, confirmation, password_hash=asked.password_hash)
    return redirect_with_flash(request, "/settings/password", _("Saved. You've been signed out everywhere else."))


def _appearance(
    request: Request, me: CurrentUser, tx: Read, *, errors: Mapping[str, str] | None = None, status: int = 200
) -> Response:
    context = {"mine": queries.get_me(tx, me), "views": list_views(tx, me), "errors": errors or {}}
    return render(request, "accounts/appearance.html", status, **context)


def _password(request: Request, me: CurrentUser, tx: Read, errors: Mapping[str, str]) -> Response:
    context = {"name": me.name, "second_factor": get_second_factor(tx, me).is_enabled, "errors": errors}
    return render(request, "accounts/password.html", 422 if errors else 200, **context)


def _profile(request: Request, typed: Mapping[str, str], errors: Mapping[str, str]) -> Response:
    local_time = "" if errors else f"{to_local(now(), typed.get('time_zone', '')):%H:%M}"
    context = {"typed": typed, "errors": errors, "zones": _zones(), "local_time": local_time}
    return render(request, "accounts/profile.html", 422 if errors else 200, **context)


@cache
def _zones() -> Mapping[str, Sequence[str]]:
    """Return the time zones grouped by continent."""
    groups = groupby(zones(), key=lambda zone: zone.partition("/")[0])
    return {region: tuple(zone_names) for region, zone_names in groups}


def _tokens(request: Request, me: CurrentUser, tx: Read, *, status: int = 200, **context: object) -> Response:
    page_context = {
        "secret": "",
        "errors": {},
        "typed": {"scopes": ["read"], "days": "90"},
        **context,
    }
    scopes = [(scope, _(text)) for scope, text in SCOPE_LABELS.items() if scope in SCOPES_OF[me.role]]
    return render(
        request, "accounts/tokens.html", status, tokens=queries.list_tokens(tx, me), scopes=scopes, **page_context
    )
