"""Notices in words, and the letter that is made of them."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.mail import build_message
from readtrack.infra.models import NOTIFICATION_KINDS
from readtrack.team.notifications.digest import MAX_NOTIFICATIONS, render_subject, render_text, to_plain_line
from readtrack.team.notifications.messages import NotificationRow, NotificationText, build_notification_text

NOTHING = dict.fromkeys(NotificationRow._fields) | {
    "id": 1, "kind": "mention", "times": 1, "by": "", "data": {}, "created_at": datetime(2026, 11, 2, tzinfo=UTC),
    "paper": "", "language": "", "question": "", "topic": "", "topic_slug": "", "meeting": "", "note": "",
}  # fmt: skip
PAPER = {"paper_id": 7, "paper": "Elastic Pipelines"}
MEETING = {"meeting_id": 3, "meeting": "Reading group", "starts_at": datetime(2026, 11, 30, 6, 30, tzinfo=UTC)}


def row(kind, **said):
    return NotificationRow(**{**NOTHING, "kind": kind, **said})


@pytest.mark.parametrize(
    ("notice", "sentence", "address"),
    [
        (row("mention", by="Ada", comment_id=4, **PAPER), "Ada mentioned you: Elastic Pipelines", "/comments/4"),
        (row("mention", by="Ada", times=9, **PAPER), "Ada mentioned you: Elastic Pipelines (9 times)", "/papers/7"),
        (
            row("mention", by="Ada", question_id=2, question="Why?", data={"as": "owner"}),
            "Ada assigned you a question: Why?",
            "/questions/2",
        ),
        (row("reply", by="Ada", comment_id=4, topic="GPU", topic_slug="gpu"), "Ada replied: GPU", "/comments/4"),
        (row("mention", by="Ada", topic="GPU", topic_slug="gpu"), "Ada mentioned you: GPU", "/topics/gpu"),
        (row("reply", by="Ada", times=3, **PAPER), "Ada replied: Elastic Pipelines (3 replies)", "/papers/7"),
        (
            row("assignment", by="Ada", data={"what": "made"}, due_on=date(2026, 12, 3), assignment_id=1, **PAPER),
            "Ada assigned you a paper: Elastic Pipelines (due 3 Dec 2026)",
            "/papers/7",
        ),
        (
            row("assignment", by="Bo", data={"what": "declined"}, due_on=date(2026, 12, 3), **PAPER),
            "Bo declined your assignment: Elastic Pipelines",
            "/papers/7",
        ),
        (row("version", data={"label": "v3"}, **PAPER), "New version v3: Elastic Pipelines", "/papers/7"),
        (row("version", data={"label": "published"}, **PAPER), "Now published: Elastic Pipelines", "/papers/7"),
        (
            row("meeting", by="Ada", data={"happened": "moved"}, **MEETING),
            "Ada changed a meeting: Reading group (Mon 30 Nov 2026, 15:30)",
            "/meetings/3",
        ),
        (
            row("job", data={"happened": "waits", "count": 1}, import_id=5, note="Links"),
            "Import needs review: Links (1 line)",
            "/imports/5?show=open",
        ),
        (
            row("job", data={"happened": "flagged", "count": 2}, import_id=5, note="Links"),
            "Import needs review: Links (2 lines)",
            "/imports/5/report",
        ),
        (
            row("job", data={"happened": "given-up", "problem": "The disk is full."}, job_id=5),
            "Job failed (The disk is full.)",
            "/notifications",
        ),
    ],
)
def test_a_notification_says_what_happened_to_what_with_a_link(notice, sentence, address):
    said = build_notification_text(notice, "Asia/Tokyo")
    assert (said.sentence, said.address) == (sentence, address)


@pytest.mark.parametrize("kind", NOTIFICATION_KINDS)
def test_a_notification_without_details_has_a_text_too(kind):
    assert build_notification_text(row(kind)).sentence


def test_a_long_text_is_shortened_to_its_beginning():
    said = build_notification_text(row("mention", question="why " * 500, question_id=1))
    assert len(said.subject) == 160
    assert said.subject.endswith("…")


def link(path):
    return f"https://reading.example.org{path}"


def written(*told, count=None):
    return render_text("Bo", told, count=len(told) if count is None else count, link=link)


def test_a_digest_has_a_line_and_a_url_for_each_notification():
    said = written(NotificationText("Ada", "assigned you a paper", "Elastic Pipelines", "/papers/7"))
    assert "* Ada assigned you a paper: Elastic Pipelines\n  https://reading.example.org/papers/7\n" in said
    assert said.endswith("https://reading.example.org/settings/notifications\n")
    assert render_subject(1) == "readtrack: 1 new notification"


def test_a48_a_digest_of_thousands_of_notifications_lists_some_and_the_total():
    many = [NotificationText("Eve", "mentioned you", f"Paper {number}", "/papers/1") for number in range(10_000)]
    said = written(*many)
    assert said.count("mentioned you") == MAX_NOTIFICATIONS
    assert "9,950 more: https://reading.example.org/notifications" in said


@pytest.mark.parametrize(
    "nasty", ["Eve\r\nBcc: all@example.org", "Eve\n\nHello,\ndear", "E\u2028v\u202ee", "\x1b[31mEve\0"]
)
def test_a48_names_and_titles_add_no_line_and_no_header(nasty):
    said = written(NotificationText(nasty, "mentioned you", nasty, "/papers/1"))
    message = build_message("bo@example.org", render_subject(1), said)
    assert set(message.keys()) == {
        "To",
        "Subject",
        "Auto-Submitted",
        "Content-Type",
        "Content-Transfer-Encoding",
        "MIME-Version",
    }
    assert len(said.splitlines()) == len(
        written(NotificationText("Eve", "mentioned you", "Eve", "/papers/1")).splitlines()
    )
    assert not {"\r", "\0", "\x1b", "\u2028", "\u202e"} & set(said)


@given(st.text())
def test_any_plain_text_becomes_one_line(anything):
    assert len(to_plain_line(anything).splitlines()) <= 1
    assert to_plain_line(to_plain_line(anything)) == to_plain_line(anything)
