"""Votes for two papers that become one, proposed for the same series: counted together, and apart again.

The candidate of the paper that goes stays with it, votes and all, and what it says is added to that of the survivor.
"""

from collections.abc import Sequence
from typing import Any, TypedDict

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.models import Candidate, Vote

PROPOSED = ("withdrawn", "open", "chosen")  # what the team wants of one of them, it wants


class MergedVotes(TypedDict):
    """What was added. `votes`: from and into which candidate, whose; `states`: candidate, before, after."""

    votes: list[list[int]]
    states: list[list[Any]]


def merge_votes(tx: Write, from_id: int, into_id: int) -> MergedVotes:
    """To be called after candidates went over: those that are left with the one that goes are doubles."""
    added = MergedVotes(votes=[], states=[])
    for gone, kept in _find_duplicate_candidates(tx, from_id, into_id):
        added["votes"] += [[gone.id, kept.id, person_id] for person_id in _copy_votes(tx, gone.id, kept.id)]
        if PROPOSED.index(gone.state) > PROPOSED.index(kept.state):
            added["states"].append([kept.id, kept.state, gone.state])
            kept.state = gone.state
    tx.flush()
    return added


def unmerge_votes(tx: Write, added: MergedVotes | None) -> None:
    """Takes back what was added; who voted again since voted for the survivor. None: before there were votes."""
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
        tx.execute(sa.delete(Vote).where(*mine, same).execution_options(synchronize_session=False))
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
    """Adds the votes of those who have not voted for the survivor, as they were cast; whose they are."""
    there = sa.select(col(Vote.person_id)).where(col(Vote.candidate_id) == kept_id)
    mine = sa.select(Vote).where(col(Vote.candidate_id) == gone_id, col(Vote.person_id).not_in(there))
    votes = tx.scalars(mine.order_by(col(Vote.person_id))).all()
    tx.add_all(
        Vote(candidate_id=kept_id, person_id=vote.person_id, value=vote.value, voted_at=vote.voted_at) for vote in votes
    )
    tx.flush()
    return [vote.person_id for vote in votes]
