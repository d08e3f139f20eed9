"""Unresolved references in a browser: papers that notes only name or describe, and what a person answers to each."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid, NotFound
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.matching import inbox, leads, title_search
from readtrack.library.matching.inbox import LeadFilter
from readtrack.library.relations.links import AmbiguousPaper
from readtrack.library.topics.queries import get_topic
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.pages.papers.paper_choice import render_paper_choice
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import note_unknown_parameter, redirect_with_flash, render, with_query

router = page_router()
PAGE_SIZE = 25  # leads on one page
STATES: Mapping[str, str] = {"open": N_("Unresolved"), "found": N_("Identified"), "dropped": N_("Dismissed")}
SECOND_HAND = "second-hand"


@router.get("/unresolved")
def list_page(request: Request, me: Me, tx: ReadTx, state: str = "open", topic: str = "", after: str = "") -> Response:
    """Show leads of a state, optionally of a topic, or commentaries whose paper is missing."""
    try:
        name = get_topic(tx, me, topic).row.name if topic else ""
    except NotFound:
        note_unknown_parameter(request, "topic", topic)
        topic, name = "", ""
    parameters = {"state": state if state in {*STATES, SECOND_HAND} else "open", "topic": topic}
    tabs, page_url = _tabs(tx, me, **parameters), _address(after=after, **parameters)
    context: dict[str, Any] = {**parameters, "topic_name": name, "tabs": tabs, "back": page_url}
    if parameters["state"] == SECOND_HAND:
        return _second_hand(request, me, tx, after=after, context=context)
    lead_filter = LeadFilter(**parameters)
    page = inbox.list_leads(
        tx, me, read_page_request(request, lead_filter.question, limit=PAGE_SIZE, after=after), lead_filter
    )
    cursor = get_next_cursor(request, lead_filter.question, page)
    context |= {"proposals": inbox.find_lead_proposals(tx, me, page.items), "pager": _pager(parameters, cursor, after)}
    return render(request, "unresolved/list.html", leads=page.items, **context)


@router.get("/unresolved/{lead_id:int}")
def show_page(request: Request, lead_id: int, me: Me, tx: ReadTx) -> Response:
    """Show a lead."""
    return _render_lead(request, me, tx, lead_id, next_path=f"/unresolved/{lead_id}")


@router.post("/unresolved/{lead_id:int}")
def decide(request: Request, lead_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Search again for a lead, drop it, or resolve it to a paper.

    If there is no such paper, the lead is shown again with 422; if several match, they are offered.
    """
    next_path, decision = safe_next(fields.get("next"), "/unresolved"), fields.get("decision")
    undo = (_("Undo"), f"/unresolved/{lead_id}/reopen")
    if decision == "look":
        try:
            title_search.restart_title_search(tx, me, lead_id=lead_id)
        except Invalid as error:
            return redirect_with_flash(request, next_path, error.message, kind="info")
        return redirect_with_flash(request, next_path, _("Searching again"))
    if decision == "drop":
        leads.drop_lead(tx, me, lead_id)
        return redirect_with_flash(request, next_path, _("Reference dismissed"), undo=undo)
    try:
        leads.resolve_lead_by_text(tx, me, lead_id, fields.get("paper"))
    except AmbiguousPaper as error:
        return render_paper_choice(request, fields, error, back=next_path)
    except Invalid as error:
        rejected = {"paper": fields.get("paper"), "error": error.errors[0].detail if error.errors else error.message}
        return _render_lead(request, me, tx, lead_id, next_path=next_path, rejected=rejected)
    return redirect_with_flash(request, next_path, _("Reference identified"), undo=undo)


@router.post("/unresolved/{lead_id:int}/reopen")
def reopen(request: Request, lead_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Reopen a dropped or resolved lead."""
    leads.reopen_lead(tx, me, lead_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), "/unresolved"), _("Reference reopened"))


def _render_lead(
    request: Request,
    me: CurrentUser,
    tx: Read,
    lead_id: int,
    *,
    next_path: str,
    rejected: Mapping[str, str] | None = None,
) -> Response:
    """Render a lead. `rejected`: the rejected input, and the reason."""
    lead = inbox.get_lead(tx, me, lead_id)
    context = {
        "lead": lead,
        "proposals": inbox.find_lead_proposals(tx, me, [lead]),
        "back": next_path,
        "wrong": rejected,
    }
    return render(request, "unresolved/show.html", 422 if rejected else 200, **context)


def _second_hand(request: Request, me: CurrentUser, tx: Read, *, after: str, context: dict[str, Any]) -> Response:
    page = inbox.list_second_hand(tx, me, read_page_request(request, SECOND_HAND, limit=PAGE_SIZE, after=after))
    parameters = {"state": SECOND_HAND, "topic": ""}
    cursor = get_next_cursor(request, SECOND_HAND, page)
    context |= {
        "proposals": inbox.find_discussed_proposals(tx, me, page.items),
        "pager": _pager(parameters, cursor, after),
    }
    return render(request, "unresolved/second_hand.html", papers=page.items, **context)


def _address(*, state: str, topic: str, after: str = "") -> str:
    return with_query("/unresolved", state="" if state == "open" else state, topic=topic, after=after)


def _pager(parameters: Mapping[str, str], cursor: str | None, after: str) -> tuple[str, str]:
    """Return the URLs of the next page and of the first one."""
    return _address(**parameters, after=cursor) if cursor else "", _address(**parameters) if after else ""


def _tabs(tx: Read, me: CurrentUser, *, state: str, topic: str) -> list[dict[str, Any]]:
    counts = inbox.count_leads(tx, me, topic)
    tabs = [_tab(name, _(text), counts.get(name, 0), topic, on=state == name) for name, text in STATES.items()]
    if topic:
        return tabs
    count = inbox.count_second_hand(tx, me)
    return [*tabs, _tab(SECOND_HAND, _("Secondary sources only"), count, "", on=state == SECOND_HAND)]


def _tab(state: str, text: str, count: int, topic: str, *, on: bool) -> dict[str, Any]:
    return {"href": _address(state=state, topic=topic), "text": text, "count": count or "", "on": on, "status": ""}
