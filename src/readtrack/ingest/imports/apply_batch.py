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

MAX_SINGLE_ENTRIES = 100  # entries applied one by one per transaction, so that other writers wait less than a second
_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]  # Core table for bulk updates
_BECAME = sa.update(_ENTRIES).where(_ENTRIES.c.id == sa.bindparam("entry")).values(made=sa.bindparam("new"))
_BECAME_PAPER = _BECAME.values(paper_id=sa.bindparam("paper"))
_BECAME_TOPIC = _BECAME.values(topic_id=sa.bindparam("topic"))


def apply_entries(tx: Write, me: CurrentUser, entries: Sequence[Entry], context: ImportContext) -> Sequence[Entry]:
    """Apply the decisions of entries and return those processed: the first ones, or all.

    Entries that cannot be applied get a reason. The batch ends early if another transaction adds the same data or the
    database rejects an entry; the next batch then sees the current data.
    """
    remaining = MAX_SINGLE_ENTRIES
    applied: list[Entry] = []
    for is_batchable, group in groupby(entries, analyze_dependencies(tx, entries, context).can_batch):
        run = list(group)
        if not (is_batchable and _try_batch(tx, me, run, context)):
            single_entries = run[:remaining]
            for entry in single_entries:
                apply_or_flag_entry(tx, me, entry, context)
            remaining = 0 if is_batchable else remaining - len(single_entries)
            run = single_entries
        applied += run
        if remaining == 0:
            break
    return applied


def _try_batch(tx: Write, me: CurrentUser, entries: Sequence[Entry], context: ImportContext) -> bool:
    """Insert new papers and topics in bulk.

    Return False if that failed and nothing was inserted.
    """
    effective_entries = [entry for entry in entries if _has_effect(entry)]
    try:
        with savepoint(tx):
            _insert_batch(tx, me, effective_entries, context)
    except StorageUnavailable:
        raise
    except (ReadtrackError, IntegrityError):
        return False
    return True


def _has_effect(entry: Entry) -> bool:
    return entry.decision != "skip" and entry.kind in queries.IMPORTED_KINDS


def _insert_batch(tx: Write, me: CurrentUser, entries: Sequence[Entry], context: ImportContext) -> None:
    headings = [list(_iter_headings(entry, context)) for entry in entries]
    added_topics = iter(
        find_or_add_topics(tx, me, [heading for entry_headings in headings for heading in entry_headings])
    )
    topics_by_entry = [list(islice(added_topics, len(entry_headings))) for entry_headings in headings]
    topics = [
        (entry, topic)
        for entry, added_topics in zip(entries, topics_by_entry, strict=True)
        if entry.kind == "topic"
        for topic in added_topics
    ]
    papers = [
        (entry, added_topics)
        for entry, added_topics in zip(entries, topics_by_entry, strict=True)
        if entry.kind != "topic"
    ]
    _store_results(
        tx, _BECAME_TOPIC, ({"entry": entry.id, "topic": topic.id, "new": topic.is_new} for entry, topic in topics)
    )
    _insert_papers(tx, me, papers, context)


def _iter_headings(entry: Entry, context: ImportContext) -> Iterator[TopicHeading]:
    """Yield the topic that the entry is, or the topics of its paper."""
    if entry.kind == "topic":
        yield TopicHeading(entry_title(entry), entry.topics)
    else:
        yield from map(TopicHeading, entry_topics(entry, context))


def _insert_papers(
    tx: Write, me: CurrentUser, papers: Sequence[tuple[Entry, Sequence[HeadingTopic]]], context: ImportContext
) -> None:
    ids = add_papers(tx, me, [_to_new_paper(entry) for entry, _ in papers])
    new_papers = [(paper_id, entry, topics) for paper_id, (entry, topics) in zip(ids, papers, strict=True)]
    _store_results(
        tx, _BECAME_PAPER, ({"entry": entry.id, "paper": paper_id, "new": True} for paper_id, entry, _ in new_papers)
    )
    add_papers_to_topics(tx, me, [(paper_id, topic.id) for paper_id, _, topics in new_papers for topic in topics])
    readings = (_build_first_reading(paper_id, entry, context) for paper_id, entry, _ in new_papers)
    begin_readings(tx, me, [reading for reading in readings if reading])


def _store_results(tx: Write, update: sa.Update, results: Iterable[dict[str, Any]]) -> None:
    if rows := list(results):
        tx.connection().execute(update, rows)


def _to_new_paper(entry: Entry) -> NewPaper:
    refs = tuple(map(Ref.parse, dict.fromkeys(persistent_identifiers(entry.identifiers))))
    return NewPaper(refs, to_paper_fields(entry), entry_links(entry))


def _build_first_reading(paper_id: int, entry: Entry, context: ImportContext) -> FirstReading | None:
    status = entry_status(entry, context)
    if not status:
        return None
    has_own_status = bool(entry.status)  # a status chosen for the whole import has neither a date nor a version
    version = parse_version(entry.raw) if has_own_status and status in {"reading", "read"} else ""
    return FirstReading(paper_id, status, version, reading_date(entry.read_on if has_own_status else ""))


def apply_or_flag_entry(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> None:
    """Apply one entry.

    If it is invalid, roll it back and flag it for review with the reason. Re-raise storage errors.
    """
    if not _has_effect(entry):
        return
    try:
        with savepoint(tx):
            apply_entry(tx, me, entry, context)
    except StorageUnavailable:
        raise  # not caused by this entry: the whole batch is retried later
    except ReadtrackError as problem:
        if isinstance(problem.__cause__, DBAPIError | OverflowError):
            raise  # the database rejected a value: its message does not describe the entry
        entry.decision, entry.reason = "review", problem.message
