"""The first page."""

from collections.abc import Iterable
from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra.clock import local, now
from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.team.activity.feed_items import lines
from readtrack.team.meetings.queries.agendas import Progress
from readtrack.team.notifications.messages import told
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render
from readtrack.workspace.home import queries
from readtrack.workspace.home.queries import Home, NextMeeting
from readtrack.workspace.home.schedule import greeting, long_day, near_day
from readtrack.workspace.saved_searches.queries import find_view

router = page_router()
MOST_LINES = 9


@router.get("/")
def start_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Leads to where I begin; without a choice, or when that view is gone, this is home."""
    if me.start == "queue":
        return RedirectResponse("/queue", 303)
    if me.start.startswith("view:"):
        view = find_view(tx, me, int(me.start.removeprefix("view:")))
        if view is not None:
            return RedirectResponse(view.href, 303)
    return _home(request, me, tx)


@router.get("/home")
def show_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """What waits for me today, and what the team did this week."""
    return _home(request, me, tx)


def _home(request: Request, me: Visitor, tx: Read) -> Response:
    home = queries.get_home(tx, me)
    here = local(now(), me.time_zone)
    context: dict[str, Any] = {
        "greeting": _("{greeting}, {name}").format(greeting=greeting(here), name=me.name),
        "date": long_day(here.date()),
        "today": here.date(),
        "near": lambda day: near_day(day, here.date()),
        "home": home,
        "lines": lines(home.lately, me.time_zone)[:MOST_LINES],
        "meets": _meets(home.meeting, me),
        "notices": [(row, told(row, me.time_zone)) for row in home.notices],
        "overdue": _overdue(home),
    }
    return render(request, "home/show.html", **context)


def _overdue(home: Home) -> str:
    """How many; of those that are not shown nothing is known."""
    count = sum(row.overdue for row in home.assigned)
    return f"{count}{'+' if count == queries.MOST_ASSIGNED else ''}" if count else ""


def _meets(meeting: NextMeeting | None, me: Visitor) -> dict[str, Any] | None:
    """When the next meeting is where I am; each item with who has read it and how I stand with it."""
    if meeting is None:
        return None
    agenda = [(item, *_standing(meeting.progress.get(item.paper_id or 0, ()), me)) for item in meeting.items]
    unread = sum(bool(item.paper_id) and mine != "read" for item, _, mine in agenda)
    return {"at": local(meeting.row.starts_at, me.time_zone), "agenda": agenda, "unread": unread}


def _standing(progress: Iterable[Progress], me: Visitor) -> tuple[list[str], str]:
    """Who has read it, by name; and my own status."""
    known = list(progress)
    mine = next((one.status for one in known if one.person_id == me.id), "")
    return [one.name for one in known if one.status == "read"], mine
