"""Word-level diff of two texts; Han and kana are compared by character."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from readtrack.infra.text.diff.common_runs import MOST_CELLS, CellBudget, CommonRun, common_runs

CONTEXT_CHARS = 80  # Characters of context around a change.
_CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
# Combining marks and variation selectors, which belong to the preceding character.
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
_WORD = re.compile(
    rf"[{_CJK}][{_MARKS}]*|(?:(?![{_CJK}])\w)(?:(?![{_CJK}])[\w{_MARKS}])*|[^\S\n]+|.[{_MARKS}]*|\n", re.DOTALL
)
# A sentence ends at a mark and a blank, Chinese and Japanese ones without it; "e.g. " and "J. R. " end none.
SENTENCE = re.compile(r"[^\n]{16,}?(?:[.!?][)\]\"'”’]{0,3}[ \t]+|[。！？][」』）]{0,3})|[^\n]*\n|[^\n]+")


class DiffChange(NamedTuple):
    """A segment of a diff: unchanged text (`same`), or the old text (`before`) and the new text (`after`)."""

    same: str
    before: str = ""
    after: str = ""


LEFT_OUT = DiffChange("")


class ChangeAmount(NamedTuple):
    """Number of characters added and removed."""

    added: int
    removed: int


def diff_texts(before: str, after: str, *, cells: int = MOST_CELLS) -> list[DiffChange]:
    """The texts cut into what is the same and what is not, first by sentence, then by word.

    What takes too long to compare is one change as a whole.
    """
    changes, budget = list[DiffChange](), CellBudget(cells)
    for change in _diff_pieces(SENTENCE.findall(before), SENTENCE.findall(after), budget):
        changes += [change] if change.same else _by_word(change, budget)
    return [DiffChange(*map("".join, zip(*run, strict=True))) for run in _runs(changes)]


def count_changes(changes: Iterable[DiffChange]) -> ChangeAmount:
    """Return the number of characters added and removed."""
    change_list = list(changes)
    return ChangeAmount(
        sum(len(change.after) for change in change_list), sum(len(change.before) for change in change_list)
    )


def collapse_unchanged(changes: Sequence[DiffChange]) -> list[DiffChange]:
    """Replace unchanged text by LEFT_OUT, except for some context around changes."""
    last = len(changes) - 1
    segments = [_cut(change, is_first=index == 0, is_last=index == last) for index, change in enumerate(changes)]
    return [shortened for segment in segments for shortened in segment]


def _by_word(change: DiffChange, budget: CellBudget) -> list[DiffChange]:
    word_changes = _diff_pieces(_WORD.findall(change.before), _WORD.findall(change.after), budget)
    return list(_without_crumbs(word_changes))


def _diff_pieces(old: Sequence[str], new: Sequence[str], budget: CellBudget) -> list[DiffChange]:
    runs = common_runs(old, new, budget)
    changes, old_index, new_index = list[DiffChange](), 0, 0
    for run in [*(runs or []), CommonRun(len(old), len(new), 0)]:
        changes.append(DiffChange("", "".join(old[old_index : run.one]), "".join(new[new_index : run.other])))
        old_index, new_index = run.one + run.size, run.other + run.size
        changes.append(DiffChange("".join(old[run.one : old_index])))
    return [change for change in changes if any(change)]


def _without_crumbs(changes: Sequence[DiffChange]) -> Iterator[DiffChange]:
    """Treat a blank or single character between two changes as part of them."""
    for index, change in enumerate(changes):
        is_crumb = len(change.same.strip()) <= 1 and "\n" not in change.same and 0 < index < len(changes) - 1
        yield DiffChange("", change.same, change.same) if change.same and is_crumb else change


def _runs(changes: Iterable[DiffChange]) -> Iterator[list[DiffChange]]:
    """Group consecutive changes into runs of unchanged and changed segments."""
    run = list[DiffChange]()
    for change in changes:
        if run and bool(run[-1].same) != bool(change.same):
            yield run
            run = []
        run.append(change)
    if run:
        yield run


def _cut(change: DiffChange, *, is_first: bool, is_last: bool) -> list[DiffChange]:
    """Shorten unchanged text to the ends next to a change; keep it if little would be saved."""
    text = change.same
    if len(text) <= 2 * CONTEXT_CHARS:
        return [change]
    head = text[:CONTEXT_CHARS].rpartition(" ")[0] or text[:CONTEXT_CHARS]
    tail = text[-CONTEXT_CHARS:].partition(" ")[2] or text[-CONTEXT_CHARS:]
    context = [] if is_first else [DiffChange(head)], [] if is_last else [DiffChange(tail)]
    return [*context[0], LEFT_OUT, *context[1]]
