"""Invitation links for pages and API."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.config import Settings
from readtrack.web.templating.environment import render


def invitation_url(request: Request, code: str) -> str:
    """Return the link, with the host from the settings because the Host header is set by the client."""
    settings: Settings = request.app.state.settings
    return f"{settings.base_url.rstrip('/')}/invitations/accept/{code}"


def render_invitation_link(request: Request, code: str, *, name: str = "", role: str = "") -> Response:
    """Render a link, which is shown only once, for a person by name or for a new one by role."""
    return render(request, "accounts/link.html", link=invitation_url(request, code), name=name, role=role)


def has_mail(request: Request) -> bool:
    """Return True if a mail server is configured."""
    settings: Settings = request.app.state.settings
    return bool(settings.smtp_url)
