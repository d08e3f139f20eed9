"""What each act does to one paper, and what it takes to undo all of it. Every change is the one that the paper's own
door makes: the same rights, the same refusals, the same events.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.models import Event, Paper, PaperTopic, Topic
from readtrack.infra.permissions import Visitor, not_present, require_present
from readtrack.library.duplicates.merge import list_merges, merge_papers
from readtrack.library.enrichment.scheduler import ask_again
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.library.papers.edit import PaperEdit, edit_paper
from readtrack.library.topics import queries as topics
from readtrack.library.topics.commands import link_topic, name_topic, unlink_topic
from readtrack.reading.readings.commands import remove_reading, say, tie
from readtrack.team.assignments.commands import make_assignment
from readtrack.team.assignments.schemas import AssignmentMake
from readtrack.team.meetings.commands.candidates import propose
from readtrack.team.meetings.schemas import CandidateAdd
from readtrack.workspace.bulk_actions.schemas import Bulk


class Act(ABC):
    """`needs`: what the policy asks of who does it. `exclusive`: whether each paper is held from all who change it.
    `papers`: all that it is done to.
    """

    needs: ClassVar[str]
    exclusive: ClassVar[bool] = False

    def __init__(self, tx: Write, me: Visitor, wanted: Bulk, papers: Sequence[int]) -> None:
        self.tx, self.me, self.wanted, self.papers = tx, me, wanted, papers
        self.begin()

    def begin(self) -> None:
        """What is the same for all papers is found out once; `kept` is what undoing takes, row by row."""
        self.kept: list[list[Any]] = []

    @abstractmethod
    def one(self, paper_id: int) -> bool:
        """Does it; whether anything is another now. Raises what the paper's own door would say."""

    def end(self) -> None:
        """What is done once for all that were not refused."""
        self.tx.flush()

    def undo(self) -> Mapping[str, Any] | None:
        """What it takes to undo what was done, as JSON can hold it; None when it cannot be undone."""
        return None


class Reading(Act):
    """Says the same of my reading of each."""

    needs = "keep"

    def one(self, paper_id: int) -> bool:
        assert self.wanted.reading is not None  # noqa: S101 - the input model saw to it
        return self._changed(paper_id, say(self.tx, self.me, paper_id, self.wanted.reading)[2])

    def undo(self) -> Mapping[str, Any]:
        return {"batch": tie(self.tx, [event_id for _paper, event_id in self.kept]), "readings": self.kept}

    def _changed(self, paper_id: int, event_id: int | None) -> bool:
        self.kept += [[paper_id, event_id]] if event_id else []
        return event_id is not None


class Off(Reading):
    """Takes each off my list."""

    def one(self, paper_id: int) -> bool:
        return self._changed(paper_id, remove_reading(self.tx, self.me, paper_id))


class Filing(Act):
    """Files each under topics, and takes it out of others."""

    needs = "edit"
    exclusive = True  # what was filed there before is what undoing goes by

    def begin(self) -> None:
        super().begin()
        said = self.wanted.topics
        self.before: dict[tuple[int, int], tuple[int | None, str]] | None = None
        self.added: list[list[Any]] = []
        self.removed: list[list[Any]] = []
        self.add: list[int] = []
        self.made: list[int] = []
        found = [topics.find_id(self.tx, name) for name in (said.remove if said else ())]
        self.remove = [topic_id for topic_id in found if topic_id is not None]

    def one(self, paper_id: int) -> bool:
        require_present(self.tx, paper_id)
        if self.before is None:
            self._name_topics()
            self.before = self._filed()
        for topic_id in self.add:
            if (paper_id, topic_id) not in self.before:
                link_topic(self.tx, self.me, paper_id, topic_id)
        for topic_id in self.remove:
            if (paper_id, topic_id) in self.before or topic_id in self.add:
                unlink_topic(self.tx, self.me, paper_id, topic_id)
        self.tx.flush()
        here = {topic_id for topic_id in (*self.add, *self.remove) if (paper_id, topic_id) in self.before}
        return here != ({*here, *self.add} - {*self.remove})

    def end(self) -> None:
        """Of the papers that were not refused, what is filed there now and was not before, and the other way round."""
        super().end()
        before = self.before or {}
        after = self._filed() if self.before is not None else {}
        self.added = [[*at, by, when] for at, (by, when) in after.items() if at not in before]
        self.removed = [[*at, by, when] for at, (by, when) in before.items() if at not in after]

    def undo(self) -> Mapping[str, Any]:
        """With the addresses of topics besides: SQLite may give the number of one that is deleted to another."""
        these = sa.select(col(Topic.id), col(Topic.slug)).where(col(Topic.id).in_(self.remove))
        slugs = {row.id: row.slug for row in self.tx.execute(these)}
        removed = [[*row, slugs[row[1]]] for row in self.removed]
        return {"added": self.added, "removed": removed, "made": self.made}

    def _name_topics(self) -> None:
        """Only once there is a paper for them: what was refused for all leaves no topic behind."""
        if self.wanted.topics:
            there = {topics.find_id(self.tx, name) for name in self.wanted.topics.add}
            self.add = [name_topic(self.tx, self.me, name) for name in self.wanted.topics.add]
            self.made = sorted({*self.add} - {*there})

    def _filed(self) -> dict[tuple[int, int], tuple[int | None, str]]:
        """Who filed which of these papers under which of those topics, and when; nobody else does meanwhile."""
        mine = sa.select(
            col(PaperTopic.paper_id), col(PaperTopic.topic_id), col(PaperTopic.added_by), col(PaperTopic.added_at)
        )
        mine = mine.where(col(PaperTopic.topic_id).in_([*self.add, *self.remove]))
        mine = mine.where(col(PaperTopic.paper_id).in_(self.papers)).order_by(
            col(PaperTopic.paper_id), col(PaperTopic.topic_id)
        )
        rows = self.tx.execute(mine)
        return {(row.paper_id, row.topic_id): (row.added_by, row.added_at.isoformat()) for row in rows}


