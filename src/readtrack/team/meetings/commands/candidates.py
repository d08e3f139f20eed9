"""Commands of candidates: propose a paper, vote, withdraw."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from readtrack.infra import action_quotas, events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Candidate, Meeting, Vote
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.commands.schedule import get_series_for_update
from readtrack.team.meetings.queries.candidates import MAX_OPEN_CANDIDATES, candidate_not_found
from readtrack.team.meetings.schemas import CandidateCreate


def propose(tx: Write, me: CurrentUser, series_id: int, data: CandidateCreate) -> tuple[Candidate, bool]:
    """Propose a paper for a series. Return the candidate, and True unless it was open already.

    The first proposer is kept. Withdrawn and discussed papers may be proposed again. Raise Conflict while the paper is
    on an agenda.
    """
    permissions.require(me, "discuss")
    action_quotas.require(tx, me, "candidate.proposed")
    permissions.lock_present_paper(tx, data.paper)
    series = get_series_for_update(tx, series_id)
    if series.ended_at is not None:
        message = _("“{name}” has ended. Resume it first.").format(name=series.name)
        raise Conflict(message, code="series-ended")
    conditions = (col(Candidate.series_id) == series_id, col(Candidate.paper_id) == data.paper)
    candidate = tx.scalar(sa.select(Candidate).where(*conditions))
    if candidate is not None and candidate.state == "open":
        return candidate, False
    _refuse(tx, series_id, data.paper)
    if candidate is None:
        candidate = Candidate(series_id=series_id, paper_id=data.paper)
        tx.add(candidate)
    candidate.state, candidate.reason = "open", data.reason
    candidate.proposed_by, candidate.proposed_at = me.id, now()
    tx.flush()
    _record(tx, me, "candidate.proposed", candidate)
    return candidate, True


def vote(tx: Write, me: CurrentUser, candidate_id: int, value: int) -> Candidate:
    """Set the user's vote; 0 removes it. Raise Conflict if the candidate is not open."""
    permissions.require(me, "discuss")
    candidate = _get_for_update(tx, candidate_id)
    if candidate.state != "open":
        raise Conflict(_("Voting on this paper is closed."), code="not-open")
    own_vote = tx.get(Vote, (candidate_id, me.id), populate_existing=True)
    old_value = own_vote.value if own_vote else 0
    if old_value == value:
        return candidate
    if own_vote is None:
        _first_vote(tx, Vote(candidate_id=candidate_id, person_id=me.id, value=value))
    else:
        own_vote.value, own_vote.voted_at = value, now()
    _record(tx, me, "candidate.voted", candidate, before={"value": old_value}, after={"value": value})
    return candidate


def withdraw(tx: Write, me: CurrentUser, candidate_id: int) -> None:
    """Withdraw one's own candidate, or any as a scheduler.

    Votes are kept. No change if it is withdrawn.
    """
    candidate = _get_for_update(tx, candidate_id)
    permissions.require(me, "discuss" if candidate.proposed_by == me.id else "schedule")
    if candidate.state == "chosen":
        message = _("This paper is on an agenda. Remove it from the agenda instead.")
        raise Conflict(message, code="not-open")
    if candidate.state == "open":
        candidate.state = "withdrawn"
        _record(tx, me, "candidate.withdrawn", candidate)


def _get_for_update(tx: Write, candidate_id: int) -> Candidate:
    """Return the candidate, locked with its paper.

    Raise NotFound, or Moved if the paper is merged.
    """
    paper_id = tx.scalar(sa.select(col(Candidate.paper_id)).where(col(Candidate.id) == candidate_id))
    if paper_id is None:
        raise candidate_not_found(candidate_id)
    permissions.lock_present_paper(tx, paper_id)  # first, in the same order as a merge
    return tx.get_one(Candidate, candidate_id, with_for_update=True, populate_existing=True)


def _first_vote(tx: Write, own_vote: Vote) -> None:
    try:
        with tx.begin_nested():
            tx.add(own_vote)
    except IntegrityError as error:  # a vote from another window of the user
        message = _("You already voted in another window. Reload the page.")
        raise Conflict(message) from error


def _refuse(tx: Read, series_id: int, paper_id: int) -> None:
    """Raise Conflict if the paper is on an agenda of the series, or the series has too many candidates."""
    query = sa.select(col(Meeting.title)).join(AgendaItem, col(AgendaItem.meeting_id) == col(Meeting.id))
    query = query.where(col(Meeting.series_id) == series_id, col(Meeting.state) == "planned")
    if tx.scalar(query.where(col(AgendaItem.paper_id) == paper_id, col(AgendaItem.state) == "planned")) is not None:
        message = _("Already on the agenda.")
        raise Conflict(message, code="on-the-agenda")
    count_query = sa.select(sa.func.count()).select_from(Candidate)
    open_query = count_query.where(col(Candidate.series_id) == series_id, col(Candidate.state) == "open")
    if (tx.scalar(open_query) or 0) >= MAX_OPEN_CANDIDATES:
        message = _("A series can have at most {most_open} proposed papers. Withdraw one first.").format(
            most_open=MAX_OPEN_CANDIDATES
        )
        raise Conflict(message, code="too-many-candidates")


def _record(tx: Write, me: CurrentUser, verb: str, candidate: Candidate, **changes: Any) -> None:  # noqa: ANN401 - `before` and `after`
    data = {"candidate": candidate.id, "series": candidate.series_id}
    events.record_event(tx, me, verb, paper_id=candidate.paper_id, data=data, **changes)
