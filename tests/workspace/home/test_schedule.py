"""How a day is spoken of."""

from datetime import date, datetime

import pytest

from readtrack.workspace.home.schedule import greeting, long_day, near_day

MONDAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("hour", "said"),
    [
        (0, "Good evening, {name}"),
        (5, "Good morning, {name}"),
        (11, "Good morning, {name}"),
        (12, "Good afternoon, {name}"),
        (18, "Good evening, {name}"),
    ],
)
def test_people_are_greeted_by_the_time_of_day(hour, said):
    assert greeting(datetime(2026, 3, 2, hour)) == said  # noqa: DTZ001 - a clock on the wall


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (date(2026, 3, 2), "today"),
        (date(2026, 3, 3), "tomorrow"),
        (date(2026, 3, 1), "yesterday"),
        (date(2026, 3, 8), "Sunday"),
        (date(2026, 3, 9), "9 Mar"),
        (date(2026, 2, 27), "27 Feb"),
        (date(2027, 1, 1), "1 Jan 2027"),
    ],
)
def test_dates_are_described_relative_to_today(day, said):
    assert near_day(day, MONDAY) == said


def test_the_page_heading_is_the_date():
    assert long_day(MONDAY) == "Monday, 2 March"
