"""Positions in a queue, with as few changes as possible.

Positions are multiples of APART, so that most moves change only one row. None sorts before all positions.
"""

from collections.abc import Mapping, Sequence

APART = 1024
FIRST = 0  # readings without a position, in order of creation


def move_by_step(queue: Sequence[int], one: int, to: str) -> list[int]:
    """Return the queue with one item moved up, down, to the top or to the bottom."""
    here, rest = queue.index(one), [other for other in queue if other != one]
    there = {"top": 0, "up": max(here - 1, 0), "down": here + 1, "bottom": len(rest)}[to]
    return [*rest[:there], one, *rest[there:]]


def move_next_to(queue: Sequence[int], one: int, *, before: int | None = None, after: int | None = None) -> list[int]:
    """Return the queue with an item moved or inserted before or after another.

    After None is the top.
    """
    rest = [other for other in queue if other != one]
    if before is None:
        there = 0 if after is None else rest.index(after) + 1
        return [*rest[:there], one, *rest[there:]]
    there = rest.index(before)
    return [*rest[:there], one, *rest[there:]]


def new_positions(queue: Sequence[int], places: Mapping[int, int | None], *, moved: int) -> dict[int, int]:
    """Return the changed positions: only the moved item's if there is a gap, otherwise all."""
    at = queue.index(moved)
    before = _position_of(places, queue[at - 1]) if at else None
    after = _position_of(places, queue[at + 1]) if at + 1 < len(queue) else None
    there = _middle_position(before, after)
    if there is not None:
        return {moved: there}
    return {one: number * APART for number, one in enumerate(queue, start=1)}


def _position_of(places: Mapping[int, int | None], one: int) -> int:
    place = places[one]
    return FIRST if place is None else place


def _middle_position(before: int | None, after: int | None) -> int | None:
    if after is None:
        return (FIRST if before is None else before) + APART
    if before is None:
        return after - APART
    middle = (before + after) // 2
    return middle if before < middle < after else None
