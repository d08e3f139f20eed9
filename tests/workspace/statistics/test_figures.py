"""Periods tile their time, bars hold everything, and drawings stay within their frame."""

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.workspace.statistics import charts, figures
from readtrack.workspace.statistics.figures import Shelf
from readtrack.workspace.statistics.periods import MAX_STEPS, SPANS, build_period, build_year_period

DAYS = st.dates(date(1990, 1, 1), date(2100, 1, 1))
MINE = Shelf(is_own=True)


@dataclass(frozen=True)
class Ended:
    day: date
    depth: str
    number: int


@given(today=DAYS, earliest=DAYS, span=st.sampled_from([*SPANS]))
def test_weeks_months_and_years_cover_the_period_without_gaps(today, earliest, span):
    period = build_period(span, today, earliest=earliest)
    stretches = period.list_time_steps()
    assert (stretches[0].first, stretches[-1].last) == (period.first, today)
    assert all(after.first - before.last == timedelta(days=1) for before, after in pairwise(stretches))
    assert len(stretches) <= MAX_STEPS + 2
    assert period.first <= max(min(earliest, today), date(today.year - MAX_STEPS + 1, 1, 1)) or span != "all"


@pytest.mark.deep
@given(today=DAYS, data=st.data())
def test_bars_contain_every_reading_of_their_period(today, data):
    period = build_period("weeks", today)
    days = data.draw(st.lists(st.dates(period.first, period.last)))
    rows = [Ended(day, data.draw(st.sampled_from(figures.DEPTHS)), 1) for day in sorted(days)]
    bars = figures.build_bars(period, rows, MINE)
    assert sum(bar.number for bar in bars) == len(rows)
    assert [bar.number for bar in bars] == [
        sum(bar.time_step.first <= d <= bar.time_step.last for d in days) for bar in bars
    ]
    assert sum(share.number for share in figures.build_depth_shares(bars, period, MINE)) == len(rows)
    steps = figures.build_steps(period, rows, bars)
    assert (steps[-1].added, steps[-1].finished) == (len(rows), len(rows))


@given(days=st.lists(st.integers(0, 400)))
def test_waiting_times_fall_into_their_labelled_ranges_with_the_median_in_the_middle(days):
    waits = figures.build_waits(days)
    assert sum(share.number for share in waits.shares) == waits.number == len(days)
    assert waits.median == (sorted(days)[(len(days) - 1) // 2] if days else None)


@given(
    today=DAYS,
    span=st.sampled_from([*SPANS]),
    numbers=st.lists(st.integers(0, 5_000), min_size=1),
    goal=st.none() | st.integers(1, 50),
)
@pytest.mark.parametrize("width", [charts.WIDE, charts.NARROW])
def test_everything_drawn_is_within_the_frame(today, span, numbers, goal, width):
    period = build_period(span, today, earliest=today - timedelta(days=40 * len(numbers)))
    stretches = period.list_time_steps()
    rows = [Ended(each.first, "read", numbers[n % len(numbers)]) for n, each in enumerate(stretches)]
    bars = figures.build_bars(period, rows, MINE)
    for plot in (
        charts.draw_bars(bars, width, goal=goal),
        charts.draw_steps(figures.build_steps(period, rows, bars), width),
    ):
        within(plot)


@given(
    year=st.integers(1990, 2100),
    numbers=st.lists(st.integers(1, 9), min_size=1),
    width=st.sampled_from([charts.FULL, charts.NARROW]),
)
def test_a_year_has_a_cell_for_each_of_its_days(year, numbers, width):
    counts = {date(year, 1, 1) + timedelta(days=n % 365): number for n, number in enumerate(numbers)}
    plot = charts.draw_year(counts, year, width, today=date(year, 7, 1))
    within(plot)
    drawn = len(plot.boxes) + sum(area.path.count("z") for area in plot.areas)
    assert drawn == (date(year, 12, 31) - date(year, 1, 1)).days + 1
    assert sum(bool(box.tooltip) for box in plot.boxes) == (len(counts) if width == charts.FULL else 0)


def within(plot):
    for box in plot.boxes:
        assert -0.1 <= box.x <= box.x + box.width <= plot.width + 0.1
        assert -0.1 <= box.y <= box.y + box.height <= plot.height + 0.1
    for words in plot.texts:
        assert 0 <= words.x <= plot.width
        assert 0 <= words.y <= plot.height
    for line in plot.lines:
        for spot in line.points.split():
            x, y = map(float, spot.split(","))
            assert 0 <= x <= plot.width
            assert 0 <= y <= plot.height


@given(most=st.integers(0, 2_000))
def test_the_levels_of_a_calendar_cover_every_number_once(most):
    told = [number for _, text in charts.levels(most) for number in spread(text)]
    assert told == list(range(1, most + 1))
    assert all(charts.level_of(number, most) == level for level, text in charts.levels(most) for number in spread(text))


def spread(text: str) -> range:
    first, _, last = text.replace(",", "").partition("–")
    return range(int(first), int(last or first) + 1)


@pytest.mark.parametrize(
    ("shelf", "address"),
    [
        (Shelf(is_own=True), "/papers?q=is%3Astale"),
        (Shelf(is_own=False), "/papers?q=is%3Astale+by%3A%40team"),
        (Shelf(is_own=False, topic="moe"), "/papers?q=is%3Astale+by%3A%40team+topic%3Amoe"),
    ],
)
def test_figures_link_to_the_library(shelf, address):
    assert shelf.link("is:stale") == address


def test_the_weeks_of_a_year_start_on_its_first_day():
    assert build_year_period(2024, date(2026, 3, 18)).list_time_steps()[0] == (date(2024, 1, 1), date(2024, 1, 7))
    assert build_year_period(2026, date(2026, 3, 18)).last == date(2026, 3, 18)
