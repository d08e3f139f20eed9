"""The cookies of a browser: who is signed in, who has signed in here before, and who is half way in."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.config import Settings
from readtrack.infra.errors import BadRequest
from readtrack.infra.pagination import Cursors
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts.commands.sessions import LONGEST
from readtrack.team.accounts.passwords import new_secret
from readtrack.web.dependencies.auth import cookie_name

DEVICE = "device"
DEVICE_SECONDS = 365 * 86400  # seconds
PENDING_SECONDS = 600  # seconds; the row behind it may end sooner


def set_session_cookie(request: Request, response: Response, visitor: CurrentUser, secret: str) -> Response:
    """The answer, with the session's secret and the word of this browser."""
    settings: Settings = request.app.state.settings
    _set_cookie(response, cookie_name(settings), secret, settings=settings, seconds=int(LONGEST.total_seconds()))
    word = _cursors(request).write(DEVICE, (new_secret(), visitor.id))
    _set_cookie(response, _device_cookie_name(settings), word, settings=settings, seconds=DEVICE_SECONDS)
    return response


def get_session_secret(request: Request) -> str:
    """The secret of the session that this browser holds; blank for none."""
    return request.cookies.get(cookie_name(request.app.state.settings), "")


def clear_session_cookie(request: Request, response: Response) -> Response:
    """The answer, without the session; the browser stays one that the person has used."""
    settings: Settings = request.app.state.settings
    response.delete_cookie(cookie_name(settings), path="/", secure=settings.secure, httponly=True, samesite="lax")
    return response


def set_pending_cookie(request: Request, response: Response, secret: str) -> Response:
    """The answer, with the secret of a sign-in that waits for a code or for a provider."""
    settings: Settings = request.app.state.settings
    _set_cookie(response, _pending_cookie_name(settings), secret, settings=settings, seconds=PENDING_SECONDS)
    return response


def get_pending_secret(request: Request) -> str:
    """The secret of the sign-in that this browser began; blank for none."""
    return request.cookies.get(_pending_cookie_name(request.app.state.settings), "")


def clear_pending_cookie(request: Request, response: Response) -> Response:
    """The answer, without it."""
    settings: Settings = request.app.state.settings
    name = _pending_cookie_name(settings)
    if name in request.cookies:
        response.delete_cookie(name, path="/", secure=settings.secure, httponly=True, samesite="lax")
    return response


def find_device(request: Request) -> tuple[str, int] | None:
    """The browser's word and who signed in here before; None when it is new, or the cookie is not ours."""
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
