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
    options = _resolve_statistics_request(request, me, tx)
    is_full_page = not is_fragment(request)
    template = "statistics/coverage.html" if is_full_page else "statistics/_coverage.html"
    context: dict[str, Any] = {
        "report": get_coverage(tx, me, options),
        "options": options,
        "links": _addresses(options),
    }
    return render(request, template, draw=charts, is_full_page=is_full_page, **context)


@router.get(HERE + "/{figure}.csv")
def download(request: Request, figure: str, me: Me, tx: ReadTx) -> Response:
    """Return the data of a figure as CSV."""
    if figure not in tables.TITLES:
        raise NotFound(_("{name} not found.").format(name=figure))
    options = _parse_statistics_request(request.query_params, me, tx)
    statistics = get_coverage(tx, me, options) if figure == "coverage" else get_statistics(tx, me, options)
    text = "".join(csv.csv_lines([str(cell) for cell in line] for line in tables.build_table(figure, statistics)))
    disposition = f'attachment; filename="progress-{options.who}-{figure}.csv"'
    return Response(text, media_type=csv.MEDIA_TYPE, headers={"Content-Disposition": disposition})


@router.post(HERE + "/goal")
def set_goal(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the weekly goal; show the form again (422) on errors."""
    form_result = validate_form(GoalUpdate, fields.values)
    if form_result.value is None:
        return _page(request, me, tx, typed=form_result.raw_values, errors=form_result.errors, status=422)
    commands.set_goal(tx, me, form_result.value)
    return redirect_with_flash(request, HERE, _("Saved"))


def _page(
    request: Request,
    me: CurrentUser,
    tx: ReadTx,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    options = _resolve_statistics_request(request, me, tx)
    statistics = get_statistics(tx, me, options)
    today = today_of(me.time_zone)
    context: dict[str, Any] = {
        "statistics": statistics,
        "options": options,
        "facets": _facets(options),
        "links": _addresses(options),
        "plots": _plots(statistics, today),
        "draw": charts,
        "months": figures.count_by_month(statistics.calendar),
        "titles": tables.TITLES,
        "topics": list_recent_topics(tx),
        "this_year": today.year,
        "typed": typed or {"goal": str(statistics.goal or "")},
        "errors": errors or {},
    }
    return render(request, "statistics/show.html", status, **context)


def _plots(statistics: ReadingStatistics, today: date) -> dict[str, list[charts.Plot]]:
    """Return each chart in its wide and narrow form."""
    goal = statistics.goal if statistics.period.step == "week" else None
    sizes, year_sizes = (charts.WIDE, charts.NARROW), (charts.FULL, charts.NARROW)
    return {
        "finished": [charts.draw_bars(statistics.bars, width, goal=goal) for width in sizes],
        "growth": [charts.draw_steps(statistics.steps, width) for width in sizes],
        "calendar": [
            charts.draw_year(statistics.calendar, statistics.year, width, today=today) for width in year_sizes
        ],
    }


def _resolve_statistics_request(request: Request, me: CurrentUser, tx: Read) -> StatisticsOptions:
    """Return the options; an unknown topic is dropped with a notice."""
    options = _parse_statistics_request(request.query_params, me, tx)
    if not options.topic or find_slug(tx, options.topic):
        return options
    note_unknown_parameter(request, "topic", options.topic)
    return replace(options, topic="")


def _parse_statistics_request(parameters: Mapping[str, str], me: CurrentUser, tx: ReadTx) -> StatisticsOptions:
    """Return the options from the URL; invalid values are ignored. A topic may be given by any name."""
    who: Literal["me", "team"] = "team" if parameters.get("who") == "team" else "me"
    span: Span = {"year": "year", "all": "all"}.get(parameters.get("span", ""), "weeks")  # type: ignore[assignment]
    topic = parameters.get("topic", "").strip()
    year = parse_int(parameters.get("year", ""))
    is_valid_year = EARLIEST_YEAR <= year <= today_of(me.time_zone).year
    return StatisticsOptions(
        who, span, (find_slug(tx, topic) or topic) if topic else "", year if is_valid_year else None
    )


def _addresses(options: StatisticsOptions) -> dict[str, Any]:
    """Return the URLs of the page and its parts for the same options."""
    scope_parameters = {"who": options.who, "topic": options.topic}
    parameters = {"who": options.who, "span": options.span, "topic": options.topic, "year": options.year}
    csv = {name: with_query(f"{HERE}/{name}.csv", **{**parameters, "year": None}) for name in tables.TITLES}
    calendar = with_query(f"{HERE}/calendar.csv", **scope_parameters, year=options.year)
    return {
        "page": with_query(HERE, **parameters),
        "coverage": with_query(f"{HERE}/coverage", **scope_parameters),
        "csv": {**csv, "calendar": calendar, "coverage": with_query(f"{HERE}/coverage.csv", **scope_parameters)},
        "any_topic": with_query(HERE, **{**parameters, "topic": ""}),
        "in_year": lambda year: with_query(HERE, **{**parameters, "year": year}) + "#calendar",
        "of_topic": lambda slug: with_query(HERE, **{**parameters, "topic": slug}),
    }


def _facets(options: StatisticsOptions) -> list[list[dict[str, Any]]]:
    scope_labels = {"me": _("Mine"), "team": _("Team")}
    other_parameters = {"topic": options.topic, "year": options.year}
    return [
        [
            _facet(text, options.who == who, who=who, span=options.span, **other_parameters)
            for who, text in scope_labels.items()
        ],
        [
            _facet(_(text), options.span == span, who=options.who, span=span, **other_parameters)
            for span, text in SPANS.items()
        ],
    ]


def _facet(text: str, on: bool, **parameters: object) -> dict[str, Any]:  # noqa: FBT001 - as the template names it
    return {"href": with_query(HERE, **parameters), "text": text, "count": "", "on": on, "status": ""}
