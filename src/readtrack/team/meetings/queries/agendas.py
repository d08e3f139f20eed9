"""Queries on agendas: their items, items waiting for a meeting, and the reading progress of people."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import AgendaItem, Meeting, Paper, Person, Question, Reading
from readtrack.infra.permissions import CurrentUser, shared_or_own
from readtrack.reading.paper_facts import labels_of
from readtrack.reading.readings.queries import is_finished_pass
from readtrack.team.meetings.queries.meetings import visible_item_filter

MAX_WAITING = 20
MAX_QUESTIONS = 50  # offered in a form
ORDER = ("read", "reading", "paused", "to_read", "dropped", "")  # display order of reading statuses


class ItemRow(NamedTuple):
    """A paper or question on an agenda. `title`: the paper's title or the question's text.

    `question_state`: the state of the question, "" for a paper.
    """

    id: int
    meeting_id: int
    position: int
    paper_id: int | None
    question_id: int | None
    title: str
    language: str
    presenter_id: int | None
    presenter: str | None
    minutes: int | None
    note: str
    state: str
    question_state: str
    label: str = ""

    @property
    def display_title(self) -> str:
        """The title, or the paper's identifier if it has none."""
        return self.title or self.label or f"Paper {self.paper_id}"

    @property
    def address(self) -> str:
        return f"/papers/{self.paper_id}" if self.paper_id else f"/questions/{self.question_id}"


class ReaderProgress(NamedTuple):
    """A person's reading status of a paper, "" if it is not on their list or not visible."""

    person_id: int
    name: str
    status: str


def find_agenda_items(tx: Read, meeting_ids: Iterable[int]) -> dict[int, list[ItemRow]]:
    """Return the agendas of these meetings in order, without deleted papers."""
    ids = list(meeting_ids)
    if not ids:
        return {}
    items_by_meeting: dict[int, list[ItemRow]] = {}
    for row in _add_labels(tx, tx.execute(_items_query().where(col(AgendaItem.meeting_id).in_(ids))).all()):
        items_by_meeting.setdefault(row.meeting_id, []).append(row)
    return items_by_meeting


def get_item(tx: Read, meeting_id: int, item_id: int) -> ItemRow:
    """Return an item of a meeting's agenda. Raise NotFound."""
    conditions = (col(AgendaItem.id) == item_id, col(AgendaItem.meeting_id) == meeting_id)
    rows = _add_labels(tx, tx.execute(_items_query().where(*conditions)).all())
    if not rows:
        raise item_not_found(item_id)
    return rows[0]


def item_not_found(item_id: int) -> NotFound:
    """Build the error for a missing item."""
    return NotFound(_("Agenda item {item_id} not found.").format(item_id=item_id))


def list_waiting_items(tx: Read, series_id: int) -> list[ItemRow]:
    """List items postponed by earlier meetings of a series and not taken up by a later one.

    Planned items of cancelled meetings are included.
    """
    later_item: Any = aliased(AgendaItem)
    later_meeting: Any = aliased(Meeting)
    has_same_subject = sa.or_(
        later_item.paper_id == col(AgendaItem.paper_id), later_item.question_id == col(AgendaItem.question_id)
    )
    is_taken_up = (
        sa.select(later_item.id)
        .join(later_meeting, later_meeting.id == later_item.meeting_id)
        .where(later_meeting.series_id == series_id, has_same_subject, later_item.id > col(AgendaItem.id))
        .exists()
    )
    is_from_cancelled = sa.and_(col(Meeting.state) == "cancelled", col(AgendaItem.state) == "planned")
    query = _items_query().join(Meeting, col(Meeting.id) == col(AgendaItem.meeting_id))
    query = query.where(col(Meeting.series_id) == series_id, ~is_taken_up)
    query = query.where(sa.or_(col(AgendaItem.state) == "postponed", is_from_cancelled))
    is_still_open = sa.or_(col(AgendaItem.question_id).is_(None), col(Question.state) == "open")
    return _add_labels(tx, tx.execute(query.where(is_still_open).limit(MAX_WAITING)).all())


def find_reader_progress(
    tx: Read, me: CurrentUser, paper_ids: Collection[int], expected_readers: Mapping[int, str]
) -> dict[int, list[ReaderProgress]]:
    """Return everyone's visible reading status for each paper.

    `expected_readers` people are always included.
    """
    progress_by_paper: dict[int, dict[int, ReaderProgress]] = {
        paper: {person: ReaderProgress(person, name, "") for person, name in expected_readers.items()}
        for paper in paper_ids
    }
    for row in tx.execute(_readings_query(me, paper_ids)) if paper_ids else ():
        progress_by_paper[row.paper_id][row.person_id] = ReaderProgress(
            row.person_id, row.name, "read" if row.done else row.status
        )
    return {paper: sorted(people.values(), key=_progress_sort_key) for paper, people in progress_by_paper.items()}


def list_open_questions(tx: Read, paper_ids: Sequence[int]) -> list[tuple[int, str]]:
    """List open questions as (id, text) for a form, those on these papers first."""
    query = sa.select(col(Question.id), col(Question.text)).where(col(Question.state) == "open")
    first = sa.case((col(Question.paper_id).in_(paper_ids), 0), else_=1)
    rows = tx.execute(query.order_by(first, col(Question.id).desc()).limit(MAX_QUESTIONS))
    return [(row[0], row[1]) for row in rows]


def _add_labels(tx: Read, rows: Sequence[sa.Row[Any]]) -> list[ItemRow]:
    """Add identifiers to the rows of papers, with one statement."""
    labels = labels_of(tx, [row.paper_id for row in rows if row.paper_id])
    return [ItemRow._make((*row, labels.get(row.paper_id, ""))) for row in rows]


def _progress_sort_key(progress: ReaderProgress) -> tuple[int, str]:
    return ORDER.index(progress.status), progress.name


def _readings_query(me: CurrentUser, paper_ids: Collection[int]) -> sa.Select[Any]:
    """Build the query of one row per person and paper: any finished pass, and the current pass's status."""
    is_done = sa.func.max(sa.case((is_finished_pass(), 1), else_=0)).label("done")
    status = sa.func.max(sa.case((col(Reading.current), col(Reading.status)), else_="")).label("status")
    columns: Sequence[Any] = (col(Reading.paper_id), col(Reading.person_id), col(Person.name), status, is_done)
    return (
        sa.select(*columns)
        .join(Person, col(Person.id) == col(Reading.person_id))
        .where(col(Reading.paper_id).in_(paper_ids), shared_or_own(Reading, me.id))
        .group_by(col(Reading.paper_id), col(Reading.person_id), col(Person.name))
    )


def _items_query() -> sa.Select[Any]:
    titles = {
        "title": sa.func.coalesce(col(Paper.title), col(Question.text), ""),
        "language": sa.func.coalesce(col(Paper.language), ""),
        "presenter": col(Person.name),
        "question_state": sa.func.coalesce(col(Question.state), ""),
    }
    names = ItemRow._fields[:-1]
    columns: Sequence[Any] = [titles[name] if name in titles else getattr(AgendaItem, name) for name in names]
    return (
        sa.select(*(column.label(name) for name, column in zip(names, columns, strict=True)))
        .select_from(AgendaItem)
        .join(Paper, col(Paper.id) == col(AgendaItem.paper_id), isouter=True)
        .join(Question, col(Question.id) == col(AgendaItem.question_id), isouter=True)
        .join(Person, col(Person.id) == col(AgendaItem.presenter_id), isouter=True)
        .where(visible_item_filter())
        .order_by(col(AgendaItem.meeting_id), col(AgendaItem.position), col(AgendaItem.id))
    )
