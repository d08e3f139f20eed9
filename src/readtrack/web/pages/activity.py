"""Pages for the activity feed, and for the audit trail (admins only)."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.team.activity import queries
from readtrack.team.activity.feed_items import build_feed_items, group_by_day
from readtrack.team.activity.queries import EventFilter
from readtrack.team.activity.verbs import GROUPS
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.forms import parse_int
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import render, with_query

router = page_router()
PAGE_SIZE = 100  # events on one page of the feed
AUDIT_PAGE_SIZE = 50
AUDIT_TABS = {"access": N_("Access")} | dict(GROUPS)


@router.get("/activity")
def list_page(request: Request, me: Me, tx: ReadTx, of: str = "", person: str = "", after: str = "") -> Response:
    """Show the activity by day, latest first; repeated actions of a person are grouped."""
    event_filter = _event_filter(of if of in GROUPS else "", person)
    page = queries.list_activity(
        tx, me, event_filter, read_page_request(request, event_filter.question, limit=PAGE_SIZE, after=after)
    )
    cursor = get_next_cursor(request, event_filter.question, page)
    context = _context(tx, "/activity", event_filter, cursor=cursor, after=after)
    days = group_by_day(build_feed_items(page.items, me.time_zone), me.time_zone)
    return render(request, "activity/list.html", days=days, **context)


@router.get("/admin/audit")
def audit_page(request: Request, me: Me, tx: ReadTx, of: str = "", person: str = "", after: str = "") -> Response:
    """Show the audit trail: who did what, from where, and what changed."""
    event_filter = _event_filter(of if of in AUDIT_TABS else "", person)
    cursor_context = f"audit\0{event_filter.question}"
    page = queries.list_audit(
        tx, me, event_filter, read_page_request(request, cursor_context, limit=AUDIT_PAGE_SIZE, after=after)
    )
    cursor = get_next_cursor(request, cursor_context, page)
    context = _context(tx, "/admin/audit", event_filter, cursor=cursor, after=after)
    rows = [(row, build_feed_items([row.event])[0].fragments, _changes(row)) for row in page.items]
    return render(request, "activity/audit.html", rows=rows, **context)


def _event_filter(of: str, person: str) -> EventFilter:
    return EventFilter(of=of, person=parse_int(person) if person else None)


def _context(tx: Read, path: str, event_filter: EventFilter, *, cursor: str | None, after: str) -> dict[str, Any]:
    person = event_filter.person
    tabs = {"": N_("All")} | (AUDIT_TABS if path == "/admin/audit" else dict(GROUPS))
    return {
        "of": event_filter.of,
        "tabs": [_facet(path, of, text, event_filter) for of, text in tabs.items()],
        "person": person,
        "person_name": queries.find_name(tx, person) if person is not None else "",
        "older": with_query(path, of=event_filter.of, person=person, after=cursor) if cursor else "",
        "newer": with_query(path, of=event_filter.of, person=person) if after else "",
        "everybody": with_query(path, of=event_filter.of),
    }


def _facet(path: str, of: str, text: str, event_filter: EventFilter) -> dict[str, Any]:
    href = with_query(path, of=of, person=event_filter.person)
    return {"href": href, "text": _(text), "count": "", "on": of == event_filter.of, "status": ""}


def _changes(row: queries.AuditRow) -> list[tuple[str, Any, Any]]:
    """Return (field, before, after) for the fields that differ."""
    before, after = row.before or {}, row.after or {}
    names = dict.fromkeys([*before, *after])
    return [(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]
