"""Commands for macros: add, change, remove; and their input models.

Each change is recorded in the audit trail with its old value.
"""

import re
from typing import Annotated

import sqlalchemy as sa
from pydantic import AfterValidator, Field
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Macro
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import OneLine, TrimmedModel
from readtrack.library.latex_macros import queries
from readtrack.library.latex_macros.queries import format_example
from readtrack.markdown.math import find_formula_problem, is_known

MAX_NAME_CHARS, MAX_BODY_CHARS = 30, 500
_LETTERS = re.compile(r"[A-Za-z]+")


def _strip_backslash(name: str) -> str:
    """Validate the name and strip the backslash that people may type."""
    if not _LETTERS.fullmatch(name.removeprefix("\\")):
        raise ValueError(_("Use letters A–Z only, as in \\loss."))
    return name.removeprefix("\\")


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS + 1), AfterValidator(_strip_backslash), OneLine]
Body = Annotated[str, Field(min_length=1, max_length=MAX_BODY_CHARS), OneLine]


class MacroUpdate(TrimmedModel):
    """The definition of a macro: LaTeX math, with #1 to #9 for its arguments."""

    body: Body


class MacroCreate(MacroUpdate):
    """A new macro; its name with or without the backslash."""

    name: Name


def add_macro(tx: Write, me: CurrentUser, data: MacroCreate) -> None:
    """Add a macro.

    Raise Invalid if it is built in or cannot be rendered, or Conflict if the name is taken.
    """
    permissions.require(me, "edit")
    macros = queries.find_macros(tx)
    if data.name in macros:
        message = _("“{name}” already exists. Choose another name.")
        raise Conflict(message.format(name=f"\\{data.name}"), code="there-already")
    if len(macros) >= queries.MAX_MACROS:
        message = _("Limit of {count} reached. Delete some first.")
        raise Conflict(message.format(count=queries.MAX_MACROS), code="too-many")
    if is_known(data.name):
        detail = _("“{name}” already exists. Choose another name.").format(name=f"\\{data.name}")
        raise invalid_field("/name", "bad-macro", detail)
    _validate_macro(data.name, data.body, macros)
    tx.add(Macro(name=data.name, body=data.body, created_by=me.id))
    tx.flush()
    events.record_event(tx, me, "macro.added", data={"macro": f"\\{data.name}"}, after={"body": data.body})


def change_macro(tx: Write, me: CurrentUser, name: str, data: MacroUpdate, *, previous_body: str | None = None) -> None:
    """Change a macro, with effect in every text. `previous_body`: its definition when editing began, if known.

    Raise NotFound, Invalid if formulas cannot be rendered with it, or Conflict if it was changed in the meantime.
    """
    permissions.require(me, "edit")
    macro = _get_macro_for_update(tx, name)
    if previous_body is not None and previous_body not in {macro.body, data.body}:
        message = _("Someone else edited this. Reload and try again.")
        raise Conflict(message, code="changed-meanwhile")
    if macro.body == data.body:
        return
    _validate_macro(name, data.body, queries.find_macros(tx))
    old_body, macro.body = macro.body, data.body
    events.record_event(
        tx, me, "macro.changed", data={"macro": f"\\{name}"}, before={"body": old_body}, after={"body": macro.body}
    )
    tx.flush()


def remove_macro(tx: Write, me: CurrentUser, name: str) -> int:
    """Remove a macro and return the id of the undo entry; formulas using it show their source.

    Raise NotFound.
    """
    permissions.require(me, "edit")
    macro = _get_macro_for_update(tx, name)
    events.record_event(tx, me, "macro.removed", data={"macro": f"\\{name}"}, before={"body": macro.body})
    undo_data = {"title": f"\\{name}: {macro.body}", "add": macro.model_dump(include={"name", "body"})}
    undo_id = undo_log.record_undo_entry(tx, me, "macro.removed", undo_data)
    tx.delete(macro)
    tx.flush()
    return undo_id


def _get_macro_for_update(tx: Write, name: str) -> Macro:
    macro = tx.scalar(sa.select(Macro).where(col(Macro.name) == name).with_for_update())
    if macro is None:
        raise NotFound(_("“{name}” not found.").format(name=f"\\{name}"))
    return macro


def _validate_macro(name: str, body: str, macros: queries.Macros) -> None:
    """Raise Invalid if the macro cannot be rendered alone, in a group and among other terms."""
    example = format_example(name, body)
    for source in (example, f"{{{example}}}", f"1 + {example} + 1"):
        if problem := find_formula_problem(source, {**macros, name: body}):
            detail = _("Invalid LaTeX: {problem}.").format(problem=problem.rstrip("."))
            raise invalid_field("/body", "bad-macro", detail)
