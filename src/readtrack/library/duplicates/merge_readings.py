"""Merging of readings: one history of passes for each person, and two again when it is undone.

No pass is lost. If a person has private and shared passes, the private ones get numbers below 1, so that others neither
see nor can infer them from the count. Their owner resolves this by making all passes private or all shared.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from heapq import merge
from itertools import accumulate
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Event, Reading, ReadingEvent

FURTHER = ("to_read", "dropped", "paused", "reading", "read")
# RETURNED: unmerged after the person had changed the reading of the merged paper
MERGED, UNMERGED, RETURNED = "merged", "unmerged", "returned"
PASS_OFFSET = 1_000_000  # offset larger than anyone's number of passes
People = dict[int, list[Reading]]


def merge_readings(tx: Write, from_id: int, into_id: int, *, people: Collection[int]) -> dict[str, Any]:
    """Move the passes and return what undoing the merge needs. Call this after the events have moved.

    `people`: everyone with an event on the merged paper; single events from before the merge cannot be undone.
    """
    merged_passes, survivor_passes = _find_passes(tx, from_id), _find_passes(tx, into_id)
    undo_data = {
        str(person_id): _merge_passes(
            tx, person_id, merged_passes[person_id], survivor_passes[person_id], into_id=into_id
        )
        for person_id in sorted({*people, *merged_passes})
    }
    return {"ids": [row.id for rows in merged_passes.values() for row in rows], "people": undo_data}


def unmerge_readings(tx: Write, from_id: int, into_id: int, undo_data: dict[str, Any], *, since: datetime) -> None:
    """Move the passes back in their present state. Call this after the events have moved.

    Passes begun after `since` stay with the surviving paper.
    """
    survivor_passes = _find_passes(tx, into_id)
    ids = set(undo_data["ids"])
    moved_ids = {
        row.id for rows in survivor_passes.values() for row in rows if row.id in ids and row.created_at <= since
    }
    for key, person_data in undo_data["people"].items():
        person_id = int(key)
        changed = _is_changed(tx, person_id, into_id, event_id=person_data["after"])
        returned = [row for row in survivor_passes[person_id] if row.id in moved_ids]
        remaining = [row for row in survivor_passes[person_id] if row.id not in moved_ids]
        _assign_temporary_numbers(tx, [*returned, *remaining])
        for paper_id, passes in ((from_id, returned), (into_id, remaining)):
            if not changed:
                _restore_visibility(tx, passes, paper_id, person_data)
            history = _renumber_passes(tx, passes, paper_id)
            _number_events(tx, person_id, paper_id, passes)
            _record_marker_event(tx, person_id, paper_id, history, verb=RETURNED if changed else UNMERGED)


def _merge_passes(
    tx: Write, person_id: int, merged_passes: Sequence[Reading], survivor_passes: Sequence[Reading], *, into_id: int
) -> dict[str, Any]:
    passes = [*survivor_passes, *merged_passes]
    if _is_mixed(passes):
        survivor_shared, merged_shared = (
            [row for row in rows if not row.private] for rows in (survivor_passes, merged_passes)
        )
        passes = [*(row for row in passes if row.private), *_order_passes(survivor_shared, merged_shared)]
    else:
        passes = _order_passes(survivor_passes, merged_passes)
    _assign_temporary_numbers(tx, passes)
    history = _renumber_passes(tx, passes, into_id)
    _number_events(tx, person_id, into_id, passes)
    return {"shared": [], "hidden": [], "after": _record_marker_event(tx, person_id, into_id, history, verb=MERGED)}


def _is_mixed(passes: Sequence[Reading]) -> bool:
    return len({row.private for row in passes}) > 1


def _order_passes(survivor_passes: Sequence[Reading], merged_passes: Sequence[Reading]) -> list[Reading]:
    """Sort the passes by date, keeping the order within each paper.

    The more advanced of the two current passes becomes the last.
    """
    leading, trailing = (
        (merged_passes, survivor_passes)
        if _furthest(merged_passes) > _furthest(survivor_passes)
        else (survivor_passes, merged_passes)
    )
    sorted_pairs = merge(_pair_with_dates(leading[:-1]), _pair_with_dates(trailing), key=itemgetter(0))
    return [*(row for _, row in sorted_pairs), *leading[-1:]]


def _furthest(passes: Sequence[Reading]) -> int:
    return FURTHER.index(passes[-1].status) if passes else -1


def _pair_with_dates(passes: Sequence[Reading]) -> Iterator[tuple[date, Reading]]:
    dates = (row.finished_on or row.started_on or row.created_at.date() for row in passes)
    return zip(accumulate(dates, max), passes, strict=True)


def _assign_temporary_numbers(tx: Write, passes: Sequence[Reading]) -> None:
    """Give the passes temporary numbers, because numbers must be unique at every moment."""
    for row in passes:
        row.pass_number = -(row.id or 0) - PASS_OFFSET
    tx.flush()


def _renumber_passes(tx: Write, passes: Sequence[Reading], paper_id: int) -> list[Reading]:
    """Assign the passes to a paper and number them in this order. Return those that count.

    Private passes next to shared ones get numbers below 1.
    """
    private_passes = [row for row in passes if row.private] if _is_mixed(passes) else []
    history = [row for row in passes if row not in private_passes]
    for number, row in enumerate([*private_passes, *history], start=1 - len(private_passes)):
        row.paper_id, row.pass_number, row.current = paper_id, number, number == len(history) > 0
    tx.flush()
    return history


def _number_events(tx: Write, person_id: int, paper_id: int, passes: Sequence[Reading]) -> None:
    """Renumber log events of hidden private passes, so that they belong to no pass visible to others."""
    query = sa.select(ReadingEvent).where(
        col(ReadingEvent.person_id) == person_id, col(ReadingEvent.paper_id) == paper_id
    )
    is_mixed = _is_mixed(passes)
    for event in tx.scalars(query.execution_options(populate_existing=True)):
        is_hidden = is_mixed and (event.after or {}).get("private", False)
        if is_hidden != (event.pass_number < 1):
            event.pass_number += -PASS_OFFSET if is_hidden else PASS_OFFSET
    tx.flush()


def _restore_visibility(tx: Write, passes: Sequence[Reading], paper_id: int, undo_data: dict[str, Any]) -> None:
    """Share again what only the merge made private, unless another pass of this paper is private."""
    if any(row.private and row.id not in undo_data["shared"] for row in passes):
        return
    for row in passes:
        row.private = False
    statement = sa.update(Event).where(col(Event.id).in_(undo_data["hidden"]), col(Event.paper_id) == paper_id)
    tx.execute(statement.values(private=False))


def _is_changed(tx: Read, person_id: int, paper_id: int, *, event_id: int) -> bool:
    """Return True if the person has changed anything since; then their privacy settings stay."""
    query = sa.select(col(ReadingEvent.id)).where(
        col(ReadingEvent.person_id) == person_id,
        col(ReadingEvent.paper_id) == paper_id,
        col(ReadingEvent.id) > event_id,
        col(ReadingEvent.verb).not_in((MERGED, UNMERGED)),
    )
    return tx.scalar(query.limit(1)) is not None


def _record_marker_event(tx: Write, person_id: int, paper_id: int, passes: Sequence[Reading], *, verb: str) -> int:
    """Add a log event that marks earlier events as not undoable, and return its id."""
    current = passes[-1] if passes else None
    status = current.status if current else None
    number = current.pass_number if current else 1
    event = ReadingEvent(person_id=person_id, paper_id=paper_id, pass_number=number, verb=verb, to_status=status)
    tx.add(event)
    tx.flush()
    return event.id or 0


def _find_passes(tx: Read, paper_id: int) -> People:
    """Return the passes of every person on a paper, in order, locked."""
    passes: People = defaultdict(list)
    query = sa.select(Reading).where(col(Reading.paper_id) == paper_id).order_by(col(Reading.pass_number))
    for row in tx.scalars(query.with_for_update().execution_options(populate_existing=True)):
        passes[row.person_id].append(row)
    return passes
