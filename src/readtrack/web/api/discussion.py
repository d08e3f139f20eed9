"""API endpoints for discussions of papers, topics and questions."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from readtrack.infra.db import Read, Write
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import StrictModel
from readtrack.library.references import people
from readtrack.team.discussion import commands, queries
from readtrack.team.discussion.commands import CommentCreate, CommentUpdate, ReadMarkerUpdate
from readtrack.team.discussion.queries import CommentRow
from readtrack.team.discussion.targets import DiscussionTarget, get_target
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
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

router = api_router("discussion")


class CommentRead(ResponseModel):
    """A comment.

    `parent`: first comment of its thread; `resolved_at`: of the thread, set on its first comment. The text is blank if
    the comment is deleted, or hidden from you.
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


class CommentList(ResponseModel):
    """A page of comments, oldest first; `next` is the cursor of the next page."""

    items: list[CommentRead]
    next: str | None


class CommentListQuery(PageQuery):
    """Pagination of the list."""


class MentionCompletionQuery(StrictModel):
    """The beginning of a name."""

    q: str = ""


class MentionCompletion(ResponseModel):
    """A person, and the mention that unambiguously refers to them."""

    id: int
    name: str
    mention: str


class MentionCompletionList(ResponseModel):
    """Up to eight active people; names that begin with the text come first."""

    items: list[MentionCompletion]
    next: None


CommentListParams = Annotated[CommentListQuery, Query()]
COMMENT_LIST_RESPONSES: Any = {200: {"model": CommentList}}
COMMENT_RESPONSES: Any = {200: {"model": CommentRead}}
CREATED_RESPONSES: Any = {201: {"model": CommentRead}}


@router.get("/papers/{paper_id:int}/comments", responses=COMMENT_LIST_RESPONSES)
def list_paper_comments(request: Request, paper_id: int, wanted: CommentListParams, me: Me, tx: ReadTx) -> Response:
    """List the comments on a paper.

    Oldest first.
    """
    return _comments_response(request, tx, me, get_target(tx, "paper", paper_id), parameters=wanted)


@router.get("/topics/{slug}/comments", responses=COMMENT_LIST_RESPONSES)
def list_topic_comments(request: Request, slug: str, wanted: CommentListParams, me: Me, tx: ReadTx) -> Response:
    """List the comments on a topic.

    Oldest first.
    """
    return _comments_response(request, tx, me, get_target(tx, "topic", slug), parameters=wanted)


@router.get("/questions/{question_id:int}/comments", responses=COMMENT_LIST_RESPONSES)
def list_question_comments(
    request: Request, question_id: int, wanted: CommentListParams, me: Me, tx: ReadTx
) -> Response:
    """List the comments on a question.

    Oldest first.
    """
    return _comments_response(request, tx, me, get_target(tx, "question", question_id), parameters=wanted)


