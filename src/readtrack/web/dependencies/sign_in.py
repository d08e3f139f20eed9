"""Final steps of every sign-in method, and the available methods."""

from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Person
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import CodeAttempt
from readtrack.team.accounts.identities import find_identity
from readtrack.team.accounts.oidc import Provider
from readtrack.web.dependencies.auth import find_proxy_identity
from readtrack.web.dependencies.forms import Fields
from readtrack.web.dependencies.session_cookies import (
    clear_pending_cookie,
    find_device,
    set_pending_cookie,
    set_session_cookie,
)
from readtrack.web.templating.environment import redirect_with_flash

CODE_PAGE = "/sign-in/code"
LONGEST_CODE = 64


def continue_sign_in(
    request: Request,
    tx: Write,
    person: Person,
    *,
    next_path: str,
    flash: str = "",
    instead_of: CurrentUser | None = None,
) -> Response:
    """Continue after a password or link was accepted: ask for the second factor, or start the session."""
    if person.totp_salt:
        return set_pending_cookie(
            request, RedirectResponse(CODE_PAGE, 303), commands.start_code_step(tx, person, next_path=next_path)
        )
    return start_session(request, tx, person, next_path=next_path, flash=flash, instead_of=instead_of)


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
    return CodeAttempt(fields.get("code")[:LONGEST_CODE], key, address=address, device=find_device(request))


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
