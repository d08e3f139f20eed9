"""What is shown when two texts clash: base, theirs and mine, and the ways out. No text is lost."""

from collections.abc import Sequence
from typing import NamedTuple

from readtrack.infra.text.diff.diff import Change, differences
from readtrack.infra.text.diff.merge3 import marked, merge
from readtrack.markdown import MAX_BYTES
from readtrack.web.dependencies.forms import Fields

BETWEEN = "\n\n---\n\n"
CARRIED = (
    "tab",
    "number",
    "took",
    "mode",
    "then",
)  # what a form says of its window, and of what is to happen once it is saved


class Clash(NamedTuple):
    """`theirs`, `mine`: how each differs from what both began from; mine from theirs when that is not known.

    `both`: one after the other; `by_hand`: together, marked where they clash. Blank when they are too long for that.
    """

    theirs: Sequence[Change]
    mine: Sequence[Change]
    both: str
    by_hand: str


def clash_of(base: str | None, theirs: str, mine: str, heads: Sequence[str]) -> Clash:
    """The three texts of a conflict. `heads`: lines over their words, over mine, and below both, for `by_hand`."""
    both = BETWEEN.join(text for text in (theirs, mine) if text)
    by_hand = marked(merge(base or "", theirs, mine), heads)
    return Clash(
        theirs=[Change(theirs)] if base is None else differences(base, theirs),
        mine=differences(theirs if base is None else base, mine),
        both=_fitting(both),
        by_hand=_fitting(by_hand),
    )


def carried(fields: Fields) -> dict[str, str]:
    """What each way out sends on, so that the window's draft is forgotten when it is saved."""
    return {name: fields.values[name] for name in CARRIED if fields.values.get(name)}


def _fitting(text: str) -> str:
    return text if len(text.encode()) <= MAX_BYTES else ""
