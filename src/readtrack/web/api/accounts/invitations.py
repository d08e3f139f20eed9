"""Invitations, for admins: made at a browser, shown once or mailed, ended at once."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import require
from readtrack.team.accounts import commands
from readtrack.team.accounts.invitation_queries import InvitationRow, list_invitations
from readtrack.team.accounts.schemas import Invite, LinkMake
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.confirm_password import BodyProof, confirm_in_api
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.invitation_links import has_mail, invitation_url
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.responses.json import Body, JsonResponse, request_body_schema
from readtrack.web.responses.lists import page_response
from readtrack.web.routing import api_router

router = api_router("people")
QUESTION = "invitations"


class InvitationOut(BaseModel):
    """A link that is good. `person`: whose password it sets, null for somebody new; `by`: null for the operator."""

    id: int
    role: str
    email: str | None
    person: str | None
    by: str | None
    created_at: datetime
    expires_at: datetime


class InvitationsOut(BaseModel):
    """A page of them, the newest first; `next` is the cursor to the rest."""

    items: list[InvitationOut]
    next: str | None


class InvitationsQuery(PageQuery):
    """Which part of the list."""


class InvitationLinkOut(BaseModel):
    """The answer to making a link: the only time that it is told. Null when it goes by mail."""

    link: str | None


@router.get("/invitations", responses={200: {"model": InvitationsOut}})
def list_open(request: Request, me: Me, tx: ReadTx, wanted: Annotated[InvitationsQuery, Query()]) -> Response:
    """Every link with which somebody may still come in."""
    page = list_invitations(tx, me, read_page_request(request, QUESTION, limit=wanted.limit, after=wanted.after))
    return page_response(request, QUESTION, page, [_invitation_json(row) for row in page.items])


@router.post(
    "/invitations",
    status_code=201,
    responses={201: {"model": InvitationLinkOut}},
    openapi_extra=request_body_schema(Invite),
)
def invite(request: Request, me: Me, body: Body, tx: WriteTx) -> Response:
    """Makes a link for one new person, from a browser's session only. With `email` it is mailed instead of told."""
    given = validate_input(Invite, body)
    if not given.email:
        return JsonResponse({"link": invitation_url(request, commands.invite(tx, me, given))}, 201)
    _require_mail(request)
    commands.invite_by_mail(tx, me, given)
    return JsonResponse({"link": None}, 201)


@router.post(
    "/people/{person_id:int}/link",
    status_code=201,
    responses={201: {"model": InvitationLinkOut}},
    openapi_extra=request_body_schema(LinkMake),
)
def invite_back(request: Request, person_id: int, me: Me, body: Body, proof: BodyProof, tx: WriteTx) -> Response:
    """Makes a link with which that person sets a password, from a browser's session only; `mail` sends it to them.

    To be told the link takes the admin's own password.
    """
    if not validate_input(LinkMake, body).mail:
        require(me, "manage-people")
        confirmed = confirm_in_api(request, tx, me, proof)
        if isinstance(confirmed, Response):
            return confirmed
        return JsonResponse(
            {"link": invitation_url(request, commands.create_reset_link(tx, confirmed, person_id))}, 201
        )
    _require_mail(request)
    commands.mail_reset_link(tx, me, person_id)
    return JsonResponse({"link": None}, 201)


@router.delete("/invitations/{invitation_id:int}", status_code=204)
def revoke(invitation_id: int, me: Me, tx: WriteTx) -> Response:
    """Ends a link at once."""
    commands.revoke_invitation(tx, me, invitation_id)
    return Response(status_code=204)


def _require_mail(request: Request) -> None:
    """Raises Invalid where no mail is set up."""
    if not has_mail(request):
        sentence = _("No mail is set up here (READTRACK_SMTP_URL).")
        raise Invalid(
            _("{sentence} Nothing was made.").format(sentence=sentence), [FieldError("/email", "no-mail", sentence)]
        )


def _invitation_json(row: InvitationRow) -> dict[str, Any]:
    names = {"email": row.email or None, "person": row.name or None, "by": row.by or None}
    return {"id": row.id, "role": row.role, **names, "created_at": row.created_at, "expires_at": row.expires_at}
