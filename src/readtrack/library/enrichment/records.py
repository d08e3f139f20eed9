"""Metadata records of papers: store, verify and apply them. A wrong record is worse than none."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import PAPER_KINDS, Identifier, Merge, MetadataRecord, Paper
from readtrack.infra.text import normalize, person_names
from readtrack.infra.text.person_names import is_same_value
from readtrack.library.citations.citation_lists import store_record_citations
from readtrack.library.duplicates import evidence
from readtrack.library.duplicates.stored_keys import mark_uncompared
from readtrack.library.duplicates.stored_pairs import add_candidate, are_distinct
from readtrack.library.enrichment import choose
from readtrack.library.enrichment.choose import SHOWN, CandidateRecord
from readtrack.library.enrichment.pending import service_label
from readtrack.library.enrichment.verify import RequestedPaper, TitleAndAuthors, describe_mismatch
from readtrack.library.enrichment.versions import add_versions
from readtrack.library.matching.lookups import COMMENTARIES
from readtrack.library.matching.title_search import enqueue_title_search
from readtrack.library.papers.citation_keys import assign_citation_keys
from readtrack.library.papers.commands import add_links
from readtrack.library.papers.lookup import find_by_ref, find_by_refs
from readtrack.library.references.index import bind_names
from readtrack.metadata import sources
from readtrack.metadata.types import Metadata, Ref

REFUSED = "marked as a different work"
SERVICE_CLAIM_SCORE = 95  # percent: likeness of duplicates claimed by a service
DISTINCT = "belongs to a paper marked as different"
FITTING = ("agrees", "superseded")  # states of verified records, unless they have a problem
_MAX_COMPARED_RECORDS = 20  # records that a new one is compared with
TEXTS = ("title", "venue", "publication_type", "abstract", "language", "arxiv_class", "remark", "raw")


def store_record(tx: Write, paper_id: int, metadata: Metadata, *, key: str = "") -> MetadataRecord | None:
    """Store metadata as a record and apply it if it fits the paper. Return None if the paper is gone.

    `key`: the key of the request, if it differs from the identifier of the result. If the paper was merged during the
    request, the record goes to the surviving paper.
    """
    paper = tx.get(Paper, paper_id, with_for_update=True)
    if paper is None:
        return None
    if paper.merged_into is not None:
        return store_record(tx, paper.merged_into, metadata, key=key)
    problem = _find_problem(tx, paper, metadata)
    state = "refused" if problem == REFUSED else "disagrees" if problem else "agrees"
    record = _find_unchanged_record(tx, paper_id, metadata, state=state)
    if record is None:
        record = _add_record(tx, paper_id, metadata, key=key, state=state, problem=problem)
        verb = "paper.fetched" if state == "agrees" else "paper.disagreement"
        events.record_event(tx, None, verb, paper_id=paper_id, data={"source": record.service})
    if state == "agrees":
        _apply_record(tx, paper, metadata)
        store_record_citations(tx, record)
    return record


def apply_records(tx: Write, paper: Paper) -> None:
    """Set the displayed fields from the verified records by rank, except locked fields."""
    choice = choose.choose_fields(_list_candidate_records(tx, paper.id or 0), paper.user_supplied, paper.field_locks)
    paper.record_id, paper.field_sources = choice.record_id, dict(choice.field_sources)
    changes = {name: value for name, value in choice.values.items() if not is_same_value(getattr(paper, name), value)}
    for name, value in changes.items():
        setattr(paper, name, value)
    if changes:
        paper.title_key = normalize.key(paper.title)
        paper.version, paper.updated_at = paper.version + 1, now()
        search.update_papers(tx, [paper.id or 0])
    tx.flush()
    if paper.citation_key is None:
        assign_citation_keys(tx, [paper.id or 0])
    if "title" in changes:
        bind_names(tx, [paper.title])


def reverify_records(tx: Write, paper: Paper) -> None:
    """Verify disagreeing records again and apply what fits.

    Titles or other records may have changed since they were verified.
    """
    query = sa.select(MetadataRecord).where(
        col(MetadataRecord.paper_id) == paper.id, col(MetadataRecord.state) == "disagrees"
    )
    for record in tx.scalars(query.order_by(col(MetadataRecord.id))).all():
        record.problem = _find_problem(tx, paper, _to_metadata(record))
        if not record.problem:
            mark_record_verified(tx, record)
    apply_records(tx, paper)


def mark_record_verified(tx: Write, record: MetadataRecord) -> None:
    """Mark a record as verified, and adopt its citations and identifiers."""
    record.state, record.problem = "agrees", ""
    tx.flush()
    store_record_citations(tx, record)
    _confirm_identifiers(tx, record.paper_id, _to_metadata(record))


def _to_metadata(record: MetadataRecord) -> Metadata:
    """Return the parts of a record that verification uses."""
    identifiers = tuple(map(Ref.parse, record.identifiers))
    ref, people = Ref(record.scheme, record.value), tuple(record.authors)
    return Metadata(ref, record.service, title=record.title, authors=people, identifiers=identifiers)


def _apply_record(tx: Write, paper: Paper, metadata: Metadata) -> None:
    paper_id = paper.id or 0
    reverify_records(tx, paper)
    add_links(tx, paper_id, metadata.links)
    add_versions(tx, paper, metadata.versions)
    _confirm_identifiers(tx, paper_id, metadata)
    if paper.kind in COMMENTARIES:
        enqueue_title_search(tx)  # the title may name the discussed paper


def _find_problem(tx: Read, paper: Paper, metadata: Metadata) -> str:
    owner = find_by_ref(tx, metadata.ref)
    previous = _list_previous_records(tx, paper.id or 0)
    same_identifier = [row for row in previous if (row.scheme, row.value) == (metadata.ref.scheme, metadata.ref.key)]
    same_service = [row for row in same_identifier if row.service == (metadata.service or metadata.ref.scheme)]
    # An identifier refused as another work's is refused from every service.
    relevant = same_service if owner == paper.id else same_identifier
    if any(row.state == "refused" and (owner != paper.id or row.title == metadata.title) for row in relevant):
        return REFUSED
    if owner is not None and owner != paper.id and are_distinct(tx, owner, paper.id or 0):
        return DISTINCT
    requested = RequestedPaper(
        stated=TitleAndAuthors(
            paper.user_supplied.get("title", ""), person_names.decode_names(paper.user_supplied.get("authors", ()))
        ),
        agreeing_records=[*_matching_works(previous), *_merged_works(tx, paper.id or 0)],
        is_stated_identifier=owner == paper.id,
        was_renamed=any(row.state == "agrees" for row in same_service),
    )
    return describe_mismatch(metadata, requested)


def _matching_works(records: Sequence[sa.Row[Any]]) -> list[TitleAndAuthors]:
    return [TitleAndAuthors(row.title, row.authors) for row in records if row.state in FITTING and not row.problem][
        :_MAX_COMPARED_RECORDS
    ]


def _merged_works(tx: Read, paper_id: int) -> list[TitleAndAuthors]:
    """Return the papers merged into this one: by the merge, a person confirmed their titles."""
    query = sa.select(col(Paper.title), col(Paper.authors)).join(Merge, col(Merge.from_id) == col(Paper.id))
    rows = tx.execute(
        query.where(col(Merge.into_id) == paper_id, col(Merge.undone_at).is_(None)).limit(_MAX_COMPARED_RECORDS)
    )
    return [TitleAndAuthors(row.title, row.authors) for row in rows if row.title]


def _list_previous_records(tx: Read, paper_id: int) -> Sequence[sa.Row[Any]]:
    """Return the paper's records, newest first, including superseded ones because titles change."""
    columns: Sequence[Any] = [
        getattr(MetadataRecord, name) for name in ("service", "scheme", "value", "state", "problem", "title", "authors")
    ]
    query: sa.Select[Any] = sa.select(*columns).where(col(MetadataRecord.paper_id) == paper_id)
    return tx.execute(query.order_by(col(MetadataRecord.id).desc())).all()


