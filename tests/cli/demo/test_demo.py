"""The demo's content is consistent and keeps the rules of the model."""

import unicodedata
from datetime import date

import pytest

from readtrack.cli.demo.actions import DEEDS
from readtrack.cli.demo.content import DemoContent, DemoReading, DemoStep, load
from readtrack.ingest.parser import parse
from readtrack.markdown import render
from readtrack.metadata.sources import recognize
from readtrack.metadata.types import Ref

TRANSITIONS = {
    "": {"to_read", "reading", "read", "dropped"},
    "to_read": {"reading", "read", "dropped", ""},
    "reading": {"paused", "read", "dropped", "to_read"},
    "paused": {"reading", "read", "dropped"},
    "dropped": {"to_read", "reading"},
    "read": {"reading"},
}
KINDS = {"paper", "article", "video", "slides", "code", "course", "documentation", "page"}
ROLES = {"landing", "pdf", "html", "video", "slides", "code", "commentary"}


@pytest.fixture(scope="module")
def content() -> DemoContent:
    return load()


def folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def named(reading: DemoReading) -> str:
    return f"{reading.person} on {reading.paper}"


def test_the_demo_is_large_enough_to_explore(content):
    assert len(content.people) == 5
    assert len([paper for paper in content.papers if paper.kind == "paper"]) >= 60
    assert len(content.topics) >= 14
    assert len(content.readings) >= 80
    assert len(content.summaries) >= 25
    assert {paper.kind for paper in content.papers} >= KINDS - {"page"}
    assert max(paper.added_days_ago for paper in content.papers) <= 184


def test_every_status_change_is_allowed(content):
    for reading in content.readings:
        before = ""
        for change in reading.steps:
            assert change.status in TRANSITIONS[before], named(reading)
            before = change.status


def test_steps_are_in_order_and_start_after_the_paper_was_added(content):
    added = {paper.slug: paper.added_days_ago for paper in content.papers}
    for reading in content.readings:
        days = [change.days_ago for change in reading.steps]
        assert days == sorted(days, reverse=True), named(reading)
        assert added[reading.paper] >= days[0], named(reading)
        assert days[-1] >= 1, named(reading)


def test_only_a_finished_pass_has_a_depth(content):
    for reading in content.readings:
        for change in reading.steps:
            assert bool(change.depth) == (change.status == "read"), named(reading)
            assert not change.reason or change.status == "dropped", named(reading)


def test_progress_is_within_the_paper_and_only_grows_in_a_pass(content):
    for reading in content.readings:
        at = 0
        for change in reading.steps:
            at = 0 if change.status == "read" else at
            if change.progress:
                assert at < change.progress.at <= (change.progress.of or change.progress.at), named(reading)
                at = change.progress.at


def test_all_statuses_and_depths_occur(content):
    last = [reading.steps[-1] for reading in content.readings]
    assert {change.status for change in last} == {"to_read", "reading", "paused", "read", "dropped"}
    assert {change.depth for change in last} == {"", "skimmed", "read", "studied"}
    assert any(reading.private for reading in content.readings)


def test_topic_names_are_unique_and_parents_come_first(content):
    names = [folded(name) for topic in content.topics for name in (topic.name, *topic.aliases)]
    assert sorted(set(names)) == sorted(names)
    known = {""}
    for topic in content.topics:
        assert topic.parent in known
        known.add(topic.slug)


def test_topics_have_names_in_three_languages_and_papers(content):
    used = {slug for paper in content.papers for slug in paper.topics}
    for topic in content.topics:
        assert topic.slug in used
        assert any(letter > "⺀" for name in topic.aliases for letter in name), topic.slug
        assert "math-error" not in render(topic.description)


def test_papers_have_the_identifiers_of_their_sources(content):
    for paper in content.papers:
        assert paper.kind in KINDS
        assert paper.topics
        names = {str(recognize(address)) for address, role in paper.links if role in ROLES}
        assert names == {str(Ref.parse(name)) for name in paper.identifiers}, paper.slug


def test_papers_have_facts_and_no_invented_values(content):
    for paper in content.papers:
        if paper.kind == "paper":
            assert paper.authors, paper.slug
            assert paper.year is not None, paper.slug
        assert paper.published_on is None or isinstance(paper.published_on, date)
        assert paper.title == " ".join(paper.title.split())


