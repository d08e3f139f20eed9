"""Undoes what was done to many papers. What somebody changed since stays as they left it, and is told."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions, undo_log
from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict
from readtrack.infra.i18n import N_, _
from readtrack.infra.models import Assignment, Candidate, Deed, Event, Paper, PaperTopic, Topic
from readtrack.infra.permissions import Visitor
from readtrack.library.duplicates.merge import unmerge
from readtrack.library.enrichment import scheduler
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.library.papers.edit import PaperEdit, edit_paper
from readtrack.library.topics.assign import unmake
from readtrack.library.topics.commands import link_topic, unlink_topic
from readtrack.reading.readings.commands import undo_batch
from readtrack.team.assignments.commands import withdraw_assignment
from readtrack.team.meetings.commands.candidates import withdraw
from readtrack.workspace.bulk_actions.actions import ACTS
from readtrack.workspace.bulk_actions.commands import attempt, hold
from readtrack.workspace.bulk_actions.queries import is_over

SINCE = N_("It was changed since, so it stays as it is.")
Kept = Mapping[str, Any]
Left = tuple[int, str | None]  # the paper, and why it stays; None when it is as it was


class TakenBack(NamedTuple):
    """The papers that are as they were before, and those that stay, each with the reason."""

    papers: list[int]
    left: dict[int, str]


def undo_deed(tx: Write, me: Visitor, deed_id: int) -> TakenBack:
    """Undoes what I did to many papers. Raises NotFound, and Conflict when nothing of it can be undone any more."""
    deed = hold_deed(tx, me, deed_id)
    done = sum_up([left for kept in slices_of(deed) for left in undo_slice(tx, me, deed, kept)])
    if not done.papers and slices_of(deed):
        raise nothing_to_undo()
    deed.undone_at = now()
    tx.flush()
    return done


def hold_deed(tx: Write, me: Visitor, deed_id: int) -> Deed:
    """Lock the deed that is to be undone. Raises NotFound, NotAllowed and Conflict."""
    permissions.require(me, "keep")
    deed = undo_log.held(tx, deed_id, sa.and_(col(Deed.person_id) == me.id, col(Deed.verb).startswith("bulk.")))
    permissions.require(me, ACTS[deed.verb.removeprefix("bulk.")].needs)
    if is_over(deed.verb, deed.at):
        message = _(
            "What one said of a reading can be undone for one day, and this is longer ago. Nothing was changed."
        )
        raise Conflict(message, code="nothing-to-undo")
    return deed


def slices_of(deed: Deed) -> Sequence[Kept]:
    """What undoing takes, the last transaction of the act first: a topic that the first one made is used by the others.

    An act of one transaction keeps it flat.
    """
    slices: Sequence[Kept] = deed.undo.get("slices", [deed.undo])
    return slices[::-1]


def undo_slice(tx: Write, me: Visitor, deed: Deed, kept: Kept) -> list[Left]:
    """Undo one transaction of the act."""
    act = deed.verb.removeprefix("bulk.")
    _hold(tx, kept, exclusive=ACTS[act].exclusive)
    with search.together(tx), scheduler.together(tx):
        return list(UNDOING[act](tx, me, kept))


def sum_up(every: Sequence[Left]) -> TakenBack:
    """Tell papers that are as they were from those that stay, even if only a part of one stays."""
    stays = {paper_id: why for paper_id, why in every if why is not None}
    return TakenBack(sorted({paper_id for paper_id, why in every if why is None} - {*stays}), stays)


def nothing_to_undo() -> Conflict:
    """What to raise when everything was changed since."""
    message = _("Nothing of this can be undone any more: all of it was changed since. Nothing was changed.")
    return Conflict(message, code="nothing-to-undo")


def _hold(tx: Write, kept: Kept, *, exclusive: bool) -> None:
    names = ("added", "removed", "assignments", "candidates", "papers", "readings", "sorted")
    ids = [row[0] for name in names for row in kept.get(name, ())]
    hold(tx, ids, exclusive=exclusive)


def _readings(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    for paper_id, undone in undo_batch(tx, me, kept["batch"], [row[0] for row in kept["readings"]]).items():
        yield paper_id, None if undone else _(SINCE)


def _topics(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    for paper_id, topic_id, by, at in kept["added"]:
        link = tx.get(PaperTopic, (paper_id, topic_id), populate_existing=True)
        same = link is not None and (link.added_by, link.added_at) == (by, datetime.fromisoformat(at))
        yield _tried(tx, paper_id, partial(unlink_topic, tx, me, paper_id, topic_id), when=same)
    for paper_id, topic_id, by, at, slug in kept["removed"]:
        gone = tx.get(PaperTopic, (paper_id, topic_id), populate_existing=True) is None
        topic = tx.get(Topic, topic_id)
        there = gone and topic is not None and topic.slug == slug
        yield _tried(tx, paper_id, partial(link_topic, tx, me, paper_id, topic_id), when=there)
        if there:
            mine = sa.update(PaperTopic).where(col(PaperTopic.paper_id) == paper_id)
            filed = {"added_by": by, "added_at": datetime.fromisoformat(at)}
            tx.execute(mine.where(col(PaperTopic.topic_id) == topic_id).values(filed))
    tx.flush()
    unmake(tx, me, kept["made"])


def _assignments(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    for paper_id, assignment_id, version in kept["assignments"]:
        made = tx.get(Assignment, assignment_id, populate_existing=True)
        untouched = made is not None and made.version == version and made.paper_id == paper_id
        asked = untouched and made is not None and (made.state == "proposed" or made.person_id == me.id)
        yield _tried(tx, paper_id, partial(withdraw_assignment, tx, me, assignment_id), when=asked)


def _candidates(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    for paper_id, candidate_id, at in kept["candidates"]:
        made = tx.get(Candidate, candidate_id, populate_existing=True)
        same = made is not None and made.state == "open" and made.proposed_at == datetime.fromisoformat(at)
        yield _tried(tx, paper_id, partial(withdraw, tx, me, candidate_id), when=same)


def _sortings(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    for paper_id, before in kept["sorted"]:
        version = tx.scalar(sa.select(col(Paper.version)).where(col(Paper.id) == paper_id))
        back = partial(edit_paper, tx, me, paper_id, PaperEdit(triage=before), version=version or 0)
        yield _tried(tx, paper_id, back, when=not _is_touched(tx, paper_id, kept["last"], "triage"))


def _merges(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    """The last one first, as each brought what the ones before had brought."""
    for paper_id, merge_id in reversed(kept["merges"]):
        yield _tried(tx, paper_id, partial(unmerge, tx, me, merge_id))


def _deletions(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    for (paper_id,) in kept["papers"]:
        same = not _is_touched(tx, paper_id, kept["last"])
        yield _tried(tx, paper_id, partial(restore_paper, tx, me, paper_id), when=same)


def _restorings(tx: Write, me: Visitor, kept: Kept) -> Iterator[Left]:
    for (paper_id,) in kept["papers"]:
        same = not _is_touched(tx, paper_id, kept["last"])
        yield _tried(tx, paper_id, partial(delete_paper, tx, me, paper_id), when=same)


def _is_touched(tx: Write, paper_id: int, last: int, field: str = "") -> bool:
    """Whether a person did something to the paper itself after that event, or to that field of it. What sources told of
    it meanwhile is nobody's work.
    """
    since = (col(Event.paper_id) == paper_id, col(Event.id) > last)
    by_people = sa.select(col(Event.data)).where(
        *since, col(Event.verb).startswith("paper."), col(Event.person_id).is_not(None)
    )
    return any(not field or field in data.get("fields", ()) for data in tx.scalars(by_people))


def _tried(tx: Write, paper_id: int, undo: Callable[[], object], *, when: bool = True) -> Left:
    """Undone, or the reason why it stays: somebody changed it since, or it is no longer there to be changed."""
    if not when:
        return paper_id, _(SINCE)
    problem = attempt(tx, undo, act="undo", paper_id=paper_id).problem
    return paper_id, problem.message if problem else None


UNDOING: Mapping[str, Callable[[Write, Visitor, Kept], Iterator[Left]]] = {
    "reading": _readings,
    "off": _readings,
    "topics": _topics,
    "assign": _assignments,
    "propose": _candidates,
    "triage": _sortings,
    "merge": _merges,
    "delete": _deletions,
    "restore": _restorings,
}
