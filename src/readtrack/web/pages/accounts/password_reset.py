"""A forgotten password: a link goes by mail. The answer is the same whoever is asked for, and takes as long."""

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
    """The form, or whom to ask where no mail is set up."""
    return render(request, "accounts/password_reset.html", mails=has_mail(request), name="", errors={})


@router.post("/password-reset")
def ask_for_link(request: Request, _visitor: MaybeMe, fields: Form, tx: WriteTx) -> Response:
    """Leaves everything that depends on who is asked for to a job."""
    if not has_mail(request):
        raise Conflict(NO_MAIL, code="no-mail")
    checked = validate_form(PasswordResetRequest, fields.values)
    if checked.value is None:
        context = {"mails": True, "name": fields.get("name"), "errors": checked.errors}
        return render(request, "accounts/password_reset.html", 422, **context)
    address = request.client.host if request.client else ""
    commands.request_reset_link(tx, checked.value.name, address=address)
    return redirect_with_flash(request, "/sign-in", _(REQUEST_MESSAGE), kind="info")
