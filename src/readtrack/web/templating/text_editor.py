"""What the editors of texts share: drafts that are offered and kept, templates, and how the text will look."""

import re
import secrets
from collections.abc import Mapping
from typing import Any, get_args

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Invalid, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references.queries import get_render_context
from readtrack.markdown import MAX_BYTES
from readtrack.reading.drafts import commands
from readtrack.reading.drafts.commands import TAB, DraftField, DraftSubject, DraftUpdate
from readtrack.reading.drafts.queries import DraftRow, get_draft, list_drafts_of
from readtrack.reading.text_templates import queries as outlines
from readtrack.web.dependencies.forms import Fields, parse_int, validate_form

MODES = ("edit", "both", "preview")
_TAB = re.compile(TAB)
FormValues = Mapping[str, str]


def get_initial_fields(
    tx: Read, me: CurrentUser, about: DraftSubject, stands: FormValues, *, draft: int, template: str
) -> dict[str, str]:
    """What an editor begins with: the text that stands there, or a draft of mine; a template after it, if asked for.

    Raises NotFound for a draft that is not mine, or not of this text.
    """
    typed = dict(stands)
    if draft:
        typed = _resume_draft(_get_draft_of_text(tx, me, about, draft))
    if template:
        typed["markdown"] = outlines.append_template(typed.get("markdown", ""), outlines.find_text(tx, template))
    return typed


def build_editor_context(
    tx: Read, me: CurrentUser, about: DraftSubject, typed: FormValues, *, stands: FormValues
) -> dict[str, Any]:
    """For the template: drafts of mine that are not shown already, templates, and what the text is shown among.

    `stands`: what is saved; a draft that says the same is none any more.
    """
    taken = typed.get("took", "").partition(".")[0]
    tab = _tab_token(typed)
    others = [draft for draft in list_drafts_of(tx, me, about) if taken != str(draft.id) and tab != draft.tab]
    shown = [form for form in (typed, stands) if form]
    mode, text = typed.get("mode", ""), typed.get("markdown", "")
    preview = text if len(text.encode()) <= MAX_BYTES else ""
    return {
        "drafts": [draft for draft in others if not any(commands.is_same_text(draft.fields, form) for form in shown)],
        "tab": tab,
        "outlines": outlines.list_templates(tx),
        "standard": outlines.standard_template(),
        "mode": mode if mode in MODES else "both",
        "subject": f"{about.subject}/{about.id}",
        "preview": preview,
        "render_context": get_render_context(tx, [preview]),
    }


def save_form_draft(tx: Write, me: CurrentUser, about: DraftSubject, fields: Fields) -> int:
    """Keeps a form as a draft; its number. Never over what another window kept, or this one since."""
    typed = {name: fields.get(name) for name in get_args(DraftField) if name in fields.values}
    version = parse_int(fields.get("version")) if fields.get("version") else None
    said = {"version": version, "number": parse_int(fields.get("number")), "took": fields.get("took")}
    checked = validate_form(DraftUpdate, {"fields": typed, **said})
    if checked.value is None:
        raise Invalid(_("{problem} Nothing was kept.").format(problem=" ".join(checked.errors.values())))
    try:
        draft = commands.save_draft(tx, me, about, _tab_token(fields.values), data=checked.value)
    except StaleVersion:
        anew = checked.value.model_copy(update={"number": 0})
        draft = commands.save_draft(tx, me, about, secrets.token_hex(8), data=anew)
    return draft.id or 0


def discard_draft(tx: Write, me: CurrentUser, about: DraftSubject, fields: Fields) -> None:
    """The form is saved, so what was kept of it is a draft no more."""
    commands.delete_saved_drafts(
        tx, me, about, fields.get("tab"), superseded=fields.get("took"), saved_fields=fields.values
    )


def _get_draft_of_text(tx: Read, me: CurrentUser, about: DraftSubject, draft_id: int) -> DraftRow:
    draft = get_draft(tx, me, draft_id)
    if DraftSubject(draft.subject, draft.subject_id) != about:
        raise NotFound(_("There is no draft {number} of yours.").format(number=draft_id))
    return draft


def _resume_draft(draft: DraftRow) -> dict[str, str]:
    version = "" if draft.version is None else str(draft.version)
    return {**draft.fields, "version": version, "took": f"{draft.id}.{draft.number}"}


def _tab_token(typed: FormValues) -> str:
    """The window's own word; a new one for a new window."""
    return typed["tab"] if _TAB.fullmatch(typed.get("tab", "")) else secrets.token_hex(8)
