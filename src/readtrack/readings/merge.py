"""The passes of everybody through two papers that are one: one history for each person, and two again.

Nobody's pass is lost. Who keeps one of them private keeps all of them private, as for any paper.
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

from readtrack.db import Read, Write
from readtrack.models import Event, Reading, ReadingEvent

FURTHER = ("to_read", "dropped", "paused", "reading", "read")
MERGED, UNMERGED, RETURNED = "merged", "unmerged", "returned"  # returned: its person changed it while it was there
People = dict[int, list[Reading]]


def join_readings(tx: Write, from_id: int, into_id: int, *, people: Collection[int]) -> dict[str, Any]:
    """Moves the passes, to be called after the events of the papers; what `part_readings` needs to know.

    `people`: who ever did something with the paper that goes; what they did before cannot be taken back one by one.
    """
    going, there = _passes(tx, from_id), _passes(tx, into_id)
    told = {
        str(person_id): _join(tx, person_id, going[person_id], there[person_id], into_id=into_id)
        for person_id in sorted({*people, *going})
    }
    return {"ids": [row.id for rows in going.values() for row in rows], "people": told}


def part_readings(tx: Write, from_id: int, into_id: int, told: dict[str, Any], *, since: datetime) -> None:
    """Moves the passes back that went, as they are now; those begun `since` stay. To be called after the events."""
    there = _passes(tx, into_id)
    ids = set(told["ids"])
    went = {row.id for rows in there.values() for row in rows if row.id in ids and row.created_at <= since}
    for key, said in told["people"].items():
        person_id = int(key)
        changed = _is_changed(tx, person_id, into_id, after=said["after"])
        back = [row for row in there[person_id] if row.id in went]
        rest = [row for row in there[person_id] if row.id not in went]
        _number_aside(tx, [*back, *rest])
        for paper_id, passes in ((from_id, back), (into_id, rest)):
            _number(tx, passes, paper_id)
            if not changed:
                _show_again(tx, passes, paper_id, said)
            _note(tx, person_id, paper_id, passes, verb=RETURNED if changed else UNMERGED)


def _join(
    tx: Write, person_id: int, going: Sequence[Reading], there: Sequence[Reading], *, into_id: int
) -> dict[str, Any]:
    both = [*there, *going]
    hidden = _hide(tx, person_id, both, into_id) if any(row.private for row in both) else {"shared": [], "hidden": []}
    _number_aside(tx, both)
    history = _one_history(there, going)
    _number(tx, history, into_id)
    return {**hidden, "after": _note(tx, person_id, into_id, history, verb=MERGED)}


def _one_history(there: Sequence[Reading], going: Sequence[Reading]) -> list[Reading]:
    """In the order of their days, within each paper as they were; the present pass that is further on is the last."""
    ahead, behind = (going, there) if _furthest(going) > _furthest(there) else (there, going)
    earlier = merge(_dated(ahead[:-1]), _dated(behind), key=itemgetter(0))
    return [*(row for _, row in earlier), *ahead[-1:]]


def _furthest(passes: Sequence[Reading]) -> int:
    return FURTHER.index(passes[-1].status) if passes else -1


def _dated(passes: Sequence[Reading]) -> Iterator[tuple[date, Reading]]:
    days = (row.finished_on or row.started_on or row.created_at.date() for row in passes)
    return zip(accumulate(days, max), passes, strict=True)


def _number_aside(tx: Write, passes: Sequence[Reading]) -> None:
    """No two may ever have the same number, not even for a moment."""
    for row in passes:
        row.pass_number = -(row.id or 0)
    tx.flush()


def _number(tx: Write, passes: Sequence[Reading], paper_id: int) -> None:
    for number, row in enumerate(passes, start=1):
        row.paper_id, row.pass_number, row.current = paper_id, number, number == len(passes)
    tx.flush()


def _hide(tx: Write, person_id: int, passes: Sequence[Reading], paper_id: int) -> dict[str, list[int]]:
    """What becomes private leaves no trace for others; which passes and events were theirs to see."""
    shared = [row for row in passes if not row.private]
    for row in shared:
        row.private = True
    seen = sa.select(col(Event.id)).where(
        col(Event.person_id) == person_id,
        col(Event.paper_id) == paper_id,
        col(Event.verb).startswith("reading."),
        sa.not_(col(Event.private)),
    )
    events = [event_id for event_id in tx.scalars(seen) if event_id]
    tx.execute(sa.update(Event).where(col(Event.id).in_(events)).values(private=True))
    return {"shared": [row.id or 0 for row in shared], "hidden": events}


def _show_again(tx: Write, passes: Sequence[Reading], paper_id: int, said: dict[str, Any]) -> None:
    """What only the merge made private is shared again, unless another pass of this paper is private still."""
    if any(row.private and row.id not in said["shared"] for row in passes):
        return
    for row in passes:
        row.private = False
    hidden = sa.update(Event).where(col(Event.id).in_(said["hidden"]), col(Event.paper_id) == paper_id)
    tx.execute(hidden.values(private=False))


def _is_changed(tx: Read, person_id: int, paper_id: int, *, after: int) -> bool:
    """Whether this person did anything since: then privacy stays as they have it."""
    done = sa.select(col(ReadingEvent.id)).where(
        col(ReadingEvent.person_id) == person_id,
        col(ReadingEvent.paper_id) == paper_id,
        col(ReadingEvent.id) > after,
        col(ReadingEvent.verb).not_in((MERGED, UNMERGED)),
    )
    return tx.scalar(done.limit(1)) is not None


def _note(tx: Write, person_id: int, paper_id: int, passes: Sequence[Reading], *, verb: str) -> int:
    """A mark in the log of this person, that what stands before it cannot be taken back. Its id."""
    present = passes[-1] if passes else None
    status = present.status if present else None
    number = present.pass_number if present else 1
    event = ReadingEvent(person_id=person_id, paper_id=paper_id, pass_number=number, verb=verb, to_status=status)
    tx.add(event)
    tx.flush()
    return event.id or 0


def _passes(tx: Read, paper_id: int) -> People:
    """Everybody's passes through a paper, in order."""
    found: People = defaultdict(list)
    query = sa.select(Reading).where(col(Reading.paper_id) == paper_id).order_by(col(Reading.pass_number))
    for row in tx.scalars(query.with_for_update().execution_options(populate_existing=True)):
        found[row.person_id].append(row)
    return found
