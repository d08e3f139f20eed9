"""Positions in a queue, with as few changes as possible.

Positions are multiples of POSITION_GAP, so that most moves change only one row. None sorts before all positions.
"""

from collections.abc import Mapping, Sequence

POSITION_GAP = 1024
FIRST_POSITION = 0  # readings without a position, in order of creation


def move_by_step(queue: Sequence[int], item: int, target: str) -> list[int]:
    """Return the queue with one item moved up, down, to the top or to the bottom."""
    old_index, others = queue.index(item), [candidate for candidate in queue if candidate != item]
    new_index = {"top": 0, "up": max(old_index - 1, 0), "down": old_index + 1, "bottom": len(others)}[target]
    return [*others[:new_index], item, *others[new_index:]]


def move_next_to(queue: Sequence[int], item: int, *, before: int | None = None, after: int | None = None) -> list[int]:
    """Return the queue with an item moved or inserted before or after another.

    After None is the top.
    """
    others = [candidate for candidate in queue if candidate != item]
    if before is None:
        index = 0 if after is None else others.index(after) + 1
        return [*others[:index], item, *others[index:]]
    index = others.index(before)
    return [*others[:index], item, *others[index:]]


def new_positions(
    queue: Sequence[int], position_by_item: Mapping[int, int | None], *, moved_item: int
) -> dict[int, int]:
    """Return the changed positions: only the moved item's if there is a gap, otherwise all."""
    index = queue.index(moved_item)
    previous_position = _position_of(position_by_item, queue[index - 1]) if index else None
    next_position = _position_of(position_by_item, queue[index + 1]) if index + 1 < len(queue) else None
    middle_position = _middle_position(previous_position, next_position)
    if middle_position is not None:
        return {moved_item: middle_position}
    return {item: number * POSITION_GAP for number, item in enumerate(queue, start=1)}


def _position_of(position_by_item: Mapping[int, int | None], item: int) -> int:
    position = position_by_item[item]
    return FIRST_POSITION if position is None else position


def _middle_position(previous_position: int | None, next_position: int | None) -> int | None:
    if next_position is None:
        return (FIRST_POSITION if previous_position is None else previous_position) + POSITION_GAP
    if previous_position is None:
        return next_position - POSITION_GAP
    middle = (previous_position + next_position) // 2
    return middle if previous_position < middle < next_position else None
