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
from readtrack.ingest.imports.existing import CHUNK, find_existing_papers, persistent_identifiers
from readtrack.library.papers.title_lookup import to_title_key, without_identifier
from readtrack.library.topics.commands import to_topic_name


class EntryKeys(NamedTuple):
    """The keys of a paper.

    `key`: its title key. `own`: its identifiers. `asked`: those and the identifiers of its twins in the note.
    """

    key: str
    own: Sequence[str]
    asked: Sequence[str]


@dataclass
class BatchPlan:
    """The entries of a batch that do not depend on the results of other entries.

    `names`, `titles`: identifiers and title keys of papers that exist or that this batch will add. `bare`: title keys
    of papers without identifiers; an entry with identifiers is matched to one of these.
    """

    whole: ImportContext
    called: Mapping[int, EntryKeys]
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
        called = self.called[entry.position]
        plain = entry.decision != "known" and self._is_new(called) and self._is_simple(entry)
        self._reserve_keys(called, plain=plain)
        return plain

    def _is_new(self, called: EntryKeys) -> bool:
        if not called.own:
            return bool(called.key) and called.key not in self.titles
        return called.key not in self.bare and self.names.isdisjoint(called.asked)

    def _is_simple(self, entry: Entry) -> bool:
        """Return True if no part of the entry can be rejected.

        "Paused" needs two status changes, so it is excluded.
        """
        return entry_status(entry, self.whole) != "paused" and all(map(to_topic_name, entry_topics(entry, self.whole)))

    def _reserve_keys(self, called: EntryKeys, *, plain: bool) -> None:
        """Reserve the keys, so that a later entry with the same keys does not count as new."""
        self.names.update(called.own if plain else called.asked)
        if called.key:
            self.titles.add(called.key)
        if called.key and not (plain and called.own):
            self.bare.add(called.key)


def analyze_dependencies(tx: Read, entries: Sequence[Entry], whole: ImportContext) -> BatchPlan:
    """Prefetch the existing papers of a batch with a fixed number of statements."""
    papers = [entry for entry in entries if entry.kind in queries.PAPER_ENTRY_KINDS and entry.decision != "skip"]
    called = {entry.position: _build_entry_keys(entry, whole) for entry in papers}
    here = find_existing_papers(tx, {name for one in called.values() for name in one.asked})
    titled = dict(_find_existing_titles(tx, {one.key for one in called.values() if one.key}))
    return BatchPlan(whole, called, set(here), set(titled), {key for key, bare in titled.items() if bare})


def _build_entry_keys(entry: Entry, whole: ImportContext) -> EntryKeys:
    own = persistent_identifiers(entry.identifiers)
    return EntryKeys(to_title_key(entry.title), own, [*own, *entry_twins(entry, whole)])


def _find_existing_titles(tx: Read, keys: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield the title keys that any paper has, and whether one of these papers has no identifier.

    Deleted and merged papers, short titles and other kinds of papers are included: an earlier entry may have led this
    note to one of them.
    """
    bare = sa.func.max(sa.case((without_identifier(), 1), else_=0)).label("bare")
    titled = sa.select(col(Paper.title_key), bare).group_by(col(Paper.title_key))
    asked = sorted(keys)
    for start in range(0, len(asked), CHUNK):
        for row in tx.rows(titled.where(col(Paper.title_key).in_(asked[start : start + CHUNK]))):
            yield row.title_key, bool(row.bare)
