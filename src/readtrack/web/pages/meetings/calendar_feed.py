"""Calendar feed of all meetings, by a URL with a secret that is valid for feeds only."""

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
TOKEN_NAME = "Calendar of meetings"  # noqa: S105 - the token's name


@router.get("/meetings.ics")
def feed(request: Request, me: MaybeMe, tx: ReadTx, afterwards: BackgroundTasks, token: str = "") -> Response:
    """Return the calendar for signed-in users and feed tokens; 404 for others."""
    if token:
        me = find_visitor_by_token(tx, token)
        is_known = me is not None and me.scopes == ONLY
    else:
        is_known = me is not None and (permissions.has_permission(me, "see") or me.scopes == ONLY)
    if not is_known:
        message = _("This calendar link doesn't exist or was revoked. Create a new one under Meetings.")
        raise NotFound(message)
    if token and me is not None:
        record_visit(request, afterwards, me)
    text = render_team_calendar(tx, base_url=request.app.state.settings.base_url)
    return Response(text, headers={"Cache-Control": "private, no-store"}, media_type=ical.MEDIA_TYPE)


@router.get("/meetings/calendar")
def calendar_page(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001 - the layout needs it
    """Show the explanation, and the button that creates a feed URL."""
    return _page(request)


@router.post("/meetings/calendar")
def make_address(request: Request, me: Me, tx: WriteTx) -> Response:
    """Create a feed URL and show it once, without a redirect."""
    _, secret = people.create_token(tx, me, TokenCreate(name=TOKEN_NAME, scopes=["feed"], days=None))
    return _page(request, address=f"{request.app.state.settings.base_url}/meetings.ics?token={secret}")


def _page(request: Request, **context: Any) -> Response:  # noqa: ANN401
    return render(request, "meetings/calendar.html", **({"address": ""} | context))
