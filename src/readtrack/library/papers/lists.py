"""Queries for lists of papers, shared by pages and API, and for single rows of them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import to_local
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Identifier, Meeting, Paper, Reading
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed, is_present, missing_paper_error
from readtrack.library.enrichment.pending import find_pending_labels
from readtrack.library.topics.queries import find_paper_topics
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from readtrack.reading.readings.queries import TeamReadings, list_team_readings
from readtrack.reading.summaries.queries import count_summaries

_DISCUSSIONS: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(AgendaItem.paper_id), col(Meeting.starts_at), col(Meeting.time_zone))
    .join(Meeting, col(Meeting.id) == col(AgendaItem.meeting_id))
    .where(in_id_list(col(AgendaItem.paper_id), "ids"), col(AgendaItem.state) == "discussed")
    .where(col(Meeting.state) != "cancelled")
    .order_by(col(Meeting.starts_at), col(Meeting.id))
)
SORTS = search.SORTED
PLAIN_SORTS = frozenset({"added", "updated", "year", "title"})  # within groups, where others are as "added"
VISIBLE = is_present(Paper)
LISTED = is_listed(Paper)
_YEAR = re.compile(r"(?:19|20)\d\d")
_COLUMNS = (
    col(Paper.id),
    col(Paper.kind),
    col(Paper.title),
    col(Paper.authors),
    col(Paper.venue),
    col(Paper.year),
    col(Paper.language),
    col(Paper.triage),
    col(Paper.version),
    col(Paper.created_at),
    col(Paper.updated_at),
    col(Reading.status),
    col(Reading.depth),
    col(Reading.progress_unit),
    col(Reading.progress_at),
    col(Reading.progress_of),
    col(Paper.record_id),
)
# Built once at import, because building a statement takes longer than SQLite needs to run it.
_MY_READING = sa.and_(
    col(Reading.paper_id) == col(Paper.id), col(Reading.person_id) == sa.bindparam("me"), col(Reading.current)
)
_WITH_MY_READING = sa.select(*_COLUMNS).join(Reading, _MY_READING, isouter=True)
_ONE = _WITH_MY_READING.where(VISIBLE, col(Paper.id) == sa.bindparam("paper_id"))
_THESE = _WITH_MY_READING.where(VISIBLE, in_id_list(col(Paper.id), "ids"))
_REFS = (
    sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    .where(in_id_list(col(Identifier.paper_id), "ids"))
    .order_by(col(Identifier.id))
)


def find_discussion_dates(tx: Read, paper_ids: Iterable[int]) -> dict[int, date]:
    """Return the last day on which a meeting discussed each paper, in the meeting's time zone."""
    return {row[0]: to_local(row[1], row[2]).date() for row in tx.rows(_DISCUSSIONS, {"ids": list(paper_ids)})}


class _SortOrder(NamedTuple):
    """One of SORTS and its direction."""

    name: str
    descending: bool


@dataclass(frozen=True)
class PaperFilter:
    """A query and its sort. A sort in `q` takes precedence."""

    q: str = ""
    sort: str = ""

    @property
    def question(self) -> str:
        """The context that a pagination cursor is bound to."""
        return f"papers\0{self.q}\0{self.sort}"


class MyReading(NamedTuple):
    """My current reading as lists show it."""

    status: str
    depth: str
    progress_unit: str
    progress_at: int | None
    progress_of: int | None


class PaperRow(NamedTuple):
    """One row of a list: the paper with my reading and the team's data."""

    id: int
    kind: str
    title: str
    label: str  # the identifier for display: "arXiv 2305.15778"
    url: str
    host: str
    authors: Sequence[str]
    venue: str
    year: int | None
    language: str
    triage: str
    version: int
    added_at: datetime
    updated_at: datetime
    identifiers: Sequence[str]
    waiting: str  # short text while metadata is pending
    my: MyReading | None
    topics: Sequence[tuple[str, str]] = ()
    team: TeamReadings = TeamReadings()
    summaries: int = 0
    discussed_on: date | None = None  # last discussion in a meeting

    @property
    def readers(self) -> Sequence[str]:
        """The people with a finished pass."""
        return self.team.readers

    @property
    def appeared(self) -> str:
        return format_publication(self.venue, self.year)


