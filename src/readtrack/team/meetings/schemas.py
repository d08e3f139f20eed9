"""What series, meetings, agendas, candidates and votes are made of, as forms and programs send them."""

from datetime import date as Day  # noqa: N812 - the field of that name hides the type
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from readtrack.infra.clock import zones
from readtrack.infra.i18n import gettext as _
from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import Markdown, OneLine

MOST_TURNS = 100
LONGEST_NAME = 120
LONGEST_NOTE = 300


def _validate_time_zone(zone: str) -> str:
    if zone not in zones():
        message = _("There is no time zone “{zone}”. Write it like Asia/Tokyo, Europe/Berlin or UTC.").format(
            zone=zone[:60]
        )
        raise ValueError(message)
    return zone


def _normalize_time(at: str) -> str:
    """A browser may send seconds too."""
    hours, _colon, minutes = at[:5].partition(":")
    if len(at) not in {5, 8} or not (hours + minutes).isdecimal() or int(hours) > 23 or int(minutes) > 59:
        message = _("This should be a time of day like 15:30.")
        raise ValueError(message)
    return at[:5]


def _deduplicate_people(people: list[int]) -> list[int]:
    return list(dict.fromkeys(people))


SomeDay = Annotated[Day, Field(ge=Day(1990, 1, 1), le=Day(2200, 1, 1))]
Zone = Annotated[str, AfterValidator(_validate_time_zone)]
At = Annotated[str, Field(min_length=1), AfterValidator(_normalize_time), OneLine]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), OneLine]
Place = Annotated[str, Field(max_length=200), OneLine]
Length = Annotated[int, Field(ge=5, le=600)]
Note = Annotated[str, Field(max_length=LONGEST_NOTE), OneLine]
Id = Annotated[int, Field(ge=1, le=2**31 - 1)]


class SeriesFields(TrimmedModel):
    """A whole series as it shall be.

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
    presenter_order: Annotated[list[Id], Field(max_length=MOST_TURNS), AfterValidator(_deduplicate_people)] = Field(
        default_factory=list
    )


class MeetingUpdate(TrimmedModel):
    """A whole meeting as it shall be: `date` and `at` as clocks of `time_zone` show them."""

    title: Name
    date: SomeDay
    at: At = "15:00"
    minutes: Length = 60
    time_zone: Zone = "UTC"
    location: Place = ""
    presenter: Id | None = None


class MeetingCreate(MeetingUpdate):
    """A meeting that is planned, of a series or by itself."""

    series: Id | None = None


class NextMeetingCreate(TrimmedModel):
    """The next meeting of a series: on the next day of its rhythm, or on another day."""

    date: SomeDay | None = None


class MeetingNotesUpdate(TrimmedModel):
    """What was said and what was decided, both whole."""

    notes: Markdown = ""
    decisions: Markdown = ""


class AgendaItemUpdate(TrimmedModel):
    """What is said of an item of an agenda, whole."""

    presenter: Id | None = None
    minutes: Annotated[int, Field(ge=1, le=600)] | None = None
    note: Note = ""
    state: Literal["planned", "discussed", "postponed"] = "planned"


class AgendaItemCreate(TrimmedModel):
    """A paper or a question for an agenda."""

    paper: Id | None = None
    question: Id | None = None
    presenter: Id | None = None
    minutes: Annotated[int, Field(ge=1, le=600)] | None = None
    note: Note = ""

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.paper is None) == (self.question is None):
            message = _("Name a paper or a question, one of them.")
            raise ValueError(message)
        return self


class CandidateCreate(TrimmedModel):
    """A paper proposed for a series, and why."""

    paper: Id
    reason: Note = ""


class VoteUpdate(TrimmedModel):
    """What I think of a candidate: for it (1), against it (-1), or nothing (0)."""

    value: Annotated[int, Field(ge=-1, le=1)]


class CandidateChoice(TrimmedModel):
    """The meeting that a candidate is put on the agenda of."""

    meeting: Id