@router.post(
    "/papers/{paper_id:int}/comments",
    responses=CREATED_RESPONSES,
    openapi_extra=request_body_schema(CommentCreate, {"markdown": "Why?"}),
)
def create_paper_comment(paper_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a comment to a paper, or reply in a thread."""
    return _add_comment(tx, me, get_target(tx, "paper", paper_id), body, once=once)


@router.post(
    "/topics/{slug}/comments",
    responses=CREATED_RESPONSES,
    openapi_extra=request_body_schema(CommentCreate, {"markdown": "Why?"}),
)
def create_topic_comment(slug: str, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a comment to a topic, or reply in a thread."""
    return _add_comment(tx, me, get_target(tx, "topic", slug), body, once=once)


@router.post(
    "/questions/{question_id:int}/comments",
    responses=CREATED_RESPONSES,
    openapi_extra=request_body_schema(CommentCreate, {"markdown": "Why?"}),
)
def create_question_comment(question_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Add a comment to a question, or reply in a thread."""
    return _add_comment(tx, me, get_target(tx, "question", question_id), body, once=once)


@router.post(
    "/papers/{paper_id:int}/read-marker",
    status_code=204,
    openapi_extra=request_body_schema(ReadMarkerUpdate, {"comment": 1}),
)
def update_paper_read_marker(paper_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Mark the comments on a paper as read.

    Up to the given comment.
    """
    return _mark_seen(tx, me, get_target(tx, "paper", paper_id), body)


@router.post(
    "/topics/{slug}/read-marker", status_code=204, openapi_extra=request_body_schema(ReadMarkerUpdate, {"comment": 1})
)
def update_topic_read_marker(slug: str, me: Me, body: Body, tx: WriteTx) -> Response:
    """Mark the comments on a topic as read.

    Up to the given comment.
    """
    return _mark_seen(tx, me, get_target(tx, "topic", slug), body)


@router.post(
    "/questions/{question_id:int}/read-marker",
    status_code=204,
    openapi_extra=request_body_schema(ReadMarkerUpdate, {"comment": 1}),
)
def update_question_read_marker(question_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Mark the comments on a question as read.

    Up to the given comment.
    """
    return _mark_seen(tx, me, get_target(tx, "question", question_id), body)


@router.get("/comments/{comment_id:int}", responses=COMMENT_RESPONSES)
def get_comment(request: Request, comment_id: int, me: Me, tx: ReadTx) -> Response:
    """Get a comment."""
    row = queries.get_comment(tx, me, comment_id)
    return conditional_response(request, comment_json(row), tag=etag(row.id, row.version))


@router.patch(
    "/comments/{comment_id:int}",
    responses=COMMENT_RESPONSES,
    openapi_extra=request_body_schema(CommentUpdate, {"markdown": "So."}),
)
def update_comment(comment_id: int, if_match: IfMatch, me: Me, body: Body, tx: WriteTx) -> Response:
    """Update a comment of mine.

    412 carries the newer text.
    """
    version = parse_if_match(if_match, comment_id)
    commands.edit_comment(tx, me, comment_id, validate_input(CommentUpdate, body), version=version)
    return _comment_response(tx, me, comment_id)


@router.delete("/comments/{comment_id:int}", status_code=204)
def delete_comment(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a comment of mine.

    Its place is kept while it has replies.
    """
    commands.delete_comment(tx, me, comment_id)
    return Response(status_code=204)


@router.post("/comments/{comment_id:int}/restore", responses=COMMENT_RESPONSES)
def restore_comment(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Restore a deleted comment of mine.

    Within 30 days.
    """
    return _comment_response(tx, me, commands.restore_comment(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/hide", responses=COMMENT_RESPONSES)
def hide_comment(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Hide a comment.

    For admins.
    """
    return _comment_response(tx, me, commands.hide_comment(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/show", responses=COMMENT_RESPONSES)
def unhide_comment(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Show a hidden comment again.

    For admins.
    """
    return _comment_response(tx, me, commands.show_comment(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/resolve", responses=COMMENT_RESPONSES)
def resolve_thread(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Resolve the thread of a comment.

    The answer is the comment that began it.
    """
    return _comment_response(tx, me, commands.resolve_thread(tx, me, comment_id).id)


@router.post("/comments/{comment_id:int}/reopen", responses=COMMENT_RESPONSES)
def reopen_thread(comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Reopen the thread of a comment.

    The answer is the comment that began it.
    """
    return _comment_response(tx, me, commands.reopen_thread(tx, me, comment_id).id)


@router.get("/people/complete", responses={200: {"model": MentionCompletionList}})
def complete_mention(
    request: Request, wanted: Annotated[MentionCompletionQuery, Query()], _me: Me, tx: ReadTx
) -> Response:
    """Complete a mention.

    People whose names begin so.
    """
    suggestions = people.suggest_people(tx, wanted.q)
    items = [{"id": person_id, "name": name, "mention": mention} for person_id, name, mention in suggestions]
    return conditional_response(request, {"items": items, "next": None})


def _comments_response(
    request: Request, tx: Read, me: CurrentUser, subject: DiscussionTarget, *, parameters: CommentListQuery
) -> Response:
    cursor_context = f"comments on {subject.kind} {subject.id}"
    page = queries.list_comments(
        tx, me, subject, read_page_request(request, cursor_context, limit=parameters.limit, after=parameters.after)
    )
    return page_response(request, cursor_context, page, [comment_json(row) for row in page.items])


def _add_comment(tx: Write, me: CurrentUser, subject: DiscussionTarget, body: Any, *, once: IdempotentPost) -> Response:  # noqa: ANN401
    comment = commands.add_comment(tx, me, subject, validate_input(CommentCreate, body))
    row = queries.get_comment(tx, me, comment.id or 0)
    headers = {"Location": f"/api/v1/comments/{row.id}", "ETag": etag(row.id, row.version)}
    return once.answer(comment_json(row), headers=headers)


def _mark_seen(tx: Write, me: CurrentUser, subject: DiscussionTarget, body: Any) -> Response:  # noqa: ANN401
    commands.mark_seen(tx, me, subject, validate_input(ReadMarkerUpdate, body))
    return Response(status_code=204)


def _comment_response(tx: Read, me: CurrentUser, comment_id: int | None) -> Response:
    row = queries.get_comment(tx, me, comment_id or 0)
    return JsonResponse(comment_json(row), headers={"ETag": etag(row.id, row.version)})


def comment_json(row: CommentRow) -> dict[str, Any]:
    """Return a comment as JSON."""
    data = row._asdict() | {"paper": row.paper_id, "question": row.question_id, "parent": row.parent_id}
    return {name: data[name] for name in CommentRead.model_fields}
