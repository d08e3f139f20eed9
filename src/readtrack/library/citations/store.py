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
from readtrack.metadata import sources
from readtrack.metadata.types import BibliographyItem, Ref

BATCH_SIZE = 200  # identifiers in one statement

log = structlog.get_logger()


def store_citation_list(tx: Write, paper_id: int, works: Sequence[BibliographyItem], *, service: str, key: str) -> None:
    """Replace the stored list of a paper for this service and identifier."""
    works_by_position = {
        position: work for position, work in enumerate(works, 1) if any(map(sources.is_lasting, work.names))
    }
    ids = _find_or_add_works(tx, works_by_position.values())
    new_entries = {
        (position, ids[ref]) for position, work in works_by_position.items() for ref in work.names if ref in ids
    }
    list_filter = _citation_list_filter(paper_id, service, key)
    old_entries = {
        (row.position, row.work_id)
        for row in tx.execute(sa.select(col(Citation.position), col(Citation.work_id)).where(*list_filter))
    }
    if new_entries == old_entries:
        return
    tx.bulk_execute(sa.delete(Citation).where(*list_filter))
    rows = [
        {"paper_id": paper_id, "service": service, "key": key, "position": position, "work_id": work_id}
        for position, work_id in sorted(new_entries)
    ]
    if rows:
        tx.connection().execute(sa.insert(Citation.__table__), rows)  # type: ignore[attr-defined]
    recount(tx, {work_id for _, work_id in new_entries ^ old_entries})


def store_record_citations(tx: Write, record: MetadataRecord) -> None:
    """Store the citations contained in a record, if its service provides them."""
    record_service = {service.name: service for service in sources.all_services()}.get(record.service)
    if record_service is None or record_service.cited is None or not record.raw:
        return
    try:
        works = record_service.cited(record.raw)
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
    has_record = sa.exists().where(
        col(MetadataRecord.paper_id) == into_id,
        col(MetadataRecord.service) == col(Citation.service),
        col(MetadataRecord.key) == col(Citation.key),
    )
    statement = sa.update(Citation).where(col(Citation.paper_id) == from_id, has_record).values(paper_id=into_id)
    recount(tx, set(tx.bulk_execute(statement.returning(col(Citation.work_id))).scalars()))


def recount_papers(tx: Write, paper_ids: Collection[int]) -> None:
    """Recount the works cited by these papers after their lists were moved between papers."""
    work_ids = sa.select(col(Citation.work_id)).where(col(Citation.paper_id).in_(paper_ids))
    recount(tx, set(tx.scalars(work_ids)))


def recount(tx: Write, work_ids: Collection[int]) -> None:
    """Update the number of citing papers, and delete works without any unless a person dismissed them.

    Rows are locked in the order of their ids to avoid deadlocks.
    """
    for batch in _portions(sorted(work_ids)):
        in_batch = col(CitedWork.id).in_(batch)
        tx.execute(sa.select(col(CitedWork.id)).where(in_batch).order_by(col(CitedWork.id)).with_for_update())
        paper_count = sa.select(sa.func.count(sa.distinct(col(Citation.paper_id)))).where(
            col(Citation.work_id) == col(CitedWork.id)
        )
        statement = sa.update(CitedWork).where(in_batch).values(papers=paper_count.scalar_subquery())
        tx.bulk_execute(statement)
        deletion = sa.delete(CitedWork).where(
            in_batch, col(CitedWork.papers) == 0, col(CitedWork.dismissed_at).is_(None)
        )
        tx.bulk_execute(deletion)


def _delete_citations(tx: Write, conditions: tuple[sa.ColumnElement[bool], ...]) -> None:
    statement = sa.delete(Citation).where(*conditions).returning(col(Citation.work_id))
    recount(tx, set(tx.bulk_execute(statement).scalars()))


def _citation_list_filter(paper_id: int, service: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Citation.paper_id) == paper_id, col(Citation.service) == service, col(Citation.key) == key


def _find_or_add_works(tx: Write, works: Iterable[BibliographyItem]) -> dict[Ref, int]:
    """Return the ids of all identifiers of the works, inserting new ones.

    Insert in sorted order to avoid deadlocks between concurrent transactions.
    """
    works_by_ref = {ref: work for work in works for ref in work.names if sources.is_lasting(ref)}
    ids_by_ref = _find_work_ids(tx, list(works_by_ref))
    new_rows = [
        {"scheme": ref.scheme, "value": ref.key, "title": normalize.clean(work.title), "year": work.year, "papers": 0}
        for ref, work in sorted(works_by_ref.items(), key=lambda pair: pair[0])
        if ref not in ids_by_ref
    ]
    if not new_rows:
        return ids_by_ref
    tx.connection().execute(sa.insert(CitedWork.__table__), new_rows)  # type: ignore[attr-defined]
    return _find_work_ids(tx, list(works_by_ref))


def _find_work_ids(tx: Read, refs: Sequence[Ref]) -> dict[Ref, int]:
    query = sa.select(col(CitedWork.id), col(CitedWork.scheme), col(CitedWork.value))
    ids: dict[Ref, int] = {}
    for batch in _portions(refs):
        is_in_batch = is_one_of_pairs(
            col(CitedWork.scheme), col(CitedWork.value), [(ref.scheme, ref.key) for ref in batch]
        )
        ids |= {Ref(row.scheme, row.value): row.id for row in tx.execute(query.where(is_in_batch))}
    return ids


def _portions(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + BATCH_SIZE] for start in range(0, len(items), BATCH_SIZE))
