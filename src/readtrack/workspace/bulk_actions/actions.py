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
from readtrack.infra.permissions import CurrentUser, missing_paper_error, require_present
from readtrack.library.duplicates.merge import list_merges, merge_papers
from readtrack.library.enrichment.scheduler import refresh_metadata
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.topics import queries as topics
from readtrack.library.topics.commands import get_or_add_topic, link_topic, unlink_topic
from readtrack.reading.readings.commands import group_into_batch, remove_reading, update_reading
from readtrack.team.assignments.commands import make_assignment
from readtrack.team.assignments.schemas import AssignmentCreate
from readtrack.team.meetings.commands.candidates import propose
from readtrack.team.meetings.schemas import CandidateCreate
from readtrack.workspace.bulk_actions.schemas import BulkRequest


class BulkAction(ABC):
    """`needs`: what the policy asks of who does it. `exclusive`: whether each paper is held from all who change it.
    `papers`: all that it is done to.
    """

    needs: ClassVar[str]
    exclusive: ClassVar[bool] = False

    def __init__(self, tx: Write, me: CurrentUser, wanted: BulkRequest, papers: Sequence[int]) -> None:
        self.tx, self.me, self.wanted, self.papers = tx, me, wanted, papers
        self.begin()

    def begin(self) -> None:
        """What is the same for all papers is found out once; `kept` is what undoing takes, row by row."""
        self.kept: list[list[Any]] = []

    @abstractmethod
    def apply_to_paper(self, paper_id: int) -> bool:
        """Does it; whether anything is another now. Raises what the paper's own door would say."""

    def end(self) -> None:
        """What is done once for all that were not refused."""
        self.tx.flush()

    def undo(self) -> Mapping[str, Any] | None:
        """What it takes to undo what was done, as JSON can hold it; None when it cannot be undone."""
        return None


class ReadingAction(BulkAction):
    """Says the same of my reading of each."""

    needs = "keep"

    def apply_to_paper(self, paper_id: int) -> bool:
        assert self.wanted.reading is not None  # noqa: S101 - the input model saw to it
        return self._record_change(paper_id, update_reading(self.tx, self.me, paper_id, self.wanted.reading)[2])

    def undo(self) -> Mapping[str, Any]:
        return {"batch": group_into_batch(self.tx, [event_id for _paper, event_id in self.kept]), "readings": self.kept}

    def _record_change(self, paper_id: int, event_id: int | None) -> bool:
        self.kept += [[paper_id, event_id]] if event_id else []
        return event_id is not None


class ReadingRemovalAction(ReadingAction):
    """Takes each off my list."""

    def apply_to_paper(self, paper_id: int) -> bool:
        return self._record_change(paper_id, remove_reading(self.tx, self.me, paper_id))


class TopicAction(BulkAction):
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

    def apply_to_paper(self, paper_id: int) -> bool:
        require_present(self.tx, paper_id)
        if self.before is None:
            self._resolve_topics()
            self.before = self._find_topic_links()
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
        after = self._find_topic_links() if self.before is not None else {}
        self.added = [[*at, by, when] for at, (by, when) in after.items() if at not in before]
        self.removed = [[*at, by, when] for at, (by, when) in before.items() if at not in after]

    def undo(self) -> Mapping[str, Any]:
        """With the addresses of topics besides: SQLite may give the number of one that is deleted to another."""
        these = sa.select(col(Topic.id), col(Topic.slug)).where(col(Topic.id).in_(self.remove))
        slugs = {row.id: row.slug for row in self.tx.execute(these)}
        removed = [[*row, slugs[row[1]]] for row in self.removed]
        return {"added": self.added, "removed": removed, "made": self.made}

    def _resolve_topics(self) -> None:
        """Only once there is a paper for them: what was refused for all leaves no topic behind."""
        if self.wanted.topics:
            there = {topics.find_id(self.tx, name) for name in self.wanted.topics.add}
            self.add = [get_or_add_topic(self.tx, self.me, name) for name in self.wanted.topics.add]
            self.made = sorted({*self.add} - {*there})

    def _find_topic_links(self) -> dict[tuple[int, int], tuple[int | None, str]]:
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


