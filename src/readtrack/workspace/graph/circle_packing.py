"""Deterministic circle packing, and the enclosing circle.

Each further circle touches two on the front (the closed chain of outermost circles), at the place nearest to the centre
(Wang et al., "Visualization of large hierarchical data by circle packing", 2006).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

MAX_ROUNDS = 60  # iterations for the centre of the enclosing circle


class Circle(NamedTuple):
    """A circle: centre and radius."""

    x: float
    y: float
    r: float


def pack_circles(radii: Sequence[float]) -> list[Circle]:
    """Return a circle for each radius, in order, packed around the first two."""
    if not radii:
        return []
    laid = [Circle(0.0, 0.0, radii[0])]
    if len(radii) > 1:
        laid = [Circle(-radii[1], 0.0, radii[0]), Circle(radii[0], 0.0, radii[1])]
    after, before = {0: 1, 1: 0}, {0: 1, 1: 0}
    one = 0
    for radius in radii[2:]:
        one = _place_circle(laid, radius, (after, before), one)
    return laid


def enclosing_circle(circles: Sequence[Circle]) -> Circle:
    """Return an enclosing circle, hardly larger than the smallest one."""
    total = sum(circle.r**2 for circle in circles)
    x, y = (sum(circle[axis] * circle.r**2 for circle in circles) / total for axis in (0, 1))
    for step in range(2, MAX_ROUNDS):
        far = max(circles, key=lambda circle: math.hypot(circle.x - x, circle.y - y) + circle.r)
        x, y = x + (far.x - x) / step, y + (far.y - y) / step
    return Circle(x, y, max(math.hypot(circle.x - x, circle.y - y) + circle.r for circle in circles))


def _place_circle(laid: list[Circle], radius: float, front: tuple[dict[int, int], dict[int, int]], one: int) -> int:
    """Place a circle between `one` and its successor; return the front node now nearest to the centre."""
    after, before = front
    new, two = len(laid), after[one]
    while True:
        circle = _tangent_circle(laid[one], laid[two], radius)
        met = _find_collision(laid, circle, front, (one, two))
        if met is None:
            break
        one, two = met
        after[one], before[two] = two, one  # circles in between leave the front
    laid.append(circle)
    after[one], before[new], after[new], before[two] = new, one, two, new
    best, here = one, after[one]
    while here != one:
        if _distance_from_center(laid, here, after) < _distance_from_center(laid, best, after):
            best = here
        here = after[here]
    return best


def _find_collision(
    laid: Sequence[Circle], circle: Circle, front: tuple[dict[int, int], dict[int, int]], pair: tuple[int, int]
) -> tuple[int, int] | None:
    """Return the pair to place the circle between instead, if it overlaps one of the front.

    Both directions are searched, and the nearer overlap wins.
    """
    after, before = front
    back, forth = before[pair[0]], after[pair[1]]
    gone_back, gone_forth = laid[pair[0]].r, laid[pair[1]].r
    while True:
        if gone_forth <= gone_back:
            if _is_overlapping(laid[forth], circle):
                return pair[0], forth
            gone_forth, last, forth = gone_forth + laid[forth].r, forth, after[forth]
        else:
            if _is_overlapping(laid[back], circle):
                return back, pair[1]
            gone_back, last, back = gone_back + laid[back].r, back, before[back]
        if last in pair or before[forth] == back:
            return None


def _tangent_circle(one: Circle, two: Circle, radius: float) -> Circle:
    """Return the circle tangent to both, on the left of the way from one to two."""
    dx, dy = two.x - one.x, two.y - one.y
    far = math.hypot(dx, dy)
    to_one, to_two = one.r + radius, two.r + radius
    along = (far * far + to_one * to_one - to_two * to_two) / (2 * far)
    aside = math.sqrt(max(to_one * to_one - along * along, 0.0))
    ux, uy = dx / far, dy / far
    return Circle(one.x + along * ux + aside * uy, one.y + along * uy - aside * ux, radius)


def _is_overlapping(one: Circle, two: Circle) -> bool:
    return math.hypot(one.x - two.x, one.y - two.y) < one.r + two.r - 1e-6


def _distance_from_center(laid: Sequence[Circle], here: int, after: dict[int, int]) -> float:
    """Return the distance from the centre at which the next circle would be placed."""
    one, two = laid[here], laid[after[here]]
    whole = one.r + two.r
    return math.hypot((one.x * two.r + two.x * one.r) / whole, (one.y * two.r + two.y * one.r) / whole)
