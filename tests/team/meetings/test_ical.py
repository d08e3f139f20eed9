"""Calendars: what is written is read back the same by another program, and nothing in a text ends its line (A45)."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import icalendar
import pytest
from hypothesis import given
from hypothesis import strategies as some

from readtrack.team.meetings.ical import CalendarEvent, render_calendar

AT = datetime(2025, 12, 3, 6, tzinfo=UTC)


def entry(**fields: Any) -> CalendarEvent:
    said: dict[str, Any] = {
        "number": 7,
        "host": "readtrack.example",
        "sequence": 0,
        "title": "Reading group",
        "starts_at": AT,
    }
    rest: dict[str, Any] = {
        "minutes": 60,
        "location": "",
        "state": "planned",
        "text": "",
        "url": "https://readtrack.example/meetings/7",
    }
    return CalendarEvent(**{**said, **rest, "changed_at": AT, **fields})


def events(text: str) -> Any:
    return icalendar.Calendar.from_ical(text).walk("VEVENT")


def test_a_calendar_is_parsed_back_as_intended():
    told = entry(location="Room 2; upstairs", text="1. One, two\n2. Three \\ four", sequence=3, minutes=90)
    [event] = events(render_calendar([told], name="Meetings, all"))
    assert (event["UID"], event["SEQUENCE"]) == ("meeting-7@readtrack.example", 3)
    assert (event["DTSTART"].dt, event["DTEND"].dt - event["DTSTART"].dt) == (AT, timedelta(minutes=90))
    assert (event["SUMMARY"], event["LOCATION"]) == ("Reading group", "Room 2; upstairs")
    assert event["DESCRIPTION"] == "1. One, two\n2. Three \\ four"
    assert (event["STATUS"], event["URL"]) == ("CONFIRMED", "https://readtrack.example/meetings/7")


def test_a_cancelled_meeting_is_marked_cancelled_and_not_omitted():
    [event] = events(render_calendar([entry(state="cancelled", sequence=1)], name="Meetings"))
    assert (event["STATUS"], event["SEQUENCE"], event["TRANSP"]) == ("CANCELLED", 1, "TRANSPARENT")
    assert event["SUMMARY"] == "Cancelled: Reading group"  # for programs that do not strike out


def test_an_empty_calendar_is_valid():
    assert events(render_calendar([], name="Meetings")) == []


def test_times_are_in_utc_so_that_no_time_zone_definitions_are_needed():
    text = render_calendar([entry(starts_at=datetime(2026, 4, 3, 8, tzinfo=UTC))], name="Meetings")
    assert "DTSTART:20260403T080000Z" in text
    assert "VTIMEZONE" not in text


@pytest.mark.parametrize(
    "text",
    [
        "x\r\nBEGIN:VALARM\r\nACTION:EMAIL\r\nEND:VALARM",
        "x\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:theirs",
        "x\rATTENDEE:mailto:a@example.org",
        "x\x0bATTENDEE:y\x0c\x1c\x1d\x1e\x85\u2028\u2029ATTENDEE:z",
        "a;b,c\\n\\,",
        "検" * 200,
        "\U0001f600" * 40,
    ],
)
def test_a45_no_text_can_inject_a_calendar_line(text):
    calendar = render_calendar([entry(title=text, location=text, text=text)], name=text)
    lines = calendar.split("\r\n")
    assert all(len(line.encode()) <= 75 for line in lines)
    assert not any(line.startswith(("ATTENDEE", "BEGIN:VALARM", "ACTION")) for line in lines)
    [event] = events(calendar)
    assert str(event["SUMMARY"]) == re.sub(
        r"[\x00-\x08\x0b-\x1f\x7f]", "", text.replace("\r\n", "\n").replace("\r", "\n")
    )
    assert {str(name) for name in event} == {
        "UID", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "DTSTART", "DTEND", "STATUS", "TRANSP", "SUMMARY", "LOCATION",
        "DESCRIPTION", "URL",
    }  # fmt: skip


@pytest.mark.deep
@given(some.text(some.characters(blacklist_categories=["Cs", "Cc"])))
def test_a45_any_text_round_trips(text):
    [event] = events(render_calendar([entry(title=f"a{text}b")], name="Meetings"))
    assert str(event["SUMMARY"]) == f"a{text}b"


@given(some.text(some.characters(blacklist_categories=["Cs", "Cc"]), max_size=400))
def test_line_folding_loses_no_character_and_splits_none(text):
    calendar = render_calendar([entry(text=f"a{text}b")], name="Meetings")
    assert all(len(part.encode()) <= 75 for part in calendar.split("\r\n"))
    [event] = events(calendar)
    assert str(event["DESCRIPTION"]) == f"a{text}b"
