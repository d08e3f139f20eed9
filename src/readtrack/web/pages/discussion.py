"""Actions and pages for discussions, and what the pages of papers, topics and questions show of theirs.

Comment, reply, quote, edit, delete, hide, resolve.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import (
    Conflict,
    Invalid,
    NotAllowed,
    NotFound,
    PaperMerged,
    ReadtrackError,
    StaleVersion,
    TooManyRequests,
)
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import Page, PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references.resolve import TextKey, get_render_context
from readtrack.team.discussion import commands, queries
from readtrack.team.discussion.commands import CommentCreate, CommentUpdate, ReadMarkerUpdate
from readtrack.team.discussion.queries import REPLIES_PER_THREAD, THREADS_PER_PAGE, CommentRow
from readtrack.team.discussion.targets import DiscussionTarget, Kind, get_comment_target, get_target
from readtrack.team.questions.commands import post_answer
from readtrack.team.questions.queries import SHOWN_BESIDE, QuestionFilter, list_questions
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render, with_query

THREAD_AT_ONCE = 50


def build_discussion_context(request: Request, tx: Read, me: CurrentUser, subject: DiscussionTarget) -> dict[str, Any]:
    """The threads that `?talk=` asks for, and the address of those before them."""
    asked = request.query_params.get("talk", "")
    talk = queries.get_discussion(
        tx,
        me,
        subject,
        read_page_request(request, _discussion_cursor_key(subject), limit=THREADS_PER_PAGE, after=asked),
    )
    cursor = get_next_cursor(request, _discussion_cursor_key(subject), Page([], talk.next))
    return {"talk": talk, "talk_earlier": with_query(subject.address, talk=cursor) if cursor else "", "talk_at": asked}


def list_related_questions(tx: Read, me: CurrentUser, subject: DiscussionTarget) -> dict[str, Any]:
    """The newest open questions on a paper or a topic; `more_questions`: there are others."""
    on_paper = subject.kind == "paper"
    wanted = QuestionFilter(paper=subject.id) if on_paper else QuestionFilter(topic=subject.name)
    page = list_questions(tx, me, wanted, PageRequest(SHOWN_BESIDE))
    asks = {"paper" if on_paper else "topic": subject.name}
    return {"questions": page.items, "more_questions": page.next is not None, "question_on": asks}


def get_comment_address(request: Request, tx: Read, comment: CommentRow) -> str:
    """The address at which a comment is shown: on its subject's page, or on its thread's when that is long."""
    if comment.parent_id is not None and queries.count_later_answers(tx, comment) >= REPLIES_PER_THREAD:
        cursor = get_next_cursor(request, thread_cursor_key(comment.thread_id), Page([], (None, comment.id - 1)))
        return f"{with_query(f'/threads/{comment.thread_id}', after=cursor)}#comment-{comment.id}"
    subject = get_target(tx, *comment.target)
    talk = None
    if queries.count_after(tx, subject, comment.thread_id) >= THREADS_PER_PAGE:
        talk = get_next_cursor(request, _discussion_cursor_key(subject), Page([], (None, comment.thread_id + 1)))
    return f"{with_query(subject.address, talk=talk)}#comment-{comment.id}"


def thread_cursor_key(thread_id: int) -> str:
    """What a cursor into a thread is good for."""
    return f"thread {thread_id}"


def _discussion_cursor_key(subject: DiscussionTarget) -> str:
    return f"talk on {subject.kind} {subject.id}"


router = page_router()


@router.post("/papers/{paper_id:int}/comments")
def add_to_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a comment to a paper."""
    return _add_comment(request, tx, me, ("paper", paper_id), fields=fields)


@router.post("/topics/{slug}/comments")
def add_to_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a comment to a topic."""
    return _add_comment(request, tx, me, ("topic", slug), fields=fields)


@router.post("/questions/{question_id:int}/comments")
def add_to_question(request: Request, question_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Add a comment to a question, optionally as its answer."""
    return _add_comment(request, tx, me, ("question", question_id), fields=fields)


@router.post("/papers/{paper_id:int}/read-marker")
def see_on_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Mark the discussion of a paper as read."""
    return _mark_seen(request, tx, me, get_target(tx, "paper", paper_id), fields=fields)


@router.post("/topics/{slug}/read-marker")
def see_on_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Mark the discussion of a topic as read."""
    return _mark_seen(request, tx, me, get_target(tx, "topic", slug), fields=fields)


