"""Actions and pages for discussions: comment, reply, quote, edit, delete, hide, resolve."""

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
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references.queries import TextKey, get_render_context
from readtrack.team.discussion import commands, queries
from readtrack.team.discussion.commands import CommentCreate, CommentUpdate, ReadMarkerUpdate
from readtrack.team.discussion.queries import CommentRow
from readtrack.team.discussion.targets import DiscussionTarget, Kind, get_comment_target, get_target
from readtrack.team.questions.commands import post_answer
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int, validate_form, validate_input
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.discussion import get_comment_address, thread_cursor_key
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render

router = page_router()
THREAD_AT_ONCE = 50


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
    typed = fields.get("markdown").strip()
    errors = validate_form(CommentUpdate, {"markdown": typed}).errors if typed else {}
    shown = "" if errors else typed
    return render(
        request, "discussion/_preview.html", preview=shown, context=get_render_context(tx, [shown]), errors=errors
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
    subject, asked = get_target(tx, *root.about), thread_cursor_key(thread_id)
    page = queries.list_thread(tx, me, thread_id, read_page_request(request, asked, limit=THREAD_AT_ONCE, after=after))
    context: dict[str, Any] = {
        "root": root,
        "comments": page.items,
        "around": queries.build_render_context(tx, page.items),
        "next": get_next_cursor(request, asked, page),
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
    return _render_new_form(request, tx, get_target(tx, *comment.about), typed=typed, parent=comment)


@router.get("/comments/{comment_id:int}/edit")
def edit_page(request: Request, comment_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form for a comment of mine."""
    comment = _get_own_comment(tx, me, comment_id)
    return _render_edit_form(request, tx, comment, typed=comment.markdown, version=comment.version)


@router.post("/comments/{comment_id:int}/edit")
def edit(request: Request, comment_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save a comment of mine; on a conflict show both texts (409), on errors the form again (422)."""
    typed = fields.get("markdown")
    try:
        comment = _get_own_comment(tx, me, comment_id)
    except NotFound as gone:
        return _render_unposted_text(request, typed, gone)
    checked, version = validate_form(CommentUpdate, fields.values), parse_int(fields.get("version"))
    if checked.value is None or fields.get("then") == "preview":
        preview = checked.value.markdown if checked.value else ""
        return _render_edit_form(
            request, tx, comment, typed=typed, version=version, errors=checked.errors, preview=preview, status=422
        )
    try:
        commands.edit_comment(tx, me, comment_id, checked.value, version=version)
    except StaleVersion as stale:
        newer = queries.get_comment(tx, me, comment_id)
        return _render_edit_form(
            request, tx, newer, typed=typed, version=newer.version, said_of_conflict=stale.message, status=409
        )
    return redirect_with_flash(request, f"/comments/{comment_id}", _("Saved."))


@router.post("/comments/{comment_id:int}/delete")
def delete(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a comment of mine."""
    subject = get_comment_target(tx, commands.delete_comment(tx, me, comment_id))
    back = (_("Bring back"), f"/comments/{comment_id}/restore")
    return redirect_with_flash(
        request, f"{subject.address}#discussion", _("Your comment is deleted, its text kept 30 days."), undo=back
    )


@router.post("/comments/{comment_id:int}/restore")
def restore(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Restore a comment of mine."""
    commands.restore_comment(tx, me, comment_id)
    return redirect_with_flash(request, f"/comments/{comment_id}", _("Back again."))


@router.post("/comments/{comment_id:int}/hide")
def hide(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Hide a comment (admins only)."""
    commands.hide_comment(tx, me, comment_id)
    return redirect_with_flash(
        request, f"/comments/{comment_id}", _("Hidden. Its author and admins can still read it.")
    )


@router.post("/comments/{comment_id:int}/show")
def show_again(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Show a hidden comment again (admins only)."""
    commands.show_comment(tx, me, comment_id)
    return redirect_with_flash(request, f"/comments/{comment_id}", _("Everybody can read it again."))


@router.post("/comments/{comment_id:int}/resolve")
def resolve(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Resolve a thread."""
    root = commands.resolve_thread(tx, me, comment_id)
    back = (_("Reopen"), f"/comments/{comment_id}/reopen")
    return redirect_with_flash(request, f"/comments/{root.id}", _("Settled; the thread is folded away."), undo=back)


@router.post("/comments/{comment_id:int}/reopen")
def reopen(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Reopen a thread."""
    root = commands.reopen_thread(tx, me, comment_id)
    return redirect_with_flash(request, f"/comments/{root.id}", _("The thread is open again."))


def _add_comment(
    request: Request, tx: Write, me: CurrentUser, at: tuple[Kind, int | str], *, fields: Fields
) -> Response:
    permissions.require(me, "discuss")
    typed, then = fields.get("markdown"), fields.get("then")
    parent = queries.find_comment(tx, me, parse_int(fields.get("parent"))) if fields.get("parent") else None
    try:
        subject = get_target(tx, *at)
    except PaperMerged as moved:
        subject = get_target(tx, "paper", moved.paper_id)
        return _render_new_form(
            request, tx, subject, typed=typed, parent=parent, errors=_form_errors(moved), status=409
        )
    except NotFound as gone:
        return _render_unposted_text(request, typed, gone)
    checked = validate_form(CommentCreate, fields.values)
    if checked.value is None or then == "preview":
        preview = checked.value.markdown if checked.value else ""
        form: dict[str, Any] = {"typed": typed, "parent": parent, "errors": checked.errors, "preview": preview}
        return _render_new_form(request, tx, subject, **form, status=422)
    try:
        comment_id = _post_comment(tx, me, subject, checked.value, answers=then == "answer")
    except (Conflict, Invalid, TooManyRequests) as refused:  # raised before anything is written
        kept = None if isinstance(refused, Invalid) else parent
        return _render_new_form(
            request, tx, subject, typed=typed, parent=kept, errors=_form_errors(refused), status=refused.status
        )
    return redirect_with_flash(request, f"/comments/{comment_id}")


def _post_comment(
    tx: Write, me: CurrentUser, subject: DiscussionTarget, wanted: CommentCreate, *, answers: bool
) -> int:
    answering = answers and subject.kind == "question"
    said = post_answer(tx, me, subject.id, wanted) if answering else commands.add_comment_once(tx, me, subject, wanted)
    return said.id or 0


def _form_errors(refused: ReadtrackError) -> dict[str, str]:
    return {"markdown": refused.message}


def _render_unposted_text(request: Request, typed: str, gone: NotFound) -> Response:
    """Return the text to the user, because what it was about is gone."""
    return render(request, "discussion/unsaid.html", gone.status, typed=typed, message=gone.message)


def _get_own_comment(tx: Read, me: CurrentUser, comment_id: int) -> CommentRow:
    """Return a comment of mine.

    Raise NotFound if it is deleted, or NotAllowed if it is another person's.
    """
    permissions.require(me, "discuss")
    comment = queries.get_comment(tx, me, comment_id)
    if comment.person_id != me.id:
        message = _("Only who wrote a comment may change it. Answer it instead.")
        raise NotAllowed(message)
    if comment.deleted:
        message = _("Comment {comment_id} is deleted. Nothing was changed.").format(comment_id=comment_id)
        raise NotFound(message)
    return comment


def _mark_seen(request: Request, tx: Write, me: CurrentUser, subject: DiscussionTarget, *, fields: Fields) -> Response:
    commands.mark_seen(tx, me, subject, validate_input(ReadMarkerUpdate, {"comment": fields.get("comment")}))
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
    of: list[TextKey] = [("comment", parent.id)] if parent else []
    context: dict[str, Any] = {"typed": typed, "errors": errors or {}, "preview": preview, "parent": parent}
    context |= {
        "subject": subject,
        "title": queries.get_target_title(tx, subject),
        "around": get_render_context(tx, texts, of),
    }
    shown = 200 if status == 422 and not errors else status
    return render(request, "discussion/write.html", shown, **context, edited=None)


def _render_edit_form(request: Request, tx: Read, comment: CommentRow, *, typed: str, **form: Any) -> Response:  # noqa: ANN401
    """Render the form for a comment of mine; after a conflict with the current text."""
    subject, status = get_target(tx, *comment.about), form.pop("status", 200)
    context: dict[str, Any] = {"errors": {}, "preview": "", **form}
    context |= {"subject": subject, "title": queries.get_target_title(tx, subject), "parent": None, "edited": comment}
    around = get_render_context(tx, [context["preview"]])
    shown = 200 if status == 422 and not context["errors"] else status
    return render(request, "discussion/write.html", shown, typed=typed, context=around, **context)


def _quote_comment(comment: CommentRow) -> str:
    lines = "\n".join(f"> {line}".rstrip() for line in comment.markdown.splitlines())
    return f"{lines}\n\n"
