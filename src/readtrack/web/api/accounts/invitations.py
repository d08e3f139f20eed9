"""API endpoints for invitations (admins only, in a browser session)."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import require
from readtrack.team.accounts import commands, invitation_queries
from readtrack.team.accounts.invitation_queries import InvitationRow
from readtrack.team.accounts.schemas import InvitationCreate, PasswordLinkCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import BodyProof, confirm_in_api
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.invitation_links import has_mail, invitation_url
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, JsonResponse, ResponseModel, page_response
from readtrack.web.routing import api_router

router = api_router("people")
QUESTION = "invitations"


class InvitationRead(ResponseModel):
    """A valid link.

    `person`: whose password it sets, null for a new person; `by`: null if created by the operator.
    """

    id: int
    role: str
    email: str | None
    person: str | None
    by: str | None
    created_at: datetime
    expires_at: datetime


class InvitationList(ResponseModel):
    """A page of invitations, newest first; `next` is the cursor of the next page."""

    items: list[InvitationRead]
    next: str | None


class InvitationsQuery(PageQuery):
    """Pagination of the list."""


class InvitationLinkRead(ResponseModel):
    """The created link, shown only once. Null if it was sent by mail."""

    link: str | None


@router.get("/invitations", responses={200: {"model": InvitationList}})
def list_invitations(request: Request, me: Me, tx: ReadTx, wanted: Annotated[InvitationsQuery, Query()]) -> Response:
    """List invitations that can still be accepted.

    For admins.
    """
    page = invitation_queries.list_invitations(
        tx, me, read_page_request(request, QUESTION, limit=wanted.limit, after=wanted.after)
    )
    return page_response(request, QUESTION, page, [_invitation_json(row) for row in page.items])


@router.post(
    "/invitations",
    status_code=201,
    responses={201: {"model": InvitationLinkRead}},
    openapi_extra=request_body_schema(InvitationCreate, {"role": "viewer"}),
)
def create_invitation(request: Request, me: Me, body: Body, tx: WriteTx) -> Response:
    """Invite a person.

    The answer has the link; with `email` it is mailed instead. Only from a browser session.
    """
    data = validate_input(InvitationCreate, body)
    if not data.email:
        return JsonResponse({"link": invitation_url(request, commands.invite(tx, me, data))}, 201)
    _require_mail(request)
    commands.invite_by_mail(tx, me, data)
    return JsonResponse({"link": None}, 201)


@router.post(
    "/people/{person_id:int}/link",
    status_code=201,
    responses={201: {"model": InvitationLinkRead}},
    openapi_extra=request_body_schema(PasswordLinkCreate, {}),
)
def create_password_link(
    request: Request, person_id: int, me: Me, body: Body, proof: BodyProof, tx: WriteTx
) -> Response:
    """Create a link to set a person's password.

    The answer has the link, which needs the admin's own password; with `mail` it is mailed instead. Only from a
    browser session.
    """
    if not validate_input(PasswordLinkCreate, body).mail:
        require(me, "manage-people")
        confirmation = confirm_in_api(request, tx, me, proof)
        if isinstance(confirmation, Response):
            return confirmation
        return JsonResponse(
            {"link": invitation_url(request, commands.create_reset_link(tx, confirmation, person_id))}, 201
        )
    _require_mail(request)
    commands.mail_reset_link(tx, me, person_id)
    return JsonResponse({"link": None}, 201)


@router.delete("/invitations/{invitation_id:int}", status_code=204)
def revoke_invitation(invitation_id: int, me: Me, tx: WriteTx) -> Response:
    """Revoke an invitation."""
    commands.revoke_invitation(tx, me, invitation_id)
    return Response(status_code=204)


def _require_mail(request: Request) -> None:
    """Raise Invalid if no mail server is configured."""
    if not has_mail(request):
        message = _("Email isn't set up (READTRACK_SMTP_URL).")
        raise Invalid(message, [FieldError("/email", "no-mail", message)])


def _invitation_json(row: InvitationRow) -> dict[str, Any]:
    names = {"email": row.email or None, "person": row.name or None, "by": row.creator or None}
    return {"id": row.id, "role": row.role, **names, "created_at": row.created_at, "expires_at": row.expires_at}
