"""Links that let somebody in, as both doors show them; and whether they can go by mail."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.config import Settings
from readtrack.web.templating.environment import render


def invitation_url(request: Request, code: str) -> str:
    """Its address comes from the settings: the Host header is said by whoever asks."""
    settings: Settings = request.app.state.settings
    return f"{settings.base_url.rstrip('/')}/invitations/accept/{code}"


def render_invitation_link(request: Request, code: str, *, name: str = "", role: str = "") -> Response:
    """A link, shown this once: for the person of that name, or for somebody new in that role."""
    return render(request, "accounts/link.html", link=invitation_url(request, code), name=name, role=role)


def has_mail(request: Request) -> bool:
    """Whether mail is set up."""
    settings: Settings = request.app.state.settings
    return bool(settings.smtp_url)
