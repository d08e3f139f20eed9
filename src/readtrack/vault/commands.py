"""Brings the notes of a folder in, portion by portion: what is here is found again, nothing is overwritten."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice

from sqlalchemy.exc import IntegrityError

from readtrack import events, policy
from readtrack.db import Database, Write
from readtrack.languages import gettext as _
from readtrack.policy import Visitor
from readtrack.references.naming import key_of, key_of_name
from readtrack.sources import named as named_by
from readtrack.vault import papers, topics
from readtrack.vault.bringing import Bringing, Brought, Folder
from readtrack.vault.form import ABOUT, Note, PaperNote, TopicNote
from readtrack.vault.linking import inward, papers_called, place_of
from readtrack.vault.reading import read

AT_ONCE = 50  # notes in one transaction: others who write wait for it


def bring_in(database: Database, me: Visitor, files: Mapping[str, str]) -> Brought:
    """Topics first, then papers, then what is said of both. Again: the same. Raises NotAllowed."""
    policy.require(me, "import")
    brought, folder = Brought(), _folder(files)
    for name in files.keys() - folder.papers.keys() - folder.topics.keys() - {ABOUT}:
        brought.leave_out(_("“{name}” was not written by readtrack: import it as notes.").format(name=name))

    to = partial(Bringing, me=me, folder=folder, brought=brought)
    _each(database, to, _parents_first(folder.topics), topics.bring)
    _each(database, to, folder.papers, papers.bring)
    _each(database, to, folder.topic_ids, topics.say)
    _each(database, to, folder.paper_ids, papers.say)
    if brought.new:
        with database.write() as tx:
            events.record(tx, me, "folder.brought", data=brought.new)
    return brought


def _each(
    database: Database, begun: Callable[[Write], Bringing], every: Iterable[str], do: Callable[[Bringing, str], None]
) -> None:
    """Does it to each note, some together in one transaction."""
    left = iter(every)
    while portion := list(islice(left, AT_ONCE)):
        with database.write() as tx:
            _do(begun(tx), portion, do)


def _do(to: Bringing, portion: Iterable[str], do: Callable[[Bringing, str], None]) -> None:
    for name in portion:
        try:
            with to.part(name):
                do(to, name)
        except IntegrityError:  # somebody added the same at this moment: they are done by now, and it is found
            with to.part(name):
                do(to, name)


def _folder(files: Mapping[str, str]) -> Folder:
    """The notes, with texts as readtrack has them."""
    notes = {name: note for name, text in files.items() if (note := read(text)) is not None}
    topics_here = {name: note for name, note in notes.items() if isinstance(note, TopicNote) and note.name}
    papers_here = {
        name: note for name, note in notes.items() if isinstance(note, PaperNote) and (note.title or note.identifiers)
    }
    places = papers_called((note.title, name) for name, note in papers_here.items())
    here: Mapping[str, Note] = {**papers_here, **topics_here}
    for name, each in here.items():
        places.update(dict.fromkeys(_keys(each), name))
    titles = {name: note.title for name, note in papers_here.items()}
    titles |= {name: note.name for name, note in topics_here.items()}

    def typed(text: str) -> str:
        return inward(text, lambda name: titles.get(name, ""), lambda name: place_of(places, name))

    return Folder(
        papers={
            name: replace(
                note, summaries=tuple(part._replace(markdown=typed(part.markdown)) for part in note.summaries)
            )
            for name, note in papers_here.items()
        },
        topics={name: replace(note, markdown=typed(note.markdown)) for name, note in topics_here.items()},
    )


def _keys(note: Note) -> Iterator[str]:
    """What texts may call it for certain."""
    if isinstance(note, TopicNote):
        yield from map(key_of_name, (note.name, *note.aliases))
        return
    yield from (key_of(identifier) for identifier in note.identifiers if named_by(identifier))


def _parents_first(notes: Mapping[str, TopicNote]) -> list[str]:
    """Each after the one above it; what goes in a circle begins anywhere."""
    order: dict[str, None] = {}
    for name in notes:
        line = {name: None}
        while (above := notes[next(reversed(line))].parent) in notes and above not in line and above not in order:
            line[above] = None
        order.update(dict.fromkeys(reversed(line)))
    return list(order)
