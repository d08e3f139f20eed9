"""API endpoint for the home page: what is due today, in one request."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.team.notifications.queries import count_unread
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx
from readtrack.web.responses.json import ResponseModel, conditional_response
from readtrack.web.routing import api_router
from readtrack.workspace.home import queries
from readtrack.workspace.home.queries import ListedPaper, UpcomingMeeting

router = api_router("home")


class HomePaper(ResponseModel):
    """A paper on my reading list."""

    paper: int
    title: str
    status: str
    progress: str
    percent: int | None
    priority: int
    updated_at: datetime


class HomeAssignment(ResponseModel):
    """An open assignment of mine."""

    id: int
    paper: int
    title: str
    by: str
    state: str
    depth: str
    due_on: date | None
    note: str
    overdue: bool


class HomeMeeting(ResponseModel):
    """The next meeting. `papers`: ids of the papers on its agenda."""

    id: int
    title: str
    starts_at: datetime
    location: str
    presenter: str | None
    papers: list[int]


class HomeRead(ResponseModel):
    """The content of the home page.

    `counts`: papers on my list by status; `questions`: ids; `unread`: number of notifications; `looks`: items that need
    review, by kind.
    """

    counts: dict[str, int]
    reading: list[HomePaper]
    queue: list[HomePaper]
    assigned: list[HomeAssignment]
    meeting: HomeMeeting | None
    questions: list[int]
    unread: int
    looks: dict[str, int]


@router.get("/home", responses={200: {"model": HomeRead}})
def get_home(request: Request, me: Me, tx: ReadTx) -> Response:
    """Get my home page.

    What I read, my queue, assignments, the next meeting, questions, notifications, and what needs review.
    """
    home = queries.get_home(tx, me)
    payload = {
        "counts": home.counts,
        "reading": _papers_json(home.reading),
        "queue": _papers_json(home.queue),
        "assigned": [_assignment_json(row) for row in home.assigned],
        "meeting": _meeting_json(home.meeting),
        "questions": [row.id for row in home.questions],
        "unread": count_unread(tx, me.id),
        "looks": home.attention_counts._asdict(),
    }
    return conditional_response(request, payload)


def _papers_json(papers: Iterable[ListedPaper]) -> list[dict[str, Any]]:
    fields = ("title", "status", "progress", "percent", "priority", "updated_at")
    return [{"paper": row.id, **{name: getattr(row, name) for name in fields}} for row in papers]


def _assignment_json(row: Any) -> dict[str, Any]:  # noqa: ANN401 - the row
    fields = ("id", "title", "by", "state", "depth", "due_on", "note", "overdue")
    return {"paper": row.paper_id, **{name: getattr(row, name) for name in fields}}


def _meeting_json(meeting: UpcomingMeeting | None) -> dict[str, Any] | None:
    if meeting is None:
        return None
    fields = ("id", "title", "starts_at", "location", "presenter")
    papers = [item.paper_id for item in meeting.items if item.paper_id]
    return {**{name: getattr(meeting.row, name) for name in fields}, "papers": papers}
