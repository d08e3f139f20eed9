"""The entries of one step: what is plain in a few statements for all, what is not one by one, in the notes' order.

Plain is what nothing before it can change: a new paper, the topic of a heading. Everybody else may hang on what another
entry became.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import ReadtrackError, StorageUnavailable
from readtrack.infra.models import Entry
from readtrack.infra.permissions import Visitor
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.apply_entry import become
from readtrack.ingest.imports.dependencies import foresee
from readtrack.ingest.imports.entry_fields import Import, day_of, headings_of, links_of, said_of, status_of, title_of
from readtrack.ingest.imports.existing import lasting
from readtrack.library.enrichment.versions import version_in
from readtrack.library.papers.create import New, add_papers
from readtrack.library.topics.bulk_assign import file_new
from readtrack.library.topics.bulk_create import Found, Heading, find_or_add_topics
from readtrack.metadata.types import Ref
from readtrack.reading.readings.commands import First, begin_readings

ALONE = 100  # entries that are carried out one by one in one transaction: others wait less than a second for their turn
_ENTRIES: sa.Table = Entry.__table__  # type: ignore[attr-defined]  # past the ORM, whose way takes twice as long
_BECAME = sa.update(_ENTRIES).where(_ENTRIES.c.id == sa.bindparam("entry")).values(made=sa.bindparam("new"))
_BECAME_PAPER = _BECAME.values(paper_id=sa.bindparam("paper"))
_BECAME_TOPIC = _BECAME.values(topic_id=sa.bindparam("topic"))


def carry_out_entries(tx: Write, me: Visitor, entries: Sequence[Entry], whole: Import) -> Sequence[Entry]:
    """Each becomes what was decided, or tells why it could not. Those that were carried out: the first, or all.

    When others add the same at this moment, or the database refuses one, this ends early: the next step sees it all.
    """
    left = ALONE
    done: list[Entry] = []
    for plain, following in groupby(entries, foresee(tx, entries, whole).is_plain):
        run = list(following)
        if not (plain and _carried_out_together(tx, me, run, whole)):
            alone = run[:left]
            for entry in alone:
                carry_out_one(tx, me, entry, whole)
            left = 0 if plain else left - len(alone)
            run = alone
        done += run
        if left == 0:
            break
    return done


def _carried_out_together(tx: Write, me: Visitor, entries: Sequence[Entry], whole: Import) -> bool:
    """New papers and topics, and what becomes nothing. False when nothing of it could be done in this way."""
    becoming = [entry for entry in entries if _becomes_something(entry)]
    try:
        with savepoint(tx):
            _make(tx, me, becoming, whole)
    except StorageUnavailable:
        raise
    except (ReadtrackError, IntegrityError):
        return False
    return True


def _becomes_something(entry: Entry) -> bool:
    return entry.decision != "skip" and entry.kind in queries.BECOMING


def _make(tx: Write, me: Visitor, entries: Sequence[Entry], whole: Import) -> None:
    headings = [list(_headings(entry, whole)) for entry in entries]
    found = iter(find_or_add_topics(tx, me, [heading for own in headings for heading in own]))
    of_each = [list(islice(found, len(own))) for own in headings]
    topics = [
        (entry, topic)
        for entry, found in zip(entries, of_each, strict=True)
        if entry.kind == "topic"
        for topic in found
    ]
    papers = [(entry, found) for entry, found in zip(entries, of_each, strict=True) if entry.kind != "topic"]
    _tell(tx, _BECAME_TOPIC, ({"entry": entry.id, "topic": topic.id, "new": topic.made} for entry, topic in topics))
    _make_papers(tx, me, papers, whole)


def _headings(entry: Entry, whole: Import) -> Iterator[Heading]:
    """The topic that it is, or those of its paper."""
    if entry.kind == "topic":
        yield Heading(title_of(entry), entry.topics)
    else:
        yield from map(Heading, headings_of(entry, whole))


def _make_papers(tx: Write, me: Visitor, papers: Sequence[tuple[Entry, Sequence[Found]]], whole: Import) -> None:
    """Each with the topics that it is filed under."""
    ids = add_papers(tx, me, [_new(entry) for entry, _ in papers])
    made = [(paper_id, entry, topics) for paper_id, (entry, topics) in zip(ids, papers, strict=True)]
    _tell(tx, _BECAME_PAPER, ({"entry": entry.id, "paper": paper_id, "new": True} for paper_id, entry, _ in made))
    file_new(tx, me, [(paper_id, topic.id) for paper_id, _, topics in made for topic in topics])
    firsts = (_first(paper_id, entry, whole) for paper_id, entry, _ in made)
    begin_readings(tx, me, [first for first in firsts if first])


def _tell(tx: Write, update: sa.Update, became: Iterable[dict[str, Any]]) -> None:
    """Writes down what entries became."""
    if rows := list(became):
        tx.connection().execute(update, rows)


def _new(entry: Entry) -> New:
    refs = tuple(map(Ref.parse, dict.fromkeys(lasting(entry.identifiers))))
    return New(refs, said_of(entry), links_of(entry))


def _first(paper_id: int, entry: Entry, whole: Import) -> First | None:
    status = status_of(entry, whole)
    if not status:
        return None
    own = bool(entry.status)  # a status of the whole import has no day, and is of no version
    version = version_in(entry.raw) if own and status in {"reading", "read"} else ""
    return First(paper_id, status, version, day_of(entry.read_on if own else ""))


def carry_out_one(tx: Write, me: Visitor, entry: Entry, whole: Import) -> None:
    """Carry out one entry, or nothing of it when it is refused, which it then tells; other errors are raised."""
    if not _becomes_something(entry):
        return
    try:
        with savepoint(tx):
            become(tx, me, entry, whole)
    except StorageUnavailable:
        raise  # it is no fault of this entry: the whole step is done again later
    except ReadtrackError as problem:
        if isinstance(problem.__cause__, DBAPIError | OverflowError):
            raise  # the database's refusal: its sentence is about no entry
        entry.decision, entry.reason = "review", problem.message
