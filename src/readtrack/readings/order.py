"""The order of a queue, as numbers: where one of them goes, and the fewest new places that say so. Pure."""

from collections.abc import Mapping, Sequence

LAST = 2**31 - 1  # stands after every place, for what has none


def stepped(queue: Sequence[int], one: int, to: str) -> list[int]:
    """The queue after one of it went up, down, to the top or to the bottom. At its end it stays where it is."""
    here, rest = queue.index(one), [other for other in queue if other != one]
    there = {"top": 0, "up": max(here - 1, 0), "down": here + 1, "bottom": len(rest)}[to]
    return [*rest[:there], one, *rest[there:]]


def beside(queue: Sequence[int], one: int, *, before: int | None = None, after: int | None = None) -> list[int]:
    """The queue with one of it, or a new one, right before or right after another; after nothing is at the top."""
    rest = [other for other in queue if other != one]
    if before is not None:
        there = rest.index(before)
    else:
        there = 0 if after is None else rest.index(after) + 1
    return [*rest[:there], one, *rest[there:]]


def new_places(queue: Sequence[int], places: Mapping[int, int | None], *, moved: int) -> dict[int, int]:
    """Who needs which other place for the queue to be in this order; places count from 1.

    Those at the end that nobody ever moved keep having none, so that what is added later still comes after them.
    """
    named = [number for number, one in enumerate(queue, start=1) if one == moved or places.get(one) is not None]
    until = max(named, default=0)
    wanted = {one: number for number, one in enumerate(queue[:until], start=1)}
    return {one: number for one, number in wanted.items() if places.get(one) != number}
