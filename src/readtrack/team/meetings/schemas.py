"""Input of the meeting commands, for both forms and JSON."""

from datetime import date as Day  # noqa: N812 - a field named `date` would hide the type
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from readtrack.infra.clock import zones
from readtrack.infra.i18n import gettext as _
from readtrack.infra.validation import Markdown, OneLine, TrimmedModel, exactly_one_of

MAX_TURNS = 100
MAX_NAME_CHARS = 120
MAX_NOTE_CHARS = 300
YEARS = r"^(199[0-9]|2[01][0-9]{2})-"
TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"


def _validate_time_zone(zone: str) -> str:
    if zone not in zones():
        message = _("Unknown time zone: {zone}. Use a name like Asia/Tokyo or UTC.").format(zone=zone[:60])
        raise ValueError(message)
    return zone


def _normalize_time(text: str) -> str:
    """Return the time as HH:MM. Browsers may send seconds too."""
    hours, _separator, minutes = text[:5].partition(":")
    if len(text) not in {5, 8} or not (hours + minutes).isdecimal() or int(hours) > 23 or int(minutes) > 59:
        message = _("Enter a time like 15:30.")
        raise ValueError(message)
    return text[:5]


def _deduplicate_people(people: list[int]) -> list[int]:
    return list(dict.fromkeys(people))


SomeDay = Annotated[Day, Field(ge=Day(1990, 1, 1), lt=Day(2200, 1, 1), json_schema_extra={"pattern": YEARS})]
Zone = Annotated[str, AfterValidator(_validate_time_zone)]
At = Annotated[str, Field(json_schema_extra={"pattern": TIME}), AfterValidator(_normalize_time), OneLine]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), OneLine]
Place = Annotated[str, Field(max_length=200), OneLine]
Length = Annotated[int, Field(ge=5, le=600)]
Note = Annotated[str, Field(max_length=MAX_NOTE_CHARS), OneLine]
Id = Annotated[int, Field(ge=1, le=2**31 - 1)]


class SeriesFields(TrimmedModel):
    """A whole series as it shall be: an hour from 15:00 UTC on, every Monday, unless it says otherwise.

    `interval_weeks`: weeks between two meetings, 0 for no rhythm; `weekday`: 0 is Monday. `presenter_order`: the
    ids of those who present in turn.
    """

    name: Name
    interval_weeks: Annotated[int, Field(ge=0, le=12)] = 1
    weekday: Annotated[int, Field(ge=0, le=6)] = 0
    start_time: At = "15:00"
    minutes: Length = 60
    time_zone: Zone = "UTC"
    starts_on: SomeDay | None = None
    location: Place = ""
    presenter_order: Annotated[list[Id], Field(max_length=MAX_TURNS), AfterValidator(_deduplicate_people)] = Field(
        default_factory=list
    )


class MeetingUpdate(TrimmedModel):
    """The complete new values of a meeting. `date` and `at` are local times in `time_zone`."""

    title: Name
    date: SomeDay
    at: At = "15:00"
    minutes: Length = 60
    time_zone: Zone = "UTC"
    location: Place = ""
    presenter: Id | None = None


class MeetingCreate(MeetingUpdate):
    """A planned meeting, in a series or on its own. It takes an hour from 15:00 UTC on unless it says otherwise."""

    series: Id | None = None


class NextMeetingCreate(TrimmedModel):
    """The next meeting of a series, on its next date or another one."""

    date: SomeDay | None = None


class MeetingNotesUpdate(TrimmedModel):
    """The complete notes and decisions."""

    notes: Markdown = ""
    decisions: Markdown = ""


class AgendaItemUpdate(TrimmedModel):
    """The complete new values of an agenda item."""

    presenter: Id | None = None
    minutes: Annotated[int, Field(ge=1, le=600)] | None = None
    note: Note = ""
    state: Literal["planned", "discussed", "postponed"] = "planned"


class AgendaItemCreate(TrimmedModel):
    """A paper or question for an agenda."""

    model_config = ConfigDict(json_schema_extra=exactly_one_of("paper", "question"))

    paper: Id | None = None
    question: Id | None = None
    presenter: Id | None = None
    minutes: Annotated[int, Field(ge=1, le=600)] | None = None
    note: Note = ""

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.paper is None) == (self.question is None):
            message = _("Choose either a paper or a question.")
            raise ValueError(message)
        return self


class CandidateCreate(TrimmedModel):
    """A paper proposed for a series, and why."""

    paper: Id
    reason: Note = ""


class VoteUpdate(TrimmedModel):
    """A vote on a candidate: for (1), against (-1), or none (0)."""

    value: Annotated[int, Field(ge=-1, le=1)]


class CandidateChoice(TrimmedModel):
    """The meeting whose agenda gets the candidate."""

    meeting: Id
