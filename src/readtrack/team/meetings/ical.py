"""Meetings in iCalendar format (RFC 5545).

Times are in UTC and each meeting is a separate event, so clients need neither time zone rules nor recurrence.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from icalendar import Event

MEDIA_TYPE = "text/calendar; charset=utf-8"
STATES = {"planned": "CONFIRMED", "held": "CONFIRMED", "cancelled": "CANCELLED"}
CALLED = {"cancelled": "Cancelled: "}  # for clients that do not show the status
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class CalendarEvent:
    """A meeting.

    `number` and `host` form its permanent UID; `sequence` increases with each change.
    """

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
    """Render a calendar of that name."""
    from icalendar import Calendar, vText

    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//readtrack//meetings//EN")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", vText(_clean_text(name)))
    calendar.add("refresh-interval", timedelta(hours=1), parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")  # the same property for different clients
    for entry in entries:
        calendar.add_component(_build_event(entry))
    return str(calendar.to_ical(sorted=False), "utf-8")


def _build_event(entry: CalendarEvent) -> "Event":
    from icalendar import Event

    starts_at = entry.starts_at.astimezone(UTC)
    event = Event()
    event.add("uid", f"meeting-{entry.number}@{entry.host}")
    event.add("dtstamp", entry.changed_at)
    event.add("last-modified", entry.changed_at)
    event.add("sequence", entry.sequence)
    event.add("dtstart", starts_at)
    event.add("dtend", starts_at + timedelta(minutes=entry.minutes))
    event.add("status", STATES[entry.state])
    event.add("transp", "TRANSPARENT" if entry.state == "cancelled" else "OPAQUE")
    event.add("summary", _clean_text(CALLED.get(entry.state, "") + entry.title))
    for name, text in (("location", entry.location), ("description", entry.text)):
        if text:
            event.add(name, _clean_text(text))
    event.add("url", entry.url)
    return event


def _clean_text(text: str) -> str:
    """Return the text with plain line ends and without control characters, which icalendar would leave in."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
