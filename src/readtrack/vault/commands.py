"""Brings the notes of a folder in, portion by portion: what is here is found again, nothing is overwritten."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from readtrack import policy
from readtrack.db import Database, Write, savepoint
from readtrack.errors import ReadtrackError
from readtrack.languages import gettext as _
from readtrack.policy import Visitor
from readtrack.references.naming import key_of, key_of_name
from readtrack.sources import named as named_by
from readtrack.vault import papers, topics
from readtrack.vault.form import Note, PaperNote, TopicNote
from readtrack.vault.linking import inward
from readtrack.vault.reading import read

AT_ONCE = 100  # notes in one transaction
MOST_TOLD = 100  # sentences on what was left out


@dataclass
class Brought:
    """What came of a folder. `left_out`: a sentence on each thing that stays outside, or as it is here."""

    papers_added: int = 0
    papers_known: int = 0
    topics_added: int = 0
    topics_known: int = 0
    relations: int = 0
    summaries: int = 0
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, sentence: str) -> None:
        """Tells so, unless very much was told already."""
        if len(self.left_out) < MOST_TOLD:
            self.left_out.append(sentence)


@dataclass
class Folder:
    """The notes by the names of their files, and what has become of them so far: their numbers here."""

    papers: dict[str, PaperNote]
    topics: dict[str, TopicNote]
    places: dict[str, str] = field(default_factory=dict)  # what texts may call them -> file
    paper_ids: dict[str, int] = field(default_factory=dict)
    topic_ids: dict[str, int] = field(default_factory=dict)

    def inward(self, text: str) -> str:
        """A text with links as readtrack has them."""
        return inward(text, self.title_of, self.place_of)

    def title_of(self, file: str) -> str:
        """What the thing of a note is called; blank when it is none of the folder."""
        if file in self.topics:
            return self.topics[file].name
        return self.papers[file].title if file in self.papers else ""

    def place_of(self, name: str) -> str:
        """The note that a name means."""
        return self.places.get(key_of(name)) or self.places.get(key_of_name(name), "")


def bring_in(database: Database, me: Visitor, files: Mapping[str, str]) -> Brought:
    """Topics first, then papers, then what is said of both. Again: the same. Raises NotAllowed."""
    policy.require(me, "import")
    brought, folder = Brought(), _folder(files)
    for name in files.keys() - folder.papers.keys() - folder.topics.keys() - {"README"}:
        brought.leave_out(_("“{name}” was not written by readtrack: import it as notes.").format(name=name))
    _each(
        database, brought, _parents_first(folder.topics), lambda tx, name: topics.bring(tx, me, folder, name, brought)
    )
    _each(database, brought, folder.papers, lambda tx, name: papers.bring(tx, me, folder, name, brought))
    _each(database, brought, folder.topics, lambda tx, name: topics.say(tx, me, folder, name, brought))
    _each(database, brought, folder.papers, lambda tx, name: papers.say(tx, me, folder, name, brought))
    return brought


def _folder(files: Mapping[str, str]) -> Folder:
    notes = {name: note for name, text in files.items() if (note := read(text)) is not None}
    folder = Folder(
        {
            name: note
            for name, note in notes.items()
            if isinstance(note, PaperNote) and (note.title or note.identifiers)
        },
        {name: note for name, note in notes.items() if isinstance(note, TopicNote) and note.name},
    )
    for name, note in notes.items():
        folder.places.update(dict.fromkeys(_keys(note), name))
    return folder


def _keys(note: Note) -> Iterator[str]:
    if isinstance(note, TopicNote):
        yield from map(key_of_name, (note.name, *note.aliases))
        return
    yield key_of_name(note.title)
    yield from (key_of(identifier) for identifier in note.identifiers if named_by(identifier))


def _parents_first(notes: Mapping[str, TopicNote]) -> list[str]:
    """Each after the one above it; what goes in a circle begins anywhere."""
    order: dict[str, None] = {}
    for name in notes:
        line = [name]
        while (above := notes[line[-1]].parent) in notes and above not in line:
            line.append(above)
        order.update(dict.fromkeys(reversed(line)))
    return list(order)


def _each(database: Database, brought: Brought, every: Iterable[str], do: Callable[[Write, str], None]) -> None:
    """Each of them, some together in one transaction; one that is refused holds no other up."""
    left = iter(every)
    while portion := list(islice(left, AT_ONCE)):
        with database.write() as tx:
            for name in portion:
                _try(tx, brought, name, do)


def _try(tx: Write, brought: Brought, name: str, do: Callable[[Write, str], None]) -> None:
    try:
        with savepoint(tx):
            do(tx, name)
    except ReadtrackError as problem:
        brought.leave_out(f"{name}: {problem.message}")
