"""Input models of bulk actions, shared by forms and the JSON API."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from readtrack.infra.schemas import TrimmedModel
from readtrack.library.topics.commands import Name
from readtrack.reading.readings.schemas import ReadingUpdate

MAX_PAPERS = 2_000  # papers per action, limited by the size of an undo entry
MOST_MERGED = 20
MOST_TOPICS = 20
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Topics = Annotated[list[Name], Field(max_length=MOST_TOPICS)]
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
