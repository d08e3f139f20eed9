"""Facet counts of a query over its newest papers, MAX_PAPERS at most."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.models import PAPER_KINDS, Paper, PaperTopic, Reading, Topic
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.display_options import STATUS_WORDS, DisplayLink, DisplayOptions, with_filter
from readtrack.library.papers.lists import PaperFilter, visible_papers_filter

MAX_PAPERS = 2_000  # newest papers of a query that are counted
MAX_VALUES_SHOWN = 8  # values per facet
# By the query filter of each.
FACETS: Mapping[str, str] = {
    "status": N_("My status"),
    "kind": N_("Type"),
    "topic": N_("Topic"),
    "year": N_("Year"),
    "venue": N_("Venue"),
    "lang": N_("Language"),
}
UNKNOWN = N_("Unknown")
_UNSET: Mapping[str, str] = {"status": "none", "year": "none", "lang": "none"}  # filter values for papers without one


class FacetValue(NamedTuple):
    """A facet value, its display text and its number of papers."""

    value: str
    text: str
    papers: int


class FacetCounts(NamedTuple):
    """The values of each facet, most papers first. `total`: limited to MAX_PAPERS, like the counts."""

    total: int
    facets: Mapping[str, Sequence[FacetValue]]

    @property
    def is_bounded(self) -> bool:
        return self.total >= MAX_PAPERS


def count_facets(tx: Read, me: CurrentUser, paper_filter: PaperFilter) -> FacetCounts:
    """Count the facets of a query in one statement; only my own readings count. Raise search.QueryError."""
    facet_values: dict[str, list[FacetValue]] = {name: [] for name in FACETS}
    total = 0
    for facet, value, text, papers in tx.rows(
        _facets_query(visible_papers_filter(tx, me, search.parse(paper_filter.q))), {"me": me.id}
    ):
        if facet == "total":
            total = papers
        else:
            facet_value = FacetValue(value or _UNSET.get(facet, ""), text or UNKNOWN, papers)
            facet_values[facet].append(facet_value)
    return FacetCounts(total, {facet: _top_values(facet, values) for facet, values in facet_values.items()})


def facet_links(facet_counts: FacetCounts, options: DisplayOptions) -> list[tuple[str, list[tuple[DisplayLink, int]]]]:
    """Return each facet as links that add the filter, with the number of papers."""
    return [
        (name, [_facet_link(name, value, options) for value in values]) for name, values in facet_counts.facets.items()
    ]


def _facet_link(name: str, value: FacetValue, options: DisplayOptions) -> tuple[DisplayLink, int]:
    link = with_filter(options, name, value.value)
    return link._replace(text=value.text, status=value.value if name == "status" else ""), value.papers


def _top_values(facet: str, values: Sequence[FacetValue]) -> list[FacetValue]:
    words = {"status": STATUS_WORDS, "kind": dict(zip(PAPER_KINDS, PAPER_KINDS, strict=True))}.get(facet)
    known_values = [value for value in values if value.value]
    if words is not None:
        order = [*words, "none"]
        labelled = [value._replace(text=words.get(value.value, N_("No status"))) for value in known_values]
        return sorted(labelled, key=lambda value: order.index(value.value))
    if facet == "year":
        return sorted(known_values, key=lambda value: (value.value != "none", value.value), reverse=True)[
            :MAX_VALUES_SHOWN
        ]
    return sorted(known_values, key=lambda value: (-value.papers, value.text))[:MAX_VALUES_SHOWN]


def _facets_query(condition: sa.ColumnElement[bool]) -> sa.Select[*tuple[Any, ...]]:
    is_my_reading = sa.and_(
        col(Reading.paper_id) == col(Paper.id), col(Reading.person_id) == sa.bindparam("me"), col(Reading.current)
    )
    hits: Any = (
        sa.select(col(Paper.id), col(Paper.kind), col(Paper.year), col(Paper.venue), col(Paper.language))
        .add_columns(col(Reading.status))
        .join(Reading, is_my_reading, isouter=True)
        .where(condition)
        .order_by(col(Paper.id).desc())
        .limit(MAX_PAPERS)
        .cte("hits")
    )
    paper_columns = {"status": hits.c.status, "kind": hits.c.kind, "venue": hits.c.venue, "lang": hits.c.language}
    paper_columns["year"] = sa.cast(hits.c.year, sa.String)
    total = _facet_columns("total", sa.literal(""), sa.literal("")).select_from(hits)
    union = sa.union_all(
        total, *(_column_facet(name, column, hits) for name, column in paper_columns.items()), _topic_facet(hits)
    )
    return sa.select(union.subquery())


def _topic_facet(hits: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401 - the CTE of the papers found
    """Count by topic; a paper may have several."""
    slug, name = col(Topic.slug), col(Topic.name)
    query = _facet_columns("topic", slug, name).select_from(PaperTopic)
    query = query.join(Topic, col(Topic.id) == col(PaperTopic.topic_id))
    return query.where(col(PaperTopic.paper_id).in_(sa.select(hits.c.id))).group_by(slug, name)


def _column_facet(name: str, column: Any, hits: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401
    return _facet_columns(name, column, column).select_from(hits).group_by(column)


def _facet_columns(name: str, value: Any, text: Any) -> sa.Select[*tuple[Any, ...]]:  # noqa: ANN401
    papers = sa.func.count().label("papers")
    return sa.select(sa.literal(name).label("facet"), value.label("value"), text.label("text"), papers)
