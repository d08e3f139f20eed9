"""The bulk actions: their input, what each does to one paper, and the data to undo it.

Forms and the JSON API share the input. Every change goes through the same command as for a single paper: same
permissions, errors and events.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, ClassVar, Literal, Self

import sqlalchemy as sa
from pydantic import ConfigDict, Field, model_validator
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.models import Event, Paper, PaperTopic
from readtrack.infra.permissions import CurrentUser, missing_paper_error, require_present
from readtrack.infra.validation import TrimmedModel, exactly_one_of
from readtrack.library.duplicates.merge import list_merges, merge_papers
from readtrack.library.enrichment.scheduler import refresh_metadata
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.topics import queries as topics
from readtrack.library.topics.commands import Name, get_or_add_topic, link_topic, unlink_topic
from readtrack.reading.readings.commands import group_into_batch, remove_reading, update_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.team.assignments.commands import AssignmentCreate, make_assignment
from readtrack.team.meetings.commands.candidates import propose
from readtrack.team.meetings.schemas import CandidateCreate

MAX_PAPERS = 2_000  # papers per action, limited by the size of an undo entry
MAX_MERGED = 20
MAX_TOPICS = 20
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Topics = Annotated[list[Name], Field(max_length=MAX_TOPICS)]
ActName = Literal["reading", "off", "topics", "assign", "propose", "triage", "merge", "refresh", "delete", "restore"]
ACT_FIELDS = {  # By action: the field it needs.
    "assign": "assign",
    "merge": "into",
    "propose": "propose",
    "reading": "reading",
    "topics": "topics",
    "triage": "triage",
}


class TopicsChange(TrimmedModel):
    """Topics to add and to remove, by any of their names. A new topic to add is created."""

    add: Topics = Field(default_factory=list)
    remove: Topics = Field(default_factory=list)


class BulkAssignment(TrimmedModel):
    """The person to assign the papers to, with due date and reading depth."""

    person: Number
    due_on: date | None = None
    depth: Literal["", "skimmed", "read", "studied"] = ""
    note: Annotated[str, Field(max_length=500)] = ""


class BulkCandidate(TrimmedModel):
    """The meeting series to propose the papers for, and the reason."""

    series: Number
    reason: Annotated[str, Field(max_length=500)] = ""


class BulkRequest(TrimmedModel):
    """A bulk action on `papers`, or on all that match `q`.

    The action's argument is the field of its name: `reading`, `topics`, `assign`, `propose`, `triage`; `into` for
    `merge`. With `count` (the number of matches shown) or `seen` (their fingerprint), the request is refused if other
    papers match now.
    """

    model_config = ConfigDict(json_schema_extra=exactly_one_of("papers", "q"))

    papers: Annotated[list[Number], Field(min_length=1, max_length=MAX_PAPERS)] | None = None
    q: Annotated[str, Field(max_length=2000)] | None = None
    count: Annotated[int, Field(ge=0)] | None = None
    seen: Annotated[str, Field(max_length=64)] | None = None
    act: ActName
    reading: ReadingUpdate | None = None
    topics: TopicsChange | None = None
    assign: BulkAssignment | None = None
    propose: BulkCandidate | None = None
    triage: Literal["inbox", "library", "rejected"] | None = None
    into: Number | None = None

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        if (self.papers is None) == (self.q is None):
            message = "say either `papers` or `q`"
            raise ValueError(message)
        for act, name in ACT_FIELDS.items():
            if (getattr(self, name) is not None) != (act == self.act):
                message = f"`{name}` belongs to the act `{act}`, and that needs it"
                raise ValueError(message)
        if self.topics and not self.topics.add and not self.topics.remove:
            message = "say a topic to add or to remove"
            raise ValueError(message)
        return self


class BulkAction(ABC):
    """A bulk action.

    `exclusive`: lock papers for update instead of against deletion only; `papers`: all
    papers it applies to.
    """

    required_permission: ClassVar[str]
    exclusive: ClassVar[bool] = False

    def __init__(self, tx: Write, me: CurrentUser, request: BulkRequest, papers: Sequence[int]) -> None:
        self.tx, self.me, self.request, self.papers = tx, me, request, papers
        self.begin()

    def begin(self) -> None:
        """Prepare what is common to all papers. `undo_data` collects the undo data."""
        self.undo_data: list[list[Any]] = []

    @abstractmethod
    def apply_to_paper(self, paper_id: int) -> bool:
        """Apply the action and return True if something changed. Raise the errors of the single command."""

    def end(self) -> None:
        """Finish the action for all papers that were not refused."""
        self.tx.flush()

    def undo(self) -> Mapping[str, Any] | None:
        """Return the undo data as JSON; None if the action cannot be undone."""
        return None


class ReadingAction(BulkAction):
    """Set my reading of each paper."""

    required_permission = "keep"

    def apply_to_paper(self, paper_id: int) -> bool:
        assert self.request.reading is not None  # noqa: S101 - the input model guarantees it
        return self._record_change(paper_id, update_reading(self.tx, self.me, paper_id, self.request.reading)[2])

    def undo(self) -> Mapping[str, Any]:
        return {
            "batch": group_into_batch(self.tx, [event_id for _paper, event_id in self.undo_data]),
            "readings": self.undo_data,
        }

    def _record_change(self, paper_id: int, event_id: int | None) -> bool:
        self.undo_data += [[paper_id, event_id]] if event_id else []
        return event_id is not None


class ReadingRemovalAction(ReadingAction):
    """Remove each paper from my list."""

    def apply_to_paper(self, paper_id: int) -> bool:
        return self._record_change(paper_id, remove_reading(self.tx, self.me, paper_id))


class TopicAction(BulkAction):
    """Add each paper to topics and remove it from others."""

    required_permission = "edit"
    exclusive = True  # the undo data contains the previous assignments, so they must not change concurrently

    def begin(self) -> None:
        super().begin()
        topic_edit = self.request.topics
        self.before: dict[tuple[int, int], tuple[int | None, str]] | None = None
        self.added: list[list[Any]] = []
        self.removed: list[list[Any]] = []
        self.add: list[int] = []
        self.created_topics: list[int] = []
        topic_ids = [topics.find_id(self.tx, name) for name in (topic_edit.remove if topic_edit else ())]
        self.remove = [topic_id for topic_id in topic_ids if topic_id is not None]

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
        current_ids = {topic_id for topic_id in (*self.add, *self.remove) if (paper_id, topic_id) in self.before}
        return current_ids != ({*current_ids, *self.add} - {*self.remove})

    def end(self) -> None:
        """Compare assignments before and after, for the papers that were not refused."""
        super().end()
        before = self.before or {}
        after = self._find_topic_links() if self.before is not None else {}
        self.added = [
            [*pair, person_id, added_at] for pair, (person_id, added_at) in after.items() if pair not in before
        ]
        self.removed = [
            [*pair, person_id, added_at] for pair, (person_id, added_at) in before.items() if pair not in after
        ]

    def undo(self) -> Mapping[str, Any]:
        return {"added": self.added, "removed": self.removed, "made": self.created_topics}

    def _resolve_topics(self) -> None:
        """Resolve the topics with the first accepted paper, so that none is created if all are refused."""
        if self.request.topics:
            existing_ids = {topics.find_id(self.tx, name) for name in self.request.topics.add}
            self.add = [get_or_add_topic(self.tx, self.me, name) for name in self.request.topics.add]
            self.created_topics = sorted({*self.add} - {*existing_ids})

    def _find_topic_links(self) -> dict[tuple[int, int], tuple[int | None, str]]:
        """Return the locked papers' assignments to these topics, with who made them and when."""
        query = sa.select(
            col(PaperTopic.paper_id), col(PaperTopic.topic_id), col(PaperTopic.added_by), col(PaperTopic.added_at)
        )
        query = query.where(col(PaperTopic.topic_id).in_([*self.add, *self.remove]))
        query = query.where(col(PaperTopic.paper_id).in_(self.papers)).order_by(
            col(PaperTopic.paper_id), col(PaperTopic.topic_id)
        )
        rows = self.tx.execute(query)
        return {(row.paper_id, row.topic_id): (row.added_by, row.added_at.isoformat()) for row in rows}


