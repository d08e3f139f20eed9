"""API endpoints for the review page: conflicting metadata, unknown identifiers, suggestions and leads."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import Query, Request
from pydantic import model_validator
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.pagination import Page, PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.library.matching import inbox, leads, suggestions, title_search
from readtrack.library.matching.inbox import LeadFilter
from readtrack.library.matching.suggestions import ProposalFilter
from readtrack.library.papers import needs_attention
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    JsonResponse,
    ResponseModel,
    conditional_response,
    page_response,
)
from readtrack.web.routing import api_router

router = api_router("review")
Rows = Callable[[Read, CurrentUser, PageRequest], Page[Any]]
LISTS: Mapping[str, Rows] = {
    "disagreements": needs_attention.list_disagreements,
    "unknown": needs_attention.list_unknown,
}


class LooksQuery(PageQuery):
    """The list to show: conflicting records, or unknown identifiers."""

    of: Literal["disagreements", "unknown"] = "disagreements"


class ProposalsQuery(PageQuery):
    """The filter of suggestions."""

    state: Literal["open", "accepted", "rejected"] = "open"
    kind: Literal["", "is", "discusses"] = ""
    paper: int | None = None
    lead: int | None = None


class LeadsQuery(PageQuery):
    """The filter of leads. `topic`: slug of the topic above their entries."""

    state: Literal["open", "found", "dropped"] = "open"
    topic: str = ""


class ProposalDecision(StrictModel):
    """Accept, reject, or reopen a rejected suggestion."""

    decision: Literal["accept", "reject", "reopen"]


class LeadUpdate(StrictModel):
    """The changes of a lead.

    `found` requires `paper`; `open` reopens a dropped or found lead; `look` searches again.
    """

    state: Literal["open", "found", "dropped"] | None = None
    paper: int | None = None
    look: bool = False

    @model_validator(mode="after")
    def _check_state_fields(self) -> Self:
        if (self.state == "found") != (self.paper is not None):
            message = "`paper` is said with the state `found`, and only with it"
            raise ValueError(message)
        if self.state is None and not self.look:
            message = "say a state, or `look`"
            raise ValueError(message)
        return self


class DisagreementRead(ResponseModel):
    """A record that disagrees with its paper.

    `display_text`, `shown_authors`, `language`: of the paper; the rest says what the record has. `can_split`: its
    identifier can become a paper of its own.
    """

    record_id: int
    paper_id: int
    display_text: str
    shown_authors: list[str]
    language: str
    service: str
    name: str
    url: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    problem: str
    checked_at: datetime
    can_split: bool


class UnknownIdentifierRead(ResponseModel):
    """An identifier that no service knows. `sentence`: what the last one said."""

    id: int
    paper_id: int
    display_text: str
    label: str
    language: str
    service: str
    name: str
    url: str
    sentence: str
    checked_at: datetime | None


class AttentionCountsRead(ResponseModel):
    """The numbers of everything that needs review, up to 100. `found`: matches found for titles."""

    disagreements: int
    duplicates: int
    found: int
    unknown: int


class ReviewList(ResponseModel):
    """A page of what needs review; `next` is the cursor of the next page."""

    items: list[DisagreementRead] | list[UnknownIdentifierRead]
    next: str | None
    counts: AttentionCountsRead


class ProposalRead(ResponseModel):
    """A match found for a title.

    `subject`: the title of the paper, or the text of the lead; `kind`: whether it is or discusses the work; `likeness`:
    up to 100; `present_id`: the paper of the library that has the identifier.
    """

    id: int
    kind: str
    state: str
    paper_id: int | None
    lead_id: int | None
    subject: str
    identifier: str
    label: str
    url: str
    service: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    likeness: int
    evidence: str
    made_at: datetime
    decided_by: str
    decided_at: datetime | None
    present_id: int | None


class DecidedProposalRead(ProposalRead):
    """A match after a decision. After `accept` also its `paper`, and `twin`, another paper that has the identifier."""

    paper: int | None = None
    created: bool = False
    twin: int | None = None


class ProposalList(ResponseModel):
    """A page of matches; `next` is the cursor of the next page."""

    items: list[ProposalRead]
    next: str | None


class LeadRead(ResponseModel):
    """An unresolved reference: a text in a note that describes or names a work.

    `paper`: the title of the paper it was resolved to; `topic`: the slug of the topic above it; `proposals`: number of
    open matches; `number`: of the revision of the note.
    """

    id: int
    text: str
    state: str
    paper_id: int | None
    paper: str | None
    language: str | None
    created_at: datetime
    topic: str | None
    topic_name: str | None
    searching: bool
    searched_at: datetime | None
    searchable: bool
    proposals: int
    import_id: int | None
    note_id: int | None
    note: str | None
    number: int | None
    first_line: int | None


class LeadList(ResponseModel):
    """A page of unresolved references; `next` is the cursor of the next page."""

    items: list[LeadRead]
    next: str | None


class UpdatedLead(ResponseModel):
    """What was changed. `job`: the search, if one was started."""

    id: int
    state: Literal["open", "found", "dropped"] | None
    paper: int | None
    job: int | None


@router.get("/review", responses={200: {"model": ReviewList}})
def list_papers_for_review(request: Request, wanted: Annotated[LooksQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List what needs review.

    Records that disagree or papers that are unknown, newest first; with the numbers of everything that needs
    review, up to 100.
    """
    counts = {"counts": needs_attention.count_all(tx)._asdict()}
    return _list_response(
        request, me, tx, cursor_context=wanted.of, fetch_page=LISTS[wanted.of], parameters=wanted, extra_fields=counts
    )


