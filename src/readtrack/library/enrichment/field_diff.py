"""Word-level diff of two texts."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from readtrack.infra.text.diff.common_runs import CellBudget, CommonRun, common_runs

MIN_SIMILARITY = 0.4  # share of the words; beneath it, marking single words tells nothing
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# A formula counts as one word, so that it is rendered whole.
_WORD = re.compile(rf"\$[^\s$][^$]*\$|\s+|[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")


class DiffFragment(NamedTuple):
    """A run of words, and whether the other text lacks it."""

    text: str
    is_different: bool


def diff_fragments(old: str, new: str) -> list[DiffFragment]:
    """Split `new` where it differs from `old`, ignoring case.

    Return a single fragment if the texts are too different or too long.
    """
    new_words, old_words = _WORD.findall(new), _WORD.findall(old)
    if not new_words or not old_words:
        return [DiffFragment(new, is_different=False)] if new_words else []
    runs = common_runs(_fold_case(old_words), _fold_case(new_words), CellBudget()) or []
    same = [word for run in runs for word in new_words[run.other : run.other + run.size]]
    if 2 * _count_words(same) < MIN_SIMILARITY * (_count_words(old_words) + _count_words(new_words)):
        return [DiffFragment(new, is_different=True)]
    return list(_fragments(new_words, runs))


def _fragments(words: Sequence[str], runs: Sequence[CommonRun]) -> Iterator[DiffFragment]:
    """What is in no run differs, but for blanks."""
    at = 0
    for run in [*runs, CommonRun(0, len(words), 0)]:
        before, same = "".join(words[at : run.other]), "".join(words[run.other : run.other + run.size])
        at = run.other + run.size
        if before:
            yield DiffFragment(before, is_different=not before.isspace())
        if same:
            yield DiffFragment(same, is_different=False)


def _count_words(words: Sequence[str]) -> int:
    return sum(not word.isspace() for word in words)


def _fold_case(words: list[str]) -> list[str]:
    return [" " if word.isspace() else word.casefold() for word in words]