class AssignmentAction(BulkAction):
    """Assign each paper to a person."""

    required_permission = "discuss"

    def apply_to_paper(self, paper_id: int) -> bool:
        assert self.request.assign is not None  # noqa: S101
        assignment = make_assignment(
            self.tx, self.me, AssignmentCreate(paper=paper_id, **self.request.assign.model_dump())
        )
        self.undo_data.append([paper_id, assignment.id or 0, assignment.version])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"assignments": self.undo_data}


class CandidateAction(BulkAction):
    """Propose each paper for a meeting series."""

    required_permission = "discuss"

    def apply_to_paper(self, paper_id: int) -> bool:
        proposal = self.request.propose
        assert proposal is not None  # noqa: S101
        candidate, is_new = propose(
            self.tx, self.me, proposal.series, CandidateCreate(paper=paper_id, reason=proposal.reason)
        )
        if is_new:
            self.undo_data.append([paper_id, candidate.id, candidate.proposed_at.isoformat()])
        return is_new

    def undo(self) -> Mapping[str, Any]:
        return {"candidates": self.undo_data}


class TriageAction(BulkAction):
    """Set the triage state of each paper: library, rejected, or inbox."""

    required_permission = "edit"
    exclusive = True

    def apply_to_paper(self, paper_id: int) -> bool:
        columns = (col(Paper.triage), col(Paper.version), col(Paper.updated_at), col(Paper.updated_by))
        query = sa.select(*columns).where(col(Paper.id) == paper_id)
        paper = self.tx.execute(query).one_or_none()
        if paper is None:
            raise missing_paper_error(self.tx, paper_id)
        update = PaperUpdate(triage=self.request.triage)
        edited = edit_paper(self.tx, self.me, paper_id, update, version=paper.version)
        if edited.version == paper.version:
            return False
        self.undo_data.append([paper_id, paper.triage, edited.version, paper.updated_at.isoformat(), paper.updated_by])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"sorted": self.undo_data, "last": _last_event_id(self.tx)}


