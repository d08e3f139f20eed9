"""Questions as JSON: the list, one, and every change as a merge patch."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.team.questions import commands, queries
from readtrack.team.questions.queries import QuestionFilter, QuestionRow
from readtrack.team.questions.schemas import QuestionAsk, QuestionEdit
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import patched, valid
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import Body, JsonAnswer, OnceOnly, answer_for, described_body, etag, version_wanted
from readtrack.web.routing import api_router

router = api_router("questions")


class QuestionOut(BaseModel):
    """A question. `owner`: the id of who looks for the answer; `answer`: the comment; `topic`: a slug."""

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


class QuestionList(BaseModel):
    """A page of questions, the newest first; `next` is the cursor to the rest."""

    items: list[QuestionOut]
    next: str | None


class ListQuery(BaseModel):
    """Which questions: `mine` are those I look after; `topic` is a slug; of a `meeting`: on its agenda and papers."""

    model_config = ConfigDict(extra="forbid")
    state: Literal["open", "answered", "dropped", "all"] = "open"
    mine: bool = False
    topic: str = ""
    paper: int | None = None
    meeting: int | None = None
    limit: int | None = None
    after: str | None = None


@router.get("/questions", responses={200: {"model": QuestionList}})
def list_questions(request: Request, wanted: Annotated[ListQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """The questions of the team, open ones unless another state is asked for."""
    narrowed = QuestionFilter(wanted.state, wanted.mine, wanted.topic, wanted.paper, wanted.meeting)
    cut = cut_for(request, narrowed.question, limit=wanted.limit, after=wanted.after)
    page = queries.list_questions(tx, me, narrowed, cut)
    cursor = cursor_for(request, narrowed.question, page)
    return linked(request, answer_for(request, {"items": [_out(row) for row in page.items], "next": cursor}), cursor)


@router.post("/questions", responses={201: {"model": QuestionOut}}, openapi_extra=described_body(QuestionAsk))
def create(me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Asks a question."""
    if replayed := once.replay(body):
        return replayed
    question = commands.ask_question(tx, me, valid(QuestionAsk, body))
    row = queries.get_question(tx, question.id or 0)
    headers = {"Location": f"/api/v1/questions/{row.id}", "ETag": etag(row.id, row.version)}
    return once.answer(body, _out(row), headers=headers)


@router.get("/questions/{question_id:int}", responses={200: {"model": QuestionOut}})
def show(request: Request, question_id: int, _me: Me, tx: ReadTx) -> Response:
    """One question."""
    row = queries.get_question(tx, question_id)
    return answer_for(request, _out(row), tag=etag(row.id, row.version))


@router.patch(
    "/questions/{question_id:int}",
    responses={200: {"model": QuestionOut}},
    openapi_extra=described_body(QuestionEdit),
)
def edit(request: Request, question_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Changes the fields that are given; `state` and `answer` together answer, drop or open it again."""
    version = version_wanted(request, question_id)
    row = queries.get_question(tx, question_id)
    commands.edit_question(tx, me, question_id, _patched(row, body), version=version)
    row = queries.get_question(tx, question_id)
    return JsonAnswer(_out(row), headers={"ETag": etag(row.id, row.version)})


@router.delete("/questions/{question_id:int}", status_code=204)
def delete(question_id: int, me: Me, tx: WriteTx) -> Response:
    """Removes one that nobody has said anything about; 409 for any other: drop it instead."""
    commands.delete_question(tx, me, question_id)
    return Response(status_code=204)


def _patched(row: QuestionRow, body: Any) -> QuestionEdit:  # noqa: ANN401 - JSON
    """The question with the fields of a merge patch; one that is no longer answered has no answer."""
    now = {name: value for name, value in _out(row).items() if name in QuestionEdit.model_fields}
    wanted = patched(now, body)
    if wanted.get("state") != "answered" and "answer" not in body:
        wanted.pop("answer", None)
    return valid(QuestionEdit, wanted)


def _out(row: QuestionRow) -> dict[str, Any]:
    renamed = {"paper": row.paper_id, "owner": row.owner_id, "owner_name": row.owner, "answer": row.answer_id}
    shown = row._asdict() | renamed
    return {name: shown[name] for name in QuestionOut.model_fields}