def test_summaries_are_short_and_written_by_people_who_read_the_paper(content):
    reached = {(reading.person, reading.paper): reading.steps for reading in content.readings}
    for summary in content.summaries:
        steps = reached[summary.person, summary.paper]
        finished = [change.days_ago for change in steps if change.status == "read"]
        assert finished, (summary.person, summary.paper)
        assert summary.days_ago <= finished[0], (summary.person, summary.paper)
        assert 0 < len(summary.tldr) <= 200, (summary.person, summary.paper)


def test_every_formula_of_the_demo_renders(content):
    shown = [render(summary.markdown) for summary in content.summaries]
    assert all("math-error" not in text for text in shown)
    assert sum("<math" in text for text in shown) >= 15
    assert all(summary.markdown.strip() for summary in content.summaries)


def test_summaries_are_written_in_three_languages(content):
    texts = [summary.markdown for summary in content.summaries]
    japanese = [text for text in texts if any("ぁ" <= letter <= "ヿ" for letter in text)]
    chinese = [text for text in texts if text not in japanese and any("一" <= letter <= "鿿" for letter in text)]
    assert len(japanese) >= 5
    assert len(chinese) >= 5
    assert len(texts) - len(japanese) - len(chinese) >= 10


def test_the_sample_notes_contain_the_usual_forms_of_notes(content):
    lines = content.notes.splitlines()
    assert 50 <= len(lines) <= 80
    for form in (
        "# ",
        "- ",
        "    - ",
        "| ",
        "USP: https://",
        "google.com/url?",
        "google.com/search?",
        "- [x] ",
        "？",
        "?",
    ):
        assert any(form in line for line in lines), form


def test_the_sample_notes_yield_every_kind_of_entry_and_half_are_new(content):
    entries = parse(content.notes)
    assert {entry.kind for entry in entries} >= {"paper", "topic", "question", "lead", "snippet", "table", "junk"}
    assert {entry.paper_kind for entry in entries} >= {"paper", "video", "slides", "code"}
    known = {name for paper in content.papers for name in paper.identifiers}
    found = {name for entry in entries for name in entry.identifiers}
    assert len(found - known) >= 10
    assert len(found & known) >= 5


def test_content_is_loaded_once_and_cannot_be_changed(content):
    assert load() is content
    with pytest.raises(AttributeError):
        setattr(content.people[0], "name", "x")  # noqa: B010 - as nobody should


@pytest.mark.parametrize(
    ("text", "status", "depth", "reason"),
    [
        ("9 to_read", "to_read", "", ""),
        ("3 read studied", "read", "studied", ""),
        ("1 dropped (a, b)", "dropped", "", "a, b"),
    ],
)
def test_a_step_is_read_from_its_line(text, status, depth, reason):
    assert DemoStep.parse(text) == DemoStep(int(text[0]), status, depth, None, reason)


def test_an_unreadable_step_is_named_in_the_error():
    with pytest.raises(ValueError, match="'yesterday reading' is no step"):
        DemoStep.parse("yesterday reading")


def test_team_content_refers_only_to_things_that_exist_by_then(content):
    people, named, days = {person.name for person in content.people}, {""}, 10_000
    papers = {paper.slug: paper.added_days_ago for paper in content.papers}
    for deed in content.actions:
        assert deed.action in DEEDS, deed
        assert deed.days_ago <= days, deed
        for word in ("paper", "other"):
            assert papers.get(deed.fields.get(word, ""), 10_000) >= deed.days_ago, deed
        for word in ("person", "presenter", "owner"):
            assert deed.fields.get(word, deed.person) in people, deed
        for word in ("to", "question", "comment", "assignment", "candidate", "series", "meeting"):
            assert deed.fields.get(word, "") in named, deed
        assert deed.name == "" or deed.name not in named, deed
        named.add(deed.name)
        days = deed.days_ago


def test_discussion_texts_render_without_an_error(content):
    for deed in content.actions:
        for word in ("text", "notes", "decisions"):
            assert "math-error" not in render(deed.fields.get(word, "")), deed