class MergeAction(BulkAction):
    """Merge each paper into one of them."""

    required_permission = "merge"
    exclusive = True

    def begin(self) -> None:
        super().begin()
        require_present(self.tx, self.request.into or 0)

    def apply_to_paper(self, paper_id: int) -> bool:
        target_id = self.request.into or 0
        if paper_id == target_id:
            return False
        merge_papers(self.tx, self.me, paper_id, into_id=target_id)
        self.undo_data.append([paper_id, list_merges(self.tx, target_id)[-1].id])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"merges": self.undo_data}


class RefreshAction(BulkAction):
    """Refresh the metadata of each paper."""

    required_permission = "edit"
    exclusive = True

    def apply_to_paper(self, paper_id: int) -> bool:
        require_present(self.tx, paper_id)
        self.undo_data.append([paper_id])
        return True

    def end(self) -> None:
        super().end()
        refresh_metadata(self.tx, [paper_id for (paper_id,) in self.undo_data])


class DeleteAction(BulkAction):
    """Move each paper to the trash."""

    required_permission = "delete"
    exclusive = True

    def apply_to_paper(self, paper_id: int) -> bool:
        delete_paper(self.tx, self.me, paper_id)
        self.undo_data.append([paper_id])
        return True

    def undo(self) -> Mapping[str, Any]:
        return {"papers": self.undo_data, "last": _last_event_id(self.tx)}


class RestoreAction(DeleteAction):
    """Restore each paper from the trash."""

    def apply_to_paper(self, paper_id: int) -> bool:
        old_version = self.tx.scalar(sa.select(col(Paper.version)).where(col(Paper.id) == paper_id))
        paper = restore_paper(self.tx, self.me, paper_id)
        if paper.version == old_version:
            return False
        self.undo_data.append([paper_id])
        return True


def _last_event_id(tx: Write) -> int:
    """Return the last event id, to detect later changes of the papers."""
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
