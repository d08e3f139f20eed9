"""API endpoints for reading statistics, library coverage, and my weekly goal."""

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace.statistics import commands, view_model
from readtrack.workspace.statistics.commands import GoalUpdate
from readtrack.workspace.statistics.coverage import CoveragePaper
from readtrack.workspace.statistics.figures import DEPTHS, Bar, GrowthStep, Share
from readtrack.workspace.statistics.view_model import EARLIEST_YEAR, StatisticsOptions, get_coverage

router = api_router("progress")


class FinishedReadings(ResponseModel):
    """The readings finished in a week, month or year, by depth."""

    first_day: date
    last_day: date
    finished: int
    skimmed: int
    read: int
    studied: int
    depth_not_said: int


class ListGrowth(ResponseModel):
    """The numbers of papers added and finished since the period began."""

    last_day: date
    added: int
    finished: int


class ShareRead(ResponseModel):
    """One value of a breakdown. `more`: the number is a lower bound."""

    name: str
    number: int
    more: bool


class WaitingTimes(ResponseModel):
    """The days from adding a paper to finishing it: median, number of readings, and distribution."""

    median: int | None
    of: int
    shares: list[ShareRead]


class Statistics(ResponseModel):
    """The statistics.

    Topics, venues, years and waits cover the latest `looked_at` finished readings. `undated`: number of finished
    readings without a date; `goal`: papers per week, only for `who=me`.
    """

    who: Literal["me", "team"]
    span: Literal["weeks", "year", "all"]
    topic: str
    first_day: date
    last_day: date
    step: Literal["week", "month", "year"]
    finished: list[FinishedReadings]
    growth: list[ListGrowth]
    topics: list[ShareRead]
    venues: list[ShareRead]
    years: list[ShareRead]
    ages: list[ShareRead]
    waits: WaitingTimes
    year: int
    calendar: dict[date, int]
    undated: int
    looked_at: int
    goal: int | None


class TopicShare(ResponseModel):
    slug: str
    name: str
    papers: int
    read: int


class LibraryCoverageRead(ResponseModel):
    """The number of papers, of those read, and of those read by two or more; ids of papers worth a look."""

    papers: int
    read: int
    read_by_two: int
    topics: list[TopicShare]
    only_one: list[int]
    discussed: list[int]
    unsummarised: list[int]


class GoalRead(ResponseModel):
    goal: int | None


class LibraryCoverageQuery(StrictModel):
    """`who`: my readings or the team's; `topic`: a slug."""

    who: Literal["me", "team"] = "me"
    topic: str = Field(default="", max_length=500)


class StatisticsQuery(LibraryCoverageQuery):
    """A scope and a period. `year`: of the calendar, by default the current one."""

    span: Literal["weeks", "year", "all"] = "weeks"
    year: int | None = Field(default=None, ge=EARLIEST_YEAR, le=9000)


@router.get("/progress", responses={200: {"model": Statistics}})
def get_statistics(request: Request, wanted: Annotated[StatisticsQuery, Query()], me: Me, tx: ReadTx) -> Response:
    """Get reading statistics.

    Of me or of the team, over time. Those of the team have only what is shared, also of me.
    """
    statistics = view_model.get_statistics(
        tx, me, StatisticsOptions(wanted.who, wanted.span, wanted.topic, wanted.year)
    )
    payload = {
        **wanted.model_dump(),
        "first_day": statistics.period.first,
        "last_day": statistics.period.last,
        "step": statistics.period.step,
        "finished": [_bar(bar) for bar in statistics.bars],
        "growth": [_step(step) for step in statistics.steps],
        "topics": _shares(statistics.topics),
        "venues": _shares(statistics.venues),
        "years": _shares(statistics.years),
        "ages": _shares(statistics.ages),
        "waits": {
            "median": statistics.waiting_times.median,
            "of": statistics.waiting_times.number,
            "shares": _shares(statistics.waiting_times.shares),
        },
        "year": statistics.year,
        "calendar": {day.isoformat(): number for day, number in sorted(statistics.calendar.items())},
        "undated": statistics.undated,
        "looked_at": statistics.sample_size,
        "goal": statistics.goal,
    }
    return conditional_response(request, payload)


@router.get("/progress/coverage", responses={200: {"model": LibraryCoverageRead}})
def get_library_coverage(
    request: Request, wanted: Annotated[LibraryCoverageQuery, Query()], me: Me, tx: ReadTx
) -> Response:
    """Get the coverage of the library.

    How much of it is read; and papers that one person knows, that are discussed unread, or read without a summary.
    """
    report = get_coverage(tx, me, StatisticsOptions(wanted.who, topic=wanted.topic))
    papers, read_count, shared_count = report.coverage
    payload = {
        "papers": papers,
        "read": read_count,
        "read_by_two": shared_count,
        "topics": [topic._asdict() for topic in report.topics],
        "only_one": _ids(report.only_one),
        "discussed": _ids(report.discussed),
        "unsummarised": _ids(report.unsummarised),
    }
    return conditional_response(request, payload)


@router.put(
    "/progress/goal", responses={200: {"model": GoalRead}}, openapi_extra=request_body_schema(GoalUpdate, {"goal": 2})
)
def set_reading_goal(me: Me, body: Body, tx: WriteTx) -> Response:
    """Set my reading goal.

    Papers in a week, or null for no goal. Nobody else sees it.
    """
    goal = validate_input(GoalUpdate, body)
    commands.set_goal(tx, me, goal)
    return JsonResponse({"goal": goal.goal})


def _bar(bar: Bar) -> dict[str, Any]:
    parts = dict(zip((depth or "depth_not_said" for depth in DEPTHS), bar.parts, strict=True))
    return {"first_day": bar.time_step.first, "last_day": bar.time_step.last, "finished": bar.number, **parts}


def _step(step: GrowthStep) -> dict[str, Any]:
    return {"last_day": step.time_step.last, "added": step.added, "finished": step.finished}


def _shares(shares: Iterable[Share]) -> list[dict[str, Any]]:
    return [{"name": share.name, "number": share.number, "more": share.is_lower_bound} for share in shares]


def _ids(papers: Iterable[CoveragePaper]) -> list[int]:
    return [paper.id for paper in papers]
