"""The verb for meetings planned by mistake: away with them, and everything is as if they had not been planned."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events, policy
from readtrack.db import Write
from readtrack.errors import Conflict
from readtrack.meetings.commands.agendas import reopen_candidates
from readtrack.meetings.commands.planning import CANCELLED, held_meeting, said, tell_all
from readtrack.meetings.queries.meetings import was_used
from readtrack.models import AgendaItem, Notice
from readtrack.policy import Visitor


def delete_meeting(tx: Write, me: Visitor, meeting_id: int) -> None:
    """Takes a meeting away of which nothing is known but its plan. Who was told of it is told that it is cancelled.

    What it was about waits again, or is proposed again. Raises Conflict when it was held or has notes.
    """
    policy.require(me, "schedule")
    meeting = held_meeting(tx, meeting_id)
    if was_used(tx, meeting_id):
        message = "Something was noted of this meeting, so it stays. Nothing was changed; call it off instead."
        raise Conflict(message, code="meeting-in-use")
    if meeting.state == "planned":
        tell_all(tx, me, meeting, CANCELLED)
    mine = col(AgendaItem.meeting_id) == meeting_id
    papers = [paper for paper in tx.scalars(sa.select(col(AgendaItem.paper_id)).where(mine)) if paper]
    tx.execute(sa.delete(AgendaItem).where(mine))
    tx.execute(sa.update(Notice).where(col(Notice.meeting_id) == meeting_id).values(meeting_id=None))
    reopen_candidates(tx, meeting, papers)
    data = {"name": meeting.title, "starts_at": meeting.starts_at.isoformat()}  # no number: nothing opens by it
    events.record(tx, me, "meeting.deleted", data=data, before={"id": meeting_id, **said(meeting)})
    tx.delete(meeting)
    tx.flush()