def _same_source_filter(paper_id: int, metadata: Metadata) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions for records of the same service about the same identifier."""
    return (
        col(MetadataRecord.paper_id) == paper_id,
        col(MetadataRecord.service) == (metadata.service or metadata.ref.scheme),
        col(MetadataRecord.scheme) == metadata.ref.scheme,
        col(MetadataRecord.value) == metadata.ref.key,
    )


def _list_candidate_records(tx: Read, paper_id: int) -> list[CandidateRecord]:
    columns: Sequence[Any] = [
        getattr(MetadataRecord, name) for name in ("id", "service", "scheme", "stage", "state", *SHOWN)
    ]
    conditions = (
        col(MetadataRecord.paper_id) == paper_id,
        col(MetadataRecord.state).in_(FITTING),
        col(MetadataRecord.problem) == "",
    )
    rows = tx.execute(sa.select(*columns).where(*conditions))
    return [
        CandidateRecord(
            row.id,
            row.service,
            row.stage,
            {name: getattr(row, name) for name in SHOWN},
            authority=any(service.name == row.service for service in sources.authorities(row.scheme)),
            latest=row.state == "agrees",
        )
        for row in rows
    ]


def _find_unchanged_record(tx: Write, paper_id: int, metadata: Metadata, *, state: str) -> MetadataRecord | None:
    """Return the service's identical record with its check time updated; None if the metadata is new."""
    query = sa.select(MetadataRecord).where(
        *_same_source_filter(paper_id, metadata), col(MetadataRecord.state) == state
    )
    record = tx.scalar(query.order_by(col(MetadataRecord.id).desc()).limit(1))
    values = to_record_columns(metadata)
    if record is None or any(
        not is_same_value(getattr(record, name), value) for name, value in values.items() if name != "raw"
    ):
        return None
    record.raw, record.checked_at = values["raw"], now()
    tx.flush()
    return record


