"""Commands of agendas: add, edit, move and remove items."""

from collections.abc import Sequence
from typing import Literal

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, invalid_field
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Candidate, Meeting, Question
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.commands.schedule import (
    get_meeting_for_update,
    meeting_event_data,
    notify_presenter,
    require_people,
)
from readtrack.team.meetings.queries.agendas import find_agenda_items, get_item, item_not_found
from readtrack.team.meetings.schemas import AgendaItemCreate, AgendaItemUpdate

MAX_ITEMS = 50


def add_item(tx: Write, me: CurrentUser, meeting_id: int, data: AgendaItemCreate) -> AgendaItem:
    """Add a paper or question at the end of an agenda.

    A candidate of the series with that paper becomes chosen.
    """
    permissions.require(me, "schedule")
    if data.paper is not None:
        permissions.lock_present_paper(tx, data.paper)
    _require_question(tx, data.question)
    require_people(tx, [data.presenter] if data.presenter else [], "presenter")
    meeting = get_meeting_for_update(tx, meeting_id)
    items = _list_items(tx, meeting_id)
    _refuse_more(items, data)
    position = max((item.position for item in items), default=0) + 1
    subject = {"paper_id": data.paper, "question_id": data.question}
    state = "discussed" if meeting.state == "held" else "planned"
    fields = {"presenter_id": data.presenter, "minutes": data.minutes, "note": data.note, "state": state}
    item = AgendaItem(meeting_id=meeting_id, position=position, added_by=me.id, **subject, **fields)  # type: ignore[arg-type]
    tx.add(item)
    tx.flush()
    _choose(tx, meeting, data.paper)
    _record(tx, me, "agenda.added", meeting=meeting, item=item)
    if data.presenter:
        notify_presenter(tx, me, meeting, data.presenter)
    return item


def edit_item(tx: Write, me: CurrentUser, meeting_id: int, item_id: int, *, edit: AgendaItemUpdate) -> AgendaItem:
    """Set the presenter, duration, note and outcome of an item."""
    permissions.require(me, "schedule")
    meeting, item = _get_for_update(tx, meeting_id, item_id)
    if edit.presenter != item.presenter_id:
        require_people(tx, [edit.presenter] if edit.presenter else [], "presenter")
    before, old_presenter = _audit_values(item), item.presenter_id
    item.presenter_id, item.minutes, item.note, item.state = edit.presenter, edit.minutes, edit.note, edit.state
    if _audit_values(item) == before:
        return item
    _record(tx, me, "agenda.edited", meeting=meeting, item=item, before=before)
    if edit.presenter and edit.presenter != old_presenter:
        notify_presenter(tx, me, meeting, edit.presenter)
    return item


def move_item(tx: Write, me: CurrentUser, meeting_id: int, item_id: int, *, direction: Literal["up", "down"]) -> None:
    """Move an item one place up or down. No change at the end of the list."""
    permissions.require(me, "schedule")
    meeting, item = _get_for_update(tx, meeting_id, item_id)
    items = {listed_id.id: listed_id for listed_id in _list_items(tx, meeting_id)}
    # Items whose paper was deleted are skipped.
    visible_ids = [row.id for row in find_agenda_items(tx, [meeting_id])[meeting_id]]
    target_index = visible_ids.index(item_id) + (1 if direction == "down" else -1)
    if not 0 <= target_index < len(visible_ids):
        return
    order = [listed_id for listed_id in items if listed_id != item_id]
    order.insert(order.index(visible_ids[target_index]) + (direction == "down"), item_id)
    for position, listed_id in enumerate(order, start=1):
        items[listed_id].position = position
    _record(tx, me, "agenda.moved", meeting=meeting, item=item)


