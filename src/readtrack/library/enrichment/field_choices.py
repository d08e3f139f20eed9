"""Decisions of people about metadata: the record of a field, and which records are about this paper."""

from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Identifier, MetadataRecord, MetadataRequest, Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.library.citations.citation_lists import delete_record_citations, move_citation_lists
from readtrack.library.duplicates import evidence
from readtrack.library.duplicates.stored_pairs import mark_as_distinct
from readtrack.library.enrichment.choose import SHOWN
from readtrack.library.enrichment.records import REFUSED, mark_record_verified, reverify_records
from readtrack.library.enrichment.scheduler import enqueue_requests
from readtrack.library.papers.commands import add_links, get_visible_paper
from readtrack.metadata.sources import by_name
from readtrack.metadata.types import Ref


def choose_field(tx: Write, me: CurrentUser, paper_id: int, field: str, *, record_id: int) -> Paper:
    """Lock a field to the value of a record. Raise NotFound, or Invalid for an unknown field."""
    permissions.require(me, "edit")
    paper, record = get_visible_paper(tx, paper_id), _get_record(tx, paper_id, record_id)
    _require_field(field)
    paper.field_locks = {**paper.field_locks, field: {"by": me.id, "at": now().isoformat(), "record": record_id}}
    setattr(paper, field, getattr(record, field))
    if field == "title":
        paper.title_key, paper.user_supplied = normalize.key(paper.title), {**paper.user_supplied, "title": paper.title}
    _save_change(tx, me, paper, "paper.field_chosen", field=field, record=record_id)
    return paper


def release_field(tx: Write, me: CurrentUser, paper_id: int, field: str) -> Paper:
    """Unlock a field, so that records determine it again. Raise Invalid for an unknown field."""
    permissions.require(me, "edit")
    paper = get_visible_paper(tx, paper_id)
    _require_field(field)
    paper.field_locks = {name: stamp for name, stamp in paper.field_locks.items() if name != field}
    _save_change(tx, me, paper, "paper.field_released", field=field)
    return paper


def accept_record(tx: Write, me: CurrentUser, paper_id: int, record_id: int) -> Paper:
    """Confirm that a record is about this paper and adopt its title. Raise NotFound."""
    permissions.require(me, "edit")
    paper, record = get_visible_paper(tx, paper_id), _get_record(tx, paper_id, record_id)
    paper.user_supplied = {**paper.user_supplied, "title": record.title or paper.user_supplied.get("title", "")}
    mark_record_verified(tx, record)
    _save_change(tx, me, paper, "paper.record_accepted", record=record_id)
    enqueue_requests(tx, [paper_id])
    return paper


def refuse_record(tx: Write, me: CurrentUser, paper_id: int, record_id: int) -> Paper:
    """Mark a record as being about another work: keep it, but neither show it nor request it again.

    Raise NotFound.
    """
    permissions.require(me, "edit")
    paper, record = get_visible_paper(tx, paper_id), _get_record(tx, paper_id, record_id)
    record.state, record.problem = "refused", REFUSED
    tx.execute(_replaced_by(record).values(problem=REFUSED))
    delete_record_citations(tx, record)
    statement = sa.delete(Identifier).where(
        col(Identifier.paper_id) == paper_id, col(Identifier.asserted_by) != "", *_identifier_filter(record)
    )
    tx.execute(statement)
    _save_change(tx, me, paper, "paper.record_refused", record=record_id)
    return paper


def reopen_record(tx: Write, me: CurrentUser, paper_id: int, record_id: int) -> Paper:
    """Undo the refusal of a record and verify it again.

    Raise NotFound, or Conflict if it was not refused.
    """
    permissions.require(me, "edit")
    paper, record = get_visible_paper(tx, paper_id), _get_record(tx, paper_id, record_id)
    if record.state != "refused":
        message = _("This record isn't marked as a different paper.")
        raise Conflict(message)
    record.state = "disagrees"
    tx.execute(_replaced_by(record).values(problem=""))
    _save_change(tx, me, paper, "paper.record_reopened", record=record_id)
    return paper


