"""Discussions in a browser: saying something, answering, quoting, editing, and the verbs of each comment."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid, Moved, NotAllowed, NotFound, ReadtrackError, Stale, TooMany
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.library.references.queries import Written, find_around
from readtrack.team.discussion import commands, queries
from readtrack.team.discussion.commands import CommentAdd, CommentEdit, SeenUpTo
from readtrack.team.discussion.queries import CommentRow
from readtrack.team.discussion.targets import Kind, Subject, get_subject, of_comment
from readtrack.team.questions.commands import answer_with
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, check, valid, whole
from readtrack.web.dependencies.pagination import cursor_for, cut_for
from readtrack.web.routing import page_router
from readtrack.web.templating.discussion import place_of, thread_asked
from readtrack.web.templating.environment import go, is_fragment, render

router = page_router()
THREAD_AT_ONCE = 50


@router.post("/papers/{paper_id:int}/comments")
def add_to_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Says something about a paper."""
    return _added(request, tx, me, ("paper", paper_id), fields=fields)


@router.post("/topics/{slug}/comments")
def add_to_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Says something about a topic."""
    return _added(request, tx, me, ("topic", slug), fields=fields)


@router.post("/questions/{question_id:int}/comments")
def add_to_question(request: Request, question_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Says something about a question, perhaps what answers it."""
    return _added(request, tx, me, ("question", question_id), fields=fields)


