"""What the editors of texts share: drafts that are offered and kept, templates, and how the text will look."""

import re
import secrets
from collections.abc import Mapping
from typing import Any, get_args

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Invalid, NotFound, Stale
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import Visitor
from readtrack.library.references.queries import find_around
from readtrack.markdown import MAX_BYTES
from readtrack.reading.drafts import commands
from readtrack.reading.drafts.commands import TAB, About, DraftKeep, Named
from readtrack.reading.drafts.queries import DraftRow, get_draft, list_drafts_of
from readtrack.reading.text_templates import queries as outlines
from readtrack.web.dependencies.forms import Fields, check, whole

MODES = ("edit", "both", "preview")
_TAB = re.compile(TAB)
Typed = Mapping[str, str]


def begun(tx: Read, me: Visitor, about: About, stands: Typed, *, draft: int, template: str) -> dict[str, str]:
    """What an editor begins with: the text that stands there, or a draft of mine; a template after it, if asked for.

    Raises NotFound for a draft that is not mine, or not of this text.
    """
    typed = dict(stands)
    if draft:
        typed = _gone_on_with(_draft_of(tx, me, about, draft))
    if template:
        typed["markdown"] = outlines.appended(typed.get("markdown", ""), outlines.find_text(tx, template))
    return typed


def editor_of(tx: Read, me: Visitor, about: About, typed: Typed, *, stands: Typed) -> dict[str, Any]:
    """For the template: drafts of mine that are not shown already, templates, and what the text is shown among.

    `stands`: what is saved; a draft that says the same is none any more.
    """
    taken = typed.get("took", "").partition(".")[0]
    tab = _tab(typed)
    others = [draft for draft in list_drafts_of(tx, me, about) if taken != str(draft.id) and tab != draft.tab]
    shown = [form for form in (typed, stands) if form]
    mode, text = typed.get("mode", ""), typed.get("markdown", "")
    preview = text if len(text.encode()) <= MAX_BYTES else ""
    return {
        "drafts": [draft for draft in others if not any(commands.same(draft.fields, form) for form in shown)],
        "tab": tab,
        "outlines": outlines.list_templates(tx),
        "standard": outlines.standard(),
        "mode": mode if mode in MODES else "both",
        "subject": f"{about.subject}/{about.id}",
        "preview": preview,
        "around": find_around(tx, [preview]),
    }


def keep_typed(tx: Write, me: Visitor, about: About, fields: Fields) -> int:
    """Keeps a form as a draft; its number. Never over what another window kept, or this one since."""
    typed = {name: fields.get(name) for name in get_args(Named) if name in fields.values}
    version = whole(fields.get("version")) if fields.get("version") else None
    said = {"version": version, "number": whole(fields.get("number")), "took": fields.get("took")}
    checked = check(DraftKeep, {"fields": typed, **said})
    if checked.value is None:
        raise Invalid(_("{problem} Nothing was kept.").format(problem=" ".join(checked.errors.values())))
    try:
        draft = commands.keep_draft(tx, me, about, _tab(fields.values), wanted=checked.value)
    except Stale:
        anew = checked.value.model_copy(update={"number": 0})
        draft = commands.keep_draft(tx, me, about, secrets.token_hex(8), wanted=anew)
    return draft.id or 0


def forget_typed(tx: Write, me: Visitor, about: About, fields: Fields) -> None:
    """The form is saved, so what was kept of it is a draft no more."""
    commands.forget_saved(tx, me, about, fields.get("tab"), took=fields.get("took"), saved=fields.values)


def _draft_of(tx: Read, me: Visitor, about: About, draft_id: int) -> DraftRow:
    draft = get_draft(tx, me, draft_id)
    if About(draft.subject, draft.subject_id) != about:
        raise NotFound(_("There is no draft {number} of yours.").format(number=draft_id))
    return draft


def _gone_on_with(draft: DraftRow) -> dict[str, str]:
    version = "" if draft.version is None else str(draft.version)
    return {**draft.fields, "version": version, "took": f"{draft.id}.{draft.number}"}


def _tab(typed: Typed) -> str:
    """The window's own word; a new one for a new window."""
    return typed["tab"] if _TAB.fullmatch(typed.get("tab", "")) else secrets.token_hex(8)
