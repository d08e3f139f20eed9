"""Commands of text templates: add, edit, delete. Every member may change each of them."""

from typing import Annotated

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import TextTemplate
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.infra.validation import Markdown, OneLine, TrimmedModel

MAX_TEMPLATES = 100  # per team, so that they fit into a menu
MAX_NAME_CHARS = 80
MAX_TEMPLATE_CHARS = 10_000  # characters per template


class TextTemplateFields(TrimmedModel):
    """The complete template: its name in the menu, and its text."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), OneLine]
    markdown: Annotated[Markdown, Field(min_length=1, max_length=MAX_TEMPLATE_CHARS)]


def add_template(tx: Write, me: CurrentUser, data: TextTemplateFields) -> TextTemplate:
    """Add a template. Raise Conflict if the name is taken or the team has too many."""
    permissions.require(me, "edit")
    if (tx.scalar(sa.select(sa.func.count()).select_from(TextTemplate)) or 0) >= MAX_TEMPLATES:
        message = _("Limit of {count} reached. Delete some first.")
        raise Conflict(message.format(count=MAX_TEMPLATES), code="too-many")
    _check_name_free(tx, data, None)
    template = TextTemplate(**data.model_dump(), name_key=normalize.key(data.name), created_by=me.id)
    tx.add(template)
    tx.flush()
    events.record_event(tx, me, "template.added", data={"template": template.id, "name": template.name})
    return template


def edit_template(
    tx: Write, me: CurrentUser, template_id: int, edit: TextTemplateFields, *, version: int
) -> TextTemplate:
    """Change a template. Raise StaleVersion after a concurrent change."""
    permissions.require(me, "edit")
    template = _get_template_for_update(tx, template_id)
    if template.version != version:
        raise _stale_error(template)
    _check_name_free(tx, edit, template_id)
    if (template.name, template.markdown) != (edit.name, edit.markdown):
        old_values = {"name": template.name, "markdown": template.markdown}
        template.sqlmodel_update({**edit.model_dump(), "name_key": normalize.key(edit.name), "updated_at": now()})
        template.version += 1
        data = {"template": template_id, "name": edit.name}
        events.record_event(tx, me, "template.edited", data=data, before=old_values, after=edit.model_dump())
        tx.flush()
    return template


def delete_template(tx: Write, me: CurrentUser, template_id: int) -> None:
    """Delete a template. Texts that began with it are unchanged."""
    permissions.require(me, "edit")
    template = _get_template_for_update(tx, template_id)
    old_values = {"name": template.name, "markdown": template.markdown}
    data = {"template": template_id, "name": template.name}
    events.record_event(tx, me, "template.deleted", data=data, before=old_values)
    tx.delete(template)
    tx.flush()


def _get_template_for_update(tx: Write, template_id: int) -> TextTemplate:
    template = tx.get(TextTemplate, template_id, with_for_update=True, populate_existing=True)
    if template is None:
        message = _("Template {number} not found.")
        raise NotFound(message.format(number=template_id))
    return template


def _check_name_free(tx: Write, edit: TextTemplateFields, template_id: int | None) -> None:
    query = sa.select(col(TextTemplate.id)).where(col(TextTemplate.name_key) == normalize.key(edit.name))
    if tx.scalar(query) not in {None, template_id}:
        message = _("“{name}” already exists. Choose another name.").format(name=edit.name)
        raise Conflict(message, code="name-taken")


def _stale_error(template: TextTemplate) -> StaleVersion:
    message = _("Someone else edited this. Reload and try again.")
    current = {"version": template.version, "name": template.name, "markdown": template.markdown}
    return StaleVersion(message, current=current)
