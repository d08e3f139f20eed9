"""What waits for me today: each part asks its own concept, a fixed number of statements for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import policy
from readtrack.activity.queries import EventRow, list_lately
from readtrack.assignments.queries import AssignmentFilter, AssignmentRow, list_assignments
from readtrack.clock import now
from readtrack.db import Read
from readtrack.meetings.queries.agendas import ItemRow, Progress, items_of, progress_of
from readtrack.meetings.queries.meetings import MeetingRow, find_next
from readtrack.models import Paper, Person, Reading
from readtrack.paging import Cut
from readtrack.papers.looks import Counts, count_looks
from readtrack.papers.queries import PaperFilter, PaperRow, list_papers, progress_text
from readtrack.papers.relations import labels_of
from readtrack.policy import Visitor, listed, present
from readtrack.questions.queries import QuestionFilter, QuestionRow, list_questions
from readtrack.readings.queries import IN_QUEUE_ORDER, count_mine

STALE = timedelta(days=21)
LATELY = timedelta(days=7)
MOST_EVENTS = 150  # of the week; they become far fewer lines
MOST_READ = 6  # at once
MOST_QUEUED = 5
MOST_ASSIGNED = 5
MOST_ASKED = 4
MOST_FRESH = 5


class MyPaper(NamedTuple):
    """A paper on my list."""

    id: int
    title: str
    language: str
    authors: Sequence[str]
    venue: str
    year: int | None
    status: str
    progress_unit: str
    progress_at: int | None
    progress_of: int | None
    priority: int
    private: bool
    updated_at: datetime
    label: str = ""

    @property
    def progress(self) -> str:
        """In words; blank when nothing was said."""
        return progress_text(self.progress_unit, self.progress_at, self.progress_of)

    @property
    def percent(self) -> int | None:
        """How far, when that can be said."""
        of = 100 if self.progress_unit == "percent" else self.progress_of
        return None if self.progress_at is None or not of else min(100 * self.progress_at // of, 100)

    @property
    def stale(self) -> bool:
        """Nothing happened to it for three weeks."""
        return self.updated_at < now() - STALE


class NextMeeting(NamedTuple):
    """The meeting that comes next, what it is about, and how far everybody is with each paper of it."""

    row: MeetingRow
    items: Sequence[ItemRow]
    progress: dict[int, list[Progress]]


class Around(NamedTuple):
    """Whether there is anything here yet, and how many people."""

    papers: bool
    people: int


@dataclass(frozen=True)
class Home:
    """Everything that the first page shows."""

    counts: dict[str, int]  # of my list, by status
    reading: Sequence[MyPaper]
    queue: Sequence[MyPaper]
    fresh: Sequence[PaperRow]  # the newest of the library, while I have nothing to read
    assigned: Sequence[AssignmentRow]
    meeting: NextMeeting | None
    questions: Sequence[QuestionRow]
    lately: Sequence[EventRow]
    looks: Counts
    around: Around


def get_home(tx: Read, me: Visitor) -> Home:
    """What waits for me, and what the others did this week."""
    policy.require(me, "see")
    reading, queue = list_reading(tx, me), list_queue(tx, me)
    mine = AssignmentFilter(person=me.id, which="open")
    return Home(
        counts=count_mine(tx, me),
        reading=reading,
        queue=queue,
        fresh=() if reading or queue else list_papers(tx, me, PaperFilter(), Cut(limit=MOST_FRESH)).items,
        assigned=list_assignments(tx, me, mine, Cut(limit=MOST_ASSIGNED)).items,
        meeting=_next_meeting(tx, me),
        questions=list_questions(tx, me, QuestionFilter(mine=True), Cut(limit=MOST_ASKED)).items,
        lately=list_lately(tx, me, since=now() - LATELY, limit=MOST_EVENTS),
        looks=count_looks(tx),
        around=Around(*tx.execute(_AROUND).one()),
    )


def list_reading(tx: Read, me: Visitor) -> list[MyPaper]:
    """What I am reading, the last touched first; then what I paused."""
    query = _mine(me, "reading", "paused").order_by(col(Reading.status).desc(), col(Reading.updated_at).desc())
    return _labelled(tx, query.limit(MOST_READ))


def list_queue(tx: Read, me: Visitor) -> list[MyPaper]:
    """What I want to read next, in my order."""
    return _labelled(tx, _mine(me, "to_read").order_by(*IN_QUEUE_ORDER).limit(MOST_QUEUED))


_AROUND = sa.select(
    sa.exists().where(present(Paper)),
    sa.select(sa.func.count()).select_from(Person).where(col(Person.disabled_at).is_(None)).scalar_subquery(),
)


def _mine(me: Visitor, *statuses: str) -> sa.Select[Any]:
    columns: Sequence[Any] = (
        Paper.id, Paper.title, Paper.language, Paper.authors, Paper.venue, Paper.year, Reading.status,
        Reading.progress_unit, Reading.progress_at, Reading.progress_of, Reading.priority, Reading.private,
        Reading.updated_at,
    )  # fmt: skip
    mine = (col(Reading.person_id) == me.id, col(Reading.current), col(Reading.status).in_(statuses))
    return sa.select(*columns).join(Reading, col(Reading.paper_id) == col(Paper.id)).where(*mine, listed(Paper))


def _labelled(tx: Read, query: sa.Select[Any]) -> list[MyPaper]:
    """What has no title yet is called by its identifier."""
    rows = [MyPaper(*row) for row in tx.execute(query)]
    labels = labels_of(tx, [row.id for row in rows if not row.title])
    return [row._replace(label=labels.get(row.id, "")) for row in rows]


def _next_meeting(tx: Read, me: Visitor) -> NextMeeting | None:
    row = find_next(tx, me)
    if row is None:
        return None
    items = items_of(tx, [row.id]).get(row.id, [])
    papers = [item.paper_id for item in items if item.paper_id]
    return NextMeeting(row, items, progress_of(tx, me, papers, {}))
