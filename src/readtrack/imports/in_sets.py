"""The entries of one step: what is plain in a few statements for all, what is not one by one, in the notes' order.

Plain is a new paper whose names nothing before it has. Everybody else may hang on what another entry became.
"""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy.exc import IntegrityError

from readtrack.db import Write, savepoint
from readtrack.errors import ReadtrackError, StorageUnavailable
from readtrack.imports import queries
from readtrack.imports.becoming import become
from readtrack.imports.foreseen import Foreseen, foresee
from readtrack.imports.known import lasting
from readtrack.imports.told import Import, day_of, headings_of, links_of, said_of, status_of
from readtrack.models import Entry
from readtrack.papers.adding_many import New, add_papers
from readtrack.papers.answers.versions import version_in
from readtrack.policy import Visitor
from readtrack.readings.commands import First, begin_readings
from readtrack.sources import Ref
from readtrack.topics.commands import find_or_add_topic
from readtrack.topics.filing_many import file_new

ALONE = 100  # entries that are carried out one by one in one transaction: others wait less than a second for their turn


def carry_out_entries(tx: Write, me: Visitor, entries: Sequence[Entry], whole: Import) -> Sequence[Entry]:
    """Each becomes what was decided, or tells why it could not. Those that were carried out: the first, or all."""
    foreseen = foresee(tx, entries, whole)
    together: list[Entry] = []
    alone = 0
    for at, entry in enumerate(entries):
        if alone == ALONE:
            entries = entries[:at]
            break
        if entry.kind in queries.KEPT and not foreseen.is_plain(entry):
            alone += 1
            _carry_out(tx, me, together, whole, foreseen)
            together = []
            _carry_out_one(tx, me, entry, whole)
        else:
            together.append(entry)
    _carry_out(tx, me, together, whole, foreseen)
    return entries


def _carry_out(tx: Write, me: Visitor, entries: Sequence[Entry], whole: Import, foreseen: Foreseen) -> None:
    """New papers, and what is no paper. When somebody adds the same at this moment, or one is refused: one by one."""
    topics = dict(foreseen.topics)
    try:
        with savepoint(tx):
            _carry_out_together(tx, me, entries, whole, topics)
    except StorageUnavailable:
        raise
    except (ReadtrackError, IntegrityError):
        for entry in entries:
            _carry_out_one(tx, me, entry, whole)
    else:
        foreseen.topics.update(topics)


def _carry_out_together(
    tx: Write, me: Visitor, entries: Iterable[Entry], whole: Import, topics: dict[str, int]
) -> None:
    """`topics`: by the names that are known to be theirs; those that are made meanwhile come to them."""
    papers: list[Entry] = []
    for entry in entries:
        if entry.kind in queries.KEPT and entry.decision != "skip":
            papers.append(entry)
            for name in headings_of(entry, whole):
                if name not in topics:
                    topics[name] = find_or_add_topic(tx, me, name)
        else:
            _carry_out_one(tx, me, entry, whole)
    _add(tx, me, papers, whole, topics)


def _add(tx: Write, me: Visitor, entries: Sequence[Entry], whole: Import, topics: Mapping[str, int]) -> None:
    ids = add_papers(tx, me, [_new(entry) for entry in entries])
    for entry, paper_id in zip(entries, ids, strict=True):
        entry.paper_id, entry.made = paper_id, True
    names = ((paper_id, headings_of(entry, whole)) for entry, paper_id in zip(entries, ids, strict=True))
    file_new(tx, me, [(paper_id, topics[name]) for paper_id, told in names for name in told])
    firsts = (_first(entry, whole) for entry in entries)
    begin_readings(tx, me, [first for first in firsts if first])


def _new(entry: Entry) -> New:
    refs = tuple(map(Ref.parse, dict.fromkeys(lasting(entry.identifiers))))
    return New(refs, said_of(entry), links_of(entry))


def _first(entry: Entry, whole: Import) -> First | None:
    status = status_of(entry, whole)
    if not status:
        return None
    own = bool(entry.status)  # a status of the whole import has no day, and is of no version
    version = version_in(entry.raw) if own and status in {"reading", "read"} else ""
    return First(entry.paper_id or 0, status, version, day_of(entry.read_on if own else ""))


def _carry_out_one(tx: Write, me: Visitor, entry: Entry, whole: Import) -> None:
    """One entry, whole or not at all; what cannot be done is told on the entry and stops nothing else."""
    if entry.decision == "skip" or entry.kind not in queries.BECOMING:
        return
    try:
        with savepoint(tx):
            become(tx, me, entry, whole)
    except StorageUnavailable:
        raise  # it is no fault of this entry: the whole step is done again later
    except ReadtrackError as problem:
        entry.decision, entry.reason = "review", problem.message
