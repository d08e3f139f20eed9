"""Pages for admins to list, create and revoke invitations."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import ROLES
from readtrack.team.accounts import commands
from readtrack.team.accounts.invitation_queries import list_invitations
from readtrack.team.accounts.schemas import InvitationCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.dependencies.invitation_links import has_mail, render_invitation_link
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
HERE = "/people/invitations"
QUESTION = "invitations"
NO_MAIL = N_("No mail is set up here (READTRACK_SMTP_URL). Leave this blank, and hand the link over yourself.")


@router.get(HERE)
def list_page(request: Request, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show all valid invitations."""
    return _page(request, me, tx, after=after)


@router.post(HERE)
def invite(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Create an invitation; mail it, or show its link once."""
    form_result = validate_form(InvitationCreate, fields.values)
    data, errors = form_result.value, dict(form_result.errors)
    if data and data.email and not has_mail(request):
        errors = {"email": _(NO_MAIL)}
    if data is None or errors:
        return _page(request, me, tx, typed=form_result.raw_values, errors=errors)
    if data.email:
        commands.invite_by_mail(tx, me, data)
        return redirect_with_flash(
            request,
            HERE,
            _("The invitation goes to {email}. Its link works once, for 7 days.").format(email=data.email),
        )
    return render_invitation_link(request, commands.invite(tx, me, data), role=data.role)


@router.post(HERE + "/{invitation_id:int}/revoke")
def revoke(request: Request, invitation_id: int, me: Me, tx: WriteTx) -> Response:
    """Revoke an invitation."""
    commands.revoke_invitation(tx, me, invitation_id)
    return redirect_with_flash(request, HERE, _("Ended. Whoever opens that link is told that it is not good any more."))


def _page(
    request: Request,
    me: Me,
    tx: ReadTx,
    *,
    after: str = "",
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    page = list_invitations(tx, me, read_page_request(request, QUESTION, after=after))
    context = {
        "links": page.items,
        "next": get_next_cursor(request, QUESTION, page),
        "roles": [(role, _(role)) for role in ROLES],
        "mails": has_mail(request),
        "typed": typed or {},
        "errors": errors or {},
    }
    return render(request, "accounts/invitations.html", 422 if errors else 200, **context)
