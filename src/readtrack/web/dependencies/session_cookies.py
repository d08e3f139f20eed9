"""Cookies for the session, the known device, and a pending sign-in."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.config import Settings
from readtrack.infra.errors import BadRequest
from readtrack.infra.pagination import Cursors
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts.commands.sessions import MAX_LIFETIME
from readtrack.team.accounts.passwords import new_secret
from readtrack.web.dependencies.auth import cookie_name

DEVICE = "device"
DEVICE_SECONDS = 365 * 86400  # seconds
PENDING_SECONDS = 600  # seconds; the pending sign-in itself may expire earlier


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
