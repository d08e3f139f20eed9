"""Figures derived from counts: bars, lines and shares, with links to the papers behind them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median_low
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import urlencode

from readtrack.infra import i18n
from readtrack.infra.i18n import N_, pgettext
from readtrack.infra.i18n import gettext as _
from readtrack.library.papers.display_options import quote_value
from readtrack.library.papers.lists import format_publication
from readtrack.workspace.statistics.periods import Period, Stretch

DEPTHS = ("skimmed", "read", "studied", "")  # from the bottom of a bar to its top; "" means not specified
# (maximum days, label)
WAITS = (
    (7, N_("within 1 week")),
    (28, N_("1–4 weeks")),
    (91, N_("1–3 months")),
    (None, N_("over 3 months")),
)
# In the order of the counts.
AGES = (
    N_("within 1 week"),
    N_("1–3 weeks"),
    N_("3 weeks to 3 months"),
    N_("over 3 months"),
)
MAX_VENUES = 8


class OnDay(Protocol):
    """A count for one day."""

    @property
    def day(self) -> date: ...

    @property
    def number(self) -> int: ...


class OfDepth(OnDay, Protocol):
    """A count for one day and reading depth."""

    @property
    def depth(self) -> str: ...


Row = TypeVar("Row", bound=OnDay)


class Bar(NamedTuple):
    """The readings finished in a time step, by depth in the order of DEPTHS."""

    time_step: Stretch
    label: str
    long_label: str
    parts: tuple[int, ...]
    href: str

    @property
    def number(self) -> int:
        """The sum over all depths."""
        return sum(self.parts)


class GrowthStep(NamedTuple):
    """The cumulated numbers of papers added and finished, up to the end of a time step."""

    time_step: Stretch
    label: str
    long_label: str
    added: int
    finished: int


class Share(NamedTuple):
    """One value of a breakdown, with a link."""

    name: str
    number: int
    href: str = ""
    is_lower_bound: bool = False  # the number is a lower bound
    kind: str = ""  # CSS class


class Waits(NamedTuple):
    """The days from adding a paper to finishing it: median (None without data), number, and distribution."""

    median: int | None
    number: int
    shares: Sequence[Share]


@dataclass(frozen=True)
class Shelf:
    """The part of the library that the figures cover, as search terms: my readings or anyone's; a topic."""

    is_own: bool
    topic: str = ""

    def link(self, *terms: str) -> str:
        """Return the link to the papers that match these terms."""
        reader_terms = [] if self.is_own else ["by:@team"]
        topic_terms = [f"topic:{self.topic}"] if self.topic else []
        return f"/papers?{urlencode({'q': ' '.join([*terms, *reader_terms, *topic_terms])})}"


def build_bars(period: Period, finished: Iterable[OfDepth], shelf: Shelf) -> list[Bar]:
    """Return one bar per time step, including empty ones."""
    stretches = period.list_time_steps()
    counts = [Counter[str]() for _ in stretches]
    for number, row in _number_by_stretch(stretches, finished):
        counts[number][row.depth] += row.number
    return [
        Bar(
            stretch,
            period.format_label(stretch),
            _when(stretch),
            tuple(count[depth] for depth in DEPTHS),
            shelf.link(_read_in(stretch)),
        )
        for stretch, count in zip(stretches, counts, strict=True)
    ]


def build_steps(period: Period, added: Iterable[OnDay], finished: Iterable[Bar]) -> list[GrowthStep]:
    """Return the cumulated numbers of added and finished papers since the period began."""
    stretches = period.list_time_steps()
    added_counts = [0] * len(stretches)
    for number, row in _number_by_stretch(stretches, added):
        added_counts[number] += row.number
    steps, added_total, finished_total = [], 0, 0
    for count, bar in zip(added_counts, finished, strict=True):
        added_total, finished_total = added_total + count, finished_total + bar.number
        steps.append(GrowthStep(bar.time_step, bar.label, bar.long_label, added_total, finished_total))
    return steps


