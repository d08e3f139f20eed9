"""Seeding of an empty library with the demo's content.

Rows are written directly or backdated, to lie in the past.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

import readtrack.ingest.imports.commit_job  # noqa: F401 - registers the job handlers
from readtrack import search
from readtrack.cli.demo.actions import DemoStage, perform_action
from readtrack.cli.demo.content import (
    DemoAction,
    DemoContent,
    DemoPaper,
    DemoReading,
    DemoStep,
    DemoSummary,
    DemoTopic,
    load,
)
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Write
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import (
    AgendaItem,
    Assignment,
    Candidate,
    Comment,
    Entry,
    Event,
    Identifier,
    Job,
    Lead,
    Link,
    Meeting,
    MetadataRequest,
    Note,
    NoteRevision,
    Notification,
    Paper,
    PaperTopic,
    Person,
    Question,
    ReadingEvent,
    SavedSearch,
    Series,
    Summary,
    SummaryVersion,
    Topic,
    TopicAlias,
    TopicVersion,
    Vote,
)
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.ingest.imports.commands import ImportCommit, commit_import, prepare_notes, preview_notes
from readtrack.library.enrichment.choose import user_supplied_fields
from readtrack.library.papers.citation_keys import assign_citation_keys
from readtrack.library.references.index import reindex_references
from readtrack.library.topics.commands import save_version
from readtrack.reading.readings.commands import ReadingProgress, ReadingUpdate, set_reading
from readtrack.team.accounts.passwords import hash_password, new_secret

TEAM_AGE_DAYS = 190  # Days ago: people and topics are older than every paper.
IMPORT_AGE_DAYS = 45  # Days ago.
IMPORTED_UNTIL = "# Serving"  # The rest of the notes is left for users who try the import.
Dated: TypeAlias = tuple[tuple[Any, tuple[str, ...]], ...]  # Tables and their datetime columns.
OF_A_READING: Dated = ((ReadingEvent, ("created_at",)), (Event, ("created_at",)))
OF_A_DEED: Dated = (
    (Comment, ("created_at", "updated_at")),
    (Question, ("created_at", "updated_at", "closed_at")),
    (Assignment, ("created_at", "decided_at")),
    (Series, ("created_at",)),
    (Meeting, ("created_at", "updated_at")),
    (AgendaItem, ("added_at",)),
    (Candidate, ("proposed_at",)),
    (Vote, ("voted_at",)),
    (SavedSearch, ("created_at", "updated_at")),
    (Notification, ("created_at",)),
    (Event, ("created_at",)),
)
LAST_VISIT_AGE_DAYS = 6  # Days ago: older notifications are marked as read.
OF_AN_IMPORT: Dated = (
    (Note, ("created_at",)),
    (NoteRevision, ("created_at", "committed_at")),
    (Entry, ("done_at",)),
    (Paper, ("created_at", "updated_at")),
    (PaperTopic, ("added_at",)),
    (Topic, ("created_at", "updated_at")),
    (TopicVersion, ("saved_at",)),
    (Lead, ("created_at",)),
    (Question, ("created_at",)),
    (Job, ("created_at", "ended_at")),
    (Event, ("created_at",)),
)


class DemoEvent(NamedTuple):
    """An event of a person: paper added, status changed (`step`), summary written, action performed."""

    days_ago: int
    content: DemoPaper | DemoReading | DemoSummary | DemoAction
    step: DemoStep | None = None


class DemoLibrary(NamedTuple):
    """The rows created so far.

    People are keyed by name, topics and papers by slug, others by their action's name.
    """

    people: Mapping[str, CurrentUser]
    topics: Mapping[str, int]
    papers: dict[str, int]
    ids_by_name: dict[str, int]


def fill(database: Database) -> str:
    """Insert all content and return the code of the sign-in URL."""
    content = load()
    timeline = sorted(_list_events(content), key=lambda event: -event.days_ago)
    with database.write() as tx:
        search.ensure(tx)
        people = _add_people(tx, content)
        library = DemoLibrary(people, _add_topics(tx, people[content.people[0].name], content.topics), {}, {})
        _apply_events(tx, library, (event for event in timeline if event.days_ago > IMPORT_AGE_DAYS))
    _import_notes(database, library.people[content.people[0].name], content)
    with database.write() as tx:
        _apply_events(tx, library, (event for event in timeline if event.days_ago <= IMPORT_AGE_DAYS))
        _mark_notifications_read(tx)
        tx.flush()
        search.rebuild(tx)
        reindex_references(tx)
    return new_secret()


def _list_events(content: DemoContent) -> Iterator[DemoEvent]:
    """Yield the events in the order in which those of one day follow each other."""
    yield from (DemoEvent(paper.added_days_ago, paper) for paper in content.papers)
    yield from (DemoEvent(step.days_ago, reading, step) for reading in content.readings for step in reading.steps)
    yield from (DemoEvent(summary.days_ago, summary) for summary in content.summaries)
    yield from (DemoEvent(action.days_ago, action) for action in content.actions)


def _apply_events(tx: Write, library: DemoLibrary, events: Iterable[DemoEvent]) -> None:
    for event in events:
        moment = _days_ago(event.days_ago)
        if isinstance(event.content, DemoPaper):
            _add_paper(tx, library, event.content, moment)
        elif isinstance(event.content, DemoSummary):
            _write_summary(tx, library, event.content, moment)
        elif isinstance(event.content, DemoAction):
            _perform_action(tx, library, event.content, moment)
        elif event.step:
            _change_status(tx, library, event.content, event.step)


def _add_people(tx: Write, content: DemoContent) -> dict[str, CurrentUser]:
    """Add people with a random password; demo users sign in through the demo URL."""
    shared_fields: dict[str, Any] = {
        "password_hash": hash_password(new_secret()),
        "created_at": _days_ago(TEAM_AGE_DAYS),
    }
    people = [
        Person(
            name=demo_person.name,
            name_key=normalize.key(demo_person.name),
            email=demo_person.email,
            email_key=normalize.key(demo_person.email),
            role=demo_person.role,
            **shared_fields,
        )
        for demo_person in content.people
    ]
    tx.add_all(people)
    tx.flush()
    return {person.name: CurrentUser(person.id or 0, person.name, person.role) for person in people}


def _add_topics(tx: Write, me: CurrentUser, topics: Iterable[DemoTopic]) -> dict[str, int]:
    topic_ids: dict[str, int] = {}
    founded_at = _days_ago(TEAM_AGE_DAYS)
    for topic in topics:
        dates: dict[str, Any] = {"created_at": founded_at, "updated_at": founded_at, "created_by": me.id}
        parent_id = topic_ids.get(topic.parent)
        row = Topic(slug=topic.slug, name=topic.name, parent_id=parent_id, markdown=topic.description, **dates)
        tx.add(row)
        tx.flush()
        topic_ids[topic.slug] = topic_id = row.id or 0
        for alias in (topic.name, *topic.aliases):
            is_canonical = alias == topic.name
            tx.add(
                TopicAlias(topic_id=topic_id, alias=alias, alias_key=normalize.key(alias), is_canonical=is_canonical)
            )
        save_version(tx, me, row)
    return topic_ids


def _add_paper(tx: Write, library: DemoLibrary, paper: DemoPaper, moment: datetime) -> None:
    person_id = library.people[paper.added_by].id
    field_names = ("kind", "title", "year", "published_on", "venue", "language")
    fields: dict[str, Any] = {name: getattr(paper, name) for name in field_names}
    timestamps: dict[str, Any] = {
        "created_by": person_id,
        "updated_by": person_id,
        "created_at": moment,
        "updated_at": moment,
    }
    fields["authors"] = list(paper.authors)
    row = Paper(
        title_key=normalize.key(paper.title), user_supplied=user_supplied_fields(fields), **fields, **timestamps
    )
    tx.add(row)
    tx.flush()
    library.papers[paper.slug] = paper_id = row.id or 0
    assign_citation_keys(tx, [paper_id])
    tx.add_all(_identifier(paper_id, name) for name in paper.identifiers)
    tx.add_all(Link(paper_id=paper_id, url=url, role=role) for url, role in paper.links)
    link_fields: dict[str, Any] = {"paper_id": paper_id, "added_by": person_id, "added_at": moment}
    tx.add_all(PaperTopic(topic_id=library.topics[slug], **link_fields) for slug in paper.topics)
    tx.add(
        Event(
            created_at=moment, person_id=person_id, verb="paper.added", paper_id=paper_id, data={"title": paper.title}
        )
    )


def _identifier(paper_id: int, name: str) -> Identifier:
    scheme, _, value = name.partition(":")
    return Identifier(paper_id=paper_id, scheme=scheme, value=value)


def _change_status(tx: Write, library: DemoLibrary, reading: DemoReading, step: DemoStep) -> None:
    """Change a status with the real command, for its side effects, and backdate the rows."""
    started_at, moment, me = now(), _days_ago(step.days_ago), library.people[reading.person]
    row, is_new = set_reading(
        tx, me, library.papers[reading.paper], _build_reading_update(reading, step), changed_on=moment.date()
    )
    row.updated_at = moment
    if is_new or row.created_at > moment:
        row.created_at, row.added_on = moment, moment.date()
    tx.flush()
    _backdate_rows(tx, OF_A_READING, started_at, moment)


def _build_reading_update(reading: DemoReading, step: DemoStep) -> ReadingUpdate:
    values: dict[str, Any] = {"status": step.status, "private": reading.private}
    values |= {
        name: getattr(step, name) for name in ("depth", "reason", "recommendation", "priority") if getattr(step, name)
    }
    if step.progress:
        values["progress"] = ReadingProgress.model_validate(step.progress, from_attributes=True)
    return ReadingUpdate.model_validate(values)


def _write_summary(tx: Write, library: DemoLibrary, summary: DemoSummary, moment: datetime) -> None:
    person_id, paper_id = library.people[summary.person].id, library.papers[summary.paper]
    text: dict[str, Any] = {name: getattr(summary, name) for name in ("tldr", "markdown", "private")}
    row = Summary(person_id=person_id, paper_id=paper_id, created_at=moment, updated_at=moment, **text)
    tx.add(row)
    tx.flush()
    tx.add(SummaryVersion(summary_id=row.id or 0, number=1, saved_at=moment, **text))
    event_fields: dict[str, Any] = {
        "verb": "summary.added",
        "data": {"summary": row.id, "version": 1},
        "private": summary.private,
    }
    tx.add(Event(created_at=moment, person_id=person_id, paper_id=paper_id, **event_fields))


def _perform_action(tx: Write, library: DemoLibrary, action: DemoAction, moment: datetime) -> None:
    """Perform an action with the real command and backdate the rows."""
    started_at = now()
    perform_action(tx, DemoStage(library.people, library.papers, library.ids_by_name), action)
    tx.flush()
    _backdate_rows(tx, OF_A_DEED, started_at, moment)


def _mark_notifications_read(tx: Write) -> None:
    """Mark old notifications as read and send no mail."""
    tx.execute(sa.update(Notification).values(mail_due=False))
    statement = sa.update(Notification).where(col(Notification.created_at) < _days_ago(LAST_VISIT_AGE_DAYS))
    tx.execute(statement.values(read_at=col(Notification.created_at), group_key=None))


def _import_notes(database: Database, me: CurrentUser, content: DemoContent) -> None:
    """Import the first part of the notes with the real commands and backdate the rows."""
    started_at = now()
    parsed = prepare_notes(content.notes.partition(IMPORTED_UNTIL)[0], content.notes_title)
    with database.write() as tx:
        import_id, _ = preview_notes(tx, me, parsed)
        commit_import(tx, me, import_id, ImportCommit())
    queue.run_due_job(database, _offline_egress(), kinds=["imports.commit"])
    with database.write() as tx:
        _cancel_metadata_requests(tx)
        _backdate_rows(tx, OF_AN_IMPORT, started_at, _days_ago(IMPORT_AGE_DAYS))


def _offline_egress() -> HttpClient:
    """Return an HTTP client that refuses all requests."""
    return HttpClient(agent="readtrack", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)


def _cancel_metadata_requests(tx: Write) -> None:
    """Delete pending metadata requests, which would wait forever without a network."""
    tx.execute(sa.delete(MetadataRequest))
    tx.execute(sa.delete(Job).where(col(Job.state) == "queued"))


def _backdate_rows(tx: Write, dated_columns: Dated, started_at: datetime, moment: datetime) -> None:
    """Set the datetime columns that were written since `started_at` to another time."""
    for table, columns in dated_columns:
        for name in columns:
            column = getattr(table, name)
            tx.execute(sa.update(table).where(column >= started_at).values({name: moment}))


def _days_ago(days: int) -> datetime:
    return now() - timedelta(days=days)
