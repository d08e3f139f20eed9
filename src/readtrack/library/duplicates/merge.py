"""Merging two papers and undoing the merge without losing anyone's data.

Fields, rows, readings, summaries, votes and read markers have their own modules.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm.attributes import flag_modified
from sqlmodel import col

from readtrack import search
from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Merge, Paper, Person, ReadingEvent
from readtrack.infra.permissions import CurrentUser, find_surviving_paper
from readtrack.library.duplicates.merge_fields import clear_filled_fields, fill_blank_fields
from readtrack.library.duplicates.merge_read_markers import merge_read_markers, unmerge_read_markers
from readtrack.library.duplicates.merge_readings import merge_readings, unmerge_readings
from readtrack.library.duplicates.merge_summaries import merge_summaries, unmerge_summaries
from readtrack.library.duplicates.merge_votes import merge_votes, unmerge_votes
from readtrack.library.duplicates.move_rows import (
    Keys,
    include_confirmed_identifiers,
    latest_identifier_id,
    move_rows_back,
    move_rows_over,
    update_notification_papers,
)
from readtrack.library.duplicates.stored_pairs import inherit_pairs, mark_pair_merged, restore_pairs
from readtrack.library.enrichment.records import reverify_records
from readtrack.library.enrichment.scheduler import resume_requests
from readtrack.library.matching import lookups
from readtrack.reading.drafts.commands import DraftSubject, move_drafts, reassign_drafts

_MERGED_INTO: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(Merge.id), col(Merge.from_id), col(Paper.title), col(Person.name), col(Merge.merged_at))
    .join(Paper, col(Paper.id) == col(Merge.from_id))
    .join(Person, col(Person.id) == col(Merge.merged_by), isouter=True)
    .where(col(Merge.into_id) == sa.bindparam("paper_id"), col(Merge.undone_at).is_(None))
    .order_by(col(Merge.id))
)


class MergeRow(NamedTuple):
    """A paper merged into another."""

    id: int
    from_id: int
    title: str
    merged_by: str  # "" if unknown
    merged_at: datetime


def list_merges(tx: Read, paper_id: int) -> list[MergeRow]:
    """Return the papers merged into this one, the oldest merge first."""
    rows = tx.rows(_MERGED_INTO, {"paper_id": paper_id})
    return [MergeRow(row.id, row.from_id, row.title, row.name or "", row.merged_at) for row in rows]


def merge_papers(tx: Write, me: CurrentUser, from_id: int, *, into_id: int) -> Paper:
    """Merge a paper into another and return the surviving one; the old address redirects to it.

    Raise NotFound, Invalid if both are the same paper, or Conflict if one is deleted or already merged.
    """
    permissions.require(me, "merge")
    if from_id == into_id:
        message = _("A paper can't be merged into itself. Choose another paper.")
        raise Invalid(message)
    # In the order of ids, to avoid deadlocks.
    papers = {paper_id: _lock_present_paper(tx, paper_id) for paper_id in sorted((from_id, into_id))}
    merged_paper, survivor = papers[from_id], papers[into_id]
    merge = Merge(
        from_id=from_id, into_id=into_id, moved=_move_contents(tx, me, merged_paper, survivor), merged_by=me.id
    )
    tx.add(merge)
    merged_paper.merged_into = into_id
    _bump_version(merged_paper, me)
    _bump_version(survivor, me)
    tx.flush()
    data = {"merge": merge.id, "from": from_id, "title": merged_paper.title}
    events.record_event(tx, me, "paper.merged", paper_id=into_id, data=data)
    _refresh_papers(tx, from_id, into_id, [survivor])
    return tx.get_one(Paper, into_id)


def unmerge(tx: Write, me: CurrentUser, merge_id: int) -> Paper:
    """Undo a merge and return the restored paper with everything it had, in its present state.

    Data added since the merge stays with the surviving paper. Raise NotFound, or Conflict if the merge was already
    undone or the surviving paper is itself merged into another.
    """
    permissions.require(me, "merge")
    merge, merged_paper, survivor = _lock_merge(tx, merge_id)
    moved, other_merges = merge.moved, _list_merges_into(tx, survivor.id or 0, exclude_id=merge_id)
    for earlier_merge in reversed([*other_merges, merge]):
        unmerge_votes(tx, earlier_merge.moved.get("ballots"))
    missing_keys = move_rows_back(
        tx, merge.from_id, merge.into_id, include_confirmed_identifiers(tx, merge), since=merge.merged_at
    )
    unmerge_readings(tx, merge.from_id, merge.into_id, moved["readings"], since=merge.merged_at)
    texts = [other_merge.moved["summaries"] for other_merge in other_merges]
    unmerge_summaries(tx, merge.from_id, merge.into_id, moved["summaries"], other_reports=texts)
    restore_pairs(tx, merge.from_id, merge.into_id, moved["pairs"], since=merge.merged_at)
    unmerge_read_markers(tx, merge.from_id, merge.into_id, moved.get("marks", ()))
    update_notification_papers(tx, merge.from_id, merge.into_id)
    reassign_drafts(tx, moved.get("drafts", ()), DraftSubject("summary", merge.into_id), to_id=merge.from_id)
    cleared_fields = clear_filled_fields(survivor, moved["fields"])
    for other_merge in other_merges:
        _move_missing_rows(tx, other_merge, survivor, missing_keys=missing_keys, cleared_fields=cleared_fields)
    merged_paper.merged_into, merge.undone_by, merge.undone_at = None, me.id, now()
    _bump_version(merged_paper, me)
    _bump_version(survivor, me)
    tx.flush()
    for paper_id in (merge.from_id, merge.into_id):
        data = {"merge": merge_id, "from": merge.from_id, "into": merge.into_id}
        events.record_event(tx, me, "paper.unmerged", paper_id=paper_id, data=data)
    lookups.restart_search(tx, paper_id=merge.from_id)
    _refresh_papers(tx, merge.from_id, merge.into_id, [merged_paper, survivor])
    return tx.get_one(Paper, merge.from_id)


def _move_contents(tx: Write, me: CurrentUser, merged_paper: Paper, survivor: Paper) -> dict[str, Any]:
    """Move everything to the surviving paper and return the record that undoing the merge needs.

    Events move before the readings and summaries they refer to.
    """
    from_id, into_id = merged_paper.id or 0, survivor.id or 0
    other_merges = _list_merges_into(tx, into_id)
    person_query = sa.select(col(ReadingEvent.person_id)).where(col(ReadingEvent.paper_id) == from_id).distinct()
    people = tx.scalars(person_query).all()
    moved: dict[str, Any] = {
        "newest": latest_identifier_id(tx),
        "marks": merge_read_markers(tx, from_id, into_id),
        "rows": move_rows_over(tx, from_id, into_id),
        "ballots": merge_votes(tx, from_id, into_id),
        "readings": merge_readings(tx, from_id, into_id, people=people),
        "summaries": merge_summaries(
            tx, from_id, into_id, earlier_reports=[other_merge.moved["summaries"] for other_merge in other_merges]
        ),
        "fields": fill_blank_fields(survivor, merged_paper),
        "drafts": move_drafts(tx, DraftSubject("summary", from_id), into_id),
        "pairs": {**inherit_pairs(tx, from_id, into_id), "decided": mark_pair_merged(tx, me, from_id, into_id)},
    }
    for other_merge in other_merges:
        flag_modified(other_merge, "moved")
    return moved


def _move_missing_rows(
    tx: Write, merge: Merge, survivor: Paper, *, missing_keys: Keys, cleared_fields: frozenset[str]
) -> None:
    """Copy again, from another paper merged into the survivor, what the survivor has just lost."""
    copied = move_rows_over(tx, merge.from_id, merge.into_id, only_keys=missing_keys)
    rows = {
        name: [*merge.moved["rows"].get(name, ()), *copied.get(name, ())] for name in {*merge.moved["rows"], *copied}
    }
    filled = fill_blank_fields(survivor, tx.get_one(Paper, merge.from_id), only=cleared_fields)
    fields = {name: {**merge.moved["fields"][name], **values} for name, values in filled.items()}
    ballots = merge_votes(tx, merge.from_id, merge.into_id)
    merge.moved = {**merge.moved, "rows": rows, "fields": fields, "ballots": ballots}
    flag_modified(merge, "moved")


def _list_merges_into(tx: Read, paper_id: int, *, exclude_id: int = 0) -> Sequence[Merge]:
    """Return the merges into this paper that are in force, locked."""
    query = sa.select(Merge).where(
        col(Merge.into_id) == paper_id, col(Merge.undone_at).is_(None), col(Merge.id) != exclude_id
    )
    return tx.scalars(query.order_by(col(Merge.id)).with_for_update().execution_options(populate_existing=True)).all()


def _lock_merge(tx: Write, merge_id: int) -> tuple[Merge, Paper, Paper]:
    """Lock and return a merge and both its papers.

    Raise NotFound, or Conflict if the merge was undone or the surviving paper is itself merged.
    """
    merge = tx.get(Merge, merge_id)
    if merge is None:
        message = _("Merge {merge_id} not found.").format(merge_id=merge_id)
        raise NotFound(message)
    papers = dict(_lock_papers(tx, merge.from_id, merge.into_id))
    tx.refresh(merge, with_for_update=True)
    merged_paper, survivor = papers[merge.from_id], papers[merge.into_id]
    if merge.undone_at is not None:
        raise Conflict(_("This merge was already undone."), code="unmerged")
    if survivor.merged_into is not None:
        message = _("Paper {paper_id} is merged into paper {survivor_of}. Unmerge it first.").format(
            paper_id=survivor.id, survivor_of=survivor.merged_into
        )
        raise Conflict(message, code="merged")
    return merge, merged_paper, survivor


def _lock_present_paper(tx: Write, paper_id: int) -> Paper:
    """Lock and return a paper.

    Raise Conflict if it is deleted or merged, so that merges cannot form a cycle.
    """
    ((_id, paper),) = _lock_papers(tx, paper_id)
    if paper.merged_into is not None:
        message = _("Paper {paper_id} is merged into paper {survivor_of}. Unmerge it first.").format(
            paper_id=paper_id, survivor_of=find_surviving_paper(tx, paper_id)
        )
        raise Conflict(message, code="merged")
    if paper.deleted_at is not None:
        message = _("Paper {paper_id} is in the trash. Restore it first.").format(paper_id=paper_id)
        raise Conflict(message, code="deleted")
    return paper


def _lock_papers(tx: Write, *paper_ids: int) -> Iterator[tuple[int, Paper]]:
    for paper_id in sorted(paper_ids):
        paper = tx.get(Paper, paper_id, with_for_update=True, populate_existing=True)
        if paper is None:
            message = _("Paper {paper_id} not found.").format(paper_id=paper_id)
            raise NotFound(message)
        yield paper_id, paper


def _bump_version(paper: Paper, me: CurrentUser) -> None:
    paper.version, paper.updated_at, paper.updated_by = paper.version + 1, now(), me.id


def _refresh_papers(tx: Write, from_id: int, into_id: int, papers: Sequence[Paper]) -> None:
    """Recompute metadata, search index and metadata requests from the current data."""
    tx.flush()
    tx.expire_all()  # rows were moved by bulk statements, which the session does not see
    for paper in papers:
        reverify_records(tx, paper)
    search.update_papers(tx, [from_id, into_id])
    resume_requests(tx, [paper.id or 0 for paper in papers])


def unmerge_paper(tx: Write, me: CurrentUser, paper_id: int) -> Paper:
    """Undo the merge of a paper and return the restored paper. Raise NotFound if it is not merged."""
    permissions.require(me, "merge")
    query = sa.select(col(Merge.id)).where(col(Merge.from_id) == paper_id, col(Merge.undone_at).is_(None))
    merge_id = tx.scalar(query.order_by(col(Merge.id).desc()).limit(1))
    if merge_id is None:
        message = _("Paper {paper_id} isn't merged into another paper.").format(paper_id=paper_id)
        raise NotFound(message)
    return unmerge(tx, me, merge_id)
