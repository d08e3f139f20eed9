"""What the entries of a step hang on, asked once for all of them; and which of them hang on nothing at all."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlmodel import col

from readtrack.db import Read
from readtrack.imports import queries
from readtrack.imports.known import CHUNK, lasting, papers_of, papers_titled
from readtrack.imports.proposing import kind_and_title
from readtrack.imports.told import Import, headings_of, status_of, twins_of
from readtrack.models import Entry, NoteRevision, Paper
from readtrack.papers.titled import find_titled, is_telling, key_of
from readtrack.topics.commands import as_name
from readtrack.topics.filing_many import find_ids


@dataclass
class Foreseen:
    """`names`, `bare`, `titles`: identifiers and titles that may lead to a paper that is here, or soon will be.

    `bare`: titles of papers that are only named; one that has identifiers becomes one of these. `titles`: any papers'.
    `topics`: by name.
    """

    whole: Import
    names: set[str]
    bare: set[str]
    titles: set[str]
    topics: dict[str, int] = field(default_factory=dict)

    def is_plain(self, entry: Entry) -> bool:
        """Whether it becomes a new paper whatever the others become. To be asked in their order, once of each."""
        if entry.decision == "skip":
            return True
        plain = entry.decision != "known" and self._is_new(entry) and self._is_simple(entry)
        self._take(entry, plain=plain)
        return plain

    def _is_new(self, entry: Entry) -> bool:
        key = key_of(entry.title)
        if not lasting(entry.identifiers):
            return bool(entry.title.strip()) and key not in self.titles
        return self.names.isdisjoint(_asked(entry, self.whole)) and key not in self.bare

    def _is_simple(self, entry: Entry) -> bool:
        """Whether nothing of it can be refused; who pauses says two things at once."""
        return status_of(entry, self.whole) != "paused" and all(map(as_name, headings_of(entry, self.whole)))

    def _take(self, entry: Entry, *, plain: bool) -> None:
        """What comes after it with the same names is no longer new."""
        key, own = key_of(entry.title), lasting(entry.identifiers)
        self.names.update(own if plain else _asked(entry, self.whole))
        if key:
            self.titles.add(key)
        if key and not (plain and own):
            self.bare.add(key)


def foresee(tx: Read, entries: Sequence[Entry], whole: Import) -> Foreseen:
    """Before the first of them is carried out; the same number of statements however many they are."""
    papers = [entry for entry in entries if entry.kind in queries.KEPT]
    asked = {name for entry in papers for name in _asked(entry, whole)}
    headings = {name for entry in papers for name in headings_of(entry, whole)}
    telling = {entry.title for entry in papers if is_telling(entry.title)}
    only_named = [entry for entry in papers if not lasting(entry.identifiers)]
    titled = {key_of(title) for _, title in papers_titled(tx, [kind_and_title(vars(entry)) for entry in only_named])}
    in_note = _titles_in_note(tx, whole.note_id, {key_of(entry.title) for entry in only_named})
    bare = {key for _, key in find_titled(tx, telling, bare=True)} if telling else set()
    return Foreseen(whole, set(papers_of(tx, asked)), bare, titled | in_note, find_ids(tx, headings))


def _asked(entry: Entry, whole: Import) -> list[str]:
    """All names under which its paper may be here."""
    return [*lasting(entry.identifiers), *twins_of(entry, whole)]


def _titles_in_note(tx: Read, note_id: int, keys: Collection[str]) -> set[str]:
    """Those that papers of this note have."""
    named = (
        sa.select(col(Paper.title_key))
        .join(Entry, col(Entry.paper_id) == sa.func.coalesce(col(Paper.merged_into), col(Paper.id)))
        .join(NoteRevision, col(NoteRevision.id) == col(Entry.revision_id))
        .where(col(NoteRevision.note_id) == note_id)
    )
    asked, found = sorted(keys), set[str]()
    for start in range(0, len(asked), CHUNK):
        found.update(tx.scalars(named.where(col(Paper.title_key).in_(asked[start : start + CHUNK]))))
    return found
