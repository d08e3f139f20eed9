"""Undoing of bulk actions. Changes that someone made since are kept and reported."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import N_, _
from readtrack.infra.models import Assignment, Candidate, Event, Paper, PaperTopic, Topic, UndoEntry
from readtrack.infra.permissions import CurrentUser
from readtrack.library.duplicates.merge import unmerge
from readtrack.library.enrichment import scheduler
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.topics.commands import link_topic, unlink_topic
from readtrack.library.topics.delete import delete_created_topics
from readtrack.reading.readings.commands import undo_batch
from readtrack.team.assignments.commands import withdraw_assignment
from readtrack.team.meetings.commands.candidates import withdraw
from readtrack.workspace.bulk_actions.actions import ACTS
from readtrack.workspace.bulk_actions.commands import lock_papers, try_on_paper
from readtrack.workspace.bulk_actions.queries import is_over

SINCE = N_("It was changed later.")
BulkUndoData = Mapping[str, Any]
UndoOutcome = tuple[int, str | None]  # the paper, and why it was not restored; None if it was


class UndoResult(NamedTuple):
    """The restored papers, and those left unchanged with the reason."""

    papers: list[int]
    unchanged: dict[int, str]


def undo_bulk_action(tx: Write, me: CurrentUser, undo_id: int) -> UndoResult:
    """Undo one of my bulk actions.

    Raise NotFound, or Conflict if nothing of it can be undone any more.
    """
    undo_entry = lock_undo_entry(tx, me, undo_id)
    result = combine_outcomes(
        [outcome for undo_data in list_slices(undo_entry) for outcome in undo_slice(tx, me, undo_entry, undo_data)]
    )
    if not result.papers and list_slices(undo_entry):
        raise nothing_to_undo_error(result.unchanged.values())
    undo_entry.undone_at = now()
    tx.flush()
    return result


def lock_undo_entry(tx: Write, me: CurrentUser, undo_id: int) -> UndoEntry:
    """Lock and return the undo entry. Raise NotFound, NotAllowed or Conflict."""
    permissions.require(me, "keep")
    undo_entry = undo_log.get_undo_entry(
        tx, undo_id, sa.and_(col(UndoEntry.person_id) == me.id, col(UndoEntry.verb).startswith("bulk."))
    )
    permissions.require(me, ACTS[undo_entry.verb.removeprefix("bulk.")].required_permission)
    if is_over(undo_entry.verb, undo_entry.created_at):
        message = _("Status changes can only be undone within a day.")
        raise Conflict(message, code="nothing-to-undo")
    return undo_entry


def list_slices(undo_entry: UndoEntry) -> Sequence[BulkUndoData]:
    """Return the undo data by slice, last one first, as later slices use topics created by the first.

    The data of an action with one transaction is not nested.
    """
    slices: Sequence[BulkUndoData] = undo_entry.undo.get("slices", [undo_entry.undo])
    return slices[::-1]


def undo_slice(tx: Write, me: CurrentUser, undo_entry: UndoEntry, undo_data: BulkUndoData) -> list[UndoOutcome]:
    """Undo one slice of the action."""
    act = undo_entry.verb.removeprefix("bulk.")
    _lock_papers(tx, undo_data, exclusive=ACTS[act].exclusive)
    with search.defer_indexing(tx), scheduler.batch_requests(tx):
        return list(UNDO_HANDLERS[act](tx, me, undo_data))


def combine_outcomes(outcomes: Sequence[UndoOutcome]) -> UndoResult:
    """Combine outcomes by paper; a paper counts as unchanged if any part of it was."""
    remaining = {paper_id: reason for paper_id, reason in outcomes if reason is not None}
    return UndoResult(sorted({paper_id for paper_id, reason in outcomes if reason is None} - {*remaining}), remaining)


def nothing_to_undo_error(reasons: Iterable[str]) -> Conflict:
    """Return the error for an action of which nothing can be undone. `reasons`: why not, for each paper."""
    different_reasons = {*reasons}
    if different_reasons == {_(SINCE)}:
        message = _("Can't undo: these papers were all changed later.")
    else:
        message = different_reasons.pop() if len(different_reasons) == 1 else _("This can't be undone.")
    return Conflict(message, code="nothing-to-undo")


def _lock_papers(tx: Write, undo_data: BulkUndoData, *, exclusive: bool) -> None:
    names = ("added", "removed", "assignments", "candidates", "papers", "readings", "sorted")
    ids = [row[0] for name in names for row in undo_data.get(name, ())]
    lock_papers(tx, ids, exclusive=exclusive)


def _undo_readings(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    for paper_id, is_undone in undo_batch(
        tx, me, undo_data["batch"], [row[0] for row in undo_data["readings"]]
    ).items():
        yield paper_id, None if is_undone else _(SINCE)


def _undo_topics(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    for paper_id, topic_id, added_by, added_at in undo_data["added"]:
        link = tx.get(PaperTopic, (paper_id, topic_id), populate_existing=True)
        is_unchanged = link is not None and (link.added_by, link.added_at) == (
            added_by,
            datetime.fromisoformat(added_at),
        )
        yield _try_undo(tx, paper_id, partial(unlink_topic, tx, me, paper_id, topic_id), is_possible=is_unchanged)
    for paper_id, topic_id, added_by, added_at, *_slug in undo_data["removed"]:  # older entries have a slug
        is_unlinked = tx.get(PaperTopic, (paper_id, topic_id), populate_existing=True) is None
        can_restore = is_unlinked and tx.get(Topic, topic_id) is not None
        yield _try_undo(tx, paper_id, partial(link_topic, tx, me, paper_id, topic_id), is_possible=can_restore)
        if can_restore:
            statement = sa.update(PaperTopic).where(col(PaperTopic.paper_id) == paper_id)
            values = {"added_by": added_by, "added_at": datetime.fromisoformat(added_at)}
            tx.execute(statement.where(col(PaperTopic.topic_id) == topic_id).values(values))
    tx.flush()
    delete_created_topics(tx, me, undo_data["made"])


def _undo_assignments(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    for paper_id, assignment_id, version in undo_data["assignments"]:
        assignment = tx.get(Assignment, assignment_id, populate_existing=True)
        is_unchanged = assignment is not None and assignment.version == version and assignment.paper_id == paper_id
        can_withdraw = (
            is_unchanged
            and assignment is not None
            and (assignment.state == "proposed" or assignment.person_id == me.id)
        )
        yield _try_undo(tx, paper_id, partial(withdraw_assignment, tx, me, assignment_id), is_possible=can_withdraw)


def _undo_candidates(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    for paper_id, candidate_id, proposed_at in undo_data["candidates"]:
        candidate = tx.get(Candidate, candidate_id, populate_existing=True)
        is_unchanged = (
            candidate is not None
            and candidate.state == "open"
            and candidate.proposed_at == datetime.fromisoformat(proposed_at)
        )
        yield _try_undo(tx, paper_id, partial(withdraw, tx, me, candidate_id), is_possible=is_unchanged)


def _undo_triage(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    for paper_id, old_triage, *state in undo_data["sorted"]:  # older entries have no state
        version = tx.scalar(sa.select(col(Paper.version)).where(col(Paper.id) == paper_id))
        restore = partial(edit_paper, tx, me, paper_id, PaperUpdate(triage=old_triage), version=version or 0)
        outcome = _try_undo(
            tx, paper_id, restore, is_possible=not _is_changed_since(tx, paper_id, undo_data["last"], "triage")
        )
        if outcome[1] is None and state and state[0] == version:
            _restore_last_edit(tx, paper_id, *state[1:])
        yield outcome


def _restore_last_edit(tx: Write, paper_id: int, updated_at: str, updated_by: int | None) -> None:
    """Give back the time and person of the last edit: what was undone is none."""
    values = {"updated_at": datetime.fromisoformat(updated_at), "updated_by": updated_by}
    tx.execute(sa.update(Paper).where(col(Paper.id) == paper_id).values(values))


def _undo_merges(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    """Undo the last merge first, because each contains the merges before it."""
    for paper_id, merge_id in reversed(undo_data["merges"]):
        yield _try_undo(tx, paper_id, partial(unmerge, tx, me, merge_id))


def _undo_deletions(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    for (paper_id,) in undo_data["papers"]:
        is_unchanged = not _is_changed_since(tx, paper_id, undo_data["last"])
        yield _try_undo(tx, paper_id, partial(restore_paper, tx, me, paper_id), is_possible=is_unchanged)


def _undo_restores(tx: Write, me: CurrentUser, undo_data: BulkUndoData) -> Iterator[UndoOutcome]:
    for (paper_id,) in undo_data["papers"]:
        is_unchanged = not _is_changed_since(tx, paper_id, undo_data["last"])
        yield _try_undo(tx, paper_id, partial(delete_paper, tx, me, paper_id), is_possible=is_unchanged)


def _is_changed_since(tx: Write, paper_id: int, last_event_id: int, field: str = "") -> bool:
    """Return True if a person changed the paper, or this field of it, after the event.

    Changes from metadata services do not count.
    """
    conditions = (col(Event.paper_id) == paper_id, col(Event.id) > last_event_id)
    query = sa.select(col(Event.data)).where(
        *conditions, col(Event.verb).startswith("paper."), col(Event.person_id).is_not(None)
    )
    return any(not field or field in data.get("fields", ()) for data in tx.scalars(query))


def _try_undo(tx: Write, paper_id: int, undo: Callable[[], object], *, is_possible: bool = True) -> UndoOutcome:
    """Try to undo one change; return the reason if it was changed since or is gone."""
    if not is_possible:
        return paper_id, _(SINCE)
    problem = try_on_paper(tx, undo, act="undo", paper_id=paper_id).problem
    return paper_id, problem.message if problem else None


UNDO_HANDLERS: Mapping[str, Callable[[Write, CurrentUser, BulkUndoData], Iterator[UndoOutcome]]] = {
    "reading": _undo_readings,
    "off": _undo_readings,
    "topics": _undo_topics,
    "assign": _undo_assignments,
    "propose": _undo_candidates,
    "triage": _undo_triage,
    "merge": _undo_merges,
    "delete": _undo_deletions,
    "restore": _undo_restores,
}
