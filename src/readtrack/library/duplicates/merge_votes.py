"""Merging of votes when both papers are candidates of the same meeting series.

The merged paper keeps its candidate and votes; copies are added to the surviving paper's candidate.
"""

from collections.abc import Sequence
from typing import Any, TypedDict

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Candidate, Vote

PROPOSED = ("withdrawn", "open", "chosen")  # in ascending order; the merged candidate gets the higher state


class MergedVotes(TypedDict):
    """What a merge added.

    `votes`: (from candidate, to candidate, person); `states`: (candidate, before, after).
    """

    votes: list[list[int]]
    states: list[list[Any]]


def merge_votes(tx: Write, from_id: int, into_id: int) -> MergedVotes:
    """Copy votes between candidates of the same series.

    Call this after other candidates have moved: those left with the merged paper are duplicates.
    """
    added = MergedVotes(votes=[], states=[])
    for gone, kept in _find_duplicate_candidates(tx, from_id, into_id):
        added["votes"] += [[gone.id, kept.id, person_id] for person_id in _copy_votes(tx, gone.id, kept.id)]
        if PROPOSED.index(gone.state) > PROPOSED.index(kept.state):
            added["states"].append([kept.id, kept.state, gone.state])
            kept.state = gone.state
    tx.flush()
    return added


def unmerge_votes(tx: Write, added: MergedVotes | None) -> None:
    """Remove the copied votes, except of people who have voted again since.

    `added` is None for merges made before votes existed.
    """
    if added is None:
        return
    cast = aliased(Vote)
    for gone_id, kept_id, person_id in added["votes"]:
        said = (
            col(cast.candidate_id) == gone_id,
            col(cast.person_id) == person_id,
            col(cast.voted_at) == col(Vote.voted_at),
        )
        same = sa.select(col(cast.voted_at)).where(*said).correlate(Vote).exists()
        mine = (col(Vote.candidate_id) == kept_id, col(Vote.person_id) == person_id)
        tx.bulk_execute(sa.delete(Vote).where(*mine, same))
    for kept_id, before, after in added["states"]:
        here = (col(Candidate.id) == kept_id, col(Candidate.state) == after)
        tx.execute(sa.update(Candidate).where(*here).values(state=before))


def _find_duplicate_candidates(tx: Read, from_id: int, into_id: int) -> Sequence[tuple[Any, Any]]:
    found: dict[int, dict[int, Candidate]] = {}
    for paper_id in (from_id, into_id):
        mine = sa.select(Candidate).where(col(Candidate.paper_id) == paper_id).order_by(col(Candidate.id))
        rows = tx.scalars(mine.with_for_update().execution_options(populate_existing=True))
        found[paper_id] = {row.series_id: row for row in rows}
    return [(row, found[into_id][series]) for series, row in found[from_id].items() if series in found[into_id]]


def _copy_votes(tx: Write, gone_id: int, kept_id: int) -> list[int]:
    """Copy the votes of people who have not voted for the survivor; return those people."""
    there = sa.select(col(Vote.person_id)).where(col(Vote.candidate_id) == kept_id)
    mine = sa.select(Vote).where(col(Vote.candidate_id) == gone_id, col(Vote.person_id).not_in(there))
    votes = tx.scalars(mine.order_by(col(Vote.person_id))).all()
    tx.add_all(
        Vote(candidate_id=kept_id, person_id=vote.person_id, value=vote.value, voted_at=vote.voted_at) for vote in votes
    )
    tx.flush()
    return [vote.person_id for vote in votes]