@router.get("/proposals", responses={200: {"model": ProposalList}})
def list_proposals(request: Request, wanted: Annotated[ProposalsQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List matches found for titles.

    Newest first.
    """
    proposal_filter = ProposalFilter(state=wanted.state, kind=wanted.kind, paper_id=wanted.paper, lead_id=wanted.lead)

    def rows(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[Any]:
        return suggestions.list_proposals(tx, me, proposal_filter, page_request)

    return _list_response(request, me, tx, cursor_context=proposal_filter.question, fetch_page=rows, parameters=wanted)


@router.get("/proposals/{proposal_id:int}", responses={200: {"model": ProposalRead}})
def get_proposal(request: Request, proposal_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a match found for a title."""
    return conditional_response(request, suggestions.get_proposal(tx, me, proposal_id)._asdict())


@router.post(
    "/proposals/{proposal_id:int}",
    responses={200: {"model": DecidedProposalRead}},
    openapi_extra=request_body_schema(ProposalDecision, {"decision": "reject"}),
)
def decide_proposal(proposal_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Decide on a suggestion and return it; after `accept`, with the paper."""
    decision, outcome = validate_input(ProposalDecision, body).decision, dict[str, Any]()
    if decision == "accept":
        acceptance = suggestions.accept_proposal(tx, me, proposal_id)
        outcome = {"paper": acceptance.paper_id, "created": acceptance.is_new_paper, "twin": acceptance.twin_id}
    elif decision == "reject":
        suggestions.reject_proposal(tx, me, proposal_id)
    else:
        suggestions.reopen_proposal(tx, me, proposal_id)
    return once.answer({**suggestions.get_proposal(tx, me, proposal_id)._asdict(), **outcome}, status=200)


@router.get("/unresolved", responses={200: {"model": LeadList}})
def list_unresolved_references(
    request: Request, wanted: Annotated[LeadsQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List unresolved references.

    What notes only describe or name, newest first; of a `topic`, those below its heading.
    """
    lead_filter = LeadFilter(wanted.state, wanted.topic)

    def rows(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[Any]:
        return inbox.list_leads(tx, me, page_request, lead_filter)

    return _list_response(request, me, tx, cursor_context=lead_filter.question, fetch_page=rows, parameters=wanted)


@router.patch(
    "/unresolved/{lead_id:int}",
    responses={200: {"model": UpdatedLead}},
    openapi_extra=request_body_schema(LeadUpdate, {"state": "dropped"}),
)
def update_unresolved_reference(lead_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Resolve, drop or reopen an unresolved reference.

    Or search for it again. Safe to repeat.
    """
    data = validate_input(LeadUpdate, body)
    if data.state == "found":
        leads.resolve_lead(tx, me, lead_id, data.paper or 0)
    elif data.state is not None:
        {"dropped": leads.drop_lead, "open": leads.reopen_lead}[data.state](tx, me, lead_id)
    job = title_search.restart_title_search(tx, me, lead_id=lead_id) if data.look else None
    return JsonResponse({"id": lead_id, "state": data.state, "paper": data.paper, "job": job})


def _list_response(
    request: Request,
    me: CurrentUser,
    tx: Read,
    *,
    cursor_context: str,
    fetch_page: Rows,
    parameters: Any,  # noqa: ANN401 - its limit and cursor
    extra_fields: Mapping[str, Any] | None = None,
) -> Response:
    page = fetch_page(
        tx, me, read_page_request(request, cursor_context, limit=parameters.limit, after=parameters.after)
    )
    return page_response(request, cursor_context, page, [row._asdict() for row in page.items], **(extra_fields or {}))
