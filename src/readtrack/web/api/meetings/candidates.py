"""API endpoints for candidates: propose papers for a meeting series, and vote."""

from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.team.meetings.commands import candidates as commands
from readtrack.team.meetings.queries import candidates as queries
from readtrack.team.meetings.queries.series import get_series
from readtrack.team.meetings.schemas import CandidateCreate, VoteUpdate
from readtrack.web.api.meetings.schemas import CandidateList, CandidateRead, candidate_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse, conditional_response
from readtrack.web.routing import api_router

router = api_router("meetings")
OF_SERIES = "/series/{series_id:int}/candidates"
ONE = "/candidates/{candidate_id:int}"


class CandidateListQuery(StrictModel):
    """The filter of candidates."""

    state: Literal["open", "chosen", "withdrawn"] = "open"


@router.get(OF_SERIES, responses={200: {"model": CandidateList}})
def list_candidates(
    request: Request, series_id: int, wanted: Annotated[CandidateListQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """List the candidates of a series.

    Papers proposed for it, most wanted first; at most 200, so there is never a next page.
    """
    get_series(tx, me, series_id)
    candidates = queries.list_candidates(tx, me, series_id, state=wanted.state)
    return conditional_response(request, {"items": [candidate_json(row) for row in candidates], "next": None})


@router.post(
    OF_SERIES,
    responses={200: {"model": CandidateRead}, 201: {"model": CandidateRead}},
    openapi_extra=request_body_schema(CandidateCreate, {"paper": 1}),
)
def create_candidate(series_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Propose a paper.

    Responds 200 with the existing candidate if it was proposed before.
    """
    candidate, created = commands.propose(tx, me, series_id, validate_input(CandidateCreate, body))
    payload = candidate_json(queries.get_candidate(tx, me, candidate.id or 0))
    headers = {"Location": f"/api/v1/candidates/{candidate.id}"}
    return once.answer(payload, status=201 if created else 200, headers=headers)


@router.get(ONE, responses={200: {"model": CandidateRead}})
def get_candidate(request: Request, candidate_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a candidate.

    With its votes.
    """
    return conditional_response(request, candidate_json(queries.get_candidate(tx, me, candidate_id)))


@router.put(
    f"{ONE}/vote",
    responses={200: {"model": CandidateRead}},
    openapi_extra=request_body_schema(VoteUpdate, {"value": 1}),
)
def vote_for_candidate(candidate_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Vote for a candidate.

    1, -1, or 0 for no vote.
    """
    commands.vote(tx, me, candidate_id, validate_input(VoteUpdate, body).value)
    return JsonResponse(candidate_json(queries.get_candidate(tx, me, candidate_id)))


@router.delete(ONE, status_code=204)
def withdraw_candidate(candidate_id: int, me: Me, tx: WriteTx) -> Response:
    """Withdraw a candidate.

    Its votes are kept.
    """
    commands.withdraw(tx, me, candidate_id)
    return Response(status_code=204)