def list_papers(tx: Read, me: CurrentUser, paper_filter: PaperFilter, page_request: PageRequest) -> Page[PaperRow]:
    """Return a page of a query's papers. Raise search.QueryError, or Invalid for an unknown sort."""
    query = search.parse(paper_filter.q)
    name, descending = get_sort_order(query, paper_filter.sort)
    rows, has_more = split_page(
        _find_rows(tx, me, query, order=_SortOrder(name, descending != page_request.back), page_request=page_request),
        page_request.limit,
    )
    if page_request.back and not has_more:  # the beginning is reached: return the whole first page
        return list_papers(tx, me, paper_filter, PageRequest(page_request.limit))
    rows = rows[::-1] if page_request.back else rows
    last = (rows[-1].sort_value, rows[-1].id) if has_more or page_request.back else None
    first = (rows[0].sort_value, rows[0].id) if rows and page_request.after is not None else None
    return Page(_add_identifiers(tx, me, rows), last, first)


def count_papers(tx: Read, me: CurrentUser, paper_filter: PaperFilter) -> int:
    """Return the number of papers of a query."""
    condition = visible_papers_filter(tx, me, search.parse(paper_filter.q))
    return tx.scalar(sa.select(sa.func.count()).select_from(Paper).where(condition)) or 0


def visible_papers_filter(
    tx: Read, me: CurrentUser, query: search.Query, *, clustered: bool = False
) -> sa.ColumnElement[bool]:
    """Return the filter for papers that match the query.

    Rejected papers are hidden unless the query filters on triage (`is:rejected`). `clustered`: see search.paper_filter.
    """
    return sa.and_(
        VISIBLE if query.has_triage_filter else LISTED, search.paper_filter(tx, query, me, clustered=clustered)
    )


def get_row(tx: Read, me: CurrentUser, paper_id: int) -> PaperRow:
    """Return a paper as a list row. Raise NotFound, or PaperMerged if it was merged."""
    rows = tx.rows(_ONE, {"me": me.id, "paper_id": paper_id})
    if not rows:
        raise missing_paper_error(tx, paper_id)
    return _add_identifiers(tx, me, rows)[0]


def list_rows(tx: Read, me: CurrentUser, paper_ids: Sequence[int]) -> dict[int, PaperRow]:
    """Return papers as list rows by id; missing ones are left out."""
    rows = tx.rows(_THESE, {"me": me.id, "ids": list(paper_ids)}) if paper_ids else []
    return {row.id: row for row in _add_identifiers(tx, me, rows)}


def add_team_columns(tx: Read, me: CurrentUser, rows: Sequence[PaperRow]) -> list[PaperRow]:
    """Add topics, team readings and summaries to the rows in a fixed number of statements (no N+1)."""
    ids = [row.id for row in rows]
    if not ids:
        return []
    topics, teams, summaries = find_paper_topics(tx, ids), list_team_readings(tx, me, ids), count_summaries(tx, me, ids)
    discussion_dates = find_discussion_dates(tx, ids)
    return [
        row._replace(
            topics=tuple(topics.get(row.id, ())),
            team=teams.get(row.id, TeamReadings()),
            summaries=summaries.get(row.id, 0),
            discussed_on=discussion_dates.get(row.id),
        )
        for row in rows
    ]


def format_publication(venue: str, year: int | None) -> str:
    """Return venue and year, without repeating a year that is part of the venue."""
    return venue if year is None or _YEAR.search(venue) else f"{venue} {year}".strip()


def format_progress(unit: str, position: int | None, length: int | None) -> str:
    """Return the progress as text: page 7 of 14, 50 %; "" if unknown."""
    if not unit or position is None:
        return ""
    if unit == "percent":
        return f"{position}%"
    if unit == "section":
        return (_("section {at} of {of}") if length else _("section {at}")).format(at=position, of=length)
    return (_("page {at} of {of}") if length else _("page {at}")).format(at=position, of=length)


def get_sort_order(query: search.Query, requested: str) -> tuple[str, bool]:
    """Return name and direction of the sort.

    The query's own sort comes first, then the URL's ("title-desc"), then relevance for text searches or newest first.
    Raise Invalid for an unknown one.
    """
    name, dash, direction = (requested or ("relevance" if search.can_rank(query) else "added")).partition("-")
    if name not in SORTS or (dash and direction not in {"asc", "desc"}):
        detail = f"`sort` knows {', '.join(SORTS)}, each also with -asc or -desc; not “{requested[:50]}”."
        raise Invalid(detail, [FieldError("/sort", "unknown-sort", detail)])
    if query.sort is not None:
        return query.sort.field, query.sort.descending
    return name, direction == "desc" if direction else SORTS[name]


