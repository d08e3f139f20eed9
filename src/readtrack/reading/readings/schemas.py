"""Input of the reading commands, for both forms and JSON."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from readtrack.infra.i18n import gettext as _
from readtrack.infra.validation import StrictModel, TrimmedModel, exactly_one_of

Status = Literal["to_read", "reading", "paused", "read", "dropped"]
FirstStatus = Literal["to_read", "reading", "read", "dropped"]  # statuses for a new reading
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class ReadingProgress(StrictModel):
    """The progress: page 7 of 14, 50 percent, section 3."""

    unit: Literal["page", "percent", "section"]
    at: Annotated[int, Field(ge=0, le=100_000)]
    of: Annotated[int, Field(ge=1, le=100_000)] | None = None

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if self.unit == "percent" and self.of not in {None, 100}:
            message = _("Percent is out of 100, not {of}.").format(of=self.of)
            raise ValueError(message)
        maximum = 100 if self.unit == "percent" else self.of
        if maximum is not None and self.at > maximum:
            message = _("{at} is more than the total ({most}).").format(at=self.at, most=maximum)
            raise ValueError(message)
        if self.unit == "percent":
            self.of = None
        return self


class ReadingUpdate(TrimmedModel):
    """Changes of the user's reading. Fields that are not given are unchanged; null clears them."""

    status: Status | None = None
    depth: Literal["", "skimmed", "read", "studied"] | None = None
    recommendation: Literal["", "must_read", "worth_it", "optional", "skip"] | None = None  # for others
    progress: ReadingProgress | None = None
    started_on: date | None = None
    finished_on: date | None = None
    reason: Annotated[str, Field(max_length=500)] | None = None
    version: Annotated[str, Field(pattern=r"^(v[1-9]\d{0,2}|published)?$")] | None = None  # v2, published
    priority: Annotated[int, Field(ge=-1, le=1)] | None = None  # in the queue: 1 first, -1 later
    private: bool | None = None


class QueueMove(StrictModel):
    """A move in the user's queue: to an end of the same priority, by one step, or next to another paper."""

    model_config = ConfigDict(json_schema_extra=exactly_one_of("to", "before", "after"))

    to: Literal["top", "up", "down", "bottom"] | None = None
    before: Number | None = None
    after: Number | None = None

    @model_validator(mode="after")
    def _check_one_target(self) -> Self:
        if [self.to, self.before, self.after].count(None) != 2:
            message = _("Specify exactly one of `to`, `before` and `after`.")
            raise ValueError(message)
        return self
