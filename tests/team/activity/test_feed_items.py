"""Events become sentences, and many of the same kind become one."""

from datetime import UTC, datetime, timedelta

import pytest

from readtrack.team.activity.feed_items import build_feed_items, group_by_day
from readtrack.team.activity.queries import EventRow

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def event(number=1, verb="paper.added", **said):
    row = EventRow(number, NOON, verb, 1, "Ada", False, number, f"Paper {number}", "", {}, False)
    return row._replace(**said)


def text(line):
    return "".join(piece.text for piece in line.fragments)


@pytest.mark.parametrize(
    ("happened", "sentence"),
    [
        (event(verb="paper.added"), "added Paper 1"),
        (event(verb="reading.set", data={"status": "read"}), "finished Paper 1"),
        (event(verb="topic.added", paper_id=None, data={"slug": "a-b", "name": "A & B"}), "created the topic A & B"),
        (event(verb="topic.linked", data={"slug": "a-b"}), "added Paper 1 to a-b"),
        (event(verb="paper.merged", data={"title": "Old"}), "merged “Old” into Paper 1"),
        (event(verb="paper.added", title=""), "added a paper"),
        (event(verb="proposal.accepted", paper_id=None, title=""), "reviewed a suggestion"),
        (event(verb="comment.added", data={"comment": 7}), "commented on Paper 1"),
        (event(verb="comment.added", paper_id=None, data={"comment": 7, "question": 3}), "commented on a question"),
        (event(verb="comment.added", paper_id=None, data={"comment": 7, "topic": 3}), "commented on a topic"),
        (
            event(verb="comment.added", paper_id=None, data={"comment": 7, "topic": 3}, names={"topic": "MoE"}),
            "commented on the topic MoE",
        ),
        (event(verb="question.asked", data={"question": 3}, names={"question": "Why?"}), "asked “Why?”"),
        (event(verb="question.asked", data={"question": 3}), "asked a question"),
        (event(verb="assignment.made", names={"whom": "Bo"}, data={"person": 2}), "assigned Bo to read Paper 1"),
        (event(verb="assignment.made", data={"person": 9}), "assigned someone to read Paper 1"),
        (event(verb="agenda.added", data={"meeting": 3, "title": "May"}), "added Paper 1 to the agenda of May"),
        (event(verb="meeting.held", paper_id=None, data={"meeting": 3, "title": "May"}), "marked May as held"),
        (event(verb="token.created", data={}), "created the API token "),
        (event(verb="unheard.of"), "unheard.of"),
    ],
)
def test_an_item_is_a_sentence_about_the_event(happened, sentence):
    assert text(build_feed_items([happened])[0]) == sentence


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (2, "added Paper 1 and Paper 2"),
        (4, "added Paper 1, Paper 2, Paper 3 and Paper 4"),
        (40, "added Paper 1, Paper 2, Paper 3 and 37 more"),
    ],
)
def test_many_similar_events_become_one_item(count, sentence):
    (line,) = build_feed_items(event(number) for number in range(1, count + 1))
    assert (text(line), line.times) == (sentence, count)


def test_a_paper_is_listed_once_however_often_it_was_changed():
    happened = [event(1, "summary.saved"), event(2, "summary.saved", paper_id=1, title="Paper 1")]
    assert [text(line) for line in build_feed_items(happened)] == ["edited a summary of Paper 1"]


@pytest.mark.parametrize(
    "other",
    [
        {"person_id": 2, "person": "Bo"},
        {"created_at": NOON - timedelta(days=1)},
        {"private": True},
        {"by_program": True},
        {"verb": "paper.edited"},
        {"verb": "reading.set", "data": {"status": "read"}},
    ],
)
def test_events_differing_in_more_than_the_paper_stay_separate(other):
    assert len(build_feed_items([event(1), event(2, **other)])) == 2


def test_assignments_to_different_people_stay_separate():
    asked = [event(n, "assignment.made", names={"whom": name}) for n, name in enumerate(("Bo", "Bo", "Eve"), 1)]
    assert [text(line) for line in build_feed_items(asked)] == [
        "assigned Bo to read Paper 1 and Paper 2",
        "assigned Eve to read Paper 3",
    ]


def test_events_about_no_paper_stay_separate():
    happened = [event(n, "topic.added", paper_id=None, data={"slug": str(n), "name": str(n)}) for n in (1, 2)]
    assert len(build_feed_items(happened)) == 2


def test_names_link_only_to_what_they_name():
    pieces = build_feed_items([event(verb="topic.linked", data={"slug": "a/b?c#d", "name": "<b>"})])[0].fragments
    assert {piece.text: piece.href for piece in pieces if piece.href} == {
        "Paper 1": "/papers/1",
        "<b>": "/topics/a%2Fb%3Fc%23d",
    }
    odd = event(verb="topic.linked", data={"slug": {"a": 1}})
    assert {piece.href for piece in build_feed_items([odd])[0].fragments} == {"", "/papers/1"}


def test_items_are_grouped_by_day():
    shown = build_feed_items(
        [event(3), event(2, created_at=NOON - timedelta(days=1)), event(1, created_at=NOON - timedelta(days=1))]
    )
    assert [(str(day), len(several)) for day, several in group_by_day(shown)] == [("2026-03-04", 1), ("2026-03-03", 1)]


def test_days_are_those_of_the_viewers_time_zone():
    evening, late = (
        event(2, created_at=NOON.replace(hour=16)),
        event(1, created_at=NOON.replace(hour=14)),
    )  # 01:00 and 23:00 in Tokyo
    assert [(str(day), len(of)) for day, of in group_by_day(build_feed_items([evening, late]))] == [("2026-03-04", 1)]
    there = group_by_day(build_feed_items([evening, late], "Asia/Tokyo"), "Asia/Tokyo")
    assert [str(day) for day, _ in there] == ["2026-03-05", "2026-03-04"]


def test_a_long_question_is_truncated():
    (line,) = build_feed_items([event(verb="question.asked", data={"question": 3}, names={"question": "why " * 400})])
    assert len(text(line)) < 120
    assert line.fragments[-1].href == "/questions/3"
