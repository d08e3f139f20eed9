"""Bulk application of one batch of entries, with the dependent ones applied one by one in document order.

An entry is independent if no earlier entry can change its result: a new paper, or the topic of a heading.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import ReadtrackError, StorageUnavailable
from readtrack.infra.models import Entry
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.apply_entry import apply_entry
from readtrack.ingest.imports.dependencies import analyze_dependencies
from readtrack.ingest.imports.entry_fields import (
    ImportContext,
    entry_links,
    entry_status,
    entry_title,
    entry_topics,
    reading_date,
    to_paper_fields,
)
from readtrack.ingest.imports.existing import persistent_identifiers
from readtrack.library.enrichment.versions import parse_version
from readtrack.library.papers.create import NewPaper, add_papers
from readtrack.library.topics.bulk_assign import add_papers_to_topics
from readtrack.library.topics.bulk_create import HeadingTopic, TopicHeading, find_or_add_topics
from readtrack.metadata.types import Ref
from readtrack.reading.readings.commands import FirstReading, begin_readings

ALONE = 100  # entries applied one by one per transaction, so that other writers wait less than a second
_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]  # Core table for bulk updates
_BECAME = sa.update(_ENTRIES).where(_ENTRIES.c.id == sa.bindparam("entry")).values(made=sa.bindparam("new"))
_BECAME_PAPER = _BECAME.values(paper_id=sa.bindparam("paper"))
_BECAME_TOPIC = _BECAME.values(topic_id=sa.bindparam("topic"))


def apply_entries(tx: Write, me: CurrentUser, entries: Sequence[Entry], whole: ImportContext) -> Sequence[Entry]:
    """Apply the decisions of entries and return those processed: the first ones, or all.

    Entries that cannot be applied get a reason. The batch ends early if another transaction adds the same data or the
    database rejects an entry; the next batch then sees the current data.
    """
    left = ALONE
    done: list[Entry] = []
    for plain, following in groupby(entries, analyze_dependencies(tx, entries, whole).can_batch):
        run = list(following)
        if not (plain and _try_batch(tx, me, run, whole)):
            alone = run[:left]
            for entry in alone:
                apply_or_flag_entry(tx, me, entry, whole)
            left = 0 if plain else left - len(alone)
            run = alone
        done += run
        if left == 0:
            break
    return done


def _try_batch(tx: Write, me: CurrentUser, entries: Sequence[Entry], whole: ImportContext) -> bool:
    """Insert new papers and topics in bulk.

    Return False if that failed and nothing was inserted.
    """
    becoming = [entry for entry in entries if _has_effect(entry)]
    try:
        with savepoint(tx):
            _insert_batch(tx, me, becoming, whole)
    except StorageUnavailable:
        raise
    except (ReadtrackError, IntegrityError):
        return False
    return True


def _has_effect(entry: Entry) -> bool:
    return entry.decision != "skip" and entry.kind in queries.IMPORTED_KINDS


def _insert_batch(tx: Write, me: CurrentUser, entries: Sequence[Entry], whole: ImportContext) -> None:
    headings = [list(_iter_headings(entry, whole)) for entry in entries]
    found = iter(find_or_add_topics(tx, me, [heading for own in headings for heading in own]))
    of_each = [list(islice(found, len(own))) for own in headings]
    topics = [
        (entry, topic)
        for entry, found in zip(entries, of_each, strict=True)
        if entry.kind == "topic"
        for topic in found
    ]
    papers = [(entry, found) for entry, found in zip(entries, of_each, strict=True) if entry.kind != "topic"]
    _store_results(
        tx, _BECAME_TOPIC, ({"entry": entry.id, "topic": topic.id, "new": topic.made} for entry, topic in topics)
    )
    _insert_papers(tx, me, papers, whole)


def _iter_headings(entry: Entry, whole: ImportContext) -> Iterator[TopicHeading]:
    """Yield the topic that the entry is, or the topics of its paper."""
    if entry.kind == "topic":
        yield TopicHeading(entry_title(entry), entry.topics)
    else:
        yield from map(TopicHeading, entry_topics(entry, whole))


def _insert_papers(
    tx: Write, me: CurrentUser, papers: Sequence[tuple[Entry, Sequence[HeadingTopic]]], whole: ImportContext
) -> None:
    ids = add_papers(tx, me, [_to_new_paper(entry) for entry, _ in papers])
    made = [(paper_id, entry, topics) for paper_id, (entry, topics) in zip(ids, papers, strict=True)]
    _store_results(
        tx, _BECAME_PAPER, ({"entry": entry.id, "paper": paper_id, "new": True} for paper_id, entry, _ in made)
    )
    add_papers_to_topics(tx, me, [(paper_id, topic.id) for paper_id, _, topics in made for topic in topics])
    firsts = (_build_first_reading(paper_id, entry, whole) for paper_id, entry, _ in made)
    begin_readings(tx, me, [first for first in firsts if first])


def _store_results(tx: Write, update: sa.Update, became: Iterable[dict[str, Any]]) -> None:
    if rows := list(became):
        tx.connection().execute(update, rows)


def _to_new_paper(entry: Entry) -> NewPaper:
    refs = tuple(map(Ref.parse, dict.fromkeys(persistent_identifiers(entry.identifiers))))
    return NewPaper(refs, to_paper_fields(entry), entry_links(entry))


def _build_first_reading(paper_id: int, entry: Entry, whole: ImportContext) -> FirstReading | None:
    status = entry_status(entry, whole)
    if not status:
        return None
    own = bool(entry.status)  # a status chosen for the whole import has neither a date nor a version
    version = parse_version(entry.raw) if own and status in {"reading", "read"} else ""
    return FirstReading(paper_id, status, version, reading_date(entry.read_on if own else ""))


def apply_or_flag_entry(tx: Write, me: CurrentUser, entry: Entry, whole: ImportContext) -> None:
    """Apply one entry.

    If it is invalid, roll it back and flag it for review with the reason. Re-raise storage errors.
    """
    if not _has_effect(entry):
        return
    try:
        with savepoint(tx):
            apply_entry(tx, me, entry, whole)
    except StorageUnavailable:
        raise  # not caused by this entry: the whole batch is retried later
    except ReadtrackError as problem:
        if isinstance(problem.__cause__, DBAPIError | OverflowError):
            raise  # the database rejected a value: its message does not describe the entry
        entry.decision, entry.reason = "review", problem.message
