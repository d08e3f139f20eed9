"""Questions about templates of texts."""

from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person, TextTemplate

STANDARD = "standard"  # what addresses call the one that comes with readtrack
PARTS = (N_("Problem"), N_("Idea"), N_("Evaluation"), N_("Limits"), N_("For us"))


class TemplateRow(NamedTuple):
    """A template of the team's. `person`: who made it; blank when nobody is known."""

    id: int
    name: str
    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    person: str


def list_templates(tx: Read) -> list[TemplateRow]:
    """The team's, by name."""
    return [TemplateRow(*row) for row in tx.rows(_ALL)]


def get_template(tx: Read, template_id: int) -> TemplateRow:
    """One of them. Raises NotFound."""
    found = next((TemplateRow(*row) for row in tx.rows(_ONE, {"id": template_id})), None)
    if found is None:
        raise NotFound(_("There is no template {number}.").format(number=template_id))
    return found


def standard_template() -> str:
    """The headings of the one that comes with readtrack, in the language of who reads."""
    return "\n\n".join(f"## {_(part)}\n" for part in PARTS)


def find_text(tx: Read, wanted: str) -> str:
    """What the template of that number, or the standard one, puts into a text. Raises NotFound."""
    if wanted == STANDARD:
        return standard_template()
    return get_template(tx, int(wanted) if wanted.isdecimal() and len(wanted) < 19 else 0).markdown


def append_template(text: str, template: str) -> str:
    """A text with a template after it; what is written is never replaced."""
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
