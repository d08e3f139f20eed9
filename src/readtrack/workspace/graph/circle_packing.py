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
    circles = [Circle(0.0, 0.0, radii[0])]
    if len(radii) > 1:
        circles = [Circle(-radii[1], 0.0, radii[0]), Circle(radii[0], 0.0, radii[1])]
    next_of, previous_of = {0: 1, 1: 0}, {0: 1, 1: 0}
    index = 0
    for radius in radii[2:]:
        index = _place_circle(circles, radius, (next_of, previous_of), index)
    return circles


def enclosing_circle(circles: Sequence[Circle]) -> Circle:
    """Return an enclosing circle, hardly larger than the smallest one."""
    total = sum(circle.r**2 for circle in circles)
    x, y = (sum(circle[axis] * circle.r**2 for circle in circles) / total for axis in (0, 1))
    for step in range(2, MAX_ROUNDS):
        farthest = max(circles, key=lambda circle: math.hypot(circle.x - x, circle.y - y) + circle.r)
        x, y = x + (farthest.x - x) / step, y + (farthest.y - y) / step
    return Circle(x, y, max(math.hypot(circle.x - x, circle.y - y) + circle.r for circle in circles))


def _place_circle(
    circles: list[Circle], radius: float, front: tuple[dict[int, int], dict[int, int]], first: int
) -> int:
    """Place a circle between `first` and its successor; return the front node now nearest to the centre."""
    next_of, previous_of = front
    new_index, second = len(circles), next_of[first]
    while True:
        circle = _tangent_circle(circles[first], circles[second], radius)
        collision = _find_collision(circles, circle, front, (first, second))
        if collision is None:
            break
        first, second = collision
        next_of[first], previous_of[second] = second, first  # circles in between leave the front
    circles.append(circle)
    next_of[first], previous_of[new_index], next_of[new_index], previous_of[second] = (
        new_index,
        first,
        second,
        new_index,
    )
    nearest, index = first, next_of[first]
    while index != first:
        if _distance_from_center(circles, index, next_of) < _distance_from_center(circles, nearest, next_of):
            nearest = index
        index = next_of[index]
    return nearest


def _find_collision(
    circles: Sequence[Circle], circle: Circle, front: tuple[dict[int, int], dict[int, int]], pair: tuple[int, int]
) -> tuple[int, int] | None:
    """Return the pair to place the circle between instead, if it overlaps one of the front.

    Both directions are searched, and the nearer overlap wins.
    """
    next_of, previous_of = front
    left, right = previous_of[pair[0]], next_of[pair[1]]
    left_length, right_length = circles[pair[0]].r, circles[pair[1]].r
    while True:
        if right_length <= left_length:
            if _is_overlapping(circles[right], circle):
                return pair[0], right
            right_length, last, right = right_length + circles[right].r, right, next_of[right]
        else:
            if _is_overlapping(circles[left], circle):
                return left, pair[1]
            left_length, last, left = left_length + circles[left].r, left, previous_of[left]
        if last in pair or previous_of[right] == left:
            return None


def _tangent_circle(first: Circle, second: Circle, radius: float) -> Circle:
    """Return the circle tangent to both, on the left of the way from one to two."""
    dx, dy = second.x - first.x, second.y - first.y
    distance = math.hypot(dx, dy)
    first_distance, second_distance = first.r + radius, second.r + radius
    projection = (distance * distance + first_distance * first_distance - second_distance * second_distance) / (
        2 * distance
    )
    offset = math.sqrt(max(first_distance * first_distance - projection * projection, 0.0))
    unit_x, unit_y = dx / distance, dy / distance
    return Circle(
        first.x + projection * unit_x + offset * unit_y, first.y + projection * unit_y - offset * unit_x, radius
    )


def _is_overlapping(first: Circle, second: Circle) -> bool:
    return math.hypot(first.x - second.x, first.y - second.y) < first.r + second.r - 1e-6


def _distance_from_center(circles: Sequence[Circle], index: int, next_of: dict[int, int]) -> float:
    """Return the distance from the centre at which the next circle would be placed."""
    first, second = circles[index], circles[next_of[index]]
    total = first.r + second.r
    return math.hypot(
        (first.x * second.r + second.x * first.r) / total, (first.y * second.r + second.y * first.r) / total
    )
