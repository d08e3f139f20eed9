"""Queries for one paper with its links, versions, records, note entries and events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_id_list
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import (
    Entry,
    Event,
    Link,
    MetadataRecord,
    MetadataRequest,
    Note,
    NoteRevision,
    Paper,
    Person,
    Version,
)
from readtrack.infra.permissions import CurrentUser, shared_or_own
from readtrack.library.enrichment.pending import PendingReason, describe_pending, get_pending_reason, service_label
from readtrack.library.papers.citation_keys import display_key
from readtrack.library.papers.lists import PaperRow, get_row, list_rows
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from readtrack.reading.readings.history import MY_QUEUE


class FieldOrigin(NamedTuple):
    """The record a field comes from, and when it was last checked."""

    record_id: int
    service: str
    label: str  # how people call the service
    checked_at: datetime


class IdentifierPage(NamedTuple):
    """An identifier and the address of its own page, "" if that is unknown."""

    identifier: str
    url: str


@dataclass(frozen=True)
class PaperDetail:
    """Everything that the page and the JSON of a paper show besides its list row."""

    row: PaperRow
    record_id: int | None  # the canonical one
    publication_type: str
    abstract: str
    citation_key: str
    field_sources: Mapping[str, FieldOrigin]  # by field; those that notes or people said have none
    published_on: Any
    field_locks: dict[str, Any]
    added_by: str
    links: Sequence[sa.Row[Any]]
    identifier_pages: Sequence[IdentifierPage]
    versions: Sequence[sa.Row[Any]]
    problems: Sequence[str]  # what sources refused or do not know
    pending: Sequence[PendingReason]  # what is still to come

    def describe_pending(self, zone: str = "") -> list[str]:
        """Return what is still to come, and when in a time zone (blank: UTC)."""
        return describe_pending(self.pending, zone)


# Made once: making a statement takes SQLAlchemy longer than SQLite takes to answer it.
_PAPER_ID: sa.BindParameter[int] = sa.bindparam("paper_id")
_MORE = (
    sa.select(
        col(Paper.id),
        col(Paper.publication_type),
        col(Paper.abstract),
        col(Paper.published_on),
        col(Paper.field_locks),
        col(Person.name),
        col(Paper.field_sources),
        col(Paper.record_id),
        col(Paper.citation_key),
    )
    .join(Person, col(Person.id) == col(Paper.created_by), isouter=True)
    .where(in_id_list(col(Paper.id), "ids"))
)
_LINKS: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(Link.paper_id), col(Link.url), col(Link.role))
    .where(in_id_list(col(Link.paper_id), "ids"))
    .order_by(col(Link.id))
)
_VERSIONS: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(Version.paper_id), col(Version.label), col(Version.dated))
    .where(in_id_list(col(Version.paper_id), "ids"))
    .order_by(col(Version.id))
)
_RECORDS_OF: sa.Select[*tuple[Any, ...]] = sa.select(
    col(MetadataRecord.paper_id),
    col(MetadataRecord.id),
    col(MetadataRecord.service),
    col(MetadataRecord.checked_at),
).where(in_id_list(col(MetadataRecord.paper_id), "ids"), col(MetadataRecord.state) == "agrees")
_ASKED: Sequence[Any] = (
    MetadataRequest.service,
    MetadataRequest.key,
    MetadataRequest.state,
    MetadataRequest.problem,
    MetadataRequest.not_before,
)
_REQUESTS = (
    sa.select(*map(col, _ASKED)).where(col(MetadataRequest.paper_id) == _PAPER_ID).order_by(col(MetadataRequest.id))
)
_TOLD: Sequence[Any] = (
    MetadataRecord.id, MetadataRecord.service, MetadataRecord.scheme, MetadataRecord.value, MetadataRecord.stage,
    MetadataRecord.state, MetadataRecord.problem, MetadataRecord.title, MetadataRecord.authors, MetadataRecord.year,
    MetadataRecord.published_on, MetadataRecord.venue, MetadataRecord.publication_type, MetadataRecord.abstract,
    MetadataRecord.language, MetadataRecord.remark, MetadataRecord.identifiers, MetadataRecord.fetched_at,
    MetadataRecord.checked_at,
)  # fmt: skip
_RECORDS: sa.Select[*tuple[Any, ...]] = (
    sa.select(*map(col, _TOLD)).where(col(MetadataRecord.paper_id) == _PAPER_ID).order_by(col(MetadataRecord.id).desc())
)
_LINES: Sequence[Any] = (Entry.first_line, Entry.last_line, Entry.kind, Entry.raw, col(Note.id).label("note_id"))
_ENTRIES: sa.Select[*tuple[Any, ...]] = (
    sa.select(*_LINES, col(Note.title))
    .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
    .join(Note, col(Note.id) == col(NoteRevision.note_id))
    .where(col(Entry.paper_id) == _PAPER_ID)
    .order_by(col(Entry.id))
    .limit(200)
)


def get_paper(tx: Read, me: CurrentUser, paper_id: int) -> PaperDetail:
    """Return a paper with its links and versions. Raise NotFound."""
    paper = _add_details(tx, {paper_id: get_row(tx, me, paper_id)})[paper_id]
    request_rows = tx.rows(_REQUESTS, {"paper_id": paper_id})
    pending = [_pending_reason(tx, row) for row in request_rows if row.state == "waiting"]
    return replace(paper, problems=_problems(request_rows), pending=pending)


def find_papers(tx: Read, me: CurrentUser, paper_ids: Sequence[int]) -> dict[int, PaperDetail]:
    """Return papers by id, without problems and what is pending; missing papers are left out."""
    return _add_details(tx, list_rows(tx, me, paper_ids))


def _add_details(tx: Read, rows: Mapping[int, PaperRow]) -> dict[int, PaperDetail]:
    parameters = {"ids": list(rows)}
    links, versions, records = (
        _group_by_paper(tx.rows(query, parameters)) for query in (_LINKS, _VERSIONS, _RECORDS_OF)
    )
    return {
        details.id: PaperDetail(
            row=rows[details.id],
            record_id=details.record_id,
            publication_type=details.publication_type,
            abstract=details.abstract,
            citation_key=display_key(details.citation_key, details.id),
            field_sources=_find_origins(records.get(details.id, ()), details.field_sources),
            published_on=details.published_on,
            field_locks=details.field_locks,
            added_by=details.name or "",
            links=links.get(details.id, ()),
            identifier_pages=_find_pages(rows[details.id].identifiers, links.get(details.id, ())),
            versions=versions.get(details.id, ()),
            problems=(),
            pending=(),
        )
        for details in tx.rows(_MORE, parameters)
    }


def _find_pages(identifiers: Sequence[str], links: Sequence[sa.Row[Any]]) -> list[IdentifierPage]:
    urls = [link.url for link in links]
    return [IdentifierPage(name, sources.find_page(Ref.parse(name), urls)) for name in identifiers]


def _group_by_paper(rows: Sequence[sa.Row[Any]]) -> dict[int, list[sa.Row[Any]]]:
    grouped: dict[int, list[sa.Row[Any]]] = {}
    for row in rows:
        grouped.setdefault(row.paper_id, []).append(row)
    return grouped


def _pending_reason(tx: Read, row: sa.Row[Any]) -> PendingReason:
    return get_pending_reason(tx, row.service, problem=row.problem, not_before=row.not_before)


def _find_origins(record_rows: Sequence[sa.Row[Any]], origins: Mapping[str, int]) -> dict[str, FieldOrigin]:
    records = {row.id: row for row in record_rows}
    return {
        name: FieldOrigin(row.id, row.service, service_label(row.service), row.checked_at)
        for name, record_id in origins.items()
        if (row := records.get(record_id))
    }


def _problems(request_rows: Sequence[sa.Row[Any]]) -> list[str]:
    """Return messages about identifiers that no service knows; one of two DOI registries is enough."""
    resolved_keys = {row.key for row in request_rows if row.state in {"answered", "waiting"}}
    with_problem = [row for row in request_rows if row.problem and row.state not in {"earlier", "waiting"}]
    return [_(row.problem) for row in with_problem if row.key not in resolved_keys]


def list_links(tx: Read, paper_id: int) -> Sequence[sa.Row[Any]]:
    """Return the URL and role of each link."""
    return tx.rows(_LINKS, {"ids": [paper_id]})


def list_records(tx: Read, paper_id: int) -> Sequence[sa.Row[Any]]:
    """Return the metadata records, newest first."""
    return tx.rows(_RECORDS, {"paper_id": paper_id})


def list_entries(tx: Read, paper_id: int) -> Sequence[sa.Row[Any]]:
    """Return the entries of notes that created or mention the paper."""
    return tx.rows(_ENTRIES, {"paper_id": paper_id})


def list_events(tx: Read, me: CurrentUser, paper_id: int) -> Sequence[sa.Row[Any]]:
    """Return the latest 200 events; private ones only of the current user."""
    columns: Sequence[Any] = (
        col(Event.created_at),
        col(Event.verb),
        col(Event.data),
        col(Person.name).label("person"),
    )
    query = sa.select(*columns).join(Person, col(Person.id) == col(Event.person_id), isouter=True)
    query = query.where(col(Event.paper_id) == paper_id, shared_or_own(Event, me.id), col(Event.verb) != MY_QUEUE)
    return tx.execute(query.order_by(col(Event.id).desc()).limit(200)).all()