def remove_item(tx: Write, me: CurrentUser, meeting_id: int, item_id: int) -> int:
    """Remove an item and reopen a candidate with its paper. Return the undo entry."""
    permissions.require(me, "schedule")
    meeting, item = _get_for_update(tx, meeting_id, item_id)
    _record(tx, me, "agenda.removed", meeting=meeting, item=item, before=_audit_values(item))
    subject = {"paper": item.paper_id, "question": item.question_id, "presenter": item.presenter_id}
    item_data = item.model_dump(include={"minutes", "note"}) | subject
    undo_data = {"title": meeting.title, "was": item_id, "meeting": meeting_id, "add": item_data}
    undo_id = undo_log.record_undo_entry(tx, me, "agenda.removed", undo_data)
    tx.delete(item)
    tx.flush()
    reopen_candidates(tx, meeting, [item.paper_id] if item.paper_id else [])
    return undo_id


def reopen_candidates(tx: Write, meeting: Meeting, paper_ids: Sequence[int]) -> None:
    """Reopen candidates of these papers that are on no other agenda of the series."""
    still_planned = sa.select(col(AgendaItem.paper_id)).join(Meeting, col(Meeting.id) == col(AgendaItem.meeting_id))
    still_planned = still_planned.where(
        col(Meeting.series_id) == meeting.series_id, col(AgendaItem.paper_id).in_(paper_ids)
    )
    still_planned = still_planned.where(col(AgendaItem.state) != "discussed")
    statement = sa.update(Candidate).where(
        col(Candidate.series_id) == meeting.series_id, col(Candidate.state) == "chosen"
    )
    statement = statement.where(col(Candidate.paper_id).in_(paper_ids), col(Candidate.paper_id).not_in(still_planned))
    if meeting.series_id and paper_ids:
        tx.bulk_execute(statement.values(state="open"))


def _get_for_update(tx: Write, meeting_id: int, item_id: int) -> tuple[Meeting, AgendaItem]:
    """Return the meeting and the item, locked with its paper.

    Raise NotFound, also if the paper is deleted.
    """
    row = get_item(tx, meeting_id, item_id)
    if row.paper_id is not None:
        permissions.lock_present_paper(tx, row.paper_id)
    meeting = get_meeting_for_update(tx, meeting_id)
    item = tx.get(AgendaItem, item_id, populate_existing=True)
    if item is None:  # removed by a concurrent request
        raise item_not_found(item_id)
    return meeting, item


def _list_items(tx: Write, meeting_id: int) -> list[AgendaItem]:
    query = sa.select(AgendaItem).where(col(AgendaItem.meeting_id) == meeting_id)
    return list(tx.scalars(query.order_by(col(AgendaItem.position), col(AgendaItem.id))))


def _refuse_more(items: Sequence[AgendaItem], data: AgendaItemCreate) -> None:
    if len(items) >= MAX_ITEMS:
        message = _("An agenda can have at most {most_items} items. Remove one first.").format(most_items=MAX_ITEMS)
        raise Conflict(message, code="too-many-items")
    if any((item.paper_id, item.question_id) == (data.paper, data.question) for item in items):
        message = _("Already on the agenda.")
        raise Conflict(message, code="on-the-agenda")


def _require_question(tx: Write, question_id: int | None) -> None:
    if question_id is not None and tx.get(Question, question_id) is None:
        detail = _("Question {question_id} not found.").format(question_id=question_id)
        raise invalid_field("/question", "unknown-question", detail)


def _choose(tx: Write, meeting: Meeting, paper_id: int | None) -> None:
    conditions = (col(Candidate.series_id) == meeting.series_id, col(Candidate.paper_id) == paper_id)
    if meeting.series_id and paper_id:
        tx.execute(sa.update(Candidate).where(*conditions, col(Candidate.state) == "open").values(state="chosen"))


def _record(
    tx: Write,
    me: CurrentUser,
    verb: str,
    *,
    meeting: Meeting,
    item: AgendaItem,
    before: dict[str, object] | None = None,
) -> None:
    meeting.updated_at = now()  # calendar clients show the agenda
    data = {**meeting_event_data(meeting), "item": item.id, "question": item.question_id}
    events.record_event(tx, me, verb, paper_id=item.paper_id, data=data, before=before, after=_audit_values(item))


def _audit_values(item: AgendaItem) -> dict[str, object]:
    return item.model_dump(include={"presenter_id", "minutes", "note", "state", "position"})