def _find_rows(
    tx: Read, me: CurrentUser, query: search.Query, *, order: _SortOrder, page_request: PageRequest
) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """Return the rows of a page and one more."""
    papers = search.PaperListing(_WITH_MY_READING, VISIBLE if query.has_triage_filter else LISTED)
    if order.name == "relevance" and search.can_rank(query):
        return search.list_by_relevance(tx, me, query, papers, page_request=page_request, descending=order.descending)
    if search.is_sparse_sort(order.name):
        typed_request = replace(
            page_request,
            after=page_request.after and (_value(order.name, page_request.after[0]), page_request.after[1]),
        )
        return search.list_by_stages(
            tx, me, query, papers, name=order.name, page_request=typed_request, descending=order.descending
        )
    statement, parameters = _build_statement(query, order, page_request)
    filtered = statement.where(search.paper_filter(tx, query, me)) if query.condition is not None else statement
    return tx.rows(filtered, {"me": me.id, **parameters})


def _build_statement(
    query: search.Query, order: _SortOrder, page_request: PageRequest
) -> tuple[sa.Select[*tuple[Any, ...]], dict[str, Any]]:
    """Return the list statement without the search condition, and its parameters."""
    statement = _list_statement(
        order, is_first_page=page_request.after is None, include_rejected=query.has_triage_filter
    )
    value, last_id = page_request.after or (None, None)
    parameters = {"many": page_request.limit + 1, "last_id": last_id, "value": _value(order.name, value)}
    return statement, parameters if page_request.after else {"many": page_request.limit + 1}


@cache
def _list_statement(order: _SortOrder, *, is_first_page: bool, include_rejected: bool) -> sa.Select[*tuple[Any, ...]]:
    """Build the statement of a sort, for the first page or after a cursor."""
    column, row_id = search.KEYS[order.name], col(Paper.id)
    keys = [row_id] if column is row_id else [column, row_id]
    query = _WITH_MY_READING.add_columns(column.label("sort_value")).where(VISIBLE if include_rejected else LISTED)
    if not is_first_page:
        last = [sa.bindparam("value", type_=column.type), sa.bindparam("last_id", type_=sa.Integer())][-len(keys) :]
        row_key, cursor_key = (keys[0], last[0]) if len(keys) == 1 else (sa.tuple_(*keys), sa.tuple_(*last))
        query = query.where(row_key < cursor_key if order.descending else row_key > cursor_key)
    order_columns = (key.desc() if order.descending else key.asc() for key in keys)
    return query.order_by(*order_columns).limit(sa.bindparam("many"))


def _value(name: str, value: Any) -> Any:  # noqa: ANN401 - type of the sort column
    parse = {"updated": datetime.fromisoformat, "due": date.fromisoformat}.get(name)
    return parse(value) if parse and value else value


def _add_identifiers(tx: Read, me: CurrentUser, rows: Sequence[sa.Row[*tuple[Any, ...]]]) -> list[PaperRow]:
    """Add identifiers in one statement, and the pending requests of papers without any record."""
    refs = _refs_of(tx, [row.id for row in rows]) if rows else {}
    pending_labels = find_pending_labels(tx, [row.id for row in rows if row.record_id is None], me.time_zone)
    return [_row(row, refs.get(row.id, []), pending_labels.get(row.id, "")) for row in rows]


def _refs_of(tx: Read, ids: Sequence[int]) -> dict[int, list[Ref]]:
    """Return identifiers by paper, the main one first."""
    refs: dict[int, list[Ref]] = {}
    for paper_id, scheme, value in tx.rows(_REFS, {"ids": ids}):
        refs.setdefault(paper_id, []).append(Ref(scheme, value))
    return refs


def _row(row: sa.Row[Any], refs: Sequence[Ref], pending_label: str) -> PaperRow:
    label, url, host = _identifier_link(refs[0]) if refs else ("", "", "")
    return PaperRow(
        id=row.id,
        kind=row.kind,
        title=row.title,
        label=label,
        url=url,
        host=host,
        authors=tuple(row.authors),
        venue=row.venue,
        year=row.year,
        language=row.language,
        triage=row.triage,
        version=row.version,
        added_at=row.created_at,
        updated_at=row.updated_at,
        identifiers=tuple(map(str, refs)),
        waiting=pending_label,
        my=MyReading(*tuple(row)[11:16]) if row.status else None,
    )


@lru_cache(maxsize=10_000)  # pure, and lists show most papers repeatedly
def _identifier_link(ref: Ref) -> tuple[str, str, str]:
    """Return an identifier's label, URL ("" if its key is shortened) and host."""
    source = sources.by_name(ref.scheme)
    url = source.url(ref.key)
    return source.label(ref.key), "" if source.shortened(ref.key) else url, _host(url)


def _host(url: str) -> str:
    return url.split("/", 3)[2].removeprefix("www.") if url.count("/") > 1 else ""
