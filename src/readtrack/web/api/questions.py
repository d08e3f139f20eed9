"""API endpoints for questions."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.team.questions import commands, queries
from readtrack.team.questions.commands import QuestionCreate, QuestionUpdate
from readtrack.team.questions.queries import QuestionFilter, QuestionRow
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import apply_merge_patch, validate_input
from readtrack.web.dependencies.pagination import PageQuery, read_page_request
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    IfMatch,
    JsonResponse,
    ResponseModel,
    conditional_response,
    etag,
    page_response,
    parse_if_match,
)
from readtrack.web.routing import api_router

router = api_router("questions")


class QuestionRead(ResponseModel):
    """A question.

    `owner`: id of the person working on it; `answer`: id of the answering comment; `topic`: a slug.
    """

    id: int
    text: str
    state: Literal["open", "answered", "dropped"]
    paper: int | None
    topic: str | None
    owner: int | None
    owner_name: str | None
    answer: int | None
    comments: int
    version: int
    asked_by: str | None
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
    closed_by: str | None


class QuestionList(ResponseModel):
    """A page of questions, newest first; `next` is the cursor of the next page."""

    items: list[QuestionRead]
    next: str | None


class QuestionListQuery(PageQuery):
    """The filter of questions.

    `mine`: those assigned to me; `topic`: a slug; `meeting`: those on its agenda or about its papers.
    """

    state: Literal["open", "answered", "dropped", "all"] = "open"
    mine: bool = False
    topic: str = ""
    paper: int | None = None
    meeting: int | None = None


@router.get("/questions", responses={200: {"model": QuestionList}})
def list_questions(request: Request, wanted: Annotated[QuestionListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """List questions.

    Newest first; open ones unless another state is given.
    """
    question_filter = QuestionFilter(wanted.state, wanted.mine, wanted.topic, wanted.paper, wanted.meeting)
    page_request = read_page_request(request, question_filter.question, limit=wanted.limit, after=wanted.after)
    page = queries.list_questions(tx, me, question_filter, page_request)
    return page_response(request, question_filter.question, page, [question_json(row) for row in page.items])


@router.post(
    "/questions",
    responses={201: {"model": QuestionRead}},
    openapi_extra=request_body_schema(QuestionCreate, {"text": "Why is it slow?"}),
)
def create_question(me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Ask a question."""
    question = commands.ask_question(tx, me, validate_input(QuestionCreate, body))
    row = queries.get_question(tx, question.id or 0)
    headers = {"Location": f"/api/v1/questions/{row.id}", "ETag": etag(row.id, row.version)}
    return once.answer(question_json(row), headers=headers)


@router.get("/questions/{question_id:int}", responses={200: {"model": QuestionRead}})
def get_question(request: Request, question_id: int, _me: Me, tx: ReadTx) -> Response:
    """Get a question."""
    row = queries.get_question(tx, question_id)
    return conditional_response(request, question_json(row), tag=etag(row.id, row.version))


@router.patch(
    "/questions/{question_id:int}",
    responses={200: {"model": QuestionRead}},
    openapi_extra=request_body_schema(QuestionUpdate, {"text": "Why?"}, merge_patch=True),
)
def update_question(question_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a question.

    Only the given fields change; `state` and `answer` together answer, close or reopen it.
    """
    version = parse_if_match(if_match, question_id)
    row = queries.get_question(tx, question_id)
    commands.edit_question(tx, me, question_id, _apply_patch(row, body), version=version)
    row = queries.get_question(tx, question_id)
    return JsonResponse(question_json(row), headers={"ETag": etag(row.id, row.version)})


@router.delete("/questions/{question_id:int}", status_code=204)
def delete_question(question_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a question without comments.

    409 if it has comments: close it instead.
    """
    commands.delete_question(tx, me, question_id)
    return Response(status_code=204)


def _apply_patch(row: QuestionRow, body: Any) -> QuestionUpdate:  # noqa: ANN401 - JSON
    """Apply a merge patch to a question. Leaving the state "answered" removes the answer."""
    current = {name: value for name, value in question_json(row).items() if name in QuestionUpdate.model_fields}
    patched = apply_merge_patch(current, body)
    if patched.get("state") != "answered" and "answer" not in body:
        patched.pop("answer", None)
    return validate_input(QuestionUpdate, patched)


def question_json(row: QuestionRow) -> dict[str, Any]:
    """Return a question as JSON."""
    renamed_fields = {"paper": row.paper_id, "owner": row.owner_id, "owner_name": row.owner, "answer": row.answer_id}
    data = row._asdict() | renamed_fields
    return {name: data[name] for name in QuestionRead.model_fields}
