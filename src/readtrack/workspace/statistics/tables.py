"""The data behind each figure as CSV tables. Column names are for programs and not translated."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from readtrack.infra.i18n import N_
from readtrack.workspace.statistics.coverage import CoverageReport
from readtrack.workspace.statistics.figures import DEPTHS, Share
from readtrack.workspace.statistics.view_model import ReadingStatistics

Lines: TypeAlias = Iterable[Sequence[object]]
TITLES: Mapping[str, str] = {
    "finished": N_("Finished over time"),
    "growth": N_("Added and finished, cumulative"),
    "depths": N_("By reading depth"),
    "topics": N_("By topic"),
    "waits": N_("Time to finish"),
    "venues": N_("By venue"),
    "years": N_("By publication year"),
    "ages": N_("Currently reading"),
    "calendar": N_("Reading calendar"),
    "coverage": N_("Library coverage"),
}


def build_table(name: str, figures: Any) -> Lines:  # noqa: ANN401 - ReadingStatistics, or CoverageReport for the coverage
    """Yield a header line, then the data."""
    return _LINES[name](figures)


def _finished(statistics: ReadingStatistics) -> Lines:
    yield ("first_day", "last_day", "finished", *(depth or "depth_not_said" for depth in DEPTHS))
    for bar in statistics.bars:
        yield (*bar.time_step, bar.number, *bar.parts)


def _growth(statistics: ReadingStatistics) -> Lines:
    yield ("first_day", "last_day", "added_so_far", "finished_so_far")
    for step in statistics.steps:
        yield (*step.time_step, step.added, step.finished)


def _calendar(statistics: ReadingStatistics) -> Lines:
    yield ("day", "finished")
    yield from sorted(statistics.calendar.items())


def _waits(statistics: ReadingStatistics) -> Lines:
    yield ("wait", "finished", "median_days")
    for share in statistics.waiting_times.shares:
        yield (
            share.name,
            share.number,
            "" if statistics.waiting_times.median is None else statistics.waiting_times.median,
        )


def _coverage(report: CoverageReport) -> Lines:
    yield ("topic", "papers", "read", "read_by_two")
    yield ("", *report.coverage)
    for topic in report.topics:
        yield (topic.name, topic.papers, topic.read, "")


def _shares(
    column: str, get_shares: Callable[[ReadingStatistics], Iterable[Share]]
) -> Callable[[ReadingStatistics], Lines]:
    def lines_of(statistics: ReadingStatistics) -> Lines:
        yield (column, "number")
        for share in get_shares(statistics):
            yield (share.name, f"{share.number}+" if share.is_lower_bound else share.number)

    return lines_of


_LINES: Mapping[str, Callable[[Any], Lines]] = {
    "finished": _finished,
    "growth": _growth,
    "depths": _shares("depth", lambda shown: shown.depths),
    "topics": _shares("topic", lambda shown: shown.topics),
    "waits": _waits,
    "venues": _shares("venue", lambda shown: shown.venues),
    "years": _shares("published", lambda shown: shown.years),
    "ages": _shares("last_touched", lambda shown: shown.ages),
    "calendar": _calendar,
    "coverage": _coverage,
}
