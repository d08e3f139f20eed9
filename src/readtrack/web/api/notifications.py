"""API endpoints for notifications and notification settings."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel, Timestamp
from readtrack.team.notifications import commands, queries
from readtrack.team.notifications.commands import NotificationSettings
from readtrack.team.notifications.messages import NotificationRow, build_notification_text
from readtrack.team.notifications.queries import NotificationFilter, State
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, JsonResponse, ResponseModel, conditional_response, page_response
from readtrack.web.routing import api_router

router = api_router("notifications")
_SUBJECTS = ("paper", "comment", "question", "summary", "assignment", "meeting", "import", "job")


class NotificationRead(ResponseModel):
    """A notification.

    `text`: as shown on the page; `address`: URL of its subject; `about`: ids of its subjects by kind.
    """

    id: int
    kind: str
    text: str
    address: str
    count: int
    created_at: datetime
    read_at: datetime | None
    about: dict[str, int]


class NotificationList(ResponseModel):
    """A page of notifications; `next` is the cursor of the next page."""

    items: list[NotificationRead]
    next: str | None


class NotificationQuery(PageQuery):
    """The filter of notifications, with pagination."""

    state: State = "unread"


class ReadUntil(StrictModel):
    """`until`: time of the newest notification seen; all if omitted."""

    until: Timestamp | None = None


class ReadCount(ResponseModel):
    """The number of notifications that were unread."""

    read: int


@router.get("/notifications", responses={200: {"model": NotificationList}})
def list_notifications(request: Request, wanted: Annotated[NotificationQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List my notifications.

    Newest first, about what I may see.
    """
    notification_filter = NotificationFilter(wanted.state)
    page_request = read_page_request(request, notification_filter.question, limit=wanted.limit, after=wanted.after)
    page = queries.list_notifications(tx, me, notification_filter, page_request)
    items = [_notification_json(row, me) for row in page.items]
    return page_response(request, notification_filter.question, page, items)


@router.post(
    "/notifications/read", responses={200: {"model": ReadCount}}, openapi_extra=request_body_schema(ReadUntil, {})
)
def mark_all_notifications_read(me: Me, body: Body, tx: WriteTx) -> Response:
    """Mark all my notifications as read.

    Or those until a given time. Safe to repeat.
    """
    return JsonResponse({"read": commands.mark_all_read(tx, me, until=validate_input(ReadUntil, body).until)})


@router.post("/notifications/{notice_id:int}/read", status_code=204)
def mark_notification_read(notice_id: int, me: Me, tx: WriteTx) -> Response:
    """Mark a notification of mine as read.

    Safe to repeat.
    """
    commands.mark_notification_read(tx, me, notice_id)
    return Response(status_code=204)


@router.get("/notification-settings", responses={200: {"model": NotificationSettings}})
def get_notification_settings(request: Request, me: Me, tx: ReadTx) -> Response:
    """Get my notification settings.

    For each kind: `page`, `mail` (also by mail, once a day) or `nothing`.
    """
    return conditional_response(request, queries.get_notification_settings(tx, me))


@router.patch(
    "/notification-settings",
    responses={200: {"model": NotificationSettings}},
    openapi_extra=request_body_schema(NotificationSettings, {"reply": "mail"}),
)
def update_notification_settings(me: Me, body: Body, tx: WriteTx) -> Response:
    """Update my notification settings.

    Only the given fields change.
    """
    return JsonResponse(commands.update_notification_settings(tx, me, validate_input(NotificationSettings, body)))


def _notification_json(row: NotificationRow, me: CurrentUser) -> dict[str, Any]:
    text = build_notification_text(row, me.time_zone)
    subject_ids = {name: number for name in _SUBJECTS if (number := getattr(row, f"{name}_id"))}
    fields = {name: getattr(row, name) for name in ("id", "kind", "created_at", "read_at")}
    return {**fields, "count": row.times, "text": text.sentence, "address": text.address, "about": subject_ids}
