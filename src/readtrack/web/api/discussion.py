"""Discussions as JSON: what is said about papers, topics and questions, and the verbs of each comment."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from readtrack.infra.db import Read, Write
from readtrack.infra.permissions import Visitor
from readtrack.library.references import people
from readtrack.team.discussion import commands, queries
from readtrack.team.discussion.commands import CommentAdd, CommentEdit, SeenUpTo
from readtrack.team.discussion.queries import CommentRow
from readtrack.team.discussion.targets import Subject, get_subject
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import valid
from readtrack.web.dependencies.pagination import cursor_for, cut_for, linked
from readtrack.web.responses.json import Body, JsonAnswer, OnceOnly, answer_for, described_body, etag, version_wanted
from readtrack.web.routing import api_router

router = api_router("discussion")


class CommentOut(BaseModel):
    """A post. `parent`: the one that began its thread; `resolved_at` is of the thread, on the post that began it.

    The text is blank where it was deleted, or hidden from who asks.
    """

    id: int
    paper: int | None
    topic: str | None
    question: int | None
    parent: int | None
    person: str
    person_id: int
    markdown: str
    version: int
    hidden: bool
    deleted: bool
    resolved_at: datetime | None
    resolved_by: str | None
    created_at: datetime
    updated_at: datetime


class CommentList(BaseModel):
    """A page of comments, the oldest first; `next` is the cursor to the rest."""

    items: list[CommentOut]
    next: str | None


class ListQuery(BaseModel):
    """Which part of the list."""

    model_config = ConfigDict(extra="forbid")
    limit: int | None = None
    after: str | None = None


class CompleteQuery(BaseModel):
    """The beginning of a name."""

    model_config = ConfigDict(extra="forbid")
    q: str = ""


class OfferOut(BaseModel):
    """A person, and how to mention them so that nobody else is meant."""

    id: int
    name: str
    mention: str


class OfferList(BaseModel):
    """At most eight active people, those whose names begin so first."""

    items: list[OfferOut]
    next: None


Listed = Annotated[ListQuery, Query()]
LISTED: Any = {200: {"model": CommentList}}
ONE: Any = {200: {"model": CommentOut}}
NEW: Any = {201: {"model": CommentOut}}


@router.get("/papers/{paper_id:int}/comments", responses=LISTED)
def list_on_paper(request: Request, paper_id: int, wanted: Listed, me: Me, tx: ReadTx) -> Response:
    """What is said about a paper, the oldest first."""
    return _listed(request, tx, me, get_subject(tx, "paper", paper_id), wanted=wanted)


@router.get("/topics/{slug}/comments", responses=LISTED)
def list_on_topic(request: Request, slug: str, wanted: Listed, me: Me, tx: ReadTx) -> Response:
    """What is said about a topic, the oldest first."""
    return _listed(request, tx, me, get_subject(tx, "topic", slug), wanted=wanted)


@router.get("/questions/{question_id:int}/comments", responses=LISTED)
def list_on_question(request: Request, question_id: int, wanted: Listed, me: Me, tx: ReadTx) -> Response:
    """What is said about a question, the oldest first."""
    return _listed(request, tx, me, get_subject(tx, "question", question_id), wanted=wanted)


@router.post("/papers/{paper_id:int}/comments", responses=NEW, openapi_extra=described_body(CommentAdd))
def add_to_paper(paper_id: int, me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Says something about a paper, or answers in a thread."""
    return once.replay(body) or _added(tx, me, get_subject(tx, "paper", paper_id), body, once=once)


