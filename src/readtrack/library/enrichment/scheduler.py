"""Scheduling of metadata requests: which services are asked about a paper, with one job per service.

Authorities are asked first, then services that add missing fields.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.jobs import queue
from readtrack.infra.models import Identifier, Job, Link, MetadataRecord, MetadataRequest, Paper
from readtrack.infra.permissions import is_present
from readtrack.library.enrichment.pending import service_job_key
from readtrack.library.papers import lookup
from readtrack.metadata import sources
from readtrack.metadata.types import FIELDS, PaperDescription, Ref, Service

ServiceKey = tuple[str, str]  # (service, key)
ENDED = frozenset({"unknown", "refused"})
_MAX_CLAIMS = 5  # claimed identifiers per paper that are followed up
JOB = "papers.refresh"
_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?([^/?#]*)")
_LATER = "papers.asking"  # key in tx.info: papers whose requests are deferred
SHOWN = (col(Paper.title), col(Paper.authors), col(Paper.year), col(Paper.venue), col(Paper.abstract))


@dataclass(frozen=True)
class Situation:
    """The state by which requests are planned.

    `claims`: identifiers given by records, not verified yet.
    """

    paper: PaperDescription
    claims: tuple[Ref, ...] = ()
    request_states: Mapping[ServiceKey, str] = field(default_factory=dict)
    missing_fields: frozenset[str] = frozenset()  # subset of FIELDS
    has_agreement: bool = False  # a record agrees; before, only authorities are asked: it may be another paper
    unavailable_services: Collection[str] = ()


def next_requests(situation: Situation) -> list[ServiceKey]:
    """Return the next requests; none if an answer is awaited or every useful service was asked."""
    requests = _authority_requests(situation)
    if requests or _is_awaited(
        situation, (request for request in situation.request_states if _is_own(situation, request))
    ):
        return requests
    return _supplementary_requests(situation) if situation.has_agreement and situation.paper.kind == "paper" else []


def missing_fields(*, values: Mapping[str, object], published: bool, schemes: Collection[str]) -> frozenset[str]:
    """Return the FIELDS that a paper lacks. `published`: it has an identifier of its published form."""
    missing = {name for name in FIELDS & values.keys() if not values[name]}
    forms = {"published": published, "preprint": "arxiv" in schemes}
    return frozenset(missing | {form for form, is_present in forms.items() if not is_present})


def _authority_requests(situation: Situation) -> list[ServiceKey]:
    """Return a request to the next authority of each identifier, unless one has answered or is awaited."""
    requests: list[ServiceKey] = []
    for ref in (*situation.paper.refs, *situation.claims[:_MAX_CLAIMS]):
        request = _next_authority(replace(situation.paper, refs=(ref,)), situation.request_states)
        if request and request not in requests:
            requests.append(request)
    return requests


def _next_authority(description: PaperDescription, request_states: Mapping[ServiceKey, str]) -> ServiceKey | None:
    for service in sources.authorities(description.refs[0].scheme):
        for key in service.select_keys(description):
            state = request_states.get((service.name, key))
            if state is None:
                return service.name, key
            if state not in ENDED:
                return None
    return None


def _supplementary_requests(situation: Situation) -> list[ServiceKey]:
    """Return the next requests to services that add missing fields.

    Unavailable services are queued too, but not waited for.
    """
    requests: list[ServiceKey] = []
    for service in sources.all_services():
        useful_requests = _useful_requests(situation, service)
        new_requests = [request for request in useful_requests if request not in situation.request_states]
        requests += new_requests
        if service.name not in situation.unavailable_services and (
            new_requests or _is_awaited(situation, useful_requests)
        ):
            return requests
    return requests


def _useful_requests(situation: Situation, service: Service) -> list[ServiceKey]:
    if not service.adds & situation.missing_fields:
        return []
    return [(service.name, key) for key in service.select_keys(situation.paper)[:1]]


def _is_awaited(situation: Situation, awaitable: Iterable[ServiceKey]) -> bool:
    return any(
        situation.request_states.get(request) == "waiting" and request[0] not in situation.unavailable_services
        for request in awaitable
    )


def _is_own(situation: Situation, request: ServiceKey) -> bool:
    own_schemes = sources.service(request[0]).own_schemes
    return any(ref.scheme in own_schemes for ref in (*situation.paper.refs, *situation.claims))


class RequestKey(NamedTuple):
    """A request to one service about one paper."""

    paper_id: int
    service: str
    key: str


def enqueue_first_requests(tx: Write, new_papers: Iterable[tuple[int, PaperDescription]]) -> None:
    """Save the first requests for papers added in this transaction: nothing is known about them yet."""
    requests = [
        RequestKey(paper_id, service, key)
        for paper_id, paper in new_papers
        for service, key in next_requests(Situation(paper if _has_shortened(paper.refs) else replace(paper, links=())))
    ]
    _insert_requests(tx, requests)
    _enqueue_service_jobs(tx, requests)


def enqueue_requests(tx: Write, paper_ids: Collection[int], *, unavailable: Collection[str] = ()) -> list[int]:
    """Save the next requests for each paper and return the ids of the jobs that will send them.

    `unavailable`: services known to be unavailable, in addition to those whose jobs have failed.
    """
    deferred_ids: set[int] | None = tx.info.get(_LATER)
    if deferred_ids is not None:
        deferred_ids.update(paper_ids)
        return []
    if not paper_ids:
        return []
    requests = [
        RequestKey(paper_id, service, key)
        for paper_id, situation in _load_situations(
            tx, list(paper_ids), {*unavailable, *_unavailable_services(tx)}
        ).items()
        for service, key in next_requests(situation)
    ]
    _save_requests(tx, requests)
    return _enqueue_service_jobs(tx, requests)


def _enqueue_service_jobs(tx: Write, requests: Iterable[RequestKey]) -> list[int]:
    return [enqueue_service_job(tx, service) for service in sorted({request.service for request in requests})]


@contextmanager
def batch_requests(tx: Write) -> Iterator[None]:
    """Defer requests until the end of the block and schedule them together, for long jobs."""
    tx.info[_LATER] = deferred_ids = set[int]()
    try:
        yield
    finally:
        del tx.info[_LATER]
    enqueue_requests(tx, deferred_ids)


def refresh_metadata(tx: Write, paper_ids: Collection[int]) -> list[int]:
    """Start over: allow every service to be asked again. Pending requests stay pending."""
    locked_ids = lock_unmerged_papers(tx, paper_ids)
    statement = sa.update(MetadataRequest).where(col(MetadataRequest.paper_id).in_(locked_ids))
    tx.execute(statement.values(tries=0, not_before=None))
    tx.execute(statement.where(col(MetadataRequest.state) != "waiting").values(state="earlier"))
    tx.expire_all()
    return resume_requests(tx, locked_ids)


def resume_requests(tx: Write, paper_ids: Collection[int]) -> list[int]:
    """Continue with pending and next requests; return the ids of the jobs."""
    service_query = sa.select(col(MetadataRequest.service)).where(
        col(MetadataRequest.paper_id).in_(paper_ids), col(MetadataRequest.state) == "waiting"
    )
    pending_jobs = [enqueue_service_job(tx, service) for service in sorted(tx.scalars(service_query.distinct()))]
    return sorted({*pending_jobs, *enqueue_requests(tx, paper_ids)})


def lock_unmerged_papers(tx: Write, paper_ids: Iterable[int]) -> list[int]:
    """Lock and return the papers that are not merged, in the order of their ids to avoid deadlocks."""
    query = sa.select(col(Paper.id)).where(col(Paper.id).in_(sorted(paper_ids)), col(Paper.merged_into).is_(None))
    return [paper_id for paper_id in tx.scalars(query.order_by(col(Paper.id)).with_for_update()) if paper_id]


def enqueue_service_job(tx: Write, service: str) -> int:
    """Enqueue the service's job, which sends all its pending requests in full batches."""
    is_authority = bool(sources.service(service).own_schemes)  # authorities go before services that add fields
    return queue.enqueue(tx, JOB, {"service": service}, dedup_key=service_job_key(service), priority=int(is_authority))


