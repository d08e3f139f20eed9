"""What can be done to many papers at once: forms and JSON are checked against these."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from readtrack.infra.schemas import TrimmedModel
from readtrack.library.topics.commands import Name
from readtrack.reading.readings.schemas import ReadingUpdate

MOST = 2_000  # papers of one act: what a deed holds, and a list that somebody has looked through
MOST_MERGED = 20
MOST_TOPICS = 20
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Topics = Annotated[list[Name], Field(max_length=MOST_TOPICS)]
ActName = Literal["reading", "off", "topics", "assign", "propose", "triage", "merge", "refresh", "delete", "restore"]
ACT_FIELDS = {  # by act
    "assign": "assign",
    "merge": "into",
    "propose": "propose",
    "reading": "reading",
    "topics": "topics",
    "triage": "triage",
}


class TopicsChange(TrimmedModel):
    """Under which topics to file, and out of which to take, by any of its names; a new one to file under is made."""

    add: Topics = Field(default_factory=list)
    remove: Topics = Field(default_factory=list)


class BulkAssignment(TrimmedModel):
    """Who is asked to read them, by when and how deep."""

    person: Number
    due_on: date | None = None
    depth: Literal["", "skimmed", "read", "studied"] = ""
    note: Annotated[str, Field(max_length=500)] = ""


class BulkCandidate(TrimmedModel):
    """For the meetings of which series, and why."""

    series: Number
    reason: Annotated[str, Field(max_length=500)] = ""


class BulkRequest(TrimmedModel):
    """One act on `papers`, or on all that match `q` now. `count`: how many were shown to match, and `seen`: the mark of
    which; refused when others do.

    What the act needs is said in the field of that name: `reading`, `topics`, `assign`, `propose`, `triage`; `into` for
    `merge`.
    """

    papers: Annotated[list[Number], Field(min_length=1, max_length=MOST)] | None = None
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