@router.post("/papers/{paper_id:int}/seen")
def see_on_paper(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """I have seen what is said about a paper."""
    return _seen(request, tx, me, get_subject(tx, "paper", paper_id), fields=fields)


@router.post("/topics/{slug}/seen")
def see_on_topic(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """I have seen what is said about a topic."""
    return _seen(request, tx, me, get_subject(tx, "topic", slug), fields=fields)


@router.post("/questions/{question_id:int}/seen")
def see_on_question(request: Request, question_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """I have seen what is said about a question."""
    return _seen(request, tx, me, get_subject(tx, "question", question_id), fields=fields)


@router.post("/comments/preview")
def preview(request: Request, _me: Me, fields: Form, tx: ReadTx) -> Response:
    """How a comment will look, as a fragment. Nothing is saved."""
    typed = fields.get("markdown").strip()
    errors = check(CommentEdit, {"markdown": typed}).errors if typed else {}
    shown = "" if errors else typed
    return render(request, "discussion/_preview.html", preview=shown, around=find_around(tx, [shown]), errors=errors)


@router.get("/comments/{comment_id:int}")
def permalink(request: Request, comment_id: int, me: Me, tx: ReadTx) -> Response:
    """Leads to where the comment stands."""
    return go(request, place_of(request, tx, queries.get_comment(tx, me, comment_id)))


@router.get("/threads/{thread_id:int}")
def thread_page(request: Request, thread_id: int, me: Me, tx: ReadTx, after: str = "") -> Response:
    """A long thread by itself."""
    root = queries.get_comment(tx, me, thread_id)
    if root.parent_id is not None:
        return go(request, f"/threads/{root.parent_id}")
    subject, asked = get_subject(tx, *root.about), thread_asked(thread_id)
    page = queries.list_thread(tx, me, thread_id, cut_for(request, asked, limit=THREAD_AT_ONCE, after=after))
    context: dict[str, Any] = {
        "root": root,
        "comments": page.items,
        "around": queries.around_of(tx, page.items),
        "next": cursor_for(request, asked, page),
        "after": after,
    }
    return render(request, "discussion/thread.html", subject=subject, title=queries.title_of(tx, subject), **context)


@router.get("/comments/{comment_id:int}/reply")
def reply_page(request: Request, comment_id: int, me: Me, tx: ReadTx, quote: str = "") -> Response:
    """The form for an answer; `?quote=1` begins it with what is answered."""
    permissions.require(me, "discuss")
    comment = queries.get_comment(tx, me, comment_id)
    typed = _quoted(comment) if quote and comment.markdown else ""
    return _writing(request, tx, get_subject(tx, *comment.about), typed=typed, parent=comment)


@router.get("/comments/{comment_id:int}/edit")
def edit_page(request: Request, comment_id: int, me: Me, tx: ReadTx) -> Response:
    """The form with my text."""
    comment = _my_own(tx, me, comment_id)
    return _editing(request, tx, comment, typed=comment.markdown, version=comment.version)


@router.post("/comments/{comment_id:int}/edit")
def edit(request: Request, comment_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Saves my text; 409 with both when I saved in between elsewhere, 422 with the form when it cannot be used."""
    typed = fields.get("markdown")
    try:
        comment = _my_own(tx, me, comment_id)
    except NotFound as gone:
        return _unsaid(request, typed, gone)
    checked, version = check(CommentEdit, fields.values), whole(fields.get("version"))
    if checked.value is None or fields.get("then") == "preview":
        preview = checked.value.markdown if checked.value else ""
        return _editing(
            request, tx, comment, typed=typed, version=version, errors=checked.errors, preview=preview, status=422
        )
    try:
        commands.edit_comment(tx, me, comment_id, checked.value, version=version)
    except Stale as stale:
        newer = queries.get_comment(tx, me, comment_id)
        return _editing(
            request, tx, newer, typed=typed, version=newer.version, said_of_conflict=stale.message, status=409
        )
    return go(request, f"/comments/{comment_id}", _("Saved."))


@router.post("/comments/{comment_id:int}/delete")
def delete(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Takes my own out of sight."""
    subject = of_comment(tx, commands.delete_comment(tx, me, comment_id))
    back = (_("Bring back"), f"/comments/{comment_id}/restore")
    return go(request, f"{subject.address}#discussion", _("Your comment is deleted, its text kept 30 days."), undo=back)


@router.post("/comments/{comment_id:int}/restore")
def restore(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Brings it back."""
    commands.restore_comment(tx, me, comment_id)
    return go(request, f"/comments/{comment_id}", _("Back again."))


@router.post("/comments/{comment_id:int}/hide")
def hide(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """An admin takes it out of sight."""
    commands.hide_comment(tx, me, comment_id)
    return go(request, f"/comments/{comment_id}", _("Hidden. Its author and admins can still read it."))


@router.post("/comments/{comment_id:int}/show")
def show_again(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """An admin lets everybody read it again."""
    commands.show_comment(tx, me, comment_id)
    return go(request, f"/comments/{comment_id}", _("Everybody can read it again."))


@router.post("/comments/{comment_id:int}/resolve")
def resolve(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """Settles its thread."""
    root = commands.resolve_thread(tx, me, comment_id)
    back = (_("Reopen"), f"/comments/{comment_id}/reopen")
    return go(request, f"/comments/{root.id}", _("Settled; the thread is folded away."), undo=back)


@router.post("/comments/{comment_id:int}/reopen")
def reopen(request: Request, comment_id: int, me: Me, tx: WriteTx) -> Response:
    """The thread is not settled after all."""
    root = commands.reopen_thread(tx, me, comment_id)
    return go(request, f"/comments/{root.id}", _("The thread is open again."))


def _added(request: Request, tx: Write, me: Visitor, at: tuple[Kind, int | str], *, fields: Fields) -> Response:
    permissions.require(me, "discuss")
    typed, then = fields.get("markdown"), fields.get("then")
    parent = queries.find_comment(tx, me, whole(fields.get("parent"))) if fields.get("parent") else None
    try:
        subject = get_subject(tx, *at)
    except Moved as moved:
        subject = get_subject(tx, "paper", moved.paper_id)
        return _writing(request, tx, subject, typed=typed, parent=parent, errors=_said(moved), status=409)
    except NotFound as gone:
        return _unsaid(request, typed, gone)
    checked = check(CommentAdd, fields.values)
    if checked.value is None or then == "preview":
        preview = checked.value.markdown if checked.value else ""
        form: dict[str, Any] = {"typed": typed, "parent": parent, "errors": checked.errors, "preview": preview}
        return _writing(request, tx, subject, **form, status=422)
    try:
        comment_id = _say(tx, me, subject, checked.value, answers=then == "answer")
    except (Conflict, Invalid, TooMany) as refused:  # nothing is written before they are raised
        kept = None if isinstance(refused, Invalid) else parent
        return _writing(request, tx, subject, typed=typed, parent=kept, errors=_said(refused), status=refused.status)
    return go(request, f"/comments/{comment_id}")


def _say(tx: Write, me: Visitor, subject: Subject, wanted: CommentAdd, *, answers: bool) -> int:
    answering = answers and subject.kind == "question"
    said = answer_with(tx, me, subject.id, wanted) if answering else commands.add_comment_once(tx, me, subject, wanted)
    return said.id or 0


def _said(refused: ReadtrackError) -> dict[str, str]:
    return {"markdown": refused.message}


def _unsaid(request: Request, typed: str, gone: NotFound) -> Response:
    """What it was about is no more: the text is given back, so that it can be said elsewhere."""
    return render(request, "discussion/unsaid.html", gone.status, typed=typed, message=gone.message)


def _my_own(tx: Read, me: Visitor, comment_id: int) -> CommentRow:
    """Raises NotFound when it is deleted, NotAllowed for another's."""
    permissions.require(me, "discuss")
    comment = queries.get_comment(tx, me, comment_id)
    if comment.person_id != me.id:
        message = _("Only who wrote a comment may change it. Answer it instead.")
        raise NotAllowed(message)
    if comment.deleted:
        message = _("Comment {comment_id} is deleted. Nothing was changed.").format(comment_id=comment_id)
        raise NotFound(message)
    return comment


def _seen(request: Request, tx: Write, me: Visitor, subject: Subject, *, fields: Fields) -> Response:
    commands.mark_seen(tx, me, subject, valid(SeenUpTo, {"comment": fields.get("comment")}))
    return Response(status_code=204) if is_fragment(request) else go(request, f"{subject.address}#discussion")


def _writing(
    request: Request,
    tx: Read,
    subject: Subject,
    *,
    typed: str,
    parent: CommentRow | None = None,
    errors: Mapping[str, str] | None = None,
    preview: str = "",
    status: int = 200,
) -> Response:
    """The page of a form for a new comment."""
    texts = [parent.markdown if parent else "", preview]
    of: list[Written] = [("comment", parent.id)] if parent else []
    context: dict[str, Any] = {"typed": typed, "errors": errors or {}, "preview": preview, "parent": parent}
    context |= {"subject": subject, "title": queries.title_of(tx, subject), "around": find_around(tx, texts, of)}
    shown = 200 if status == 422 and not errors else status
    return render(request, "discussion/write.html", shown, **context, edited=None)


def _editing(request: Request, tx: Read, comment: CommentRow, *, typed: str, **form: Any) -> Response:  # noqa: ANN401
    """The page of the form for my own comment; after a conflict with what stands there now."""
    subject, status = get_subject(tx, *comment.about), form.pop("status", 200)
    context: dict[str, Any] = {"errors": {}, "preview": "", **form}
    context |= {"subject": subject, "title": queries.title_of(tx, subject), "parent": None, "edited": comment}
    around = find_around(tx, [context["preview"]])
    shown = 200 if status == 422 and not context["errors"] else status
    return render(request, "discussion/write.html", shown, typed=typed, around=around, **context)


def _quoted(comment: CommentRow) -> str:
    lines = "\n".join(f"> {line}".rstrip() for line in comment.markdown.splitlines())
    return f"{lines}\n\n"
