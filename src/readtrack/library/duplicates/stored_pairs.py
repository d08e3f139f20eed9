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


def add_candidate(tx: Write, first_id: int, second_id: int, *, likeness: int, evidence: str) -> None:
    """Store a possible duplicate, unless the pair is known already, decided or not."""
    if find_pair(tx, first_id, second_id) is None:
        older_id, newer_id = sorted((first_id, second_id))
        tx.add(DuplicatePair(first_id=older_id, second_id=newer_id, likeness=likeness, evidence=evidence))
        tx.flush()


def find_pair(tx: Read, first_id: int, second_id: int) -> DuplicatePair | None:
    """Return the stored pair for two papers in either order, or None."""
    older_id, newer_id = sorted((first_id, second_id))
    query = sa.select(DuplicatePair).where(
        col(DuplicatePair.first_id) == older_id, col(DuplicatePair.second_id) == newer_id
    )
    return tx.scalar(query)


def are_distinct(tx: Read, first_id: int, second_id: int) -> bool:
    """Return True if a person marked the two papers as not duplicates."""
    pair = find_pair(tx, first_id, second_id)
    return pair is not None and pair.state == "distinct"


def mark_as_distinct(tx: Write, me: CurrentUser, first_id: int, second_id: int, *, evidence: str) -> None:
    """Mark two papers as not duplicates, whatever is suggested later."""
    add_candidate(tx, first_id, second_id, likeness=0, evidence=evidence)
    pair = find_pair(tx, first_id, second_id)
    if pair is not None:
        pair.state, pair.decided_by, pair.decided_at = "distinct", me.id, now()
        tx.flush()


def mark_pair_merged(tx: Write, me: CurrentUser, first_id: int, second_id: int) -> dict[str, Any] | None:
    """Mark a pair as merged. Return its state before, or None if the pair was not known."""
    pair = find_pair(tx, first_id, second_id)
    if pair is None:
        return None
    decided_at = pair.decided_at.isoformat() if pair.decided_at else None
    before = {"id": pair.id, "state": pair.state, "decided_by": pair.decided_by, "decided_at": decided_at}
    pair.state, pair.decided_by, pair.decided_at = "merged", me.id, now()
    return before


def inherit_pairs(tx: Write, from_id: int, into_id: int) -> dict[str, list[int]]:
    """Copy the pairs of the merged paper to the surviving one, except those it already has."""
    is_own = sa.or_(col(DuplicatePair.first_id) == from_id, col(DuplicatePair.second_id) == from_id)
    pairs = tx.scalars(sa.select(DuplicatePair).where(is_own, col(DuplicatePair.state) != "merged")).all()
    copies = []
    for pair in pairs:
        third_id = pair.second_id if pair.first_id == from_id else pair.first_id
        if third_id == into_id or find_pair(tx, third_id, into_id) is not None:
            continue
        older_id, newer_id = sorted((third_id, into_id))
        values = pair.model_dump(exclude={"id", "first_id", "second_id"})
        copies.append(DuplicatePair(first_id=older_id, second_id=newer_id, **values))
        tx.add(copies[-1])
        tx.flush()
    return {"passed": [pair.id or 0 for pair in copies]}


def restore_pairs(tx: Write, from_id: int, into_id: int, moved: Mapping[str, Any], *, since: datetime) -> None:
    """Restore the pair and remove what the surviving paper inherited by the merge.

    Decisions that a person made after `since`, while the papers were merged, apply to both papers.
    """
    inherited = sa.select(DuplicatePair).where(
        col(DuplicatePair.id).in_(moved["passed"]), col(DuplicatePair.state) != "merged"
    )
    for pair in tx.scalars(inherited).all():
        if pair.decided_at is None or pair.decided_at <= since:
            tx.delete(pair)
            continue
        own_pair = find_pair(tx, from_id, pair.first_id + pair.second_id - into_id)
        if own_pair is not None and own_pair.state == "open":
            own_pair.state, own_pair.decided_by, own_pair.decided_at = pair.state, pair.decided_by, pair.decided_at
    tx.flush()
    before = moved["decided"]
    if before is None:
        return
    decided_at = datetime.fromisoformat(before["decided_at"]) if before["decided_at"] else None
    statement = sa.update(DuplicatePair).where(
        col(DuplicatePair.id) == before["id"], col(DuplicatePair.state) == "merged"
    )
    tx.execute(statement.values(state=before["state"], decided_by=before["decided_by"], decided_at=decided_at))
