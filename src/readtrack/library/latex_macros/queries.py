"""Queries for macros, and their example formulas."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Macro, Person

Macros = Mapping[str, str]  # name without backslash -> definition
MAX_MACROS = 200  # of the team; all of them are passed to every text with a formula
_ALL: sa.Select[str, str] = sa.select(col(Macro.name), col(Macro.body)).order_by(col(Macro.name)).limit(MAX_MACROS)
_COLUMNS = (Macro.id, Macro.name, Macro.body, Macro.created_at)
_ROWS: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, _COLUMNS), col(Person.name).label("person")).join(
    Person, col(Person.id) == col(Macro.created_by), isouter=True
)
_ARGUMENT = re.compile(r"#([1-9])")
_EXAMPLE_LETTERS = "xyzuvwabc"  # example arguments


class MacroRow(NamedTuple):
    """A macro with its author. `name`: without the backslash."""

    id: int
    name: str
    body: str
    created_at: datetime
    person: str | None


def find_macros(tx: Read) -> Macros:
    """Return all macros in one statement."""
    return {row.name: row.body for row in tx.rows(_ALL)}


def list_macros(tx: Read) -> list[MacroRow]:
    """Return all macros with their authors, by name."""
    rows = tx.rows(_ROWS.order_by(sa.func.lower(col(Macro.name)), col(Macro.name)).limit(MAX_MACROS))
    return [MacroRow(*row) for row in rows]


def get_macro(tx: Read, name: str) -> MacroRow:
    """Return a macro. Raise NotFound."""
    rows = tx.rows(_ROWS.where(col(Macro.name) == name))
    if not rows:
        raise NotFound(_("“{name}” not found.").format(name=f"\\{name}"))
    return MacroRow(*rows[0])


def format_example(name: str, body: str) -> str:
    r"""Return an example formula of a macro: `\loss`, or `\norm{x}` if it takes an argument."""
    argument_count = max((int(number) for number in _ARGUMENT.findall(body)), default=0)
    return f"\\{name}" + "".join(f"{{{letter}}}" for letter in _EXAMPLE_LETTERS[:argument_count])
