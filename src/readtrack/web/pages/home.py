"""The home page."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from readtrack.infra import permissions
from readtrack.infra.clock import now, to_local
from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands
from readtrack.team.accounts.schemas import MeUpdate
from readtrack.team.activity.feed_items import build_feed_items
from readtrack.team.meetings.queries.agendas import ReaderProgress
from readtrack.team.notifications.messages import build_notification_text
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.workspace.home import queries
from readtrack.workspace.home.queries import Home, UpcomingMeeting
from readtrack.workspace.home.schedule import greeting, long_day, near_day
from readtrack.workspace.saved_searches.queries import find_view

router = page_router()
MAX_LINES = 9


class ChecklistStep(NamedTuple):
    """A first step, and the page where it is taken."""

    label: str
    href: str
    is_done: bool


@router.get("/")
def start_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Redirect to the chosen start page; show the home page without one, or if it is gone."""
    if me.start == "queue":
        return RedirectResponse("/queue", 303)
    if me.start.startswith("view:"):
        view = find_view(tx, me, int(me.start.removeprefix("view:")))
        if view is not None:
            return RedirectResponse(view.href, 303)
    return _home(request, me, tx)


@router.get("/home")
def show_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show what is due for me today, and what the team did this week."""
    return _home(request, me, tx)


def _home(request: Request, me: CurrentUser, tx: Read) -> Response:
    home = queries.get_home(tx, me)
    local_now = to_local(now(), me.time_zone)
    context: dict[str, Any] = {
        "greeting": greeting(local_now).format(name=me.name),
        "date": long_day(local_now.date()),
        "today": local_now.date(),
        "near": lambda day: near_day(day, local_now.date()),
        "home": home,
        "lines": build_feed_items(home.recent_events, me.time_zone)[:MAX_LINES],
        "meets": _next_meeting_context(home.meeting, me),
        "notices": [(row, build_notification_text(row, me.time_zone)) for row in home.notifications],
        "overdue": _overdue(home),
        "steps": _open_checklist(home, me),
    }
    return render(request, "home/show.html", **context)


@router.post("/home/checklist/hide")
def hide_checklist(request: Request, me: Me, tx: WriteTx) -> Response:
    """Hide the checklist of first steps for good."""
    commands.edit_me(tx, me, MeUpdate(hide_checklist=True))
    return redirect_with_flash(request, "/home")


def _open_checklist(home: Home, me: CurrentUser) -> Sequence[ChecklistStep]:
    """Return the first steps, or none if they are hidden or all done, or before there are papers."""
    done = home.first_steps
    listed = [row.id for rows in (home.reading, home.queue, home.newest_papers) for row in rows]
    paper_id = done.read_paper or next(iter(listed), None)
    editor = f"/papers/{paper_id}/summary/edit" if paper_id else "/papers"
    steps = [
        ChecklistStep(_("Mark a paper as read"), "/papers", is_done=done.read_paper is not None),
        ChecklistStep(_("Write summary"), editor, is_done=done.has_summary),
    ]
    if permissions.has_permission(me, "add"):
        steps.insert(0, ChecklistStep(_("Add papers"), "/papers/new", is_done=done.has_papers))
    if permissions.has_permission(me, "manage-people"):
        steps.append(ChecklistStep(_("Invite a member"), "/people/invitations", is_done=done.has_invited))
    is_open = done.has_papers and not me.hide_checklist and not all(step.is_done for step in steps)
    return steps if is_open else ()


def _overdue(home: Home) -> str:
    """Return the number of overdue assignments, with "+" if there may be more than those shown."""
    count = sum(row.overdue for row in home.assigned)
    return f"{count}{'+' if count == queries.MAX_ASSIGNED else ''}" if count else ""


def _next_meeting_context(meeting: UpcomingMeeting | None, me: CurrentUser) -> dict[str, Any] | None:
    """Return the next meeting's local time, and each agenda item with its readers and my status."""
    if meeting is None:
        return None
    agenda = [(item, *_readers_and_status(meeting.progress.get(item.paper_id or 0, ()), me)) for item in meeting.items]
    unread_count = sum(bool(item.paper_id) and my_status != "read" for item, _readers, my_status in agenda)
    return {"at": to_local(meeting.row.starts_at, me.time_zone), "agenda": agenda, "unread": unread_count}


def _readers_and_status(progress: Iterable[ReaderProgress], me: CurrentUser) -> tuple[list[str], str]:
    """Return the names of those who have read the paper, and my own status."""
    readers = list(progress)
    my_status = next((reader.status for reader in readers if reader.person_id == me.id), "")
    return [reader.name for reader in readers if reader.status == "read"], my_status
