"""What happened, as JSON: the ordered log for who keeps a copy in step, and the audit trail."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from readtrack.infra.pagination import Page
from readtrack.team.activity import queries
from readtrack.team.activity.queries import AuditRow, EventFilter, EventRow
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.pagination import add_next_link, get_next_cursor, read_page_request
from readtrack.web.responses.json import conditional_response
from readtrack.web.routing import api_router

router = api_router("activity")
QUESTION = "log"  # whatever is asked of it: a cursor names a place in the whole


class EventPersonOut(BaseModel):
    id: int
    name: str


class EventOut(BaseModel):
    """One thing that happened, by whom, to which paper. `by_program`: with a token. `private`: only you see it.

    It has no number: that would count what others did in private.
    """

    at: datetime
    verb: str
    person: EventPersonOut | None
    by_program: bool
    paper: int | None
    title: str
    data: dict[str, Any]
    private: bool


class EventsOut(BaseModel):
    """Send `next` as `after` to go on; `more` says whether there are further ones already."""

    items: list[EventOut]
    next: str
    more: bool


class AuditOut(EventOut):
    """The same with which token, from where, what was and what is."""

    token: str
    address: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class AuditList(BaseModel):
    """A page of the audit trail; `next` is the cursor to the rest."""

    items: list[AuditOut]
    next: str | None


class EventsQuery(BaseModel):
    """Which events: `after` is `next` of an earlier answer, `of` a group (papers, readings, summaries, …) or a verb."""

    model_config = ConfigDict(extra="forbid")
    after: str = ""
    limit: int | None = None
    of: str = Field(default="", max_length=50)
    person: int | None = None
    paper: int | None = None


class AuditQuery(BaseModel):
    """Which events; `of` may also be `access`: who came in, tokens, roles."""

    model_config = ConfigDict(extra="forbid")
    of: str = Field(default="", max_length=50)
    person: int | None = None
    paper: int | None = None
    limit: int | None = None
    after: str | None = None


@router.get("/events", responses={200: {"model": EventsOut}})
def list_events(request: Request, wanted: Annotated[EventsQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """What happened since the answer whose `next` is `after`, in order, passing nothing over: keeps a copy in step."""
    asked = EventFilter(of=wanted.of, person=wanted.person, paper=wanted.paper)
    cut = read_page_request(request, QUESTION, limit=wanted.limit, after=wanted.after)
    rows, more = queries.list_since(tx, me, asked, after=cut.after[1] if cut.after else 0, limit=cut.limit)
    cursor = get_next_cursor(request, QUESTION, Page(rows, (None, rows[-1].id))) if rows else wanted.after
    answer = conditional_response(request, {"items": [_event(row) for row in rows], "next": cursor, "more": more})
    return add_next_link(request, answer, cursor if more else None)


@router.get("/audit", responses={200: {"model": AuditList}})
def list_audit(request: Request, wanted: Annotated[AuditQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Everything that happened, the latest first, with who, from where, before and after; for admins."""
    asked = EventFilter(of=wanted.of, person=wanted.person, paper=wanted.paper)
    question = f"audit\0{asked.question}"
    page = queries.list_audit(
        tx, me, asked, read_page_request(request, question, limit=wanted.limit, after=wanted.after)
    )
    cursor = get_next_cursor(request, question, page)
    answer = conditional_response(request, {"items": [_audit_event(row) for row in page.items], "next": cursor})
    return add_next_link(request, answer, cursor)


def _event(row: EventRow) -> dict[str, Any]:
    person = {"id": row.person_id, "name": row.person} if row.person_id else None
    plain = ("verb", "by_program", "title", "data", "private")
    return {
        "at": row.created_at,
        **{name: getattr(row, name) for name in plain},
        "person": person,
        "paper": row.paper_id,
    }


def _audit_event(row: AuditRow) -> dict[str, Any]:
    return {**_event(row.event), **{name: value for name, value in row._asdict().items() if name != "event"}}
