"""Meetings as calendars read them (RFC 5545). Pure.

Moments are given in UTC, each meeting by itself: no calendar has to know when clocks change, nor repeat anything.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MEDIA_TYPE = "text/calendar; charset=utf-8"
STATES = {"planned": "CONFIRMED", "held": "CONFIRMED", "cancelled": "CANCELLED"}
CALLED = {"cancelled": "Cancelled: "}  # for programs that show every event alike
_LONGEST_LINE = 75  # bytes
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SPECIAL = str.maketrans({"\\": r"\\", ";": r"\;", ",": r"\,", "\n": r"\n"})


@dataclass(frozen=True)
class CalendarEvent:
    """One meeting. `number` and `host` name it for ever; `sequence` grows when something of it changed."""

    number: int
    host: str
    sequence: int
    title: str
    starts_at: datetime
    minutes: int
    location: str
    state: str
    text: str
    url: str
    changed_at: datetime


def render_calendar(entries: Iterable[CalendarEvent], *, name: str) -> str:
    """A whole calendar of that name."""
    head = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//readtrack//meetings//EN", "CALSCALE:GREGORIAN")
    shown = ("METHOD:PUBLISH", f"X-WR-CALNAME:{escape_value(name)}")
    again = ("REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H")  # the same, for different programs
    lines = [*head, *shown, *again, *(line for entry in entries for line in _event_lines(entry)), "END:VCALENDAR"]
    return "".join(f"{fold_line(line)}\r\n" for line in lines)


def escape_value(text: str) -> str:
    """A text as a value: nothing in it can end its line."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", plain).translate(_SPECIAL)


def fold_line(line: str) -> str:
    """A line of any length as lines of at most 75 bytes, no letter cut in two."""
    parts, size = [""], 0
    for letter in line:
        octets = len(letter.encode())
        if size + octets > _LONGEST_LINE:
            parts.append(" ")
            size = 1
        parts[-1] += letter
        size += octets
    return "\r\n".join(parts)


def _event_lines(entry: CalendarEvent) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:meeting-{entry.number}@{entry.host}"
    yield f"DTSTAMP:{_format_moment(entry.changed_at)}"
    yield f"LAST-MODIFIED:{_format_moment(entry.changed_at)}"
    yield f"SEQUENCE:{entry.sequence}"
    yield f"DTSTART:{_format_moment(entry.starts_at)}"
    yield f"DTEND:{_format_moment(entry.starts_at + timedelta(minutes=entry.minutes))}"
    yield f"STATUS:{STATES[entry.state]}"
    yield f"TRANSP:{'TRANSPARENT' if entry.state == 'cancelled' else 'OPAQUE'}"
    yield f"SUMMARY:{escape_value(CALLED.get(entry.state, '') + entry.title)}"
    yield from (f"{word}:{escape_value(text)}" for word, text in _texts(entry) if text)
    yield f"URL:{entry.url}"
    yield "END:VEVENT"


def _texts(entry: CalendarEvent) -> tuple[tuple[str, str], ...]:
    return ("LOCATION", entry.location), ("DESCRIPTION", entry.text)


def _format_moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