@router.post("/questions/{question_id:int}/read-marker")
def see_on_question(request: Request, question_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Mark the discussion of a question as read."""
    return _mark_seen(request, tx, me, get_target(tx, "question", question_id), fields=fields)


@router.post("/comments/preview")
def preview(request: Request, _me: Me, fields: Form, tx: ReadTx) -> Response:
    """Return the preview of a comment as a fragment. Nothing is saved."""
    text = fields.get("markdown").strip()
    errors = validate_form(CommentUpdate, {"markdown": text}).errors if text else {}
    preview_text = "" if errors else text
    return render(
        request,
        "discussion/_preview.html",
        preview=preview_text,
        render_context=get_render_context(tx, [preview_text]),
        errors=errors,
    )


@router.get("/comments/{comment_id:int}")
def permalink(request: Request, comment_id: int, me: Me, tx: ReadTx) -> Response:
    """Redirect to the comment in its discussion."""
    return redirect_with_flash(request, get_comment_address(request, tx, queries.get_comment(tx, me, comment_id)))


@router.get("/threads/{thread_id:int}")
def thread_page(request: Request, thread_id: int, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show a long thread on its own page."""
    root = queries.get_comment(tx, me, thread_id)
    if root.parent_id is not None:
        return redirect_with_flash(request, f"/threads/{root.parent_id}")
    subject, cursor_key = get_target(tx, *root.target), thread_cursor_key(thread_id)
    page = queries.list_thread(
        tx, me, thread_id, read_page_request(request, cursor_key, limit=THREAD_AT_ONCE, after=after)
    )
    context: dict[str, Any] = {
        "root": root,
        "comments": page.items,
        "render_context": queries.build_render_context(tx, page.items),
        "next": get_next_cursor(request, cursor_key, page),
        "after": after,
    }
    return render(
        request, "discussion/thread.html", subject=subject, title=queries.get_target_title(tx, subject), **context
    )


@router.get("/comments/{comment_id:int}/reply")
def reply_page(request: Request, comment_id: int, me: Me, tx: ReadTx, quote: str = "") -> Response:
    """Show the reply form; `?quote=1` quotes the comment."""
    permissions.require(me, "discuss")
    comment = queries.get_comment(tx, me, comment_id)
    typed = _quote_comment(comment) if quote and comment.markdown else ""
    return _render_new_form(request, tx, get_target(tx, *comment.target), typed=typed, parent=comment)


@router.get("/comments/{comment_id:int}/edit")
def edit_page(request: Request, comment_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form for a comment of mine."""
    comment = _get_own_comment(tx, me, comment_id)
    return _render_edit_form(request, tx, comment, typed=comment.markdown, version=comment.version)


@router.post("/comments/{comment_id:int}/edit")
def edit(request: Request, comment_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save a comment of mine; on a conflict show both texts (409), on errors the form again (422)."""
    text = fields.get("markdown")
    try:
        comment = _get_own_comment(tx, me, comment_id)
    except NotFound as error:
        return _render_unposted_text(request, text, error)
    form_result, version = validate_form(CommentUpdate, fields.values), parse_int(fields.get("version"))
    if form_result.value is None or fields.get("then") == "preview":
        preview = form_result.value.markdown if form_result.value else ""
        return _render_edit_form(
            request, tx, comment, typed=text, version=version, errors=form_result.errors, preview=preview, status=422
        )
    try:
        commands.edit_comment(tx, me, comment_id, form_result.value, version=version)
    except StaleVersion:
        current = queries.get_comment(tx, me, comment_id)
        return _render_edit_form(
            request, tx, current, typed=text, version=current.version, is_conflict=True, status=409
        )
    return redirect_with_flash(request, f"/comments/{comment_id}", _("Saved"))


@router.post("/comments/{comment_id:int}/delete")
def delete(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a comment of mine."""
    subject = get_comment_target(tx, commands.delete_comment(tx, me, comment_id))
    undo = (_("Restore"), f"/comments/{comment_id}/restore")
    return redirect_with_flash(request, f"{subject.address}#discussion", _("Comment deleted"), undo=undo)


@router.post("/comments/{comment_id:int}/restore")
def restore(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Restore a comment of mine."""
    commands.restore_comment(tx, me, comment_id)
    return redirect_with_flash(request, f"/comments/{comment_id}", _("Restored"))


@router.post("/comments/{comment_id:int}/hide")
def hide(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Hide a comment (admins only)."""
    commands.hide_comment(tx, me, comment_id)
    return redirect_with_flash(request, f"/comments/{comment_id}", _("Hidden. Only the author and admins can see it."))


@router.post("/comments/{comment_id:int}/show")
def show_again(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Show a hidden comment again (admins only)."""
    commands.show_comment(tx, me, comment_id)
    return redirect_with_flash(request, f"/comments/{comment_id}", _("Visible to everyone again"))


@router.post("/comments/{comment_id:int}/resolve")
def resolve(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Resolve a thread."""
    root = commands.resolve_thread(tx, me, comment_id)
    undo = (_("Reopen"), f"/comments/{comment_id}/reopen")
    return redirect_with_flash(request, f"/comments/{root.id}", _("Resolved"), undo=undo)


@router.post("/comments/{comment_id:int}/reopen")
def reopen(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Reopen a thread."""
    root = commands.reopen_thread(tx, me, comment_id)
    return redirect_with_flash(request, f"/comments/{root.id}", _("Reopened"))


def _add_comment(
    request: Request, tx: Write, me: CurrentUser, target_name: tuple[Kind, int | str], *, fields: Fields
) -> Response:
    permissions.require(me, "discuss")
    text, action = fields.get("markdown"), fields.get("then")
    parent = queries.find_comment(tx, me, parse_int(fields.get("parent"))) if fields.get("parent") else None
    try:
        subject = get_target(tx, *target_name)
    except PaperMerged as merge_error:
        subject = get_target(tx, "paper", merge_error.paper_id)
        return _render_new_form(
            request, tx, subject, typed=text, parent=parent, errors=_form_errors(merge_error), status=409
        )
    except NotFound as not_found:
        return _render_unposted_text(request, text, not_found)
    form_result = validate_form(CommentCreate, fields.values)
    if form_result.value is None or action == "preview":
        preview = form_result.value.markdown if form_result.value else ""
        form: dict[str, Any] = {"typed": text, "parent": parent, "errors": form_result.errors, "preview": preview}
        return _render_new_form(request, tx, subject, **form, status=422)
    try:
        comment_id = _post_comment(tx, me, subject, form_result.value, answers=action == "answer")
    except (Conflict, Invalid, TooManyRequests) as error:  # raised before anything is written
        shown_parent = None if isinstance(error, Invalid) else parent
        return _render_new_form(
            request, tx, subject, typed=text, parent=shown_parent, errors=_form_errors(error), status=error.status
        )
    return redirect_with_flash(request, f"/comments/{comment_id}")


def _post_comment(tx: Write, me: CurrentUser, subject: DiscussionTarget, data: CommentCreate, *, answers: bool) -> int:
    is_answer = answers and subject.kind == "question"
    comment = post_answer(tx, me, subject.id, data) if is_answer else commands.add_comment_once(tx, me, subject, data)
    return comment.id or 0


def _form_errors(error: ReadtrackError) -> dict[str, str]:
    return {"markdown": error.message}


def _render_unposted_text(request: Request, text: str, error: NotFound) -> Response:
    """Return the text to the user, because what it was about is gone."""
    return render(request, "discussion/unsaid.html", error.status, typed=text, message=error.message)


def _get_own_comment(tx: Read, me: CurrentUser, comment_id: int) -> CommentRow:
    """Return a comment of mine.

    Raise NotFound if it is deleted, or NotAllowed if it is another person's.
    """
    permissions.require(me, "discuss")
    comment = queries.get_comment(tx, me, comment_id)
    if comment.person_id != me.id:
        message = _("Only the author can edit this comment.")
        raise NotAllowed(message)
    if comment.deleted:
        raise NotFound(_("Comment deleted"))
    return comment


def _mark_seen(request: Request, tx: Write, me: CurrentUser, subject: DiscussionTarget, *, fields: Fields) -> Response:
    commands.mark_seen(tx, me, subject, validate_form(ReadMarkerUpdate, {"comment": fields.get("comment")}).or_raise())
    return (
        Response(status_code=204)
        if is_fragment(request)
        else redirect_with_flash(request, f"{subject.address}#discussion")
    )


def _render_new_form(
    request: Request,
    tx: Read,
    subject: DiscussionTarget,
    *,
    typed: str,
    parent: CommentRow | None = None,
    errors: Mapping[str, str] | None = None,
    preview: str = "",
    status: int = 200,
) -> Response:
    texts = [parent.markdown if parent else "", preview]
    text_keys: list[TextKey] = [("comment", parent.id)] if parent else []
    context: dict[str, Any] = {"typed": typed, "errors": errors or {}, "preview": preview, "parent": parent}
    context |= {
        "subject": subject,
        "title": queries.get_target_title(tx, subject),
        "render_context": get_render_context(tx, texts, text_keys),
    }
    shown_status = 200 if status == 422 and not errors else status
    return render(request, "discussion/write.html", shown_status, **context, edited=None)


def _render_edit_form(request: Request, tx: Read, comment: CommentRow, *, typed: str, **form: Any) -> Response:  # noqa: ANN401
    """Render the form for a comment of mine; after a conflict with the current text."""
    subject, status = get_target(tx, *comment.target), form.pop("status", 200)
    context: dict[str, Any] = {"errors": {}, "preview": "", **form}
    context |= {"subject": subject, "title": queries.get_target_title(tx, subject), "parent": None, "edited": comment}
    render_context = get_render_context(tx, [context["preview"]])
    shown_status = 200 if status == 422 and not context["errors"] else status
    return render(request, "discussion/write.html", shown_status, typed=typed, render_context=render_context, **context)


def _quote_comment(comment: CommentRow) -> str:
    lines = "\n".join(f"> {line}".rstrip() for line in comment.markdown.splitlines())
    return f"{lines}\n\n"
