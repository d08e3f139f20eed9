"""The page of one meeting, which several forms answer with."""

from collections.abc import Collection
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import clock, permissions
from readtrack.infra.db import Read
from readtrack.infra.pagination import Cut
from readtrack.infra.permissions import Visitor
from readtrack.team.meetings.queries.agendas import open_questions, waiting_items
from readtrack.team.meetings.queries.candidates import list_candidates
from readtrack.team.meetings.queries.meetings import MeetingRow, was_used
from readtrack.team.meetings.queries.series import choosable_people
from readtrack.team.meetings.view_model import get_shown
from readtrack.team.questions.queries import QuestionFilter, QuestionRow, list_questions
from readtrack.web.templating.environment import render

MOST_SHOWN = 8  # candidates, and questions, beside a meeting


def show(
    request: Request, me: Visitor, tx: Read, meeting_id: int, *, typed: str = "", problem: str = "", status: int = 200
) -> Response:
    """The page of a meeting; with what was typed, and why it could not be put on the agenda."""
    shown = get_shown(tx, me, meeting_id)
    row, papers = shown.meeting.row, [item.paper_id for item in shown.items if item.paper_id]
    presenters = [item.presenter_id for item in shown.items]
    to_come = permissions.may(me, "schedule") and row.state == "planned"
    there = {(item.paper_id, item.question_id) for item in shown.items}
    waiting = waiting_items(tx, row.series_id) if to_come and row.series_id else []
    candidates = list_candidates(tx, me, row.series_id)[:MOST_SHOWN] if row.series_id and row.state == "planned" else []
    context: dict[str, Any] = {
        "people": choosable_people(tx, chosen=presenters) if permissions.may(me, "schedule") else [],
        "questions": [one for one in open_questions(tx, papers) if (None, one[0]) not in there] if to_come else [],
        "asked": _asked(tx, me, row, there),
        "waiting": [item for item in waiting if (item.paper_id, item.question_id) not in there],
        "candidates": candidates,
        "mistaken": permissions.may(me, "schedule") and not was_used(tx, meeting_id),
        "for_me": clock.local(row.starts_at, me.time_zone) if me.time_zone not in {"", row.time_zone} else None,
    }
    found = {"meeting": shown.meeting, "row": row, "items": shown.items, "progress": shown.progress}
    return render(request, "meetings/show.html", status, typed=typed, problem=problem, **found, **context)


def _asked(
    tx: Read, me: Visitor, row: MeetingRow, there: Collection[tuple[int | None, int | None]]
) -> list[QuestionRow]:
    """What is open on the papers of a meeting to come, and does not stand on its agenda by itself."""
    if row.state != "planned":
        return []
    found = list_questions(tx, me, QuestionFilter(meeting=row.id), Cut(MOST_SHOWN)).items
    return [question for question in found if (None, question.id) not in there]
