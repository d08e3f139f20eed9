"""What two sequences have in common, in the same order: as much as can be (Myers 1986), or None when that is too far.

The work grows with how much differs, and is bounded; difflib's grows with the cube when many pieces are alike, as
the blank lines between paragraphs are.
"""

from collections.abc import Sequence
from typing import NamedTuple

MOST_STEPS = 300_000  # about a tenth of a second
Ends = dict[int, int]  # how far in the one text the furthest way gets that ends on each diagonal


class StepBudget:
    """How many steps may be taken yet, by all comparisons that share it."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps


class CommonRun(NamedTuple):
    """So many pieces that are the same, from these places on."""

    one: int
    other: int
    size: int


def common_runs(one: Sequence[str], other: Sequence[str], work: StepBudget) -> list[CommonRun] | None:
    """The runs that both have, in their order. None when finding them is more work than is left."""
    start = _alike(one, other)
    end = _alike(one[start:][::-1], other[start:][::-1])
    pairs = _within(one[start : len(one) - end], other[start : len(other) - end], work)
    if pairs is None:
        return None
    runs = [CommonRun(0, 0, start)]
    for at, there in [(start + at, start + there) for at, there in pairs]:
        last = runs[-1]
        if (last.one + last.size, last.other + last.size) == (at, there):
            runs[-1] = last._replace(size=last.size + 1)
        else:
            runs.append(CommonRun(at, there, 1))
    runs.append(CommonRun(len(one) - end, len(other) - end, end))
    return [run for run in runs if run.size]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many pieces both begin with."""
    together = zip(one, other, strict=False)
    return next((at for at, (piece, there) in enumerate(together) if piece != there), min(len(one), len(other)))


def _within(one: Sequence[str], other: Sequence[str], work: StepBudget) -> list[tuple[int, int]] | None:
    """The places of what both have, by the way with the fewest changes; None when that is too far."""
    ends: Ends = {1: 0}
    ways = list[Ends]()
    for changes in range(len(one) + len(other) + 1):
        ways.append(dict(ends))
        for diagonal in range(-changes, changes + 1, 2):
            began = at = _begin(ends, diagonal, changes)[0]
            while at < len(one) and at - diagonal < len(other) and one[at] == other[at - diagonal]:
                at += 1
            ends[diagonal] = at
            if at >= len(one) and at - diagonal >= len(other):
                return _back(ways, at, diagonal)
            work.left -= at - began + 1
        if work.left < 0:
            return None
    return []


def _begin(ends: Ends, diagonal: int, changes: int) -> tuple[int, int]:
    """Where the way goes on upon a diagonal, and from which one it comes: from whichever gets further."""
    if diagonal == -changes or (diagonal != changes and ends[diagonal - 1] < ends[diagonal + 1]):
        return ends[diagonal + 1], diagonal + 1
    return ends[diagonal - 1] + 1, diagonal - 1


def _back(ways: Sequence[Ends], at: int, diagonal: int) -> list[tuple[int, int]]:
    """The way that got there, from its end: what it passes along its diagonals is what both have."""
    pairs = list[tuple[int, int]]()
    for changes in range(len(ways) - 1, -1, -1):
        began, before = _begin(ways[changes], diagonal, changes)
        pairs += [(place, place - diagonal) for place in range(at - 1, began - 1, -1)]
        at, diagonal = ways[changes][before], before
    return pairs[::-1]
