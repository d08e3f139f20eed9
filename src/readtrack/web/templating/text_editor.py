"""What the editors of texts share: drafts, templates, preview, what is shown when two texts clash, and their history.

No text is lost: a clash shows base, theirs and mine, and the ways out.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, get_args

from fastapi import Depends

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Invalid, NotFound, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text.diff import (
    DiffChange,
    VersionText,
    collapse_unchanged,
    conflict_text,
    diff_texts,
    merge_texts,
)
from readtrack.library.references.resolve import get_render_context
from readtrack.markdown import MAX_BYTES
from readtrack.reading.drafts import commands
from readtrack.reading.drafts.commands import TAB, DraftField, DraftSubject, DraftUpdate
from readtrack.reading.drafts.queries import DraftRow, get_draft, list_drafts_of
from readtrack.reading.text_templates import queries as outlines
from readtrack.web.dependencies.forms import Fields, parse_int, validate_form

MODES = ("edit", "both", "preview")
_TAB = re.compile(TAB)
FormValues = Mapping[str, str]
SEPARATOR = "\n\n---\n\n"
# What a form says of its window, and of what is to happen once it is saved.
HIDDEN_FIELDS = (
    "tab",
    "number",
    "took",
    "mode",
    "then",
)


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
        raise Invalid(" ".join(checked.errors.values()))
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
        raise NotFound(_("Draft {number} not found.").format(number=draft_id))
    return draft


def _resume_draft(draft: DraftRow) -> dict[str, str]:
    version = "" if draft.version is None else str(draft.version)
    return {**draft.fields, "version": version, "took": f"{draft.id}.{draft.number}"}


def _tab_token(typed: FormValues) -> str:
    """The window's own word; a new one for a new window."""
    return typed["tab"] if _TAB.fullmatch(typed.get("tab", "")) else secrets.token_hex(8)


class EditConflict(NamedTuple):
    """`theirs`, `mine`: how each differs from what both began from; mine from theirs when that is not known.

    `combined`: one after the other; `merged`: together, marked where they clash. Blank when they are too long for that.
    """

    theirs: Sequence[DiffChange]
    mine: Sequence[DiffChange]
    combined: str
    merged: str


def build_edit_conflict(base: str | None, theirs: str, mine: str, *, version: int, by: str = "") -> EditConflict:
    """Return the texts of a conflict. `version`: the number of theirs; `by`: who saved it, if it was somebody else."""
    both = SEPARATOR.join(text for text in (theirs, mine) if text)
    by_hand = conflict_text(merge_texts(base or "", theirs, mine), _conflict_heads(version, by))
    return EditConflict(
        theirs=[DiffChange(theirs)] if base is None else diff_texts(base, theirs),
        mine=diff_texts(theirs if base is None else base, mine),
        combined=_text_if_small(both),
        merged=_text_if_small(by_hand),
    )


def get_hidden_fields(fields: Fields) -> dict[str, str]:
    """What each way out sends on, so that the window's draft is forgotten when it is saved."""
    return {name: fields.values[name] for name in HIDDEN_FIELDS if fields.values.get(name)}


def _conflict_heads(version: int, by: str) -> tuple[str, str, str]:
    theirs = _("[Version {number}, {name}:]") if by else _("[Version {number}:]")
    return theirs.format(number=version, name=by), _("[Yours:]"), _("[End]")


def _text_if_small(text: str) -> str:
    return text if len(text.encode()) <= MAX_BYTES else ""


class VersionRange(NamedTuple):
    """What a history is asked for: numbers of two versions, as the address says them, and where the list begins."""

    compare: str = ""
    to: str = ""
    after: str = ""

    def numbers(self, newest: int) -> tuple[int, int] | None:
        """The earlier and the later one of the two that are to be compared; with the newest when one is named."""
        if not self.compare:
            return None
        pair = sorted([parse_int(self.compare), parse_int(self.to) if self.to else newest])
        return pair[0], pair[1]


def _version_range(compare: str = "", to: str = "", after: str = "") -> VersionRange:
    return VersionRange(compare, to, after)


VersionRangeParams = Annotated[VersionRange, Depends(_version_range)]


class VersionPair(NamedTuple):
    """Two versions and how their texts differ."""

    before: Any
    after: Any
    changes: list[DiffChange]


def compare_versions(before: VersionText, after: VersionText) -> VersionPair:
    """How the second differs from the first."""
    return VersionPair(before, after, collapse_unchanged(diff_texts(before.markdown, after.markdown)))
