"""Dependencies of a batch of entries, prefetched to decide which can be inserted in bulk."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import Entry, Paper
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.entry_fields import ImportContext, entry_status, entry_title, entry_topics, entry_twins
from readtrack.ingest.imports.existing import BATCH_SIZE, find_existing_papers, persistent_identifiers
from readtrack.library.papers.title_lookup import to_title_key, without_identifier
from readtrack.library.topics.commands import to_topic_name


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
            return bool(keys.key) and keys.key not in self.titles
        return keys.key not in self.bare and self.names.isdisjoint(keys.all_identifiers)

    def _is_simple(self, entry: Entry) -> bool:
        """Return True if no part of the entry can be rejected.

        "Paused" needs two status changes, so it is excluded.
        """
        return entry_status(entry, self.context) != "paused" and all(
            map(to_topic_name, entry_topics(entry, self.context))
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
    existing_titles = dict(_find_existing_titles(tx, {keys.key for keys in keys_by_position.values() if keys.key}))
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


def _find_existing_titles(tx: Read, keys: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield the title keys that any paper has, and whether one of these papers has no identifier.

    Deleted and merged papers, short titles and other kinds of papers are included: an earlier entry may have led this
    note to one of them.
    """
    bare = sa.func.max(sa.case((without_identifier(), 1), else_=0)).label("bare")
    query = sa.select(col(Paper.title_key), bare).group_by(col(Paper.title_key))
    sorted_keys = sorted(keys)
    for start in range(0, len(sorted_keys), BATCH_SIZE):
        for row in tx.rows(query.where(col(Paper.title_key).in_(sorted_keys[start : start + BATCH_SIZE]))):
            yield row.title_key, bool(row.bare)
