"""Profiles of readers, limited to what the current user may see. There is no ranking."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Paper, Person, Reading, Summary
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser, is_listed, shared_or_own
from readtrack.reading.paper_facts import labels_of
from readtrack.team.accounts.queries import PersonRow, get_person_row
from readtrack.team.activity.queries import EventFilter, EventRow, list_activity
from readtrack.team.assignments.queries import AssignmentFilter, AssignmentRow, list_assignments
from readtrack.workspace.home.queries import ListedPaper, list_queue, list_read, list_reading

MAX_CURRENT_PAPERS = 2  # papers shown for each person in the list of people
MAX_SHOWN = 8
MAX_EVENTS = 60


class CurrentPaper(NamedTuple):
    """A paper that someone is reading now."""

    paper_id: int
    title: str
    language: str


@dataclass(frozen=True)
class ReaderProfile:
    """A person and the visible part of their reading."""

    person: PersonRow
    counts: dict[str, int]  # of papers by status, and of "summaries"
    reading: Sequence[ListedPaper]
    read: Sequence[ListedPaper]
    queue: Sequence[ListedPaper]
    assigned: Sequence[AssignmentRow]
    events: Sequence[EventRow]


def get_reader_profile(tx: Read, me: CurrentUser, person_id: int) -> ReaderProfile:
    """Return a person's profile. Raise NotFound."""
    return ReaderProfile(
        person=get_person_row(tx, me, person_id),
        counts=_count_readings(tx, me, person_id),
        reading=list_reading(tx, me, person_id, limit=MAX_SHOWN),
        read=list_read(tx, me, person_id, limit=MAX_SHOWN),
        queue=list_queue(tx, me, person_id, limit=MAX_SHOWN),
        assigned=list_assignments(tx, me, AssignmentFilter(person=person_id), PageRequest(limit=MAX_SHOWN)).items,
        events=list_activity(tx, me, EventFilter(person=person_id), PageRequest(limit=MAX_EVENTS)).items,
    )


def find_current_papers(tx: Read, me: CurrentUser, person_ids: Sequence[int]) -> dict[int, list[CurrentPaper]]:
    """Return the latest papers that each person is reading, in at most two statements."""
    reading: Any = aliased(Reading)
    conditions = (reading.person_id == col(Person.id), reading.current, reading.status == "reading")
    latest_ids = sa.select(reading.id).join(Paper, col(Paper.id) == reading.paper_id)
    latest_ids = latest_ids.where(*conditions, shared_or_own(reading, me.id), is_listed(Paper)).correlate(Person)
    order = (col(Reading.updated_at).desc(), col(Reading.id).desc())
    latest_ids = latest_ids.order_by(reading.updated_at.desc(), reading.id.desc()).limit(MAX_CURRENT_PAPERS)
    columns: Sequence[Any] = (col(Person.id).label("person_id"), Reading.paper_id, Paper.title, Paper.language)
    query = sa.select(*columns).select_from(Person).join(Reading, col(Reading.id).in_(latest_ids))
    query = query.join(Paper, col(Paper.id) == col(Reading.paper_id)).where(col(Person.id).in_(person_ids))
    query = query.order_by(col(Person.id), *order)
    rows = tx.execute(query).all()
    labels = labels_of(tx, [row.paper_id for row in rows if not row.title])
    papers_by_person: dict[int, list[CurrentPaper]] = {}
    for row in rows:
        title = row.title or labels.get(row.paper_id, f"paper {row.paper_id}")
        papers_by_person.setdefault(row.person_id, []).append(
            CurrentPaper(row.paper_id, title, row.language if row.title else "")
        )
    return papers_by_person


def _count_readings(tx: Read, me: CurrentUser, person_id: int) -> dict[str, int]:
    readings_query = sa.select(col(Reading.status), sa.func.count(sa.distinct(col(Reading.paper_id))))
    readings_query = readings_query.join(Paper, col(Paper.id) == col(Reading.paper_id)).group_by(col(Reading.status))
    passes = readings_query.where(col(Reading.person_id) == person_id, shared_or_own(Reading, me.id), is_listed(Paper))
    summaries_query = (
        sa.select(sa.func.count()).select_from(Summary).join(Paper, col(Paper.id) == col(Summary.paper_id))
    )
    own_summaries = summaries_query.where(
        col(Summary.person_id) == person_id, col(Summary.deleted_at).is_(None), is_listed(Paper)
    )
    summaries = tx.scalar(own_summaries.where(shared_or_own(Summary, me.id))) or 0
    return {**dict(tx.execute(passes.where(_countable_filter())).all()), "summaries": summaries}


def _countable_filter() -> sa.ColumnElement[bool]:
    """Count finished passes of any time, and other passes only if they are current."""
    return sa.or_(col(Reading.status) == "read", col(Reading.current))
