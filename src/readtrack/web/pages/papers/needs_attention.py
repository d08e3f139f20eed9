"""Review page: one tab for each kind of item, with one-click decisions; those on suggestions for titles are here."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import Page, PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.duplicates import review
from readtrack.library.matching import suggestions
from readtrack.library.matching.suggestions import ProposalFilter, list_proposals
from readtrack.library.papers import needs_attention
from readtrack.library.papers.needs_attention import MAX_COUNT, AttentionCounts
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render, with_query

router = page_router()
OPEN_PROPOSALS = ProposalFilter()
PAGE_SIZE = 25  # items on one page
PROPOSALS_TAB = "/review?of=found"


class Tab(NamedTuple):
    """A tab: name in URLs, label, context of its cursors, and its query."""

    name: str
    text: str
    question: str
    rows: Callable[[Read, CurrentUser, PageRequest], Page[Any]]


TABS: Mapping[str, Tab] = {
    tab.name: tab
    for tab in (
        Tab("disagreements", N_("Conflicting metadata"), "disagreements", needs_attention.list_disagreements),
        Tab(
            "duplicates",
            N_("Possible duplicates"),
            review.cursor_context("open"),
            lambda tx, me, cut: review.list_duplicates(tx, me, "open", cut),
        ),
        Tab(
            "found",
            N_("Suggested matches"),
            OPEN_PROPOSALS.question,
            lambda tx, me, cut: list_proposals(tx, me, OPEN_PROPOSALS, cut),
        ),
        Tab("unknown", N_("No metadata found"), "unknown", needs_attention.list_unknown),
    )
}


@router.get("/review")
def list_page(request: Request, me: Me, tx: ReadTx, of: str = "", after: str = "") -> Response:
    """Show a tab of the review page, by default the first with items."""
    counts = needs_attention.count_all(tx)
    tab = TABS.get(of) or _first_tab(counts)
    page = tab.rows(tx, me, read_page_request(request, tab.question, limit=PAGE_SIZE, after=after))
    cursor = get_next_cursor(request, tab.question, page)
    context: dict[str, Any] = {
        "of": tab.name,
        "tabs": [_facet(other_tab, counts, on=other_tab is tab) for other_tab in TABS.values()],
        "rows": page.items,
        "back": with_query("/review", of=tab.name, after=after),
        "older": with_query("/review", of=tab.name, after=cursor) if cursor else "",
        "newer": with_query("/review", of=tab.name) if after else "",
        "counts": counts,
        "search_state": "" if page.items else needs_attention.find_search_state(tx, tab.name),
    }
    return render(request, "review/list.html", **context)


def _first_tab(counts: AttentionCounts) -> Tab:
    """Return the first tab with decisions to make, else the first."""
    return next((tab for tab in list(TABS.values())[:3] if getattr(counts, tab.name)), TABS["disagreements"])


def _facet(tab: Tab, counts: AttentionCounts, *, on: bool) -> dict[str, Any]:
    count = getattr(counts, tab.name)
    count_text = f"{MAX_COUNT - 1}+" if count >= MAX_COUNT else str(count or "")
    return {
        "href": with_query("/review", of=tab.name),
        "text": _(tab.text),
        "count": count_text,
        "on": on,
        "status": "",
    }


@router.post("/proposals/{proposal_id:int}")
def decide_proposal(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Accept or reject a suggestion."""
    next_path, decision = safe_next(fields.get("next"), PROPOSALS_TAB), fields.get("decision")
    if decision == "accept":
        acceptance = suggestions.accept_proposal(tx, me, proposal_id)
        undo = (_("Undo"), f"/unresolved/{acceptance.lead_id}/reopen") if acceptance.lead_id else ("", "")
        return redirect_with_flash(request, next_path, acceptance.sentence, undo=undo)
    if decision == "reject":
        suggestions.reject_proposal(tx, me, proposal_id)
        undo = (_("Undo"), f"/proposals/{proposal_id}/reopen")
        return redirect_with_flash(request, next_path, _("Suggestion dismissed"), undo=undo)
    message = _("Choose an action.")
    raise Invalid(message)


@router.post("/proposals/{proposal_id:int}/reopen")
def reopen_proposal(request: Request, proposal_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo the rejection of a suggestion."""
    suggestions.reopen_proposal(tx, me, proposal_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), PROPOSALS_TAB), _("Undone"))
