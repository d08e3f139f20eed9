"""Queries on candidates: papers proposed for a series, with votes."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Candidate, Paper, Person, Series, Vote
from readtrack.infra.permissions import CurrentUser, is_present
from readtrack.library.papers.lists import find_discussion_dates
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.queries import list_readers

MAX_OPEN_CANDIDATES = 200  # candidates per series


class CandidateRow(NamedTuple):
    """A candidate. `in_favour`, `against`: names of voters; `mine`: the user's vote."""

    id: int
    series_id: int
    paper_id: int
    title: str
    language: str
    state: str
    reason: str
    proposed_by: int | None
    proposer: str | None
    proposed_at: datetime
    label: str = ""
    in_favour: Sequence[str] = ()
    against: Sequence[str] = ()
    mine: int = 0
    readers: Sequence[str] = ()
    discussed_on: date | None = None

    @property
    def display_title(self) -> str:
        return self.title or self.label or f"Paper {self.paper_id}"

    @property
    def score(self) -> int:
        return len(self.in_favour) - len(self.against)


def list_candidates(tx: Read, me: CurrentUser, series_id: int, *, state: str = "open") -> list[CandidateRow]:
    """List the candidates of a series by votes, oldest first among equals."""
    permissions.require(me, "see")
    query = _candidates_query().where(col(Candidate.series_id) == series_id, col(Candidate.state) == state)
    rows = [
        CandidateRow(*row) for row in tx.execute(query.order_by(col(Candidate.id).desc()).limit(MAX_OPEN_CANDIDATES))
    ]
    return sorted(_add_votes(tx, me, rows), key=lambda row: (-row.score, -len(row.in_favour), row.id))


def get_candidate(tx: Read, me: CurrentUser, candidate_id: int) -> CandidateRow:
    """Return a candidate. Raise NotFound."""
    permissions.require(me, "see")
    row = tx.execute(_candidates_query().where(col(Candidate.id) == candidate_id)).one_or_none()
    if row is None:
        raise candidate_not_found(candidate_id)
    return _add_votes(tx, me, [CandidateRow(*row)])[0]


def candidate_not_found(candidate_id: int) -> NotFound:
    """Build the error for a missing candidate."""
    return NotFound(_("Proposal {candidate_id} not found.").format(candidate_id=candidate_id))


def list_candidate_series(tx: Read, paper_id: int) -> list[tuple[int, str]]:
    """List the series in which a paper is an open candidate, as (id, name)."""
    return [(row[0], row[1]) for row in tx.rows(_OPEN_OF, {"paper_id": paper_id})]


_OPEN_OF: sa.Select[*tuple[Any, ...]] = (
    sa.select(col(Series.id), col(Series.name))
    .join(Candidate, col(Candidate.series_id) == col(Series.id))
    .where(col(Candidate.paper_id) == sa.bindparam("paper_id"), col(Candidate.state) == "open")
    .order_by(col(Series.id))
)


def _add_votes(tx: Read, me: CurrentUser, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
    """Add votes, labels, readers and discussion dates with a fixed number of statements."""
    if not rows:
        return []
    papers = [row.paper_id for row in rows]
    labels, readers, discussion_dates = (
        labels_of(tx, papers),
        list_readers(tx, me, papers),
        find_discussion_dates(tx, papers),
    )
    votes = _find_votes(tx, [row.id for row in rows])
    return [
        row._replace(
            label=labels.get(row.paper_id, ""),
            in_favour=[vote.name for vote in votes.get(row.id, ()) if vote.value > 0],
            against=[vote.name for vote in votes.get(row.id, ()) if vote.value < 0],
            mine=next((vote.value for vote in votes.get(row.id, ()) if vote.person_id == me.id), 0),
            readers=readers.get(row.paper_id, ()),
            discussed_on=discussion_dates.get(row.paper_id),
        )
        for row in rows
    ]


def _find_votes(tx: Read, candidate_ids: Sequence[int]) -> dict[int, list[sa.Row[Any]]]:
    """Return the votes by candidate, without those of disabled people."""
    query = sa.select(col(Vote.candidate_id), col(Vote.person_id), col(Person.name), col(Vote.value))
    query = query.join(Person, col(Person.id) == col(Vote.person_id)).where(col(Vote.candidate_id).in_(candidate_ids))
    query = query.where(col(Person.disabled_at).is_(None))
    votes: dict[int, list[sa.Row[Any]]] = {}
    for row in tx.execute(query.order_by(col(Person.name_key))):
        votes.setdefault(row.candidate_id, []).append(row)
    return votes


def _candidates_query() -> sa.Select[Any]:
    columns: Sequence[Any] = (
        col(Candidate.id), col(Candidate.series_id), col(Candidate.paper_id), col(Paper.title), col(Paper.language),
        col(Candidate.state), col(Candidate.reason), col(Candidate.proposed_by), col(Person.name),
        col(Candidate.proposed_at),
    )  # fmt: skip
    return (
        sa.select(*columns)
        .join(Paper, sa.and_(col(Paper.id) == col(Candidate.paper_id), is_present(Paper)))
        .join(Person, col(Person.id) == col(Candidate.proposed_by), isouter=True)
    )
