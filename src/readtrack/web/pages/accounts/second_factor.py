"""Pages for two-factor authentication: sign-in code, enabling, disabling, recovery codes."""

from collections.abc import Mapping, Sequence

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.errors import BadRequest
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import Cursors
from readtrack.infra.permissions import CurrentUser, require_browser
from readtrack.team.accounts import commands
from readtrack.team.accounts.commands import second_factor, sessions
from readtrack.team.accounts.commands.confirm_password import WRONG_CODE
from readtrack.team.accounts.identities import get_second_factor
from readtrack.web.dependencies.auth import MaybeMe, Me
from readtrack.web.dependencies.confirm_password import FormProof
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form
from readtrack.web.dependencies.sign_in import (
    build_code_attempt,
    clear_pending_cookie,
    get_pending_secret,
    start_session,
)
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
HERE = "/settings/second-factor"
QUESTION = "second-factor"
TOO_LATE = N_("This sign-in has expired. Start again.")


@router.get("/sign-in/code")
def code_page(request: Request, _visitor: MaybeMe, tx: ReadTx) -> Response:
    """Show the form for the code."""
    if sessions.find_pending_sign_in(tx, "code", get_pending_secret(request)) is None:
        return redirect_with_flash(request, "/sign-in", _(TOO_LATE), kind="info")
    return render(request, "accounts/code.html", errors={})


@router.post("/sign-in/code")
def enter_code(request: Request, visitor: MaybeMe, fields: Form, tx: WriteTx) -> Response:
    """Complete the sign-in if the code is right."""
    pending = sessions.find_pending_sign_in(tx, "code", get_pending_secret(request))
    if pending is None:
        return clear_pending_cookie(request, redirect_with_flash(request, "/sign-in", _(TOO_LATE), kind="info"))
    next_path = safe_next(pending.next, "/")
    person = commands.complete_code_step(tx, pending, build_code_attempt(request, fields))
    if person is None:
        return render(request, "accounts/code.html", 422, errors={"code": _(WRONG_CODE)})
    return start_session(
        request, tx, person, next_path=next_path, flash=_recovery_code_warning(person.recovery), instead_of=visitor
    )


@router.get("/settings/second-factor")
def second_factor_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show whether two-factor authentication is enabled, and its actions."""
    return _page(request, me, tx)


@router.post("/settings/second-factor/new")
def begin(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show a new secret, which is not stored until a code confirms it.

    Each reload creates another one.
    """
    require_browser(me)
    return _render_setup(request, me, tx, second_factor.new_salt())


@router.post("/settings/second-factor")
def turn_on(request: Request, me: Me, fields: Form, proof: FormProof, tx: WriteTx) -> Response:
    """Enable two-factor authentication with the first code, and show the recovery codes once."""
    require_browser(me)
    salt = _salt(request, me, fields)
    confirmation = commands.confirm(tx, me, proof)
    if not isinstance(confirmation, CurrentUser):
        return _render_setup(request, me, tx, salt, errors=confirmation)
    codes = commands.enable_second_factor(tx, confirmation, salt, proof.code_attempt)
    if codes is None:
        return _render_setup(request, me, tx, salt, errors={"code": _(WRONG_CODE)})
    return _page(request, me, tx, codes=codes)


@router.post("/settings/second-factor/codes")
def renew(request: Request, me: Me, proof: FormProof, tx: WriteTx) -> Response:
    """Create new recovery codes and show them once."""
    confirmation = commands.confirm(tx, me, proof)
    if not isinstance(confirmation, CurrentUser):
        return _page(request, me, tx, status=422, errors=confirmation)
    return _page(request, me, tx, codes=commands.renew_recovery(tx, confirmation))


@router.post("/settings/second-factor/off")
def turn_off(request: Request, me: Me, proof: FormProof, tx: WriteTx) -> Response:
    """Disable two-factor authentication with the password and a code."""
    confirmation = commands.confirm(tx, me, proof)
    if not isinstance(confirmation, CurrentUser):
        return _page(request, me, tx, status=422, errors=confirmation)
    commands.disable_second_factor(tx, confirmation)
    return redirect_with_flash(request, HERE, _("Saved. You've been signed out everywhere else."))


def _salt(request: Request, me: CurrentUser, fields: Fields) -> str:
    """Return the salt from the signed form field.

    Raise BadRequest if it was issued to another person.
    """
    salt, owner = _cursors(request).read(QUESTION, fields.get("secret"))
    if owner != me.id:
        message = _("Someone else is signed in now. Start again.")
        raise BadRequest(message)
    return str(salt)


def _render_setup(
    request: Request, me: CurrentUser, tx: Read, salt: str, *, errors: Mapping[str, str] | None = None
) -> Response:
    settings = request.app.state.settings
    secret = second_factor.derive_secret(settings.secret_key, salt, me.id)
    host = request.url.hostname if not settings.base_url else settings.base_url.partition("://")[2].rstrip("/")
    context = {
        "picture": second_factor.qr_code_uri(second_factor.provisioning_uri(secret, me.name, str(host))),
        "formatted_secret": second_factor.format_secret(secret),
        "secret": _cursors(request).write(QUESTION, (salt, me.id)),
        "password": get_second_factor(tx, me).password,
        "errors": errors or {},
    }
    return render(request, "accounts/second_factor_new.html", 422 if errors else 200, **context)


def _page(
    request: Request,
    me: CurrentUser,
    tx: Read,
    *,
    status: int = 200,
    codes: Sequence[str] = (),
    errors: Mapping[str, str] | None = None,
) -> Response:
    second_factor = get_second_factor(tx, me)
    context = {
        "on": second_factor.is_enabled,
        "left": second_factor.remaining_codes,
        "password": second_factor.password,
        "codes": codes,
        "errors": errors or {},
    }
    return render(request, "accounts/second_factor.html", status, **context)


def _recovery_code_warning(recovery: Sequence[str]) -> str:
    warning_limit = 3
    if len(recovery) > warning_limit:
        return ""
    return _("Recovery codes left: {count}. Create new ones in Settings.").format(count=len(recovery))


def _cursors(request: Request) -> Cursors:
    cursors: Cursors = request.app.state.cursors
    return cursors
