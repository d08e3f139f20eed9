"""Command for the minutes of a meeting: its notes and decisions."""

from readtrack.infra import events, permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import Meeting
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.commands.schedule import get_meeting_for_update, meeting_event_data, refuse_stale
from readtrack.team.meetings.schemas import MeetingNotesUpdate


def edit_notes(tx: Write, me: CurrentUser, meeting_id: int, edit: MeetingNotesUpdate, *, version: int) -> Meeting:
    """Save both texts as the next version.

    Raise StaleVersion with the current ones after a concurrent change.
    """
    permissions.require(me, "discuss")
    meeting = get_meeting_for_update(tx, meeting_id)
    refuse_stale(meeting, version)
    before = _texts(meeting)
    if edit.model_dump() == before:
        return meeting
    meeting.notes, meeting.decisions = edit.notes, edit.decisions
    meeting.version, meeting.updated_at = meeting.version + 1, now()
    events.record_event(tx, me, "meeting.noted", data=meeting_event_data(meeting), before=before, after=_texts(meeting))
    return meeting


def _texts(meeting: Meeting) -> dict[str, str]:
    return {"notes": meeting.notes, "decisions": meeting.decisions}
