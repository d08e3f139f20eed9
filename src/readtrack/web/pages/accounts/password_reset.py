"""Pages to request a password reset by mail.

The response and its timing do not reveal whether the account exists.
"""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.team.accounts import commands
from readtrack.team.accounts.schemas import PasswordResetRequest
from readtrack.web.dependencies.auth import MaybeMe
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.dependencies.invitation_links import has_mail
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
REQUEST_MESSAGE = N_(
    "If that is the name or address of somebody here who has a mail address, a letter is on its way. "
    "Its link works once, for 30 minutes. Nothing in the mail? Ask an admin for a link."
)
NO_MAIL = "readtrack cannot send mail here. Nothing was sent; ask an admin for a link to set a new password."


@router.get("/password-reset")
def forgotten_page(request: Request, _visitor: MaybeMe) -> Response:
    """Show the form, or the contact if no mail server is configured."""
    return render(request, "accounts/password_reset.html", mails=has_mail(request), name="", errors={})


@router.post("/password-reset")
def ask_for_link(request: Request, _visitor: MaybeMe, fields: Form, tx: WriteTx) -> Response:
    """Enqueue the request.

    A job does everything that depends on the account, so that the timing reveals nothing.
    """
    if not has_mail(request):
        raise Conflict(NO_MAIL, code="no-mail")
    form_result = validate_form(PasswordResetRequest, fields.values)
    if form_result.value is None:
        context = {"mails": True, "name": fields.get("name"), "errors": form_result.errors}
        return render(request, "accounts/password_reset.html", 422, **context)
    address = request.client.host if request.client else ""
    commands.request_reset_link(tx, form_result.value.name, address=address)
    return redirect_with_flash(request, "/sign-in", _(REQUEST_MESSAGE), kind="info")
