"""What is shown when two texts clash: base, theirs and mine, and the ways out. No text is lost."""

from collections.abc import Sequence
from typing import NamedTuple

from readtrack.infra.i18n import gettext as _
from readtrack.infra.text.diff.diff import DiffChange, diff_texts
from readtrack.infra.text.diff.merge3 import conflict_text, merge_texts
from readtrack.markdown import MAX_BYTES
from readtrack.web.dependencies.forms import Fields

SEPARATOR = "\n\n---\n\n"
# What a form says of its window, and of what is to happen once it is saved.
HIDDEN_FIELDS = (
    "tab",
    "number",
    "took",
    "mode",
    "then",
)


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
    return theirs.format(number=version, name=by), _("[Mine:]"), _("[End]")


def _text_if_small(text: str) -> str:
    return text if len(text.encode()) <= MAX_BYTES else ""
