"""Queries on text templates."""

from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person, TextTemplate

STANDARD = "standard"  # the built-in template in addresses
PARTS = (N_("Problem"), N_("Idea"), N_("Evaluation"), N_("Limitations"), N_("Relevance to us"))


class TemplateRow(NamedTuple):
    """A template of the team. `person`: its author, "" if unknown."""

    id: int
    name: str
    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    person: str


def list_templates(tx: Read) -> list[TemplateRow]:
    """List the team's templates by name."""
    return [TemplateRow(*row) for row in tx.rows(_ALL)]


def get_template(tx: Read, template_id: int) -> TemplateRow:
    """Return a template. Raise NotFound."""
    template = next((TemplateRow(*row) for row in tx.rows(_ONE, {"id": template_id})), None)
    if template is None:
        raise NotFound(_("Template {number} not found.").format(number=template_id))
    return template


def standard_template() -> str:
    """Return the headings of the built-in template in the user's language."""
    return "\n\n".join(f"## {_(heading)}\n" for heading in PARTS)


def find_text(tx: Read, template_key: str) -> str:
    """Return the text of the template with that id, or of the built-in one. Raise NotFound."""
    if template_key == STANDARD:
        return standard_template()
    return get_template(tx, int(template_key) if template_key.isdecimal() and len(template_key) < 19 else 0).markdown


def append_template(text: str, template: str) -> str:
    """Append a template to a text. Existing text is never replaced."""
    return f"{text.rstrip()}\n\n{template}" if text.strip() else template


def _templates_query() -> sa.Select[*tuple[Any, ...]]:
    columns: list[Any] = [TextTemplate.id, TextTemplate.name, TextTemplate.markdown, TextTemplate.version]
    columns += [TextTemplate.created_at, TextTemplate.updated_at]
    person = sa.func.coalesce(col(Person.name), "").label("person")
    query: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, columns), person).join(
        Person, col(Person.id) == col(TextTemplate.created_by), isouter=True
    )
    return query


_ALL = _templates_query().order_by(col(TextTemplate.name_key))
_ONE = _templates_query().where(col(TextTemplate.id) == sa.bindparam("id"))
