"""Pairs of possible duplicates awaiting a decision, and their handling when papers are merged."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.models import DuplicatePair
from readtrack.infra.permissions import CurrentUser


def add_candidate(tx: Write, one_id: int, other_id: int, *, likeness: int, evidence: str) -> None:
    """Store a possible duplicate, unless the pair is known already, decided or not."""
    if find_pair(tx, one_id, other_id) is None:
        older, newer = sorted((one_id, other_id))
        tx.add(DuplicatePair(first_id=older, second_id=newer, likeness=likeness, evidence=evidence))
        tx.flush()


def find_pair(tx: Read, one_id: int, other_id: int) -> DuplicatePair | None:
    """Return the stored pair for two papers in either order, or None."""
    older, newer = sorted((one_id, other_id))
    known = sa.select(DuplicatePair).where(col(DuplicatePair.first_id) == older, col(DuplicatePair.second_id) == newer)
    return tx.scalar(known)


def are_distinct(tx: Read, one_id: int, other_id: int) -> bool:
    """Return True if a person marked the two papers as not duplicates."""
    pair = find_pair(tx, one_id, other_id)
    return pair is not None and pair.state == "distinct"


def mark_as_distinct(tx: Write, me: CurrentUser, one_id: int, other_id: int, *, evidence: str) -> None:
    """Mark two papers as not duplicates, whatever is suggested later."""
    add_candidate(tx, one_id, other_id, likeness=0, evidence=evidence)
    pair = find_pair(tx, one_id, other_id)
    if pair is not None:
        pair.state, pair.decided_by, pair.decided_at = "distinct", me.id, now()
        tx.flush()


def mark_pair_merged(tx: Write, me: CurrentUser, one_id: int, other_id: int) -> dict[str, Any] | None:
    """Mark a pair as merged. Return its state before, or None if the pair was not known."""
    pair = find_pair(tx, one_id, other_id)
    if pair is None:
        return None
    at = pair.decided_at.isoformat() if pair.decided_at else None
    before = {"id": pair.id, "state": pair.state, "decided_by": pair.decided_by, "decided_at": at}
    pair.state, pair.decided_by, pair.decided_at = "merged", me.id, now()
    return before


def inherit_pairs(tx: Write, from_id: int, into_id: int) -> dict[str, list[int]]:
    """Copy the pairs of the merged paper to the surviving one, except those it already has."""
    mine = sa.or_(col(DuplicatePair.first_id) == from_id, col(DuplicatePair.second_id) == from_id)
    pairs = tx.scalars(sa.select(DuplicatePair).where(mine, col(DuplicatePair.state) != "merged")).all()
    passed = []
    for pair in pairs:
        third = pair.second_id if pair.first_id == from_id else pair.first_id
        if third == into_id or find_pair(tx, third, into_id) is not None:
            continue
        older, newer = sorted((third, into_id))
        said = pair.model_dump(exclude={"id", "first_id", "second_id"})
        passed.append(DuplicatePair(first_id=older, second_id=newer, **said))
        tx.add(passed[-1])
        tx.flush()
    return {"passed": [pair.id or 0 for pair in passed]}


def restore_pairs(tx: Write, from_id: int, into_id: int, told: Mapping[str, Any], *, since: datetime) -> None:
    """Restore the pair and remove what the surviving paper inherited by the merge.

    Decisions that a person made after `since`, while the papers were merged, apply to both papers.
    """
    passed = sa.select(DuplicatePair).where(
        col(DuplicatePair.id).in_(told["passed"]), col(DuplicatePair.state) != "merged"
    )
    for pair in tx.scalars(passed).all():
        if pair.decided_at is None or pair.decided_at <= since:
            tx.delete(pair)
            continue
        own = find_pair(tx, from_id, pair.first_id + pair.second_id - into_id)
        if own is not None and own.state == "open":
            own.state, own.decided_by, own.decided_at = pair.state, pair.decided_by, pair.decided_at
    tx.flush()
    before = told["decided"]
    if before is None:
        return
    at = datetime.fromisoformat(before["decided_at"]) if before["decided_at"] else None
    decided = sa.update(DuplicatePair).where(
        col(DuplicatePair.id) == before["id"], col(DuplicatePair.state) == "merged"
    )
    tx.execute(decided.values(state=before["state"], decided_by=before["decided_by"], decided_at=at))
