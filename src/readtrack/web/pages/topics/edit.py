"""Editor for topics, with validation, preview and conflict resolution."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.diff import is_conflict, merge_value
from readtrack.library.topics import queries
from readtrack.library.topics.commands import TopicCreate, TopicUpdate
from readtrack.library.topics.history import (
    NOTHING,
    TopicSaveResult,
    find_topic_names,
    find_topic_version,
    merge_names,
    save_to_history,
    save_with_merge,
)
from readtrack.library.topics.queries import TopicDetail
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, FormResult, parse_int, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render
from readtrack.web.templating.text_editor import (
    build_edit_conflict,
    build_editor_context,
    discard_draft,
    get_hidden_fields,
    get_initial_fields,
)


def validate_topic(tx: Read, fields: Fields, topic_id: int | None) -> tuple[FormResult[TopicUpdate], Mapping[str, str]]:
    """Validate the form, and return it with errors by field, including name conflicts and the parent."""
    parent = fields.get("parent").strip()
    aliases = [*(line for line in fields.get("aliases").splitlines() if line.strip()), *_old_name(fields)]
    slug = queries.find_slug(tx, parent) or parent
    form_result = validate_form(TopicUpdate, {**fields.values, "aliases": aliases, "parent": slug})
    form_result = FormResult(form_result.value, form_result.errors, dict(fields.values))
    if form_result.value is None:
        return form_result, form_result.errors
    return form_result, _find_conflicts(tx, form_result.value, topic_id)


def _old_name(fields: Fields) -> list[str]:
    """Return the old name to keep as an alias, if the topic was renamed and the box is checked."""
    old_name = fields.get("was").strip()
    return [old_name] if old_name and fields.get("keep_name") == "1" and old_name != fields.get("name").strip() else []


def _find_conflicts(tx: Read, data: TopicCreate, topic_id: int | None) -> Mapping[str, str]:
    errors = {}
    if data.parent and (problem := queries.parent_problem(tx, data.parent, topic_id)):
        errors["parent"] = problem
    for name_conflict in queries.find_name_conflicts(tx, [data.name], except_topic_id=topic_id):
        errors["name"] = queries.format_name_conflict(name_conflict)
    for name_conflict in queries.find_name_conflicts(tx, data.aliases, except_topic_id=topic_id):
        errors["aliases"] = queries.format_name_conflict(name_conflict)
    return errors


router = page_router()
TopicValues = Mapping[str, Any]  # names, parent and text of a version


@router.get("/topics/{slug}/edit")
def edit_page(request: Request, slug: str, me: Me, tx: ReadTx, *, draft: int = 0, template: str = "") -> Response:
    """Show the form with the current topic or a draft (`?draft=7`); `?template=3` adds headings."""
    permissions.require(me, "edit")
    topic = queries.get_topic(tx, me, slug)
    typed = get_initial_fields(
        tx, me, DraftSubject("topic", topic.row.id), _topic_fields(topic), draft=draft, template=template
    )
    return _form(request, me, tx, topic, typed=typed)


@router.post("/topics/{slug}/preview")
def preview_page(request: Request, slug: str, me: Me, fields: Form, tx: ReadTx) -> Response:
    """Show the form with a preview of the submitted text. Nothing is saved."""
    permissions.require(me, "edit")
    topic = queries.get_topic(tx, me, slug)
    form_result, errors = validate_topic(tx, fields, topic.row.id)
    return _form(request, me, tx, topic, typed=form_result.raw_values, errors=errors)


@router.post("/topics/{slug}/edit")
def edit(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the form; show all texts (409) if someone changed the same part meanwhile."""
    topic_id = queries.get_id(tx, slug)
    form_result, errors = validate_topic(tx, fields, topic_id)
    if form_result.value is None or errors:
        topic = queries.get_topic(tx, me, slug)
        return _form(request, me, tx, topic, status=422, typed=form_result.raw_values, errors=errors)
    version, history_only = parse_int(fields.get("version")), fields.get("keep") == "theirs"
    try:
        result = _save_form(tx, me, slug, form_result.value, version=version, history_only=history_only)
    except StaleVersion as error:
        return _conflict_page(request, me, tx, slug, edit=form_result.value, error=error, fields=fields)
    discard_draft(tx, me, DraftSubject("topic", topic_id), fields)
    return _saved_page(request, result)