def build_depth_shares(finished: Iterable[Bar], period: Period, shelf: Shelf) -> list[Share]:
    """Return the sums of all bars by depth."""
    sums = [sum(numbers) for numbers in zip(*(bar.parts for bar in finished), strict=True)] or [0] * len(DEPTHS)
    time = _read_in(Stretch(period.first, period.last))
    return [
        Share(_depth(depth), number, shelf.link(f"depth:{depth or 'none'}", time), kind=depth or "unsaid")
        for depth, number in zip(DEPTHS, sums, strict=True)
    ]


def _depth(depth: str) -> str:
    labels = {"skimmed": _("skimmed"), "read": pgettext("depth", "read"), "studied": _("studied")}
    return labels.get(depth) or _("unspecified")


def build_waits(days: Sequence[int]) -> Waits:
    """Return the distribution and median of waiting times in days."""
    counts = Counter(_wait(wait_days) for wait_days in days)
    shares = [Share(_(name), counts[number]) for number, (_limit, name) in enumerate(WAITS)]
    return Waits(median_low(days) if days else None, len(days), shares)


def build_venue_shares(counts: Counter[tuple[str, int | None]], shelf: Shelf) -> list[Share]:
    """Return the venues of finished papers, most frequent first, without papers that lack one."""
    with_venue = {publication: number for publication, number in counts.items() if publication[0]}
    ranked = sorted(with_venue.items(), key=lambda pair: (-pair[1], pair[0][0], pair[0][1] or 0))
    return [
        Share(format_publication(*publication), number, _venue_address(*publication, shelf))
        for publication, number in ranked[:MAX_VENUES]
    ]


def build_year_shares(counts: Counter[tuple[str, int | None]], shelf: Shelf) -> list[Share]:
    """Return the publication years of finished papers, newest first, without papers that lack one."""
    by_year = Counter[int]()
    for (_venue, year), number in counts.items():
        if year:
            by_year[year] += number
    newest = sorted(by_year.items(), reverse=True)[:MAX_VENUES]
    return [Share(str(year), number, shelf.link(f"year:{year}", "status:read")) for year, number in newest]


def build_age_shares(counts: Sequence[int], limit: int) -> list[Share]:
    """Return the papers in progress by the time of their last change."""
    return [
        Share(_(name), min(count, limit), is_lower_bound=count > limit)
        for name, count in zip(AGES, counts, strict=True)
    ]


def count_by_day(finished: Iterable[OnDay]) -> dict[date, int]:
    """Return the number of finished papers per day."""
    counts = Counter[date]()
    for row in finished:
        counts[row.day] += row.number
    return dict(counts)


def count_by_month(calendar: Mapping[date, int]) -> list[tuple[date, int, int]]:
    """Return (first day, number of days with finished papers, number of papers) for each month."""
    sums_by_month: dict[date, tuple[int, int]] = {}
    for day, number in sorted(calendar.items()):
        days, total = sums_by_month.get(day.replace(day=1), (0, 0))
        sums_by_month[day.replace(day=1)] = (days + 1, total + number)
    return [(month, *numbers) for month, numbers in sums_by_month.items()]


def _wait(days: int) -> int:
    return next(number for number, (limit, _label) in enumerate(WAITS) if limit is None or days <= limit)


def _number_by_stretch(stretches: Sequence[Stretch], rows: Iterable[Row]) -> Iterable[tuple[int, Row]]:
    """Pair each row with the index of its time step. The rows must be sorted by day."""
    number = 0
    for row in rows:
        while row.day > stretches[number].last:
            number += 1
        yield number, row


def _read_in(stretch: Stretch) -> str:
    return f"read:{stretch.first}..{stretch.last}"


def _when(stretch: Stretch) -> str:
    if stretch.first == stretch.last:
        return i18n.format_day(stretch.first)
    return _("{first} – {last}").format(first=i18n.format_day(stretch.first), last=i18n.format_day(stretch.last))


def _venue_address(venue: str, year: int | None, shelf: Shelf) -> str:
    return shelf.link(f"venue:{quote_value(venue)}", *([f"year:{year}"] if year else []), "status:read")
