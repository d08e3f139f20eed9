"""Pages for notifications and notification settings."""

from datetime import UTC, datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.team.notifications import commands, queries
from readtrack.team.notifications.commands import NotificationSettings
from readtrack.team.notifications.messages import build_notification_text
from readtrack.team.notifications.queries import NotificationFilter
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render, with_query

router = page_router()
TABS = {"unread": N_("Unread"), "all": N_("All")}
CHOICES = "/settings/notifications"


@router.get("/notifications")
def list_page(request: Request, me: Me, tx: ReadTx, state: str = "unread", after: str = "") -> Response:
    """Show my notifications, latest first."""
    notification_filter = NotificationFilter("all" if state == "all" else "unread")
    page = queries.list_notifications(
        tx, me, notification_filter, read_page_request(request, notification_filter.question, after=after)
    )
    cursor = get_next_cursor(request, notification_filter.question, page)
    context: dict[str, Any] = {
        "state": notification_filter.state,
        "notices": [(row, build_notification_text(row, me.time_zone)) for row in page.items],
        "until": max((row.created_at for row in page.items), default=None),
        "tabs": [
            _tab(tab_state, _(text), on=tab_state == notification_filter.state) for tab_state, text in TABS.items()
        ],
        "back": with_query("/notifications", state=notification_filter.state, after=after),
        "older": with_query("/notifications", state=notification_filter.state, after=cursor) if cursor else "",
        "newer": with_query("/notifications", state=notification_filter.state) if after else "",
    }
    return render(request, "notifications/list.html", **context)


@router.post("/notifications/{notice_id:int}/open")
def open_notice(request: Request, notice_id: int, me: Me, tx: WriteTx) -> Response:
    """Mark a notification as read and redirect to its subject."""
    return redirect_with_flash(
        request, build_notification_text(commands.mark_notification_read(tx, me, notice_id)).address
    )


@router.post("/notifications/{notice_id:int}/read")
def read(request: Request, notice_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Mark a notification as read."""
    commands.mark_notification_read(tx, me, notice_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), "/notifications"))


@router.post("/notifications/read")
def read_all(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Mark all notifications as read up to the newest one shown."""
    commands.mark_all_read(tx, me, until=_parse_moment(fields.get("until")))
    return redirect_with_flash(request, "/notifications", _("Marked as read"))


@router.get("/settings/notifications")
def choices_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the notification settings."""
    return render(request, "notifications/settings.html", chosen=queries.get_notification_settings(tx, me), errors={})


@router.post("/settings/notifications")
def choose(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the notification settings; show the form again (422) on errors."""
    form_result = validate_form(NotificationSettings, fields.values)
    if form_result.value is None:
        settings = queries.get_notification_settings(tx, me)
        return render(request, "notifications/settings.html", 422, chosen=settings, errors=form_result.errors)
    commands.update_notification_settings(tx, me, form_result.value)
    return redirect_with_flash(request, safe_next(fields.get("next"), CHOICES), _("Saved"))


def _tab(state: str, text: str, *, on: bool) -> dict[str, Any]:
    return {"href": with_query("/notifications", state=state), "text": text, "count": "", "on": on, "status": ""}


def _parse_moment(text: str) -> datetime | None:
    """Return the time of the newest notification shown; None means all."""
    try:
        timestamp = datetime.fromisoformat(text)
        return timestamp.astimezone(UTC) if timestamp.tzinfo else None
    except (ValueError, OverflowError):  # outside of the years 1 to 9999 in UTC
        return None