def _form(
    request: Request,
    me: Me,
    tx: Read,
    topic: TopicDetail,
    *,
    typed: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    editor = build_editor_context(tx, me, DraftSubject("topic", topic.row.id), typed, stands=_topic_fields(topic))
    return render(request, "topics/edit.html", status, topic=topic, typed=typed, errors=errors or {}, **editor)


def _topic_fields(topic: TopicDetail) -> Mapping[str, str]:
    row, ancestor_names = topic.row, [name for _, name in topic.line]
    fields = {
        "name": row.name,
        "parent": ancestor_names[-1] if ancestor_names else "",
        "markdown": topic.markdown,
        "version": str(topic.version),
        "was": row.name,
        "keep_name": "1",
    }
    return {**fields, "aliases": "\n".join(topic.aliases)}


def _save_form(
    tx: Write, me: CurrentUser, slug: str, edit: TopicUpdate, *, version: int, history_only: bool
) -> TopicSaveResult:
    """Save the form, merged with concurrent changes; with `history_only`, to the history only.

    Raise StaleVersion on a conflict.
    """
    if history_only:
        return TopicSaveResult(save_to_history(tx, me, slug, edit, version=version), is_history_only=True)
    return save_with_merge(tx, me, slug, edit, version=version)


def _saved_page(request: Request, result: TopicSaveResult) -> Response:
    """Redirect to the topic, or to its history after a merge."""
    topic, topic_url = result.topic, f"/topics/{result.topic.slug}"
    if result.merged_version is not None:
        message = _("Merged with version {number}, saved while you were editing.")
        return redirect_with_flash(request, f"{topic_url}/versions", message.format(number=result.merged_version))
    if result.is_history_only:
        return redirect_with_flash(request, topic_url, _("Kept the current version. Yours is in the edit history."))
    if result.identical_version not in {None, topic.version}:
        message = _("Already saved as version {number}. The latest is version {newest}.")
        return redirect_with_flash(
            request, topic_url, message.format(number=result.identical_version, newest=topic.version)
        )
    return redirect_with_flash(request, topic_url, _("Saved"))


def _conflict_page(
    request: Request, me: CurrentUser, tx: Read, slug: str, *, edit: TopicUpdate, error: StaleVersion, fields: Fields
) -> Response:
    """Show the base and both texts, with the ways to resolve the conflict."""
    current: Any = error.current
    base = current["base"]
    last_version = find_topic_version(tx, me, slug, current["version"])
    saved_by = (last_version.person if last_version else None) or ""
    base_text = base["markdown"] if base else None
    conflict = build_edit_conflict(
        base_text, current["markdown"], edit.markdown, version=current["version"], by=saved_by
    )
    context = {"clash": conflict, "saved_by": saved_by, "message": error.message, "sent": get_hidden_fields(fields)}
    sides = _sides(tx, base, current, {**edit.model_dump(), "aliases": edit.names[1:]})
    return render(request, "topics/conflict.html", 409, topic=queries.get_topic(tx, me, slug), **sides, **context)


def _sides(tx: Read, base: TopicValues | None, current: TopicValues, own: TopicValues) -> dict[str, Any]:
    """Return each version and the merged one for display, with parents by name."""
    merged = _merge_names(base or NOTHING, current, own)
    sides = {"base": base, "newer": current, "mine": own, "together": merged}
    names = find_topic_names(tx, [side["parent"] for side in sides.values() if side and side["parent"]])
    return {name: side and {**side, "parent": names.get(side["parent"] or "", "")} for name, side in sides.items()}


def _merge_names(base: TopicValues, current: TopicValues, own: TopicValues) -> dict[str, Any]:
    """Merge name, parent and aliases of both; prefer mine if both changed the name or the parent."""
    fields = {name: (base[name], current[name], own[name]) for name in ("name", "parent")}
    merged = {name: own[name] if is_conflict(*values) else merge_value(*values) for name, values in fields.items()}
    return {**merged, "aliases": merge_names(base["aliases"], current["aliases"], own["aliases"])}
