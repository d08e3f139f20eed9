"""Scheduling of metadata requests: which services are asked about a paper, with one job per service."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.jobs import queue
from readtrack.infra.models import Identifier, Job, Link, MetadataRecord, MetadataRequest, Paper
from readtrack.infra.permissions import is_present
from readtrack.library.enrichment import plan
from readtrack.library.enrichment.pending import service_job_key
from readtrack.library.enrichment.plan import Situation
from readtrack.library.papers import lookup
from readtrack.metadata import registry
from readtrack.metadata.types import PaperDescription, Ref

JOB = "papers.refresh"
_LATER = "papers.asking"  # key in tx.info: papers whose requests are deferred
SHOWN = (col(Paper.title), col(Paper.authors), col(Paper.year), col(Paper.venue), col(Paper.abstract))


class RequestKey(NamedTuple):
    """A request to one service about one paper."""

    paper_id: int
    service: str
    key: str


def enqueue_requests(tx: Write, paper_ids: Iterable[int], *, resting: Collection[str] = ()) -> list[int]:
    """Save the next requests for each paper and return the ids of the jobs that will send them.

    `resting`: services known to be unavailable, in addition to those whose jobs have failed.
    """
    later: set[int] | None = tx.info.get(_LATER)
    if later is not None:
        later.update(paper_ids)
        return []
    wanted = [
        RequestKey(paper_id, service, key)
        for paper_id, now in _load_situations(tx, list(paper_ids), {*resting, *_unavailable_services(tx)}).items()
        for service, key in plan.next_requests(now)
    ]
    _save_requests(tx, wanted)
    return [enqueue_service_job(tx, service) for service in sorted({question.service for question in wanted})]


@contextmanager
def batch_requests(tx: Write) -> Iterator[None]:
    """Defer requests until the end of the block and schedule them together, for long jobs."""
    tx.info[_LATER] = later = set[int]()
    try:
        yield
    finally:
        del tx.info[_LATER]
    enqueue_requests(tx, later)


def refresh_metadata(tx: Write, paper_ids: Collection[int]) -> list[int]:
    """Start over: allow every service to be asked again. Pending requests stay pending."""
    held = lock_unmerged_papers(tx, paper_ids)
    mine = sa.update(MetadataRequest).where(col(MetadataRequest.paper_id).in_(held))
    tx.execute(mine.values(tries=0, not_before=None))
    tx.execute(mine.where(col(MetadataRequest.state) != "waiting").values(state="earlier"))
    tx.expire_all()
    return resume_requests(tx, held)


def resume_requests(tx: Write, paper_ids: Collection[int]) -> list[int]:
    """Continue with pending and next requests; return the ids of the jobs."""
    waiting = sa.select(col(MetadataRequest.service)).where(
        col(MetadataRequest.paper_id).in_(paper_ids), col(MetadataRequest.state) == "waiting"
    )
    still = [enqueue_service_job(tx, service) for service in sorted(tx.scalars(waiting.distinct()))]
    return sorted({*still, *enqueue_requests(tx, paper_ids)})


def lock_unmerged_papers(tx: Write, paper_ids: Iterable[int]) -> list[int]:
    """Lock and return the papers that are not merged, in the order of their ids to avoid deadlocks."""
    whole = sa.select(col(Paper.id)).where(col(Paper.id).in_(sorted(paper_ids)), col(Paper.merged_into).is_(None))
    return [paper_id for paper_id in tx.scalars(whole.order_by(col(Paper.id)).with_for_update()) if paper_id]


def enqueue_service_job(tx: Write, service: str) -> int:
    """Enqueue the service's job, which sends all its pending requests in full batches."""
    first = bool(registry.service(service).own)  # authorities go before services that add fields
    return queue.enqueue(tx, JOB, {"service": service}, dedup=service_job_key(service), priority=int(first))


def _unavailable_services(tx: Read) -> list[str]:
    """Return services whose last job failed: they keep being asked, but nothing waits for them."""
    names = {service_job_key(service.name): service.name for service in registry.all_services()}
    troubled = sa.select(col(Job.dedup_key)).where(
        col(Job.dedup_key).in_(names), col(Job.error) != "", col(Job.state).in_(("queued", "failed"))
    )
    return [names[dedup] for dedup in tx.scalars(troubled) if dedup]


def _load_situations(tx: Write, paper_ids: Sequence[int], resting: Collection[str]) -> dict[int, Situation]:
    """Return the situation of each present paper, locked, in a fixed number of statements."""
    tx.flush()
    papers = sa.select(col(Paper.id), col(Paper.kind), *SHOWN).where(col(Paper.id).in_(paper_ids), is_present(Paper))
    rows = {row.id: row for row in tx.execute(papers.order_by(col(Paper.id)).with_for_update())}
    refs, asked, records = _refs(tx, rows), _find_request_states(tx, rows), _find_agreeing_records(tx, rows)
    claims, links = _find_claimed_refs(tx, records), _links(tx, refs)
    return {
        paper_id: Situation(
            about=PaperDescription(tuple(refs.get(paper_id, ())), row.title, row.kind, tuple(links.get(paper_id, ()))),
            claims=claims.get(paper_id, ()),
            asked=asked.get(paper_id, {}),
            lacking=_missing_fields(row, refs.get(paper_id, ()), records[paper_id])
            if paper_id in records
            else frozenset(),
            agreed=paper_id in records,
            resting=resting,
        )
        for paper_id, row in rows.items()
    }


