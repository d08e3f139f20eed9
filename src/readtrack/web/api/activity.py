"""API endpoints for the event log, by which a copy can be kept in sync, and for the audit trail."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import ConfigDict, Field
from starlette.responses import Response

from readtrack.infra.pagination import Page
from readtrack.infra.validation import StrictModel
from readtrack.team.activity import queries
from readtrack.team.activity.queries import AuditRow, EventFilter
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.dependencies.pagination import PageQuery, add_next_link, get_next_cursor, read_page_request
from readtrack.web.responses.json import ResponseModel, conditional_response, page_response
from readtrack.web.routing import api_router

router = api_router("activity")
QUESTION = "log"  # the same for all filters: a cursor is a position in the whole log


ABSENT: Any = None  # stands for a field that an event of this verb does not have; it is never sent


class EventData(ResponseModel):
    """What an event is about, besides its paper: fields by its verb, which docs/api.md lists.

    Events of earlier versions of readtrack may have others.
    """

    model_config = ConfigDict(extra="allow")

    # Ids.
    assignment: int = ABSENT
    candidate: int = ABSENT
    comment: int = ABSENT
    comparison: int = ABSENT
    duplicate: int = ABSENT
    import_: Annotated[int, Field(alias="import")] = ABSENT
    item: int = ABSENT
    lead: int = ABSENT
    meeting: int = ABSENT
    merge: int = ABSENT
    note: int = ABSENT
    other: int = ABSENT
    proposal: int = ABSENT
    record: int = ABSENT
    series: int = ABSENT
    split_from: int = ABSENT
    summary: int = ABSENT
    template: int = ABSENT
    thread: int = ABSENT
    to: int = ABSENT
    topic: int = ABSENT
    view: int = ABSENT
    webhook: int = ABSENT
    question: int | None = ABSENT
    # Ids of papers, or slugs of topics.
    from_: Annotated[int | str, Field(alias="from")] = ABSENT
    into: int | str = ABSENT
    # The id of the person an assignment is for; elsewhere a name.
    person: int | str = ABSENT
    # Words.
    before: str = ABSENT
    by: str = ABSENT
    field: str = ABSENT
    host: str = ABSENT
    identifier: str = ABSENT
    kind: str = ABSENT
    language: str = ABSENT
    link: str = ABSENT
    macro: str = ABSENT
    name: str = ABSENT
    role: str = ABSENT
    rule: str = ABSENT
    slug: str = ABSENT
    source: str = ABSENT
    starts_at: str = ABSENT
    title: str = ABSENT
    was: str = ABSENT
    due_on: str | None = ABSENT
    status: str | None = ABSENT
    # Lists and numbers.
    changed: list[str] = ABSENT
    fields: list[str] = ABSENT
    scopes: list[str] = ABSENT
    left: int = ABSENT
    version: int = ABSENT
    # How much came with an imported folder.
    comments: int = ABSENT
    papers: int = ABSENT
    questions: int = ABSENT
    relations: int = ABSENT
    summaries: int = ABSENT
    tables: int = ABSENT
    topics: int = ABSENT


AuditedValues = Annotated[
    dict[str, Any] | None, Field(description="Values by the names of the changed fields; null if none are recorded.")
]


class EventPerson(ResponseModel):
    id: int
    name: str


class EventRead(ResponseModel):
    """An event: what happened, who did it, and the paper.

    `by_program`: done with a token; `private`: visible to you only. Events have no id, because gaps would reveal
    private events of others.
    """

    at: datetime
    verb: str
    person: EventPerson | None
    by_program: bool
    paper: int | None
    title: str
    data: EventData
    private: bool


class EventList(ResponseModel):
    """A page of events. Send `next` as `after` to continue; `more`: further events exist already."""

    items: list[EventRead]
    next: str
    more: bool


class AuditEvent(EventRead):
    """An event with the token, the address, and the values before and after."""

    token: str
    address: str
    before: AuditedValues
    after: AuditedValues


class AuditList(ResponseModel):
    """A page of the audit trail; `next` is the cursor of the next page."""

    items: list[AuditEvent]
    next: str | None


class EventsQuery(StrictModel):
    """The filter of events.

    `after`: `next` of an earlier response; `of`: a group (papers, readings, summaries, …) or a verb.
    """

    after: str = ""
    limit: int | None = None
    of: str = Field(default="", max_length=50)
    person: int | None = None
    paper: int | None = None


class AuditQuery(PageQuery):
    """The filter of audit events. `of`: as for events, or `access` for sign-ins, tokens and roles."""

    of: str = Field(default="", max_length=50)
    person: int | None = None
    paper: int | None = None


@router.get("/events", responses={200: {"model": EventList}})
def list_events(request: Request, wanted: Annotated[EventsQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List events.

    In order, after the answer whose `next` is `after` (blank: from the beginning). None is left out, so a copy can
    be kept in step: continue with `next`, at once while `more` is true. Events have no ID.
    """
    event_filter = EventFilter(of=wanted.of, person=wanted.person, paper=wanted.paper)
    page_request = read_page_request(request, QUESTION, limit=wanted.limit, after=wanted.after)
    rows, has_more = queries.list_since(
        tx, me, event_filter, after_id=page_request.after[1] if page_request.after else 0, limit=page_request.limit
    )
    cursor = get_next_cursor(request, QUESTION, Page(rows, (None, rows[-1].id))) if rows else wanted.after
    answer = conditional_response(request, {"items": [row.to_json() for row in rows], "next": cursor, "more": has_more})
    return add_next_link(request, answer, cursor if has_more else None)


@router.get("/audit", responses={200: {"model": AuditList}})
def list_audit_events(request: Request, wanted: Annotated[AuditQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List audit events.

    Newest first, with the person, the token, the address, and the values before and after. `of=access`: sign-ins,
    tokens and roles. For admins.
    """
    event_filter = EventFilter(of=wanted.of, person=wanted.person, paper=wanted.paper)
    cursor_context = f"audit\0{event_filter.question}"
    page = queries.list_audit(
        tx, me, event_filter, read_page_request(request, cursor_context, limit=wanted.limit, after=wanted.after)
    )
    return page_response(request, cursor_context, page, [_audit_event(row) for row in page.items])


def _audit_event(row: AuditRow) -> dict[str, Any]:
    return {**row.event.to_json(), **{name: value for name, value in row._asdict().items() if name != "event"}}
