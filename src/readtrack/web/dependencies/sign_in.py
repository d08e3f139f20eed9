"""Final steps of every sign-in method, the available methods, and the cookies for the session, the known device and a
pending sign-in.
"""

from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra.config import Settings
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import BadRequest
from readtrack.infra.models import Person
from readtrack.infra.pagination import Cursors
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import CodeAttempt
from readtrack.team.accounts.commands.sessions import MAX_LIFETIME
from readtrack.team.accounts.identities import find_identity
from readtrack.team.accounts.oidc import Provider
from readtrack.team.accounts.passwords import new_secret
from readtrack.web.dependencies.auth import cookie_name, find_proxy_identity
from readtrack.web.dependencies.forms import Fields
from readtrack.web.templating.environment import redirect_with_flash

DEVICE = "device"
DEVICE_SECONDS = 365 * 86400  # seconds
PENDING_SECONDS = 600  # seconds; the pending sign-in itself may expire earlier
CODE_PAGE = "/sign-in/code"
MAX_CODE_CHARS = 64


def set_session_cookie(request: Request, response: Response, user: CurrentUser, secret: str) -> Response:
    """Set the session and device cookies on the response."""
    settings: Settings = request.app.state.settings
    _set_cookie(response, cookie_name(settings), secret, settings=settings, seconds=int(MAX_LIFETIME.total_seconds()))
    device_token = _cursors(request).write(DEVICE, (new_secret(), user.id))
    _set_cookie(response, _device_cookie_name(settings), device_token, settings=settings, seconds=DEVICE_SECONDS)
    return response


def get_session_secret(request: Request) -> str:
    """Return the session secret of this browser, or ""."""
    return request.cookies.get(cookie_name(request.app.state.settings), "")


def clear_session_cookie(request: Request, response: Response) -> Response:
    """Delete the session cookie; the device stays known."""
    settings: Settings = request.app.state.settings
    response.delete_cookie(cookie_name(settings), path="/", secure=settings.secure, httponly=True, samesite="lax")
    return response


def set_pending_cookie(request: Request, response: Response, secret: str) -> Response:
    """Set the cookie of a sign-in that waits for a code or an identity provider."""
    settings: Settings = request.app.state.settings
    _set_cookie(response, _pending_cookie_name(settings), secret, settings=settings, seconds=PENDING_SECONDS)
    return response


def get_pending_secret(request: Request) -> str:
    """Return the secret of the pending sign-in, or ""."""
    return request.cookies.get(_pending_cookie_name(request.app.state.settings), "")


def clear_pending_cookie(request: Request, response: Response) -> Response:
    """Delete the cookie of a pending sign-in."""
    settings: Settings = request.app.state.settings
    name = _pending_cookie_name(settings)
    if name in request.cookies:
        response.delete_cookie(name, path="/", secure=settings.secure, httponly=True, samesite="lax")
    return response


def find_device(request: Request) -> tuple[str, int] | None:
    """Return the device's secret and its last user; None if it is unknown or the cookie is not valid."""
    cookie = request.cookies.get(_device_cookie_name(request.app.state.settings))
    try:
        return _cursors(request).read(DEVICE, cookie) if cookie else None
    except BadRequest:
        return None


def _set_cookie(response: Response, name: str, value: str, *, settings: Settings, seconds: int) -> None:
    response.set_cookie(name, value, max_age=seconds, path="/", secure=settings.secure, httponly=True, samesite="lax")


def _device_cookie_name(settings: Settings) -> str:
    return f"{cookie_name(settings)}-{DEVICE}"


def _pending_cookie_name(settings: Settings) -> str:
    return f"{cookie_name(settings)}-waiting"


def _cursors(request: Request) -> Cursors:
    cursors: Cursors = request.app.state.cursors
    return cursors


def continue_sign_in(
    request: Request,
    tx: Write,
    person: Person,
    *,
    next_path: str,
    instead_of: CurrentUser | None = None,
) -> Response:
    """Continue after a password or link was accepted: ask for the second factor, or start the session."""
    if person.totp_salt:
        return set_pending_cookie(
            request, RedirectResponse(CODE_PAGE, 303), commands.start_code_step(tx, person, next_path=next_path)
        )
    return start_session(request, tx, person, next_path=next_path, instead_of=instead_of)


def start_session(
    request: Request,
    tx: Write,
    person: Person,
    *,
    next_path: str,
    flash: str = "",
    instead_of: CurrentUser | None = None,
) -> Response:
    """Start a new session after all checks, replacing the browser's old one."""
    agent, address = request.headers.get("user-agent", ""), request.client.host if request.client else ""
    session = commands.sign_in_new(tx, person, agent=agent, address=address, instead_of=instead_of)
    return clear_pending_cookie(
        request, set_session_cookie(request, redirect_with_flash(request, next_path, flash), *session)
    )


def build_code_attempt(request: Request, fields: Fields) -> CodeAttempt:
    """Return the second-factor code entered in this browser."""
    address = request.client.host if request.client else ""
    key = request.app.state.settings.secret_key
    return CodeAttempt(fields.get("code")[:MAX_CODE_CHARS], key, address=address, device=find_device(request))


def sign_in_options(request: Request, tx: Read) -> dict[str, Any]:
    """Return the sign-in methods for the sign-in pages.

    This includes the identity provider, and a proxy user who is unknown or disabled.
    """
    provider: Provider | None = request.app.state.provider
    proxy_identity = find_proxy_identity(request)
    identity = find_identity(tx, proxy_identity) if proxy_identity else None
    person = queries.get_person(tx, identity.person_id) if identity else None
    return {
        "provider": provider.name if provider else "",
        "by_proxy": proxy_identity.name if proxy_identity and person is None else "",
        "shut_out": proxy_identity.name if proxy_identity and person and person.disabled_at else "",
    }
