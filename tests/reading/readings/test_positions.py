"""The order of a queue: every move leaves all the others as they stood among themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.reading.readings.positions import FIRST_POSITION, POSITION_GAP, move_by_step, move_next_to, new_positions

QUEUES = st.lists(st.integers(1, 50), unique=True, min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("one", "to", "then"),
    [
        (3, "up", [1, 3, 2, 4]),
        (3, "down", [1, 2, 4, 3]),
        (3, "top", [3, 1, 2, 4]),
        (3, "bottom", [1, 2, 4, 3]),
        (1, "up", [1, 2, 3, 4]),
        (1, "top", [1, 2, 3, 4]),
        (4, "down", [1, 2, 3, 4]),
        (1, "bottom", [2, 3, 4, 1]),
    ],
)
def test_a_step_within_the_queue(one, to, then):
    assert move_by_step([1, 2, 3, 4], one, to) == then


@pytest.mark.parametrize(
    ("one", "where", "then"),
    [
        (4, {"before": 2}, [1, 4, 2, 3]),
        (1, {"after": 3}, [2, 3, 1, 4]),
        (1, {"after": None}, [1, 2, 3, 4]),
        (9, {"after": 2}, [1, 2, 9, 3, 4]),
        (9, {"before": 1}, [9, 1, 2, 3, 4]),
    ],
)
def test_a_position_next_to_another(one, where, then):
    assert move_next_to([1, 2, 3, 4], one, **where) == then


@given(QUEUES, st.data(), st.sampled_from(["up", "down", "top", "bottom"]))
def test_the_others_keep_their_order_and_none_is_lost(queue, data, to):
    one = data.draw(st.sampled_from(queue))
    moved = move_by_step(queue, one, to)
    assert sorted(moved) == sorted(queue)
    assert [other for other in moved if other != one] == [other for other in queue if other != one]


@given(QUEUES, st.data())
def test_new_positions_give_the_intended_order(queue, data):
    """Whatever places they had: doubles, gaps, none at all."""
    one = data.draw(st.sampled_from(queue))
    rest = [other for other in queue if other != one]
    numbers = data.draw(st.lists(st.integers(-5, 20), min_size=len(rest), max_size=len(rest)))
    places = {other: number or None for other, number in zip(rest, sorted(numbers), strict=True)} | {one: None}
    then = places | new_positions(queue, places, moved_item=one)
    came = {other: number for number, other in enumerate(rest)}  # which decides among those of one place
    assert sorted(queue, key=lambda other: (then[other] or FIRST_POSITION, came.get(other, 0))) == queue


def test_a_move_changes_one_position_while_there_is_room():
    places = {1: POSITION_GAP, 2: 2 * POSITION_GAP, 3: 3 * POSITION_GAP}
    assert new_positions([3, 1, 2], places, moved_item=3) == {3: 0}
    assert new_positions([2, 1, 3], places, moved_item=2) == {2: 0}
    assert new_positions([1, 3, 2], places, moved_item=3) == {3: POSITION_GAP + POSITION_GAP // 2}
    assert new_positions([2, 3, 1], places, moved_item=1) == {1: 4 * POSITION_GAP}


def test_all_positions_are_renumbered_when_there_is_no_room():
    assert new_positions([2, 1, 3], {1: None, 2: None, 3: None}, moved_item=1) == {
        2: POSITION_GAP,
        1: 2 * POSITION_GAP,
        3: 3 * POSITION_GAP,
    }
    assert new_positions([1, 3, 2], {1: 4, 2: 5, 3: 9}, moved_item=3) == {
        1: POSITION_GAP,
        3: 2 * POSITION_GAP,
        2: 3 * POSITION_GAP,
    }