def _unavailable_services(tx: Read) -> list[str]:
    """Return services whose last job failed or that are paused: nothing waits for them."""
    names = {service_job_key(service.name): service.name for service in sources.all_services()}
    query = sa.select(col(Job.dedup_key)).where(
        col(Job.dedup_key).in_(names), col(Job.error) != "", col(Job.state).in_(("queued", "paused", "failed"))
    )
    return [names[dedup_key] for dedup_key in tx.scalars(query) if dedup_key]


def _load_situations(tx: Write, paper_ids: Sequence[int], unavailable: Collection[str]) -> dict[int, Situation]:
    """Return the situation of each present paper, locked, in a fixed number of statements."""
    tx.flush()
    papers = sa.select(col(Paper.id), col(Paper.kind), *SHOWN).where(col(Paper.id).in_(paper_ids), is_present(Paper))
    rows = {row.id: row for row in tx.execute(papers.order_by(col(Paper.id)).with_for_update())}
    refs, request_states, records = _refs(tx, rows), _find_request_states(tx, rows), _find_agreeing_records(tx, rows)
    claims, links = _find_claimed_refs(tx, records), _links(tx, refs)
    return {
        paper_id: Situation(
            paper=PaperDescription(tuple(refs.get(paper_id, ())), row.title, row.kind, tuple(links.get(paper_id, ()))),
            claims=claims.get(paper_id, ()),
            request_states=request_states.get(paper_id, {}),
            missing_fields=_find_missing_fields(row, refs.get(paper_id, ()), records[paper_id])
            if paper_id in records
            else frozenset(),
            has_agreement=paper_id in records,
            unavailable_services=unavailable,
        )
        for paper_id, row in rows.items()
    }


