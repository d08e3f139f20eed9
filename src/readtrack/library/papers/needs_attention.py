"""The review page: disagreeing records, unknown identifiers, and the counts of everything to review."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.jobs import queue
from readtrack.infra.models import (
    DuplicatePair,
    Identifier,
    Lead,
    MatchSuggestion,
    MetadataRecord,
    MetadataRequest,
    Paper,
    TitleSearch,
)
from readtrack.infra.pagination import Page, PageRequest, split_page
from readtrack.infra.permissions import CurrentUser, is_listed, is_present
from readtrack.library.duplicates.jobs import JOB as DUPLICATES_JOB
from readtrack.library.duplicates.stored_keys import has_uncompared
from readtrack.library.enrichment.pending import CANCELED, is_waiting, service_label
from readtrack.library.enrichment.verify import UNCONFIRMED
from readtrack.metadata import sources
from readtrack.reading.paper_facts import labels_of

MAX_COUNT = 100  # shown as "99+"


class Disagreement(NamedTuple):
    """A record that may be about another work.

    `name`, `url`: of the requested identifier; `can_split`: the paper has others besides it.
    """

    record_id: int
    paper_id: int
    display_text: str
    shown_authors: Sequence[str]
    language: str
    service: str
    name: str
    url: str
    title: str
    authors: Sequence[str]
    year: int | None
    venue: str
    problem: str
    checked_at: datetime
    can_split: bool


class UnknownIdentifier(NamedTuple):
    """An identifier that no service knows, with the last service's message."""

    id: int
    paper_id: int
    display_text: str
    label: str
    language: str
    service: str
    name: str
    url: str
    sentence: str
    checked_at: datetime | None


class AttentionCounts(NamedTuple):
    """Counts of items to review, each limited to MAX_COUNT."""

    disagreements: int
    duplicates: int
    found: int
    unknown: int = 0

    @property
    def to_decide(self) -> int:
        """The number of decisions to make; most unknown identifiers stay unknown."""
        return self.disagreements + self.duplicates + self.found


