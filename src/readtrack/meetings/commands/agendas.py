"""Verbs of agendas: put something on, say who presents it and what came of it, move it, take it off."""

from collections.abc import Sequence
from typing import Literal

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events, policy
from readtrack.db import Write
from readtrack.errors import Conflict, FieldError, Invalid
from readtrack.meetings.commands.planning import about, held_meeting, tell_presenter
from readtrack.meetings.commands.series import require_people
from readtrack.meetings.inputs import ItemAdd, ItemEdit
from readtrack.meetings.queries.agendas import no_item
from readtrack.models import AgendaItem, Candidate, Meeting, Question
from readtrack.policy import Visitor

MOST_ITEMS = 50


def add_item(tx: Write, me: Visitor, meeting_id: int, wanted: ItemAdd) -> AgendaItem:
    """Puts a paper or a question at the end of an agenda. A candidate of the series with that paper is chosen so."""
    policy.require(me, "schedule")
    if wanted.paper is not None:
        policy.hold_present(tx, wanted.paper)
    _require_question(tx, wanted.question)
    require_people(tx, [wanted.presenter] if wanted.presenter else [], "presenter")
    meeting = held_meeting(tx, meeting_id)
    items = _items(tx, meeting_id)
    _refuse_more(items, wanted)
    place = max((item.place for item in items), default=0) + 1
    subject = {"paper_id": wanted.paper, "question_id": wanted.question}
    said = {"presenter_id": wanted.presenter, "minutes": wanted.minutes, "note": wanted.note}
    item = AgendaItem(meeting_id=meeting_id, place=place, added_by=me.id, **subject, **said)  # type: ignore[arg-type]
    tx.add(item)
    tx.flush()
    _choose(tx, meeting, wanted.paper)
    _record(tx, me, "agenda.added", meeting=meeting, item=item)
    if wanted.presenter:
        tell_presenter(tx, me, meeting, wanted.presenter)
    return item


def edit_item(tx: Write, me: Visitor, meeting_id: int, item_id: int, *, edit: ItemEdit) -> AgendaItem:
    """Says who presents it, for how long, and what came of it."""
    policy.require(me, "schedule")
    meeting, item = _held(tx, meeting_id, item_id)
    if edit.presenter != item.presenter_id:
        require_people(tx, [edit.presenter] if edit.presenter else [], "presenter")
    before, presented = _said(item), item.presenter_id
    item.presenter_id, item.minutes, item.note, item.state = edit.presenter, edit.minutes, edit.note, edit.state
    if _said(item) == before:
        return item
    _record(tx, me, "agenda.edited", meeting=meeting, item=item, before=before)
    if edit.presenter and edit.presenter != presented:
        tell_presenter(tx, me, meeting, edit.presenter)
    return item


def move_item(tx: Write, me: Visitor, meeting_id: int, item_id: int, *, where: Literal["up", "down"]) -> None:
    """Changes places with the one before or after it; at the end nothing happens."""
    policy.require(me, "schedule")
    meeting, item = _held(tx, meeting_id, item_id)
    items = _items(tx, meeting_id)
    at = items.index(item)
    there = at + (1 if where == "down" else -1)
    if not 0 <= there < len(items):
        return
    items[at], items[there] = items[there], items[at]
    for place, each in enumerate(items, start=1):
        each.place = place
    _record(tx, me, "agenda.moved", meeting=meeting, item=item)


def remove_item(tx: Write, me: Visitor, meeting_id: int, item_id: int) -> None:
    """Takes it off the agenda; a candidate with that paper is open again."""
    policy.require(me, "schedule")
    meeting, item = _held(tx, meeting_id, item_id)
    same = (col(Candidate.series_id) == meeting.series_id, col(Candidate.paper_id) == item.paper_id)
    if meeting.series_id and item.paper_id:
        tx.execute(sa.update(Candidate).where(*same, col(Candidate.state) == "chosen").values(state="open"))
    _record(tx, me, "agenda.removed", meeting=meeting, item=item, before=_said(item))
    tx.delete(item)
    tx.flush()


def _held(tx: Write, meeting_id: int, item_id: int) -> tuple[Meeting, AgendaItem]:
    """The meeting, held, and that item of its agenda. Raises NotFound."""
    meeting = held_meeting(tx, meeting_id)
    item = tx.get(AgendaItem, item_id, populate_existing=True)
    if item is None or item.meeting_id != meeting_id:
        raise no_item(meeting_id, item_id)
    return meeting, item


def _items(tx: Write, meeting_id: int) -> list[AgendaItem]:
    mine = sa.select(AgendaItem).where(col(AgendaItem.meeting_id) == meeting_id)
    return list(tx.scalars(mine.order_by(col(AgendaItem.place), col(AgendaItem.id))))


def _refuse_more(items: Sequence[AgendaItem], wanted: ItemAdd) -> None:
    if len(items) >= MOST_ITEMS:
        message = f"An agenda has at most {MOST_ITEMS} items. Nothing was changed; take something off first."
        raise Conflict(message, code="too-many-items")
    if any((item.paper_id, item.question_id) == (wanted.paper, wanted.question) for item in items):
        message = "This stands on the agenda already. Nothing was changed."
        raise Conflict(message, code="on-the-agenda")


def _require_question(tx: Write, question_id: int | None) -> None:
    if question_id is not None and tx.get(Question, question_id) is None:
        detail = f"There is no question {question_id}."
        raise Invalid(f"{detail} Nothing was changed.", [FieldError("/question", "unknown-question", detail)])


def _choose(tx: Write, meeting: Meeting, paper_id: int | None) -> None:
    same = (col(Candidate.series_id) == meeting.series_id, col(Candidate.paper_id) == paper_id)
    if meeting.series_id and paper_id:
        tx.execute(sa.update(Candidate).where(*same, col(Candidate.state) == "open").values(state="chosen"))


def _record(
    tx: Write, me: Visitor, verb: str, *, meeting: Meeting, item: AgendaItem, before: dict[str, object] | None = None
) -> None:
    data = {**about(meeting), "item": item.id, "question": item.question_id}
    events.record(tx, me, verb, paper_id=item.paper_id, data=data, before=before, after=_said(item))


def _said(item: AgendaItem) -> dict[str, object]:
    return item.model_dump(include={"presenter_id", "minutes", "note", "state", "place"})
