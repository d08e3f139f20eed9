"""What two sequences have in common, in the same order: as much as can be, or None when finding it is too much work."""

from collections.abc import Sequence
from typing import NamedTuple

MOST_CELLS = 200_000_000  # pairs of pieces: about a tenth of a second, and 25 MB


class CellBudget:
    """How many pairs of pieces may be compared yet, by all comparisons that share it."""

    def __init__(self, cells: int = MOST_CELLS) -> None:
        self.remaining = cells


class CommonRun(NamedTuple):
    """So many pieces that are the same, from these places on."""

    one: int
    other: int
    size: int


def common_runs(one: Sequence[str], other: Sequence[str], budget: CellBudget) -> list[CommonRun] | None:
    """The runs that both have, in their order. None when finding them is more work than is left."""
    from rapidfuzz.distance import LCSseq

    start = _count_equal(one, other)
    end = _count_equal(one[start:][::-1], other[start:][::-1])
    cells = (len(one) - start - end) * (len(other) - start - end)
    if cells > budget.remaining:
        return None
    budget.remaining -= cells
    numbers: dict[str, int] = {}  # the library compares hashes, and those of two pieces may be the same
    mine, theirs = ([numbers.setdefault(piece, len(numbers)) for piece in pieces] for pieces in (one, other))
    blocks = LCSseq.editops(mine, theirs).as_matching_blocks()
    return [CommonRun(block.a, block.b, block.size) for block in blocks if block.size]


def _count_equal(one: Sequence[str], other: Sequence[str]) -> int:
    """How many pieces both begin with."""
    together = zip(one, other, strict=False)
    return next((at for at, (piece, there) in enumerate(together) if piece != there), min(len(one), len(other)))