def _missing_fields(row: sa.Row[Any], refs: Iterable[Ref], records: Iterable[sa.Row[Any]]) -> frozenset[str]:
    shown = {name: getattr(row, name) for name in ("title", "authors", "year", "venue", "abstract")}
    forms = {Ref(record.scheme, record.value) for record in records if record.stage == "published"}
    published = any(ref in forms and ref.scheme != "arxiv" for ref in refs)
    return plan.missing_fields(shown=shown, published=published, schemes={ref.scheme for ref in refs})


def _refs(tx: Read, paper_ids: Iterable[int]) -> dict[int, list[Ref]]:
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    found: dict[int, list[Ref]] = {}
    for row in tx.execute(query.where(col(Identifier.paper_id).in_(paper_ids)).order_by(col(Identifier.id))):
        found.setdefault(row.paper_id, []).append(Ref(row.scheme, row.value))
    return found


def _links(tx: Read, refs: Mapping[int, Sequence[Ref]]) -> dict[int, list[str]]:
    """Return the links of papers with a shortened identifier: only the original link leads to their page."""
    nameless = [
        paper_id
        for paper_id, named in refs.items()
        if any(registry.by_name(ref.scheme).shortened(ref.key) for ref in named)
    ]
    found: dict[int, list[str]] = {}
    if nameless:
        query = sa.select(col(Link.paper_id), col(Link.url)).where(col(Link.paper_id).in_(nameless))
        for row in tx.execute(query.order_by(col(Link.id))):
            found.setdefault(row.paper_id, []).append(row.url)
    return found


def _find_request_states(tx: Read, paper_ids: Iterable[int]) -> dict[int, dict[tuple[str, str], str]]:
    query = sa.select(
        col(MetadataRequest.paper_id),
        col(MetadataRequest.service),
        col(MetadataRequest.key),
        col(MetadataRequest.state),
    )
    found: dict[int, dict[tuple[str, str], str]] = {}
    for row in tx.execute(
        query.where(col(MetadataRequest.paper_id).in_(paper_ids), col(MetadataRequest.state) != "earlier")
    ):
        found.setdefault(row.paper_id, {})[row.service, row.key] = row.state
    return found


def _find_agreeing_records(tx: Read, paper_ids: Iterable[int]) -> dict[int, list[sa.Row[Any]]]:
    shown: Sequence[Any] = (
        MetadataRecord.paper_id,
        MetadataRecord.stage,
        MetadataRecord.scheme,
        MetadataRecord.value,
        MetadataRecord.identifiers,
    )
    query: sa.Select[Any] = sa.select(*shown)
    query = query.where(col(MetadataRecord.paper_id).in_(paper_ids), col(MetadataRecord.state) == "agrees")
    found: dict[int, list[sa.Row[Any]]] = {}
    for row in tx.execute(query.order_by(col(MetadataRecord.id))):
        found.setdefault(row.paper_id, []).append(row)
    return found


def _find_claimed_refs(tx: Read, records: Mapping[int, Sequence[sa.Row[Any]]]) -> dict[int, tuple[Ref, ...]]:
    """Return identifiers that records claim for a paper and no paper has.

    If another paper has one, the two are suggested as duplicates instead.
    """
    said = {
        paper_id: [ref for row in rows for name in row.identifiers if registry.is_lasting(ref := Ref.parse(name))]
        for paper_id, rows in records.items()
    }
    taken = lookup.find_by_refs(tx, sorted({ref for names in said.values() for ref in names}))
    return {
        paper_id: tuple(dict.fromkeys(ref for ref in names if ref not in taken)) for paper_id, names in said.items()
    }


def _save_requests(tx: Write, wanted: Sequence[RequestKey]) -> None:
    """Insert new requests, and reset earlier ones that may be sent again."""
    ids = {question.paper_id for question in wanted}
    query = sa.select(MetadataRequest).where(
        col(MetadataRequest.paper_id).in_(ids), col(MetadataRequest.state) == "earlier"
    )
    earlier = {RequestKey(row.paper_id, row.service, row.key): row for row in tx.scalars(query)} if ids else {}
    for question in wanted:
        if before := earlier.get(question):
            before.state, before.problem = "waiting", ""
    tx.flush()
    if new := [question._asdict() for question in wanted if question not in earlier]:
        tx.connection().execute(sa.insert(MetadataRequest.__table__), new)  # type: ignore[attr-defined]
