"""Pages to merge and split topics, with a preview and undo."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics import queries
from readtrack.library.topics.merge import merge_topics, preview_merge
from readtrack.library.topics.split import (
    PAPERS_PER_PAGE,
    SplitPlan,
    TopicSplit,
    list_filed_papers,
    plan_split,
    split_topic,
)
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, FormResult, parse_int, validate_form
from readtrack.web.dependencies.pagination import get_next_cursor, read_page_request
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.get("/topics/{slug}/merge")
def merge_page(request: Request, slug: str, me: Me, tx: ReadTx, into: str = "") -> Response:
    """Ask for the other topic, then show the effect for confirmation."""
    permissions.require(me, "delete")
    topic, target_slug, problem = queries.get_topic(tx, me, slug), queries.find_slug(tx, into.strip()), ""
    if into.strip() and target_slug is None:
        problem = _("No matching topic")
    if target_slug == slug:
        target_slug, problem = None, _("Choose a different topic.")
    preview = preview_merge(tx, me, slug, target_slug) if target_slug and into.strip() else None
    context = {"topic": topic, "preview": preview, "into": into, "problem": problem}
    return render(request, "topics/merge.html", 422 if problem else 200, **context)


@router.post("/topics/{slug}/merge")
def merge(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Merge the topic into the named one."""
    target_slug = queries.find_slug(tx, fields.get("into").strip())
    survivor, undo_id = merge_topics(tx, me, slug, target_slug or fields.get("into").strip())
    undo = (_("Unmerge"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, f"/topics/{survivor.slug}", _("Topics merged"), undo=undo)


@router.get("/topics/{slug}/split")
def split_page(request: Request, slug: str, me: Me, tx: ReadTx, after: str = "") -> Response:
    """Show what can be moved: papers, one page at a time, aliases and subtopics."""
    permissions.require(me, "delete")
    return _form(request, tx, me, slug, after=after)


@router.post("/topics/{slug}/split/preview")
def split_preview(request: Request, slug: str, me: Me, fields: Form, tx: ReadTx) -> Response:
    """Show the effect for confirmation; show the form again (422) on errors."""
    permissions.require(me, "delete")
    queries.get_id(tx, slug)
    form_result = _validate_split(fields)
    if form_result.value is None:
        return _form(request, tx, me, slug, fields=fields, errors=form_result.errors)
    try:
        plan = plan_split(tx, me, slug, form_result.value)
    except Invalid as problem:
        errors = {error.pointer.strip("/"): error.detail for error in problem.errors}
        return _form(request, tx, me, slug, fields=fields, errors=errors)
    except Conflict as problem:
        return _form(request, tx, me, slug, fields=fields, errors={"into": problem.message})
    return _render_split_preview(request, tx, me, slug, plan=plan, data=form_result.value)


@router.post("/topics/{slug}/split")
def split(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move what was chosen."""
    permissions.require(me, "delete")
    queries.get_id(tx, slug)
    form_result = _validate_split(fields)
    if form_result.value is None:
        return _form(request, tx, me, slug, fields=fields, errors=form_result.errors)
    target, undo_id = split_topic(tx, me, slug, form_result.value)
    undo = (_("Undo"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, f"/topics/{target.slug}", _("Topic split"), undo=undo)


def _validate_split(fields: Fields) -> FormResult[TopicSplit]:
    values: dict[str, Any] = {"into": fields.get("into"), "under": fields.get("under") == "1"}
    papers = [parse_int(number) for number in fields.lists.get("paper", ())]
    lists = {"papers": papers, "aliases": [*fields.lists.get("alias", ())], "below": [*fields.lists.get("below", ())]}
    return validate_form(TopicSplit, {**values, **lists})


def _form(
    request: Request,
    tx: Read,
    me: CurrentUser,
    slug: str,
    *,
    after: str = "",
    fields: Fields | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    topic, cursor_context = queries.get_topic(tx, me, slug), f"split\0{slug}"
    page_request = read_page_request(
        request, cursor_context, limit=PAPERS_PER_PAGE, after=after or (fields.get("after") if fields else "")
    )
    page = list_filed_papers(tx, topic.row.id, page_request)
    context = {
        "topic": topic,
        "papers": page.items,
        "next": get_next_cursor(request, cursor_context, page),
        "after": after,
    }
    typed = fields or Fields()
    return render(request, "topics/split.html", 422 if errors else 200, **context, typed=typed, errors=errors or {})


def _render_split_preview(
    request: Request, tx: Read, me: CurrentUser, slug: str, *, plan: SplitPlan, data: TopicSplit
) -> Response:
    topic = queries.get_topic(tx, me, slug)
    return render(request, "topics/split_preview.html", topic=topic, plan=plan, split=data)