def list_disagreements(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[Disagreement]:
    """Return a page of disagreeing records, newest first."""
    permissions.require(me, "see")
    columns: Sequence[Any] = (
        MetadataRecord.id, MetadataRecord.service, MetadataRecord.scheme, MetadataRecord.value,
        MetadataRecord.title, MetadataRecord.authors, MetadataRecord.year, MetadataRecord.venue,
        MetadataRecord.problem, MetadataRecord.fetched_at, MetadataRecord.paper_id,
        col(Paper.title).label("shown"), col(Paper.authors).label("shown_authors"), Paper.language,
        _several_names().label("separable"),
    )  # fmt: skip
    query: sa.Select[Any] = (
        sa.select(*columns)
        .join(Paper, col(Paper.id) == col(MetadataRecord.paper_id))
        .where(*_disagreement_conditions())
    )
    rows, cursor = _page_rows(tx, query, col(MetadataRecord.id), page_request)
    return Page([_disagreement(row) for row in rows], cursor)


def list_unknown(tx: Read, me: CurrentUser, page_request: PageRequest) -> Page[UnknownIdentifier]:
    """Return a page of identifiers that no service knows and that are not pending, newest first."""
    permissions.require(me, "see")
    columns: Sequence[Any] = (
        MetadataRequest.id, MetadataRequest.paper_id, MetadataRequest.service, MetadataRequest.key,
        MetadataRequest.problem, MetadataRequest.asked_at,
        col(Paper.title).label("shown"), Paper.language,
        sa.select(col(Identifier.scheme)).where(*_matches_request()).limit(1).scalar_subquery().label("scheme"),
    )  # fmt: skip
    query: sa.Select[Any] = (
        sa.select(*columns).join(Paper, col(Paper.id) == col(MetadataRequest.paper_id)).where(*_unknown_conditions())
    )
    rows, cursor = _page_rows(tx, query, col(MetadataRequest.id), page_request)
    labels = labels_of(tx, [row.paper_id for row in rows])
    return Page([_to_unknown_identifier(row, labels.get(row.paper_id, "")) for row in rows], cursor)


def count_needs_attention(tx: Read) -> AttentionCounts:
    """Return the counts of decisions to make, in one statement because every page shows them."""
    return AttentionCounts(*tx.rows(_COUNTS)[0])


def count_all(tx: Read) -> AttentionCounts:
    """Return the counts including unknown identifiers."""
    return count_needs_attention(tx)._replace(unknown=tx.scalar(_COUNT_UNKNOWN) or 0)


def find_search_state(tx: Read, tab: str) -> str:
    """Return `pending` or `failed` if items of this kind may still turn up or were not searched for, else "".

    `tab` is a field of AttentionCounts.
    """
    if tab == "duplicates":
        job = queue.find_by_dedup_key(tx, DUPLICATES_JOB)
        if job is not None and job.state == "failed":
            return "failed"
        return "pending" if job is not None or has_uncompared(tx) else ""
    if tab == "found":
        query = sa.select(col(TitleSearch.id)).where(col(TitleSearch.state) == "waiting")
    else:
        query = sa.select(col(MetadataRequest.id)).join(Paper, col(Paper.id) == col(MetadataRequest.paper_id))
        query = query.where(is_waiting(), is_listed(Paper))
    return "pending" if tx.scalar(query.limit(1)) else ""


def _disagreement_conditions() -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions of disagreements.

    Unconfirmed claims are excluded, as they need no decision.
    """
    return col(MetadataRecord.state) == "disagrees", col(MetadataRecord.problem) != UNCONFIRMED, is_listed(Paper)


def _unknown_conditions() -> tuple[sa.ColumnElement[bool], ...]:
    other_request = aliased(MetadataRequest)
    is_resolved = sa.and_(
        col(other_request.paper_id) == col(MetadataRequest.paper_id),
        col(other_request.key) == col(MetadataRequest.key),
        sa.or_(
            col(other_request.state).in_(("answered", "waiting")),
            sa.and_(
                col(other_request.state).in_(("unknown", "refused")), col(other_request.id) > col(MetadataRequest.id)
            ),
        ),
    )
    # In the form of the partial index.
    is_answered = col(MetadataRequest.state).in_((sa.literal_column("'unknown'"), sa.literal_column("'refused'")))
    return (
        is_answered,
        col(MetadataRequest.problem).not_in(("", CANCELED)),
        ~sa.exists().where(is_resolved),
        is_listed(Paper),
    )


def _several_names() -> sa.ColumnElement[bool]:
    is_own = col(Identifier.paper_id) == col(MetadataRecord.paper_id)
    has_identifier = sa.exists().where(
        is_own, col(Identifier.scheme) == col(MetadataRecord.scheme), col(Identifier.value) == col(MetadataRecord.value)
    )
    has_several = sa.select(sa.func.count()).select_from(Identifier).where(is_own).scalar_subquery() > 1
    return sa.and_(has_identifier, has_several)


def _matches_request() -> tuple[sa.ColumnElement[bool], ...]:
    return col(Identifier.paper_id) == col(MetadataRequest.paper_id), col(Identifier.value) == col(MetadataRequest.key)


def _bounded_count(query: sa.Select[Any]) -> sa.ScalarSelect[int]:
    bounded = query.limit(MAX_COUNT).subquery()
    return sa.select(sa.func.count()).select_from(bounded).scalar_subquery()


def _open_duplicates() -> sa.Select[Any]:
    first, second = aliased(Paper), aliased(Paper)
    query: sa.Select[Any] = sa.select(col(DuplicatePair.id)).where(col(DuplicatePair.state) == "open")
    query = query.join(first, col(first.id) == col(DuplicatePair.first_id)).join(
        second, col(second.id) == col(DuplicatePair.second_id)
    )
    return query.where(is_present(first), is_present(second))


def _open_proposals() -> sa.Select[Any]:
    """Return the query for open suggestions whose paper or lead still exists, as their list does."""
    query: sa.Select[Any] = sa.select(col(MatchSuggestion.id)).where(col(MatchSuggestion.state) == "open")
    query = query.join(Paper, col(Paper.id) == col(MatchSuggestion.paper_id), isouter=True)
    query = query.join(Lead, col(Lead.id) == col(MatchSuggestion.lead_id), isouter=True)
    is_paper_listed = sa.or_(col(MatchSuggestion.paper_id).is_(None), is_listed(Paper))
    return query.where(is_paper_listed, sa.or_(col(MatchSuggestion.lead_id).is_(None), col(Lead.state) == "open"))


def _page_rows(
    tx: Read,
    query: sa.Select[Any],
    row_id: Any,  # noqa: ANN401 - the column that the list is sorted by
    page_request: PageRequest,
) -> tuple[Sequence[sa.Row[Any]], tuple[int, int] | None]:
    if page_request.after is not None:
        query = query.where(row_id < page_request.after[1])
    rows, has_more = split_page(
        tx.execute(query.order_by(row_id.desc()).limit(page_request.limit + 1)).all(), page_request.limit
    )
    return rows, (rows[-1].id, rows[-1].id) if has_more else None


def _disagreement(row: sa.Row[Any]) -> Disagreement:
    source = sources.by_name(row.scheme)
    return Disagreement(
        record_id=row.id,
        paper_id=row.paper_id,
        display_text=row.shown,
        shown_authors=row.shown_authors,
        language=row.language,
        service=service_label(row.service),
        name=source.label(row.value),
        url=source.url(row.value),
        title=row.title,
        authors=row.authors,
        year=row.year,
        venue=row.venue,
        problem=row.problem,
        checked_at=row.fetched_at,
        can_split=bool(row.separable),
    )


def _to_unknown_identifier(row: sa.Row[Any], label: str) -> UnknownIdentifier:
    source = sources.by_name(row.scheme) if row.scheme else None
    return UnknownIdentifier(
        id=row.id,
        paper_id=row.paper_id,
        display_text=row.shown,
        label=label,
        language=row.language,
        service=service_label(row.service),
        name=source.label(row.key) if source else row.key,
        url=source.url(row.key) if source else "",
        sentence=row.problem,
        checked_at=row.asked_at,
    )


_DISAGREEING: sa.Select[Any] = sa.select(col(MetadataRecord.id)).join(
    Paper, col(Paper.id) == col(MetadataRecord.paper_id)
)
_UNKNOWN: sa.Select[Any] = sa.select(col(MetadataRequest.id)).join(
    Paper, col(Paper.id) == col(MetadataRequest.paper_id)
)
_COUNTS = sa.select(
    _bounded_count(_DISAGREEING.where(*_disagreement_conditions())),
    _bounded_count(_open_duplicates()),
    _bounded_count(_open_proposals()),
)
_COUNT_UNKNOWN = sa.select(_bounded_count(_UNKNOWN.where(*_unknown_conditions())))
