"""Bulk application of one batch of entries, with the dependent ones applied one by one in document order.

An entry is independent if no earlier entry can change its result: a new paper, or the topic of a heading. What decides
this is prefetched for the whole batch.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlmodel import col

from readtrack.infra.db import Read, Write, savepoint
from readtrack.infra.db.conditions import in_text_list
from readtrack.infra.errors import Invalid, ReadtrackError, StorageUnavailable
from readtrack.infra.models import Entry, Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.apply_entry import (
    ImportContext,
    apply_entry,
    entry_links,
    entry_status,
    entry_title,
    entry_topics,
    entry_twins,
    reading_date,
    to_paper_fields,
)
from readtrack.ingest.imports.existing import find_existing_papers, persistent_identifiers
from readtrack.library.enrichment.versions import parse_version
from readtrack.library.papers.citation_keys import adopt_citation_keys
from readtrack.library.papers.commands import NewPaper, add_papers
from readtrack.library.papers.lookup import to_title_key, without_identifier
from readtrack.library.topics.bulk_insert import HeadingTopic, TopicHeading, add_papers_to_topics, find_or_add_topics
from readtrack.library.topics.commands import to_topic_name
from readtrack.metadata.types import Ref
from readtrack.reading.readings.commands import FirstReading, begin_readings

MAX_SINGLE_ENTRIES = 100  # entries applied one by one per transaction, so that other writers wait less than a second
_BATCHED_DETAILS = {"id", "relations"}  # the last are added at the end of the import
_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]  # Core table for bulk updates
_TITLES = (
    sa.select(col(Paper.title_key), sa.func.max(sa.case((without_identifier(), 1), else_=0)).label("bare"))
    .where(in_text_list(col(Paper.title_key), "keys"))
    .group_by(col(Paper.title_key))
)
_BECAME = sa.update(_ENTRIES).where(_ENTRIES.c.id == sa.bindparam("entry")).values(made=sa.bindparam("new"))
_BECAME_PAPER = _BECAME.values(paper_id=sa.bindparam("paper"))
_BECAME_TOPIC = _BECAME.values(topic_id=sa.bindparam("topic"))


class EntryKeys(NamedTuple):
    """The keys of a paper.

    `key`: its title key. `identifiers`: its identifiers. `all_identifiers`: those and the identifiers of its twins in
    the note.
    """

    key: str
    identifiers: Sequence[str]
    all_identifiers: Sequence[str]


@dataclass
class BatchPlan:
    """The entries of a batch that do not depend on the results of other entries.

    `names`, `titles`: identifiers and title keys of papers that exist or that this batch will add. `bare`: title keys
    of papers without identifiers; an entry with identifiers is matched to one of these.
    """

    context: ImportContext
    keys: Mapping[int, EntryKeys]
    names: set[str]
    titles: set[str]
    bare: set[str]

    def can_batch(self, entry: Entry) -> bool:
        """Return True if the entry creates nothing, a new paper, or the topic of its name.

        Call it once per entry, in document order: it reserves the keys of the entry.
        """
        if entry.decision == "skip" or entry.kind not in queries.IMPORTED_KINDS:
            return True
        if entry.kind == "topic":
            return entry.decision != "known" and not entry.alias_taken and bool(to_topic_name(entry_title(entry)))
        if entry.kind not in queries.PAPER_ENTRY_KINDS:
            return False
        keys = self.keys[entry.position]
        is_new = entry.decision != "known" and self._is_new(keys) and self._is_simple(entry)
        self._reserve_keys(keys, is_new=is_new)
        return is_new

    def _is_new(self, keys: EntryKeys) -> bool:
        if not keys.identifiers:
            is_new_title = bool(keys.key) and keys.key not in self.titles
            return is_new_title and self.names.isdisjoint(keys.all_identifiers)
        return keys.key not in self.bare and self.names.isdisjoint(keys.all_identifiers)

    def _is_simple(self, entry: Entry) -> bool:
        """Return True if no part of the entry can be rejected.

        "Paused" needs two status changes, so it is excluded; readings and texts of exports are applied one by one.
        """
        has_texts = bool((entry.details or {}).keys() - _BATCHED_DETAILS)
        return (
            not has_texts
            and entry_status(entry, self.context) != "paused"
            and all(map(to_topic_name, entry_topics(entry, self.context)))
        )

    def _reserve_keys(self, keys: EntryKeys, *, is_new: bool) -> None:
        """Reserve the keys, so that a later entry with the same keys does not count as new."""
        self.names.update(keys.identifiers if is_new else keys.all_identifiers)
        if keys.key:
            self.titles.add(keys.key)
        if keys.key and not (is_new and keys.identifiers):
            self.bare.add(keys.key)


def analyze_dependencies(tx: Read, entries: Sequence[Entry], context: ImportContext) -> BatchPlan:
    """Prefetch the existing papers of a batch with a fixed number of statements."""
    papers = [entry for entry in entries if entry.kind in queries.PAPER_ENTRY_KINDS and entry.decision != "skip"]
    keys_by_position = {entry.position: _build_entry_keys(entry, context) for entry in papers}
    existing_papers = find_existing_papers(
        tx, {name for keys in keys_by_position.values() for name in keys.all_identifiers}
    )
    existing_titles = _find_existing_titles(tx, {keys.key for keys in keys_by_position.values() if keys.key})
    return BatchPlan(
        context,
        keys_by_position,
        set(existing_papers),
        set(existing_titles),
        {key for key, has_unidentified in existing_titles.items() if has_unidentified},
    )


def _build_entry_keys(entry: Entry, context: ImportContext) -> EntryKeys:
    identifiers = persistent_identifiers(entry.identifiers)
    return EntryKeys(to_title_key(entry.title), identifiers, [*identifiers, *entry_twins(entry, context)])


def _find_existing_titles(tx: Read, keys: Collection[str]) -> dict[str, bool]:
    """Return the title keys that any paper has, and whether one of these papers has no identifier.

    Deleted and merged papers, short titles and other kinds of papers are included: an earlier entry may have led this
    note to one of them.
    """
    return {row.title_key: bool(row.bare) for row in tx.rows(_TITLES, {"keys": sorted(keys)})}


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
    adopt_citation_keys(tx, {paper_id: entry.citation_key for paper_id, entry, _ in new_papers})
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


def is_applied(entry: Entry) -> bool:
    """Return False for an entry that could not be applied. One that was applied despite a conflict has a result."""
    return entry.decision != "review" or entry.paper_id is not None or entry.topic_id is not None


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
        if isinstance(problem.__cause__, DBAPIError | OverflowError) and not isinstance(problem, Invalid):
            raise  # the database rejected a value, and its message does not tell what is wrong with the entry
        entry.decision, entry.reason = "review", problem.message
