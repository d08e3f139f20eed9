"""Geometry of the charts; templates render it as SVG and CSS sets the colours.

Each chart has a wide and a narrow form, so that its text has the same size on a phone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from readtrack.infra import i18n
from readtrack.infra.i18n import gettext as _
from readtrack.workspace.statistics.figures import DEPTHS, Bar, GrowthStep

WIDE, NARROW, FULL = 480, 300, 900  # pixels: half the page, a phone, the whole page
HEIGHT, ABOVE, BELOW = 190, 22, 22  # height of a plot, and the space for numbers above and labels below it
EDGE = 4
MAX_NUMBERED_BARS = 16  # bars up to which all have their number; of more, only the highest and the last
LABELS = {WIDE: 6, NARROW: 4}
GAP = 2
STRIP = {FULL: 54, NARROW: 18}  # weeks per row of the calendar
WEEKDAY_LABEL_WIDTH = 28  # width of the weekday labels
LEVELS = 4


class Box(NamedTuple):
    """A rectangle. `kind`: CSS class; `tooltip`: shown on hover."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    tooltip: str = ""


class ChartText(NamedTuple):
    """A text. `anchor`: SVG text-anchor."""

    x: float
    y: float
    text: str
    kind: str = ""
    anchor: str = "middle"


class ChartLine(NamedTuple):
    """A polyline. `points`: as in SVG."""

    points: str
    kind: str


class Area(NamedTuple):
    """Many rectangles of one kind, as a single SVG path."""

    path: str
    kind: str


@dataclass(frozen=True)
class Plot:
    """A chart: areas and boxes, then lines, then text on top."""

    width: int
    height: int
    boxes: Sequence[Box] = ()
    lines: Sequence[ChartLine] = ()
    texts: Sequence[ChartText] = field(default=())
    areas: Sequence[Area] = field(default=())


def draw_bars(bars: Sequence[Bar], width: int, *, goal: int | None = None) -> Plot:
    """Return a bar chart with one stacked bar per time step, and a line for the goal."""
    highest = max([*(bar.number for bar in bars), goal or 0, 1])
    slot_width, scale = (width - 2 * EDGE) / len(bars), (HEIGHT - ABOVE - BELOW) / highest
    boxes, labels = [], _labels([bar.label for bar in bars], slot_width, width)
    for number, bar in enumerate(bars):
        x, top = EDGE + number * slot_width, float(HEIGHT - BELOW)
        for depth, part_count in zip(DEPTHS, bar.parts, strict=True):
            top -= part_count * scale
            if part_count:
                boxes.append(
                    Box(
                        _round_coordinate(x + slot_width * 0.12),
                        _round_coordinate(top),
                        _round_coordinate(slot_width * 0.76),
                        _round_coordinate(part_count * scale),
                        depth or "unsaid",
                    )
                )
        if bar.number and _has_number(number, bars, highest):
            labels.append(
                ChartText(
                    _round_coordinate(x + slot_width / 2),
                    _round_coordinate(top - 5),
                    i18n.format_number(bar.number),
                    "strong",
                )
            )
    lines = [_base(width)]
    if goal:
        y = _round_coordinate(HEIGHT - BELOW - goal * scale)
        lines.append(ChartLine(f"{EDGE},{y} {width - EDGE},{y}", "goal"))
    return Plot(width, HEIGHT, boxes, lines, labels)


def draw_steps(steps: Sequence[GrowthStep], width: int) -> Plot:
    """Return a line chart of papers added and finished, cumulated from zero."""
    maximum = max(max(step.added, step.finished) for step in steps) or 1
    step_width, scale = (width - 2 * EDGE - 46) / len(steps), (HEIGHT - ABOVE - BELOW) / maximum
    totals = {"added": steps[-1].added, "finished": steps[-1].finished}
    lines, labels = [_base(width)], _labels([step.label for step in steps], step_width, width)
    for kind in totals:
        heights = [0, *(getattr(step, kind) for step in steps)]
        points = [
            f"{_round_coordinate(EDGE + index * step_width)},{_round_coordinate(HEIGHT - BELOW - value * scale)}"
            for index, value in enumerate(heights)
        ]
        lines.append(ChartLine(" ".join(points), kind))
    label_heights = {kind: HEIGHT - BELOW - total * scale for kind, total in totals.items()}
    for kind, y in _separate_labels(label_heights).items():
        labels.append(
            ChartText(
                _round_coordinate(width - EDGE - 40),
                _round_coordinate(y + 4),
                i18n.format_number(totals[kind]),
                f"strong {kind}",
                "start",
            )
        )
    return Plot(width, HEIGHT, (), lines, labels)


