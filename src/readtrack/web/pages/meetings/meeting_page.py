"""Rendering of a meeting's page, which several forms share."""

from collections.abc import Collection
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import clock, permissions
from readtrack.infra.db import Read
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.team.meetings.queries.agendas import list_open_questions, list_waiting_items
from readtrack.team.meetings.queries.candidates import list_candidates
from readtrack.team.meetings.queries.meetings import MeetingRow, has_outcome
from readtrack.team.meetings.queries.series import list_presenters
from readtrack.team.meetings.view_model import get_meeting_view
from readtrack.team.questions.queries import QuestionFilter, QuestionRow, list_questions
from readtrack.web.templating.environment import render

MOST_SHOWN = 8  # candidates and questions shown beside a meeting


def render_meeting(
    request: Request,
    me: CurrentUser,
    tx: Read,
    meeting_id: int,
    *,
    typed: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    """Render the page; `typed` and `problem`: rejected input for the agenda, and the reason."""
    view = get_meeting_view(tx, me, meeting_id)
    row, papers = view.meeting.row, [item.paper_id for item in view.items if item.paper_id]
    presenters = [item.presenter_id for item in view.items]
    can_add = permissions.has_permission(me, "schedule") and row.state == "planned"
    agenda_keys = {(item.paper_id, item.question_id) for item in view.items}
    waiting_items = list_waiting_items(tx, row.series_id) if can_add and row.series_id else []
    candidates = list_candidates(tx, me, row.series_id)[:MOST_SHOWN] if row.series_id and row.state == "planned" else []
    context: dict[str, Any] = {
        "people": list_presenters(tx, chosen=presenters) if permissions.has_permission(me, "schedule") else [],
        "questions": [
            question for question in list_open_questions(tx, papers) if (None, question[0]) not in agenda_keys
        ]
        if can_add
        else [],
        "open_questions": _list_open_questions(tx, me, row, agenda_keys),
        "waiting": [item for item in waiting_items if (item.paper_id, item.question_id) not in agenda_keys],
        "candidates": candidates,
        "mistaken": permissions.has_permission(me, "schedule") and not has_outcome(tx, meeting_id),
        "for_me": clock.to_local(row.starts_at, me.time_zone) if me.time_zone not in {"", row.time_zone} else None,
    }
    meeting_context = {"meeting": view.meeting, "row": row, "items": view.items, "progress": view.progress}
    return render(request, "meetings/show.html", status, typed=typed, problem=problem, **meeting_context, **context)


def _list_open_questions(
    tx: Read, me: CurrentUser, row: MeetingRow, agenda_keys: Collection[tuple[int | None, int | None]]
) -> list[QuestionRow]:
    """Return open questions about the papers of an upcoming meeting that are not on its agenda."""
    if row.state != "planned":
        return []
    questions = list_questions(tx, me, QuestionFilter(meeting=row.id), PageRequest(MOST_SHOWN)).items
    return [question for question in questions if (None, question.id) not in agenda_keys]
