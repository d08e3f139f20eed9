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
    merged_votes = MergedVotes(votes=[], states=[])
    for merged_candidate, survivor in _find_duplicate_candidates(tx, from_id, into_id):
        merged_votes["votes"] += [
            [merged_candidate.id, survivor.id, person_id]
            for person_id in _copy_votes(tx, merged_candidate.id, survivor.id)
        ]
        if PROPOSED.index(merged_candidate.state) > PROPOSED.index(survivor.state):
            merged_votes["states"].append([survivor.id, survivor.state, merged_candidate.state])
            survivor.state = merged_candidate.state
    tx.flush()
    return merged_votes


def unmerge_votes(tx: Write, merged_votes: MergedVotes | None) -> None:
    """Remove the copied votes, except of people who have voted again since.

    `merged_votes` is None for merges made before votes existed.
    """
    if merged_votes is None:
        return
    original = aliased(Vote)
    for gone_id, kept_id, person_id in merged_votes["votes"]:
        is_original = (
            col(original.candidate_id) == gone_id,
            col(original.person_id) == person_id,
            col(original.voted_at) == col(Vote.voted_at),
        )
        is_unchanged = sa.select(col(original.voted_at)).where(*is_original).correlate(Vote).exists()
        is_copy = (col(Vote.candidate_id) == kept_id, col(Vote.person_id) == person_id)
        tx.bulk_execute(sa.delete(Vote).where(*is_copy, is_unchanged))
    for kept_id, before, after in merged_votes["states"]:
        conditions = (col(Candidate.id) == kept_id, col(Candidate.state) == after)
        tx.execute(sa.update(Candidate).where(*conditions).values(state=before))


def _find_duplicate_candidates(tx: Read, from_id: int, into_id: int) -> Sequence[tuple[Any, Any]]:
    candidates: dict[int, dict[int, Candidate]] = {}
    for paper_id in (from_id, into_id):
        query = sa.select(Candidate).where(col(Candidate.paper_id) == paper_id).order_by(col(Candidate.id))
        rows = tx.scalars(query.with_for_update().execution_options(populate_existing=True))
        candidates[paper_id] = {row.series_id: row for row in rows}
    return [
        (row, candidates[into_id][series])
        for series, row in candidates[from_id].items()
        if series in candidates[into_id]
    ]


def _copy_votes(tx: Write, gone_id: int, kept_id: int) -> list[int]:
    """Copy the votes of people who have not voted for the survivor; return those people."""
    voter_ids = sa.select(col(Vote.person_id)).where(col(Vote.candidate_id) == kept_id)
    vote_query = sa.select(Vote).where(col(Vote.candidate_id) == gone_id, col(Vote.person_id).not_in(voter_ids))
    votes = tx.scalars(vote_query.order_by(col(Vote.person_id))).all()
    tx.add_all(
        Vote(candidate_id=kept_id, person_id=vote.person_id, value=vote.value, voted_at=vote.voted_at) for vote in votes
    )
    tx.flush()
    return [vote.person_id for vote in votes]