def draw_year(counts: Mapping[date, int], year: int, width: int, *, today: date) -> Plot:
    """Return a calendar heat map with a column per week, Monday on top.

    Days after today are only outlined.
    """
    weeks_per_row, pitch = STRIP[width], _round_coordinate((width - WEEKDAY_LABEL_WIDTH - EDGE) / STRIP[width])
    first_monday = date(year, 1, 1) - timedelta(days=date(year, 1, 1).weekday())
    row_height, size, maximum = 7 * pitch + ABOVE + GAP, _round_coordinate(pitch - GAP), max(counts.values(), default=0)
    areas, boxes, labels = defaultdict[str, list[str]](list), [], []
    for day in _days(year):
        row, column = divmod((day - first_monday).days // 7, weeks_per_row)
        x, y = (
            _round_coordinate(WEEKDAY_LABEL_WIDTH + column * pitch),
            _round_coordinate(ABOVE + row * row_height + day.weekday() * pitch),
        )
        number = counts.get(day, 0)
        kind = "ahead" if day > today and not number else f"level-{level_of(number, maximum)}"
        if number and width == FULL:  # there is no tooltip on a phone
            boxes.append(Box(x, y, size, size, kind, _day_label(day, number)))
        else:
            areas[kind].append(f"M{x} {y}h{size}v{size}h-{size}z")
        if day.day == 1:
            labels.append(
                ChartText(
                    x, _round_coordinate(ABOVE + row * row_height - 6), i18n.format_short(day, "month"), "", "start"
                )
            )
    row_count = ceil(((date(year, 12, 31) - first_monday).days // 7 + 1) / weeks_per_row)
    for row_index in range(row_count):
        labels += [
            _weekday(first_monday + timedelta(days=row), row_index * row_height + row * pitch + pitch)
            for row in (0, 2, 4)
        ]
    paths = [Area("".join(parts), kind) for kind, parts in areas.items()]
    return Plot(width, round(row_count * row_height), boxes, (), labels, paths)


def level_of(number: int, maximum: int) -> int:
    """Return the intensity of a day: 0 for none, else 1 to LEVELS in equal parts of the maximum."""
    return ceil(number * LEVELS / maximum) if number else 0


def levels(maximum: int) -> list[tuple[int, str]]:
    """Return the numbers of each level for the legend, such as "1" or "2–3"; empty levels are left out."""
    edges = [level * maximum // LEVELS for level in range(LEVELS + 1)]
    labels = []
    for level, (lower_bound, upper_bound) in enumerate(pairwise(edges), 1):
        first_text, last_text = i18n.format_number(lower_bound + 1), i18n.format_number(upper_bound)
        if upper_bound > lower_bound:
            labels.append((level, last_text if upper_bound == lower_bound + 1 else f"{first_text}–{last_text}"))
    return labels


def draw_share(fraction: float) -> Plot:
    """Return a bar that shows a fraction of 1."""
    return Plot(100, 6, [Box(0, 0, _round_coordinate(100 * fraction), 6, "part")])


def _base(width: int) -> ChartLine:
    return ChartLine(f"{EDGE},{HEIGHT - BELOW} {width - EDGE},{HEIGHT - BELOW}", "axis")


def _labels(names: Sequence[str], slot_width: float, width: int) -> list[ChartText]:
    """Return the labels that fit without touching, counted back from the last."""
    interval = ceil(len(names) / LABELS[width])
    indexes = range((len(names) - 1) % interval, len(names), interval)
    return [ChartText(_inside(EDGE + (index + 0.5) * slot_width, width), HEIGHT - 6, names[index]) for index in indexes]


def _inside(x: float, width: int) -> float:
    return _round_coordinate(min(max(x, 22), width - 22))


def _has_number(number: int, bars: Sequence[Bar], maximum: int) -> bool:
    return len(bars) <= MAX_NUMBERED_BARS or number == len(bars) - 1 or bars[number].number == maximum


def _separate_labels(label_heights: Mapping[str, float]) -> dict[str, float]:
    """Move two labels apart vertically if they would overlap."""
    (upper, upper_y), (lower, lower_y) = sorted(label_heights.items(), key=lambda pair: pair[1])
    return (
        {upper: upper_y, lower: max(lower_y, upper_y + 15)}
        if lower_y + 15 > HEIGHT - BELOW
        else {upper: min(upper_y, lower_y - 15), lower: lower_y}
    )


def _day_label(day: date, number: int) -> str:
    return _("{day}: {number}").format(day=i18n.format_day(day), number=i18n.format_number(number))


def _days(year: int) -> list[date]:
    first = date(year, 1, 1)
    return [first + timedelta(days=number) for number in range((date(year, 12, 31) - first).days + 1)]


def _weekday(day: date, y: float) -> ChartText:
    return ChartText(
        WEEKDAY_LABEL_WIDTH - 6, _round_coordinate(ABOVE + y - 4), i18n.format_short(day, "weekday"), "", "end"
    )


def _round_coordinate(value: float) -> float:
    return round(value, 1)
