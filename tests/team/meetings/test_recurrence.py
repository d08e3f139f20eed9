"""When meetings of a series are, and whose turn it is: tables, and laws over any rhythm and any rota."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from readtrack.infra.clock import to_local
from readtrack.team.meetings.recurrence import Rhythm, format_rhythm, moment_of, next_day, rotate_presenters

WEDNESDAYS = Rhythm(1, 2, date(2025, 12, 3))
FORTNIGHTS = Rhythm(2, 2, date(2025, 12, 1))
DAYS = some.dates(date(2000, 1, 1), date(2100, 1, 1))
RHYTHMS = some.builds(Rhythm, some.integers(1, 12), some.integers(0, 6), DAYS)
PEOPLE = some.lists(some.integers(1, 9), unique=True)


@pytest.mark.parametrize(
    ("rhythm", "today", "taken", "day"),
    [
        (WEDNESDAYS, date(2025, 11, 1), (), date(2025, 12, 3)),  # it has not begun
        (WEDNESDAYS, date(2025, 12, 3), (), date(2025, 12, 3)),  # today
        (WEDNESDAYS, date(2025, 12, 3), (date(2025, 12, 3),), date(2025, 12, 10)),
        (WEDNESDAYS, date(2025, 12, 4), (), date(2025, 12, 10)),
        (WEDNESDAYS, date(2025, 12, 2), (date(2025, 12, 2),), date(2025, 12, 10)),  # moved a day forward
        (WEDNESDAYS, date(2025, 12, 2), (date(2025, 12, 6),), date(2025, 12, 10)),  # moved three days back
        (WEDNESDAYS, date(2025, 12, 2), (date(2025, 12, 10),), date(2025, 12, 3)),  # a gap before what is planned
        (WEDNESDAYS, date(2026, 3, 1), (date(2025, 12, 3),), date(2026, 3, 4)),  # after a long rest
        (FORTNIGHTS, date(2025, 12, 4), (date(2025, 12, 3),), date(2025, 12, 17)),
        (FORTNIGHTS, date(2025, 12, 11), (), date(2025, 12, 17)),
        (FORTNIGHTS, date(2025, 12, 4), (date(2025, 12, 10),), date(2025, 12, 24)),  # moved by a week: two weeks later
        (FORTNIGHTS, date(2025, 12, 4), (date(2025, 12, 3), date(2025, 12, 24)), date(2026, 1, 7)),  # the next one was
        (FORTNIGHTS, date(2025, 12, 4), (date(2025, 12, 3), date(2026, 6, 3)), date(2025, 12, 17)),  # long before that
        (FORTNIGHTS, date(2025, 11, 20), (date(2025, 11, 19),), date(2025, 12, 3)),  # of a rhythm before this one
        (Rhythm(4, 0, date(2025, 12, 1)), date(2025, 12, 2), (), date(2025, 12, 29)),
        (
            Rhythm(4, 1, date(2026, 8, 14)),
            date(2026, 11, 22),
            (date(2026, 10, 27), date(2026, 11, 24)),
            date(2026, 12, 22),
        ),
        (Rhythm(1, 3, date(2026, 12, 1)), date(2026, 12, 25), (date(2026, 12, 31),), date(2027, 1, 7)),  # a year ends
        (Rhythm(0, 0, date(2025, 12, 1)), date(2025, 12, 2), (), None),  # no rhythm
    ],
)
def test_the_next_date_is_the_first_of_the_schedule_without_a_meeting(rhythm, today, taken, day):
    assert next_day(rhythm, today=today, meeting_days=taken) == day


def day_after(rhythm, today, taken) -> date:
    """Of a rhythm that has days."""
    day = next_day(rhythm, today=today, meeting_days=taken)
    assert day is not None
    return day


@given(RHYTHMS, DAYS, some.lists(DAYS, max_size=5))
def test_the_next_date_is_always_on_schedule_and_not_in_the_past(rhythm, today, taken):
    day = day_after(rhythm, today, taken)
    assert day.weekday() == rhythm.weekday
    assert day >= max(today, rhythm.starts_on)
    assert day not in taken


@given(RHYTHMS, DAYS, some.integers(0, 200))
def test_the_next_meeting_is_an_interval_after_the_last_one_even_if_it_was_moved(rhythm, today, late):
    met = max(today, rhythm.starts_on) + timedelta(days=late % (7 * rhythm.interval_weeks))
    day = day_after(rhythm, today, [met])
    assert abs((day - met).days - 7 * rhythm.interval_weeks) <= 3


@given(RHYTHMS, DAYS, some.integers(1, 6))
def test_repeated_planning_skips_no_date_and_repeats_none(rhythm, today, times):
    planned: list[date] = []
    for _ in range(times):
        planned.append(day_after(rhythm, today, planned))
    assert planned == [planned[0] + timedelta(days=7 * rhythm.interval_weeks * number) for number in range(times)]


@given(RHYTHMS, DAYS, some.integers(-3, 3))
def test_a_meeting_moved_by_less_than_half_a_week_still_occupies_its_scheduled_date(rhythm, today, moved):
    day = day_after(rhythm, today, ())
    after = day_after(rhythm, today, [day])
    assert next_day(rhythm, today=today, meeting_days=[day + timedelta(days=moved)]) == after


@pytest.mark.parametrize(
    ("day", "at", "zone", "moment"),
    [
        (date(2025, 12, 3), "15:00", "Asia/Tokyo", datetime(2025, 12, 3, 6, tzinfo=UTC)),
        (date(2025, 12, 3), "15:00", "UTC", datetime(2025, 12, 3, 15, tzinfo=UTC)),
        (date(2026, 3, 27), "10:00", "Europe/Berlin", datetime(2026, 3, 27, 9, tzinfo=UTC)),
        (date(2026, 4, 3), "10:00", "Europe/Berlin", datetime(2026, 4, 3, 8, tzinfo=UTC)),  # summer began between
        (date(2026, 10, 30), "10:00", "Europe/Berlin", datetime(2026, 10, 30, 9, tzinfo=UTC)),  # and ended
        (date(2026, 3, 8), "10:00", "America/New_York", datetime(2026, 3, 8, 14, tzinfo=UTC)),
        (date(2026, 3, 29), "02:30", "Europe/Berlin", datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),  # left out: 3:30
        (date(2026, 10, 25), "02:30", "Europe/Berlin", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),  # the first of two
        (date(2026, 1, 1), "00:10", "Asia/Kathmandu", datetime(2025, 12, 31, 18, 25, tzinfo=UTC)),
        (date(2026, 6, 1), "09:00", "Australia/Lord_Howe", datetime(2026, 5, 31, 22, 30, tzinfo=UTC)),
    ],
)
def test_a_local_time_is_converted_correctly_across_daylight_saving_changes(day, at, zone, moment):
    assert moment_of(day, at, zone) == moment


@given(
    some.dates(date(1990, 1, 1), date(2037, 1, 1)),
    some.sampled_from(["09:00", "15:30", "23:59"]),
    some.sampled_from(["Asia/Tokyo", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
)
def test_the_local_time_is_the_one_that_was_entered(day, at, zone):
    shown = to_local(moment_of(day, at, zone), zone)
    assert (shown.date(), f"{shown:%H:%M}") == (day, at)


@pytest.mark.parametrize(
    ("rota", "presented", "here", "turn"),
    [
        ([1, 2, 3], [], {1, 2, 3}, [1, 2, 3]),  # nobody has yet
        ([1, 2, 3], [1], {1, 2, 3}, [2, 3, 1]),
        ([1, 2, 3], [3, 2, 1], {1, 2, 3}, [1, 2, 3]),  # round again
        ([1, 2, 3], [3, 1], {1, 2, 3}, [2, 1, 3]),  # two changed places, and nobody's turn is lost
        ([1, 2, 3], [2, 3, 1], {1, 2, 3}, [1, 3, 2]),
        ([1, 2, 3], [1], {1, 3}, [3, 1]),  # who left is passed over
        ([1, 2, 3], [9, 2, 1], {1, 2, 3}, [3, 1, 2]),  # a guest does not count
        ([1], [1], {1}, [1]),
        ([1, 2], [], set(), []),
        ([], [1], {1}, []),
    ],
)
def test_the_next_presenter_is_determined_by_rotation(rota, presented, here, turn):
    assert rotate_presenters(rota, presented, here) == turn


@given(PEOPLE, some.sets(some.integers(1, 9)), some.lists(some.integers(1, 9)))
def test_every_active_member_presents_once_before_anyone_presents_twice(rota, here, presented):
    people = [person for person in rota if person in here]
    turns: list[int] = []
    for _ in people:
        turns.append(rotate_presenters(rota, [*turns[::-1], *presented], here)[0])
    assert turns == rotate_presenters(rota, presented, here)
    assert sorted(turns) == sorted(people)


@pytest.mark.parametrize(
    ("every", "weekday", "said"),
    [(1, 0, "every week on Monday"), (2, 6, "every 2 weeks on Sunday"), (0, 3, "no fixed schedule")],
)
def test_a_schedule_is_described_in_words(every, weekday, said):
    assert format_rhythm(every, weekday) == said