@router.post("/topics/{slug}/comments", responses=NEW, openapi_extra=described_body(CommentAdd))
def add_to_topic(slug: str, me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Says something about a topic, or answers in a thread."""
    return once.replay(body) or _added(tx, me, get_subject(tx, "topic", slug), body, once=once)


@router.post("/questions/{question_id:int}/comments", responses=NEW, openapi_extra=described_body(CommentAdd))
def add_to_question(question_id: int, me: Me, body: Body, once: OnceOnly, tx: WriteTx) -> Response:
    """Says something about a question, or answers in a thread."""
    return once.replay(body) or _added(tx, me, get_subject(tx, "question", question_id), body, once=once)


@router.post("/papers/{paper_id:int}/seen", status_code=204, openapi_extra=described_body(SeenUpTo))
def see_on_paper(paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """I have seen the discussion of a paper up to that comment."""
    return _seen(tx, me, get_subject(tx, "paper", paper_id), body)


@router.post("/topics/{slug}/seen", status_code=204, openapi_extra=described_body(SeenUpTo))
def see_on_topic(slug: str, me: Me, body: Body, tx: WriteTx) -> Response:
    """I have seen the discussion of a topic up to that comment."""
    return _seen(tx, me, get_subject(tx, "topic", slug), body)


@router.post("/questions/{question_id:int}/seen", status_code=204, openapi_extra=described_body(SeenUpTo))
def see_on_question(question_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """I have seen the discussion of a question up to that comment."""
    return _seen(tx, me, get_subject(tx, "question", question_id), body)


@router.get("/comments/{comment_id:int}", responses=ONE)
def show(request: Request, comment_id: int, me: Me, tx: ReadTx) -> Response:
    """One comment."""
    row = queries.get_comment(tx, me, comment_id)
    return answer_for(request, _out(row), tag=etag(row.id, row.version))


@router.patch("/comments/{comment_id:int}", responses=ONE, openapi_extra=described_body(CommentEdit))
def edit(request: Request, comment_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Changes the text of my own; 412 carries the newer text."""
    version = version_wanted(request, comment_id)
    commands.edit_comment(tx, me, comment_id, valid(CommentEdit, body), version=version)
    return _answered(tx, me, comment_id)


@router.delete("/comments/{comment_id:int}", status_code=204)
def delete(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Takes my own out of sight; it keeps its place while others answered it."""
    commands.delete_comment(tx, me, comment_id)
    return Response(status_code=204)


@router.post("/comments/{comment_id:int}/restore", responses=ONE)
def restore(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Brings back my own that I deleted, within thirty days."""
    return _answered(tx, me, commands.restore_comment(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/hide", responses=ONE)
def hide(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """An admin takes it out of sight."""
    return _answered(tx, me, commands.hide_comment(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/show", responses=ONE)
def show_again(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """An admin lets everybody read it again."""
    return _answered(tx, me, commands.show_comment(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/resolve", responses=ONE)
def resolve(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Settles its thread; the answer is the post that began it."""
    return _answered(tx, me, commands.resolve_thread(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/reopen", responses=ONE)
def reopen(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """The thread is not settled after all; the answer is the post that began it."""
    return _answered(tx, me, commands.reopen_thread(tx, me, comment_id).id)


@router.get("/people/complete", responses={200: {"model": OfferList}})
def complete(request: Request, wanted: Annotated[CompleteQuery, Query()], _me: Me, tx: ReadTx) -> Response:
    """Whom an @ with this beginning may mean."""
    found = people.suggest_people(tx, wanted.q)
    items = [{"id": person_id, "name": name, "mention": mention} for person_id, name, mention in found]
    return answer_for(request, {"items": items, "next": None})


def _listed(request: Request, tx: Read, me: Visitor, subject: Subject, *, wanted: ListQuery) -> Response:
    question = f"comments on {subject.kind} {subject.id}"
    page = queries.list_comments(tx, me, subject, cut_for(request, question, limit=wanted.limit, after=wanted.after))
    cursor = cursor_for(request, question, page)
    return linked(request, answer_for(request, {"items": [_out(row) for row in page.items], "next": cursor}), cursor)


def _added(tx: Write, me: Visitor, subject: Subject, body: Any, *, once: OnceOnly) -> Response:  # noqa: ANN401
    made = commands.add_comment(tx, me, subject, valid(CommentAdd, body))
    row = queries.get_comment(tx, me, made.id or 0)
    headers = {"Location": f"/api/v1/comments/{row.id}", "ETag": etag(row.id, row.version)}
    return once.answer(body, _out(row), headers=headers)


def _seen(tx: Write, me: Visitor, subject: Subject, body: Any) -> Response:  # noqa: ANN401
    commands.mark_seen(tx, me, subject, valid(SeenUpTo, body))
    return Response(status_code=204)


def _answered(tx: Read, me: Visitor, comment_id: int | None) -> Response:
    row = queries.get_comment(tx, me, comment_id or 0)
    return JsonAnswer(_out(row), headers={"ETag": etag(row.id, row.version)})


def _out(row: CommentRow) -> dict[str, Any]:
    shown = row._asdict() | {"paper": row.paper_id, "question": row.question_id, "parent": row.parent_id}
    return {name: shown[name] for name in CommentOut.model_fields}