class AssignmentAction(BulkAction):
    """Asks somebody to read each."""

    needs = "discuss"

    def apply_to_paper(self, paper_id: int) -> bool:
        assert self.wanted.assign is not None  # noqa: S101
        made = make_assignment(self.tx, self.me, AssignmentCreate(paper=paper_id, **self.wanted.assign.model_dump()))
        self.kept.append([paper_id, made.id or 0, made.version])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"assignments": self.kept}


class CandidateAction(BulkAction):
    """Proposes each for the meetings of a series."""

    needs = "discuss"

    def apply_to_paper(self, paper_id: int) -> bool:
        said = self.wanted.propose
        assert said is not None  # noqa: S101
        candidate, new = propose(self.tx, self.me, said.series, CandidateCreate(paper=paper_id, reason=said.reason))
        if new:
            self.kept.append([paper_id, candidate.id, candidate.proposed_at.isoformat()])
        return new

    def undo(self) -> Mapping[str, Any]:
        return {"candidates": self.kept}


class TriageAction(BulkAction):
    """Keeps each in the library, rejects it for the team, or puts it back among what nobody has decided about."""

    needs = "edit"
    exclusive = True

    def apply_to_paper(self, paper_id: int) -> bool:
        stood = sa.select(col(Paper.triage), col(Paper.version)).where(col(Paper.id) == paper_id)
        before = self.tx.execute(stood).one_or_none()
        if before is None:
            raise missing_paper_error(self.tx, paper_id)
        wanted = PaperUpdate(triage=self.wanted.triage)
        after = edit_paper(self.tx, self.me, paper_id, wanted, version=before.version)
        if after.version == before.version:
            return False
        self.kept.append([paper_id, before.triage])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"sorted": self.kept, "last": _last_event_id(self.tx)}


class MergeAction(BulkAction):
    """Makes each part of one of them."""

    needs = "merge"
    exclusive = True

    def begin(self) -> None:
        super().begin()
        require_present(self.tx, self.wanted.into or 0)

    def apply_to_paper(self, paper_id: int) -> bool:
        into = self.wanted.into or 0
        if paper_id == into:
            return False
        merge_papers(self.tx, self.me, paper_id, into_id=into)
        self.kept.append([paper_id, list_merges(self.tx, into)[-1].id])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"merges": self.kept}


class RefreshAction(BulkAction):
    """Asks the sources about each again."""

    needs = "edit"
    exclusive = True

    def apply_to_paper(self, paper_id: int) -> bool:
        require_present(self.tx, paper_id)
        self.kept.append([paper_id])
        return True

    def end(self) -> None:
        super().end()
        refresh_metadata(self.tx, [paper_id for (paper_id,) in self.kept])


class DeleteAction(BulkAction):
    """Puts each into the trash."""

    needs = "delete"
    exclusive = True

    def apply_to_paper(self, paper_id: int) -> bool:
        delete_paper(self.tx, self.me, paper_id)
        self.kept.append([paper_id])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"papers": self.kept, "last": _last_event_id(self.tx)}


class RestoreAction(DeleteAction):
    """Takes each out of the trash."""

    def apply_to_paper(self, paper_id: int) -> bool:
        before = self.tx.scalar(sa.select(col(Paper.version)).where(col(Paper.id) == paper_id))
        paper = restore_paper(self.tx, self.me, paper_id)
        if paper.version == before:
            return False
        self.kept.append([paper_id])
        return True


def _last_event_id(tx: Write) -> int:
    """Whoever changes one of these papers after this transaction is told of by a later one."""
    tx.flush()
    return tx.scalar(sa.select(sa.func.max(col(Event.id)))) or 0


ACTS: Mapping[str, type[BulkAction]] = {
    "reading": ReadingAction,
    "off": ReadingRemovalAction,
    "topics": TopicAction,
    "assign": AssignmentAction,
    "propose": CandidateAction,
    "triage": TriageAction,
    "merge": MergeAction,
    "refresh": RefreshAction,
    "delete": DeleteAction,
    "restore": RestoreAction,
}
