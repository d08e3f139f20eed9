"""Deletion of meetings planned by mistake, which undoes all effects of the planning."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Notification
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.commands.agendas import reopen_candidates
from readtrack.team.meetings.commands.schedule import (
    CANCELLED,
    get_meeting_for_update,
    meeting_audit_values,
    notify_participants,
)
from readtrack.team.meetings.queries.meetings import has_outcome


def delete_meeting(tx: Write, me: CurrentUser, meeting_id: int) -> int:
    """Delete a meeting without an outcome and return the undo entry.

    Participants are notified that it is cancelled. Carried-over items wait again, and candidates are reopened. Raise
    Conflict if the meeting was held or has notes.
    """
    permissions.require(me, "schedule")
    meeting = get_meeting_for_update(tx, meeting_id)
    if has_outcome(tx, meeting_id):
        message = _("This meeting was held or has notes. Cancel it instead.")
        raise Conflict(message, code="meeting-in-use")
    if meeting.state == "planned":
        notify_participants(tx, me, meeting, CANCELLED)
    is_on_agenda = col(AgendaItem.meeting_id) == meeting_id
    items = tx.scalars(sa.select(AgendaItem).where(is_on_agenda)).all()
    papers = [item.paper_id for item in items if item.paper_id]
    agenda = [item.model_dump(mode="json", exclude={"id"}) for item in items]
    meeting_data = {"row": meeting.model_dump(mode="json"), "items": agenda}
    undo_id = undo_log.record_undo_entry(
        tx, me, "meeting.deleted", {"title": meeting.title, "was": meeting_id, **meeting_data}
    )
    tx.execute(sa.delete(AgendaItem).where(is_on_agenda))
    tx.execute(sa.update(Notification).where(col(Notification.meeting_id) == meeting_id).values(meeting_id=None))
    reopen_candidates(tx, meeting, papers)
    # without an id, because there is no page to link
    data = {"name": meeting.title, "starts_at": meeting.starts_at.isoformat()}
    events.record_event(
        tx, me, "meeting.deleted", data=data, before={"id": meeting_id, **meeting_audit_values(meeting)}
    )
    tx.delete(meeting)
    tx.flush()
    return undo_id
