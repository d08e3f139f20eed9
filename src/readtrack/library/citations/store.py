"""Storage of citation lists: one list for each paper, service and identifier it was requested with."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa
import structlog
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.db.pair_match import is_one_of_pairs
from readtrack.infra.errors import SourceUnavailable
from readtrack.infra.models import Citation, CitedWork, MetadataRecord
from readtrack.infra.text import normalize
from readtrack.metadata import registry
from readtrack.metadata.types import BibliographyItem, Ref

AT_ONCE = 200  # identifiers in one statement

log = structlog.get_logger()


def store_citation_list(tx: Write, paper_id: int, works: Sequence[BibliographyItem], *, service: str, key: str) -> None:
    """Replace the stored list of a paper for this service and identifier."""
    placed = {place: work for place, work in enumerate(works, 1) if any(map(registry.is_lasting, work.names))}
    ids = _find_or_add_works(tx, placed.values())
    wanted = {(place, ids[ref]) for place, work in placed.items() for ref in work.names if ref in ids}
    mine = _citation_list_filter(paper_id, service, key)
    before = {
        (row.position, row.work_id)
        for row in tx.execute(sa.select(col(Citation.position), col(Citation.work_id)).where(*mine))
    }
    if wanted == before:
        return
    tx.bulk_execute(sa.delete(Citation).where(*mine))
    rows = [
        {"paper_id": paper_id, "service": service, "key": key, "position": place, "work_id": work_id}
        for place, work_id in sorted(wanted)
    ]
    if rows:
        tx.connection().execute(sa.insert(Citation.__table__), rows)  # type: ignore[attr-defined]
    recount(tx, {work_id for _, work_id in wanted ^ before})


def store_record_citations(tx: Write, record: MetadataRecord) -> None:
    """Store the citations contained in a record, if its service provides them."""
    known = {service.name: service for service in registry.all_services()}.get(record.service)
    if known is None or known.cited is None or not record.raw:
        return
    try:
        works = known.cited(record.raw)
    except SourceUnavailable:  # the stored record cannot be parsed any more
        return
    except Exception:  # a broken list must not prevent the record from being stored
        log.exception("the list of an answer cannot be read", service=record.service, key=record.key)
        return
    store_citation_list(tx, record.paper_id, works, service=record.service, key=record.key)


def delete_record_citations(tx: Write, record: MetadataRecord) -> None:
    """Delete the list of a record that turned out to describe another work."""
    _delete_citations(tx, _citation_list_filter(record.paper_id, record.service, record.key))


def delete_paper_citations(tx: Write, paper_ids: Collection[int]) -> None:
    """Delete all citation lists of these papers."""
    _delete_citations(tx, (col(Citation.paper_id).in_(paper_ids),))


def move_citation_lists(tx: Write, from_id: int, into_id: int) -> None:
    """Move the citation lists to the paper that now owns the records they came from."""
    theirs = sa.exists().where(
        col(MetadataRecord.paper_id) == into_id,
        col(MetadataRecord.service) == col(Citation.service),
        col(MetadataRecord.key) == col(Citation.key),
    )
    moved = sa.update(Citation).where(col(Citation.paper_id) == from_id, theirs).values(paper_id=into_id)
    recount(tx, set(tx.bulk_execute(moved.returning(col(Citation.work_id))).scalars()))


def recount_papers(tx: Write, paper_ids: Collection[int]) -> None:
    """Recount the works cited by these papers after their lists were moved between papers."""
    cited = sa.select(col(Citation.work_id)).where(col(Citation.paper_id).in_(paper_ids))
    recount(tx, set(tx.scalars(cited)))


def recount(tx: Write, work_ids: Collection[int]) -> None:
    """Update the number of citing papers, and delete works without any unless a person dismissed them.

    Rows are locked in the order of their ids to avoid deadlocks.
    """
    for portion in _portions(sorted(work_ids)):
        these = col(CitedWork.id).in_(portion)
        tx.execute(sa.select(col(CitedWork.id)).where(these).order_by(col(CitedWork.id)).with_for_update())
        citing = sa.select(sa.func.count(sa.distinct(col(Citation.paper_id)))).where(
            col(Citation.work_id) == col(CitedWork.id)
        )
        counted = sa.update(CitedWork).where(these).values(papers=citing.scalar_subquery())
        tx.bulk_execute(counted)
        idle = sa.delete(CitedWork).where(these, col(CitedWork.papers) == 0, col(CitedWork.dismissed_at).is_(None))
        tx.bulk_execute(idle)


def _delete_citations(tx: Write, which: tuple[sa.ColumnElement[bool], ...]) -> None:
    gone = sa.delete(Citation).where(*which).returning(col(Citation.work_id))
    recount(tx, set(tx.bulk_execute(gone).scalars()))


def _citation_list_filter(paper_id: int, service: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Citation.paper_id) == paper_id, col(Citation.service) == service, col(Citation.key) == key


def _find_or_add_works(tx: Write, works: Iterable[BibliographyItem]) -> dict[Ref, int]:
    """Return the ids of all identifiers of the works, inserting new ones.

    Insert in sorted order to avoid deadlocks between concurrent transactions.
    """
    named = {ref: work for work in works for ref in work.names if registry.is_lasting(ref)}
    known = _find_work_ids(tx, list(named))
    new = [
        {"scheme": ref.scheme, "value": ref.key, "title": normalize.clean(work.title), "year": work.year, "papers": 0}
        for ref, work in sorted(named.items(), key=lambda pair: pair[0])
        if ref not in known
    ]
    if not new:
        return known
    tx.connection().execute(sa.insert(CitedWork.__table__), new)  # type: ignore[attr-defined]
    return _find_work_ids(tx, list(named))


def _find_work_ids(tx: Read, refs: Sequence[Ref]) -> dict[Ref, int]:
    query = sa.select(col(CitedWork.id), col(CitedWork.scheme), col(CitedWork.value))
    found: dict[Ref, int] = {}
    for portion in _portions(refs):
        named = is_one_of_pairs(col(CitedWork.scheme), col(CitedWork.value), [(ref.scheme, ref.key) for ref in portion])
        found |= {Ref(row.scheme, row.value): row.id for row in tx.execute(query.where(named))}
    return found


def _portions(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))
