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
from readtrack.library.topics.merge import merge_topics
from readtrack.library.topics.merge_preview import preview_merge
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
    topic, other, problem = queries.get_topic(tx, me, slug), queries.find_slug(tx, into.strip()), ""
    if into.strip() and other is None:
        problem = _("No topic is called so. Choose one that is there.")
    if other == slug:
        other, problem = None, _("That is this topic itself. Name the other one.")
    told = preview_merge(tx, me, slug, other) if other and into.strip() else None
    context = {"topic": topic, "told": told, "into": into, "problem": problem}
    return render(request, "topics/merge.html", 422 if problem else 200, **context)


@router.post("/topics/{slug}/merge")
def merge(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Merge the topic into the named one."""
    into = queries.find_slug(tx, fields.get("into").strip())
    kept, deed_id = merge_topics(tx, me, slug, into or fields.get("into").strip())
    undo = (_("Take apart"), f"/trash/others/{deed_id}/restore")
    return redirect_with_flash(
        request, f"/topics/{kept.slug}", _("Merged. Its papers, names and text are here now."), undo=undo
    )


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
    checked = _validate_split(fields)
    if checked.value is None:
        return _form(request, tx, me, slug, fields=fields, errors=checked.errors)
    try:
        plan = plan_split(tx, me, slug, checked.value)
    except Invalid as refused:
        errors = {error.pointer.strip("/"): error.detail for error in refused.errors}
        return _form(request, tx, me, slug, fields=fields, errors=errors)
    except Conflict as refused:
        return _form(request, tx, me, slug, fields=fields, errors={"into": refused.message})
    return _render_split_preview(request, tx, me, slug, plan=plan, wanted=checked.value)


@router.post("/topics/{slug}/split")
def split(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Move what was chosen."""
    permissions.require(me, "delete")
    queries.get_id(tx, slug)
    checked = _validate_split(fields)
    if checked.value is None:
        return _form(request, tx, me, slug, fields=fields, errors=checked.errors)
    into, deed_id = split_topic(tx, me, slug, checked.value)
    undo = (_("Put together again"), f"/trash/others/{deed_id}/restore")
    return redirect_with_flash(request, f"/topics/{into.slug}", _("Split. What you chose is here now."), undo=undo)


def _validate_split(fields: Fields) -> FormResult[TopicSplit]:
    said: dict[str, Any] = {"into": fields.get("into"), "under": fields.get("under") == "1"}
    papers = [parse_int(number) for number in fields.lists.get("paper", ())]
    lists = {"papers": papers, "aliases": [*fields.lists.get("alias", ())], "below": [*fields.lists.get("below", ())]}
    return validate_form(TopicSplit, {**said, **lists})


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
    topic, asked = queries.get_topic(tx, me, slug), f"split\0{slug}"
    cut = read_page_request(
        request, asked, limit=PAPERS_PER_PAGE, after=after or (fields.get("after") if fields else "")
    )
    page = list_filed_papers(tx, topic.row.id, cut)
    shown = {"topic": topic, "papers": page.items, "next": get_next_cursor(request, asked, page), "after": after}
    typed = fields or Fields()
    return render(request, "topics/split.html", 422 if errors else 200, **shown, typed=typed, errors=errors or {})


def _render_split_preview(
    request: Request, tx: Read, me: CurrentUser, slug: str, *, plan: SplitPlan, wanted: TopicSplit
) -> Response:
    topic = queries.get_topic(tx, me, slug)
    return render(request, "topics/split_preview.html", topic=topic, plan=plan, wanted=wanted)