def split_off(tx: Write, me: CurrentUser, paper_id: int, record_id: int) -> int:
    """Split the identifier of a record off into a new paper and return that paper's id.

    Raise NotFound, or Conflict if the identifier is not this paper's or is the only one.
    """
    permissions.require(me, "edit")
    paper, record = get_visible_paper(tx, paper_id), _get_record(tx, paper_id, record_id)
    query = sa.select(Identifier).where(col(Identifier.paper_id) == paper_id).with_for_update()
    identifiers = tx.scalars(query).all()
    identifier = next(
        (
            candidate
            for candidate in identifiers
            if (candidate.scheme, candidate.value) == (record.scheme, record.value)
        ),
        None,
    )
    if identifier is None or (len(identifiers) == 1 and not paper.user_supplied.get("title")):
        message = _("This identifier can't be split off from the paper.")
        raise Conflict(message)
    new_paper = Paper(kind=paper.kind, created_by=me.id, updated_by=me.id)
    tx.add(new_paper)
    tx.flush()
    other_id, source = new_paper.id or 0, by_name(identifier.scheme)
    identifier.paper_id, identifier.asserted_by = other_id, ""
    is_about = (
        col(MetadataRecord.paper_id) == paper_id,
        col(MetadataRecord.scheme) == identifier.scheme,
        col(MetadataRecord.value) == identifier.value,
    )
    tx.execute(sa.update(MetadataRecord).where(*is_about).values(paper_id=other_id, state=_reopened(), problem=""))
    tx.execute(
        sa.delete(MetadataRequest).where(
            col(MetadataRequest.paper_id) == paper_id, col(MetadataRequest.key) == identifier.value
        )
    )
    tx.flush()
    move_citation_lists(tx, paper_id, other_id)
    mark_as_distinct(tx, me, paper_id, other_id, evidence=evidence.SPLIT)
    add_links(tx, other_id, source.links(identifier.value))
    tx.expire_all()
    _save_change(
        tx, me, new_paper, "paper.added", identifier=str(Ref(identifier.scheme, identifier.value)), split_from=paper_id
    )
    _save_change(tx, me, paper, "paper.split", into=other_id)
    enqueue_requests(tx, [other_id])
    return other_id


def _get_record(tx: Write, paper_id: int, record_id: int) -> MetadataRecord:
    record = tx.get(MetadataRecord, record_id)
    if record is None or record.paper_id != paper_id:
        message = _("Record {record_id} of paper {paper_id} not found.").format(paper_id=paper_id, record_id=record_id)
        raise NotFound(message)
    return record


def _require_field(field: str) -> None:
    if field not in SHOWN:
        message = _("Unknown field “{field}”. Use one of: {list}.").format(list=", ".join(SHOWN), field=field[:50])
        raise Invalid(message)


def _identifier_filter(record: MetadataRecord) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Identifier.scheme) == record.scheme, col(Identifier.value) == record.value


def _replaced_by(record: MetadataRecord) -> sa.Update:
    """Return an update of the superseded records that the same service gave for the same identifier."""
    return sa.update(MetadataRecord).where(
        *(
            getattr(MetadataRecord, name) == getattr(record, name)
            for name in ("paper_id", "service", "scheme", "value")
        ),
        col(MetadataRecord.state) == "superseded",
    )


def _reopened() -> sa.ColumnElement[str]:
    """Return the state of a record in a paper of its own: it agrees unless it was superseded."""
    return sa.case((col(MetadataRecord.state) == "superseded", "superseded"), else_="agrees")


def _save_change(tx: Write, me: CurrentUser, paper: Paper, verb: str, **data: Any) -> None:  # noqa: ANN401 - event data
    paper.version, paper.updated_at, paper.updated_by = paper.version + 1, now(), me.id
    tx.flush()
    reverify_records(tx, paper)
    search.update_papers(tx, [paper.id or 0])
    events.record_event(tx, me, verb, paper_id=paper.id, data=data)
