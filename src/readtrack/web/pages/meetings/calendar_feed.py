"""All meetings for a calendar program: an address with a secret of its own, which opens nothing else."""

from typing import Any

from fastapi import BackgroundTasks, Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.team.accounts import commands as people
from readtrack.team.accounts.queries import find_visitor_by_token
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.team.meetings import ical
from readtrack.team.meetings.view_model import render_team_calendar
from readtrack.web.dependencies.auth import MaybeMe, Me, record_visit
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render

router = page_router()
ONLY = frozenset({"feed"})
TOKEN_NAME = "Calendar of meetings"  # noqa: S105 - what the token is called


@router.get("/meetings.ics")
def feed(request: Request, me: MaybeMe, tx: ReadTx, afterwards: BackgroundTasks, token: str = "") -> Response:
    """The calendar, for whoever is signed in or has a token for feeds and nothing else. Others find nothing here."""
    if token:
        me = find_visitor_by_token(tx, token)
        known = me is not None and me.scopes == ONLY
    else:
        known = me is not None and (permissions.has_permission(me, "see") or me.scopes == ONLY)
    if not known:
        message = _("There is no calendar at this address. Perhaps it was revoked; make a new one under Meetings.")
        raise NotFound(message)
    if token and me is not None:
        record_visit(request, afterwards, me)
    text = render_team_calendar(tx, site=request.app.state.settings.base_url)
    return Response(text, headers={"Cache-Control": "private, no-store"}, media_type=ical.MEDIA_TYPE)


@router.get("/meetings/calendar")
def calendar_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001 - the frame asks it
    """What the address is for, and the button that makes one."""
    return _page(request)


@router.post("/meetings/calendar")
def make_address(request: Request, me: Me, tx: WriteTx) -> Response:
    """Makes an address. The answer is the page itself, for it is shown this once."""
    _, secret = people.create_token(tx, me, TokenCreate(name=TOKEN_NAME, scopes=["feed"], days=None))
    return _page(request, address=f"{request.app.state.settings.base_url}/meetings.ics?token={secret}")


def _page(request: Request, **made: Any) -> Response:  # noqa: ANN401
    return render(request, "meetings/calendar.html", **({"address": ""} | made))