def _add_record(tx: Write, paper_id: int, metadata: Metadata, *, key: str, state: str, problem: str) -> MetadataRecord:
    """Add a record and mark the service's former one about the same identifier as superseded."""
    statement = sa.update(MetadataRecord).where(
        *_same_source_filter(paper_id, metadata), col(MetadataRecord.state) != "refused"
    )
    if problem:
        statement = statement.where(col(MetadataRecord.state) != "agrees")  # the agreeing one is still displayed
    tx.execute(statement.values(state="superseded"))
    record = MetadataRecord(
        paper_id=paper_id,
        service=metadata.service or metadata.ref.scheme,
        key=key or metadata.ref.key,
        scheme=metadata.ref.scheme,
        value=metadata.ref.key,
        state=state,
        problem=problem,
        **to_record_columns(metadata),
    )
    tx.add(record)
    tx.flush()
    return record


def to_record_columns(metadata: Metadata) -> dict[str, Any]:
    """Return metadata as the columns of a record."""
    texts = {name: normalize.clean(getattr(metadata, name)) for name in TEXTS}
    return {
        **texts,
        "stage": metadata.stage,
        "kind": metadata.kind if metadata.kind in PAPER_KINDS else "",
        "authors": person_names.clean_names(metadata.authors),
        "year": metadata.year,
        "published_on": metadata.published_on,
        "identifiers": [str(ref) for ref in metadata.identifiers if sources.is_lasting(ref)],
    }


def _confirm_identifiers(tx: Write, paper_id: int, metadata: Metadata) -> None:
    """Add the confirmed identifier to the paper; if another paper has it, suggest the two as duplicates."""
    refs = [ref for ref in (metadata.ref, *metadata.identifiers) if sources.is_lasting(ref)]
    owners = find_by_refs(tx, refs)
    if metadata.ref in refs and metadata.ref not in owners:
        service = metadata.service or metadata.ref.scheme
        tx.add(Identifier(paper_id=paper_id, scheme=metadata.ref.scheme, value=metadata.ref.key, asserted_by=service))
        tx.flush()
        mark_uncompared(tx, [paper_id])
    for ref, other_id in owners.items():
        if other_id != paper_id:
            add_candidate(tx, paper_id, other_id, likeness=SERVICE_CLAIM_SCORE, evidence=_format_claim(metadata, ref))


def _format_claim(metadata: Metadata, ref: Ref) -> str:
    service = service_label(metadata.service or metadata.ref.scheme)
    return evidence.CLAIMED.format(service=service, label=sources.by_name(ref.scheme).label(ref.key))