class Asking(Act):
    """Asks somebody to read each."""

    needs = "discuss"

    def one(self, paper_id: int) -> bool:
        assert self.wanted.assign is not None  # noqa: S101
        made = make_assignment(self.tx, self.me, AssignmentMake(paper=paper_id, **self.wanted.assign.model_dump()))
        self.kept.append([paper_id, made.id or 0, made.version])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"assignments": self.kept}


class Proposing(Act):
    """Proposes each for the meetings of a series."""

    needs = "discuss"

    def one(self, paper_id: int) -> bool:
        said = self.wanted.propose
        assert said is not None  # noqa: S101
        candidate, new = propose(self.tx, self.me, said.series, CandidateAdd(paper=paper_id, reason=said.reason))
        if new:
            self.kept.append([paper_id, candidate.id, candidate.proposed_at.isoformat()])
        return new

    def undo(self) -> Mapping[str, Any]:
        return {"candidates": self.kept}


class Sorting(Act):
    """Keeps each in the library, rejects it for the team, or puts it back among what nobody has decided about."""

    needs = "edit"
    exclusive = True

    def one(self, paper_id: int) -> bool:
        stood = sa.select(col(Paper.triage), col(Paper.version)).where(col(Paper.id) == paper_id)
        before = self.tx.execute(stood).one_or_none()
        if before is None:
            raise not_present(self.tx, paper_id)
        wanted = PaperEdit(triage=self.wanted.triage)
        after = edit_paper(self.tx, self.me, paper_id, wanted, version=before.version)
        if after.version == before.version:
            return False
        self.kept.append([paper_id, before.triage])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"sorted": self.kept, "last": _last_event(self.tx)}


class Merging(Act):
    """Makes each part of one of them."""

    needs = "merge"
    exclusive = True

    def begin(self) -> None:
        super().begin()
        require_present(self.tx, self.wanted.into or 0)

    def one(self, paper_id: int) -> bool:
        into = self.wanted.into or 0
        if paper_id == into:
            return False
        merge_papers(self.tx, self.me, paper_id, into_id=into)
        self.kept.append([paper_id, list_merges(self.tx, into)[-1].id])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"merges": self.kept}


class Refreshing(Act):
    """Asks the sources about each again."""

    needs = "edit"
    exclusive = True

    def one(self, paper_id: int) -> bool:
        require_present(self.tx, paper_id)
        self.kept.append([paper_id])
        return True

    def end(self) -> None:
        super().end()
        ask_again(self.tx, [paper_id for (paper_id,) in self.kept])


class Deleting(Act):
    """Puts each into the trash."""

    needs = "delete"
    exclusive = True

    def one(self, paper_id: int) -> bool:
        delete_paper(self.tx, self.me, paper_id)
        self.kept.append([paper_id])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"papers": self.kept, "last": _last_event(self.tx)}


class Restoring(Deleting):
    """Takes each out of the trash."""

    def one(self, paper_id: int) -> bool:
        before = self.tx.scalar(sa.select(col(Paper.version)).where(col(Paper.id) == paper_id))
        paper = restore_paper(self.tx, self.me, paper_id)
        if paper.version == before:
            return False
        self.kept.append([paper_id])
        return True


def _last_event(tx: Write) -> int:
    """Whoever changes one of these papers after this transaction is told of by a later one."""
    tx.flush()
    return tx.scalar(sa.select(sa.func.max(col(Event.id)))) or 0


ACTS: Mapping[str, type[Act]] = {
    "reading": Reading,
    "off": Off,
    "topics": Filing,
    "assign": Asking,
    "propose": Proposing,
    "triage": Sorting,
    "merge": Merging,
    "refresh": Refreshing,
    "delete": Deleting,
    "restore": Restoring,
}
