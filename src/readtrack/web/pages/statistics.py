"""Pages for reading statistics, library coverage, CSV downloads, and the weekly goal."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Literal

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.clock import today_of
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import csv
from readtrack.library.topics.queries import find_slug, list_recent_topics
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, parse_int, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import (
    is_fragment,
    note_unknown_parameter,
    redirect_with_flash,
    render,
    with_query,
)
from readtrack.workspace.statistics import charts, commands, figures, tables
from readtrack.workspace.statistics.commands import GoalUpdate
from readtrack.workspace.statistics.periods import SPANS, Span
from readtrack.workspace.statistics.view_model import (
    EARLIEST_YEAR,
    ReadingStatistics,
    StatisticsOptions,
    get_coverage,
    get_statistics,
)

router = page_router()
HERE = "/progress"


@router.get(HERE)
def show_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the reading statistics of me or the team."""
    return _page(request, me, tx)


@router.get(HERE + "/coverage")
def coverage_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show the library coverage.

    The statistics page loads it as a fragment; without scripts it is a page.
    """
    asked = _resolve_statistics_request(request, me, tx)
    alone = not is_fragment(request)
    template = "statistics/coverage.html" if alone else "statistics/_coverage.html"
    context: dict[str, Any] = {"standing": get_coverage(tx, me, asked), "asked": asked, "links": _addresses(asked)}
    return render(request, template, draw=charts, alone=alone, **context)


@router.get(HERE + "/{figure}.csv")
def download(request: Request, figure: str, me: Me, tx: ReadTx) -> Response:
    """Return the data of a figure as CSV."""
    if figure not in tables.TITLES:
        raise NotFound(_("There is no figure “{name}”.").format(name=figure))
    asked = _parse_statistics_request(request.query_params, me, tx)
    shown = get_coverage(tx, me, asked) if figure == "coverage" else get_statistics(tx, me, asked)
    text = "".join(csv.csv_lines([str(cell) for cell in line] for line in tables.build_table(figure, shown)))
    disposition = f'attachment; filename="progress-{asked.who}-{figure}.csv"'
    return Response(text, media_type=csv.MEDIA_TYPE, headers={"Content-Disposition": disposition})


@router.post(HERE + "/goal")
def set_goal(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the weekly goal; show the form again (422) on errors."""
    checked = validate_form(GoalUpdate, fields.values)
    if checked.value is None:
        return _page(request, me, tx, typed=checked.typed, errors=checked.errors, status=422)
    commands.set_goal(tx, me, checked.value)
    told = _("Your goal is kept; only you see it.") if checked.value.goal else _("You have no goal any more.")
    return redirect_with_flash(request, HERE, told)


def _page(
    request: Request,
    me: CurrentUser,
    tx: ReadTx,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    asked = _resolve_statistics_request(request, me, tx)
    shown = get_statistics(tx, me, asked)
    today = today_of(me.time_zone)
    context: dict[str, Any] = {
        "shown": shown,
        "asked": asked,
        "facets": _facets(asked),
        "links": _addresses(asked),
        "plots": _plots(shown, today),
        "draw": charts,
        "months": figures.count_by_month(shown.calendar),
        "titles": tables.TITLES,
        "topics": list_recent_topics(tx),
        "this_year": today.year,
        "typed": typed or {"goal": str(shown.goal or "")},
        "errors": errors or {},
    }
    return render(request, "statistics/show.html", status, **context)


def _plots(shown: ReadingStatistics, today: date) -> dict[str, list[charts.Plot]]:
    """Return each chart in its wide and narrow form."""
    goal = shown.goal if shown.period.step == "week" else None
    sizes, whole = (charts.WIDE, charts.NARROW), (charts.FULL, charts.NARROW)
    return {
        "finished": [charts.draw_bars(shown.bars, width, goal=goal) for width in sizes],
        "growth": [charts.draw_steps(shown.steps, width) for width in sizes],
        "calendar": [charts.draw_year(shown.calendar, shown.year, width, today=today) for width in whole],
    }


def _resolve_statistics_request(request: Request, me: CurrentUser, tx: Read) -> StatisticsOptions:
    """Return the options; an unknown topic is dropped with a notice."""
    asked = _parse_statistics_request(request.query_params, me, tx)
    if not asked.topic or find_slug(tx, asked.topic):
        return asked
    note_unknown_parameter(request, "topic", asked.topic)
    return replace(asked, topic="")


def _parse_statistics_request(said: Mapping[str, str], me: CurrentUser, tx: ReadTx) -> StatisticsOptions:
    """Return the options from the URL; invalid values are ignored. A topic may be given by any name."""
    who: Literal["me", "team"] = "team" if said.get("who") == "team" else "me"
    span: Span = {"year": "year", "all": "all"}.get(said.get("span", ""), "weeks")  # type: ignore[assignment]
    topic = said.get("topic", "").strip()
    year = parse_int(said.get("year", ""))
    known = EARLIEST_YEAR <= year <= today_of(me.time_zone).year
    return StatisticsOptions(who, span, (find_slug(tx, topic) or topic) if topic else "", year if known else None)


def _addresses(asked: StatisticsOptions) -> dict[str, Any]:
    """Return the URLs of the page and its parts for the same options."""
    whose = {"who": asked.who, "topic": asked.topic}
    said = {"who": asked.who, "span": asked.span, "topic": asked.topic, "year": asked.year}
    csv = {name: with_query(f"{HERE}/{name}.csv", **{**said, "year": None}) for name in tables.TITLES}
    calendar = with_query(f"{HERE}/calendar.csv", **whose, year=asked.year)
    return {
        "page": with_query(HERE, **said),
        "coverage": with_query(f"{HERE}/coverage", **whose),
        "csv": {**csv, "calendar": calendar, "coverage": with_query(f"{HERE}/coverage.csv", **whose)},
        "any_topic": with_query(HERE, **{**said, "topic": ""}),
        "in_year": lambda year: with_query(HERE, **{**said, "year": year}) + "#calendar",
        "of_topic": lambda slug: with_query(HERE, **{**said, "topic": slug}),
    }


def _facets(asked: StatisticsOptions) -> list[list[dict[str, Any]]]:
    whose = {"me": _("Mine"), "team": _("The team's")}
    kept = {"topic": asked.topic, "year": asked.year}
    return [
        [_facet(text, asked.who == who, who=who, span=asked.span, **kept) for who, text in whose.items()],
        [_facet(_(text), asked.span == span, who=asked.who, span=span, **kept) for span, text in SPANS.items()],
    ]


def _facet(text: str, on: bool, **said: object) -> dict[str, Any]:  # noqa: FBT001 - as the template names it
    return {"href": with_query(HERE, **said), "text": text, "count": "", "on": on, "status": ""}