def _find_missing_fields(row: sa.Row[Any], refs: Iterable[Ref], records: Iterable[sa.Row[Any]]) -> frozenset[str]:
    values = {name: getattr(row, name) for name in ("title", "authors", "year", "venue", "abstract")}
    forms = {Ref(record.scheme, record.value) for record in records if record.stage == "published"}
    is_published = any(ref in forms and ref.scheme != "arxiv" for ref in refs)
    return missing_fields(values=values, published=is_published, schemes={ref.scheme for ref in refs})


def _refs(tx: Read, paper_ids: Iterable[int]) -> dict[int, list[Ref]]:
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    refs: dict[int, list[Ref]] = {}
    for row in tx.execute(query.where(col(Identifier.paper_id).in_(paper_ids)).order_by(col(Identifier.id))):
        refs.setdefault(row.paper_id, []).append(Ref(row.scheme, row.value))
    return refs


def _links(tx: Read, refs: Mapping[int, Sequence[Ref]]) -> dict[int, list[str]]:
    """Return the links of papers with a shortened identifier: only the original link leads to their page."""
    shortened_ids = [paper_id for paper_id, paper_refs in refs.items() if _has_shortened(paper_refs)]
    links: dict[int, list[str]] = {}
    if shortened_ids:
        query = sa.select(col(Link.paper_id), col(Link.url)).where(col(Link.paper_id).in_(shortened_ids))
        for row in tx.execute(query.order_by(col(Link.id))):
            links.setdefault(row.paper_id, []).append(row.url)
    return links


def _has_shortened(refs: Iterable[Ref]) -> bool:
    return any(sources.by_name(ref.scheme).shortened(ref.key) for ref in refs)


def _find_request_states(tx: Read, paper_ids: Iterable[int]) -> dict[int, dict[tuple[str, str], str]]:
    query = sa.select(
        col(MetadataRequest.paper_id),
        col(MetadataRequest.service),
        col(MetadataRequest.key),
        col(MetadataRequest.state),
    )
    states: dict[int, dict[tuple[str, str], str]] = {}
    for row in tx.execute(
        query.where(col(MetadataRequest.paper_id).in_(paper_ids), col(MetadataRequest.state) != "earlier")
    ):
        states.setdefault(row.paper_id, {})[row.service, row.key] = row.state
    return states


def _find_agreeing_records(tx: Read, paper_ids: Iterable[int]) -> dict[int, list[sa.Row[Any]]]:
    columns: Sequence[Any] = (
        MetadataRecord.paper_id,
        MetadataRecord.stage,
        MetadataRecord.scheme,
        MetadataRecord.value,
        MetadataRecord.identifiers,
    )
    query: sa.Select[Any] = sa.select(*columns)
    query = query.where(col(MetadataRecord.paper_id).in_(paper_ids), col(MetadataRecord.state) == "agrees")
    records: dict[int, list[sa.Row[Any]]] = {}
    for row in tx.execute(query.order_by(col(MetadataRecord.id))):
        records.setdefault(row.paper_id, []).append(row)
    return records


def _find_claimed_refs(tx: Read, records: Mapping[int, Sequence[sa.Row[Any]]]) -> dict[int, tuple[Ref, ...]]:
    """Return identifiers that records claim for a paper and no paper has.

    If another paper has one, the two are suggested as duplicates instead.
    """
    claims = {
        paper_id: [ref for row in rows for name in row.identifiers if sources.is_lasting(ref := Ref.parse(name))]
        for paper_id, rows in records.items()
    }
    owned_refs = lookup.find_by_refs(tx, sorted({ref for names in claims.values() for ref in names}))
    return {
        paper_id: tuple(dict.fromkeys(ref for ref in names if ref not in owned_refs))
        for paper_id, names in claims.items()
    }


def _save_requests(tx: Write, requests: Sequence[RequestKey]) -> None:
    """Insert new requests, and reset earlier ones that may be sent again."""
    ids = {request.paper_id for request in requests}
    query = sa.select(MetadataRequest).where(
        col(MetadataRequest.paper_id).in_(ids), col(MetadataRequest.state) == "earlier"
    )
    earlier_requests = {RequestKey(row.paper_id, row.service, row.key): row for row in tx.scalars(query)} if ids else {}
    for request in requests:
        if earlier_request := earlier_requests.get(request):
            earlier_request.state, earlier_request.problem = "waiting", ""
    tx.flush()
    _insert_requests(tx, [request for request in requests if request not in earlier_requests])


def _insert_requests(tx: Write, requests: Sequence[RequestKey]) -> None:
    if requests:
        rows = [_to_row(request) for request in requests]
        tx.connection().execute(sa.insert(MetadataRequest.__table__), rows)  # type: ignore[attr-defined]


def _to_row(request: RequestKey) -> dict[str, Any]:
    has_many_hosts = sources.service(request.service).has_many_hosts
    return {**request._asdict(), "host": key_host(request.key) if has_many_hosts else ""}


def key_host(key: str) -> str:
    """Return the host of a key that is an address, with or without scheme."""
    match = _HOST.match(key)
    return match[1] if match else ""
