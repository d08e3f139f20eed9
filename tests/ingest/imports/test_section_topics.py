"""Headings of a preview: what is renamed, moved, ended, removed or restored there holds for the lines below."""

import pytest
from lxml import html

from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry, reset_entry
from tests import make
from tests.ingest.imports.given import given, line
from tests.sample_library import carry_out, entries_of
from tests.tables import cases

pytestmark = pytest.mark.slow

NOTES = """# Systems

- [Fast Recovery from Memory](https://arxiv.org/abs/2401.00001)

## Prolog/Epilog

- [Saving State in Parts](https://arxiv.org/abs/2401.00002)

### Tools

- [Checking What Was Saved](https://arxiv.org/abs/2401.00003)

## Networks

- [Congestion Without Switches](https://arxiv.org/abs/2401.00004)

# Prolog/Epilog

- [Another Section of That Name](https://arxiv.org/abs/2401.00005)
"""


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def browser(me, sign_in):
    browser = sign_in(me)
    browser.post("/imports", data={"text": NOTES, "title": "notes.md"})
    return browser


def topics(database, import_id=1):
    """The topics of the papers and headings, in the order of the lines."""
    return [entry.topics for entry in entries_of(database, import_id) if entry.kind in {"topic", "snippet", "paper"}]


def position(database, words, nth=0):
    return [entry.position for entry in entries_of(database, 1) if entry.title == words][nth]


def press(browser, then, **fields):
    [form] = html.fromstring(browser.get("/imports/1").text).xpath("//form[@id='preview']")
    typed = {name: value.removeprefix("\n") for name, value in form.form_values() if value != "on"}
    return browser.post("/imports/1", data={**typed, "then": then, **fields})


BEFORE = [
    [],
    ["Systems"],
    ["Systems"],
    ["Systems", "Prolog/Epilog"],
    ["Systems", "Prolog/Epilog"],
    ["Systems", "Prolog/Epilog", "Tools"],
    ["Systems"],
    ["Systems", "Networks"],
    [],
    ["Prolog/Epilog"],
]
RENAMED = [
    [],
    ["Systems"],
    ["Systems"],
    ["Systems", "Checkpoints"],
    ["Systems", "Checkpoints"],
    ["Systems", "Checkpoints", "Tools"],
    *BEFORE[6:],
]
REMOVED = [[], ["Systems"], ["Systems"], ["Systems"], ["Systems"], ["Systems", "Tools"], *BEFORE[6:]]
MOVED = [
    [],
    ["Systems"],
    ["Storage"],
    ["Storage", "Prolog/Epilog"],
    ["Storage", "Prolog/Epilog"],
    ["Storage", "Prolog/Epilog", "Tools"],
    *BEFORE[6:],
]


def test_the_parser_gives_these_paths(browser, database):
    assert topics(database) == BEFORE


@pytest.mark.both_databases
@cases(
    ("change", "after"),
    [
        ({"title": "Checkpoints"}, RENAMED),
        ({"decision": "skip"}, REMOVED),
        ({"kind": "snippet"}, REMOVED),
        ({"topics": ["Storage"]}, MOVED),
    ],
    ids=["renamed", "skipped", "a note", "moved"],
)
def test_lines_below_follow_a_changed_heading_and_its_reset(browser, database, change, after):
    address = f"/api/v1/imports/1/entries/{position(database, 'Prolog/Epilog')}"
    assert browser.patch(address, json=change).status_code == 200
    assert topics(database) == after
    assert browser.post(f"{address}/reset", json={}).status_code == 200
    assert topics(database) == BEFORE
    assert {entry.proposed for entry in entries_of(database, 1)} == {None}


def test_a_heading_is_renamed_and_removed_on_the_page(browser, database):
    number = position(database, "Prolog/Epilog")
    answer = press(browser, f"row:{number}", **{f"title-{number}": "Checkpoints"})
    assert topics(database) == RENAMED
    assert "3 entries below updated" in browser.get(answer.headers["location"]).text
    press(browser, f"row:{number}", **{f"do-{number}": "skip"})
    assert topics(database) == REMOVED
    press(browser, f"row:{number}", **{f"do-{number}": "add"})
    assert topics(database) == RENAMED


def test_a_heading_ends_above_a_line(browser, database):
    number = position(database, "Checking What Was Saved")
    document = html.fromstring(browser.get(f"/imports/1?edit={number}").text)
    assert document.xpath("//button[starts-with(@value, 'ends:')]/text()") == ["Systems", "Prolog/Epilog", "Tools"]
    press(browser, f"ends:{number}:1")
    ended = [*BEFORE[:5], ["Systems", "Tools"], *BEFORE[6:]]
    assert topics(database) == ended
    heading = position(database, "Prolog/Epilog")
    press(browser, f"row:{heading}", **{f"title-{heading}": "X"})
    assert topics(database) == [*BEFORE[:3], ["Systems", "X"], ["Systems", "X"], ["Systems", "Tools"], *BEFORE[6:]]
    press(browser, f"reset:{heading}")
    assert topics(database) == BEFORE


def test_a_line_that_a_person_filed_elsewhere_stays_there(browser, database):
    number = position(database, "Checking What Was Saved")
    browser.patch(f"/api/v1/imports/1/entries/{number}", json={"topics": ["Elsewhere"]})
    heading = position(database, "Prolog/Epilog")
    press(browser, f"row:{heading}", **{f"do-{heading}": "skip"})
    assert entries_of(database, 1)[number - 1].topics == ["Elsewhere"]
    press(browser, f"reset:{heading}")
    assert entries_of(database, 1)[number - 1].topics == ["Elsewhere"]


def test_a_line_is_reset_to_its_renamed_heading(browser, database):
    number = position(database, "Checking What Was Saved")
    browser.patch(f"/api/v1/imports/1/entries/{number}", json={"topics": ["Elsewhere"]})
    browser.patch(f"/api/v1/imports/1/entries/{position(database, 'Prolog/Epilog')}", json={"title": "Checkpoints"})
    browser.post(f"/api/v1/imports/1/entries/{number}/reset", json={})
    assert entries_of(database, 1)[number - 1].topics == ["Systems", "Checkpoints", "Tools"]


def test_headings_within_each_other_change_together(browser, database):
    browser.patch(f"/api/v1/imports/1/entries/{position(database, 'Tools')}", json={"title": "Checks"})
    browser.patch(f"/api/v1/imports/1/entries/{position(database, 'Prolog/Epilog')}", json={"decision": "skip"})
    assert topics(database)[4:6] == [["Systems"], ["Systems", "Checks"]]
    fields = {
        f"{name}-{position(database, title)}": value
        for title, name, value in (("Systems", "title", "S"), ("Checks", "title", "C"), ("Networks", "title", "N"))
    }
    press(browser, "stay", **fields)
    assert topics(database)[1:8] == [["S"], ["S"], ["S"], ["S"], ["S", "C"], ["S"], ["S", "N"]]
    assert browser.post("/api/v1/imports/1/decide", json={"kind": "topic", "decision": "skip"}).status_code == 200
    assert topics(database) == [[]] * 10
    browser.post("/api/v1/imports/1/decide", json={"kind": "topic", "decision": "add"})
    assert topics(database)[7] == ["S", "N"]


def test_a_topic_that_is_no_heading_cannot_end(browser, database):
    number = position(database, "Saving State in Parts")
    answer = browser.patch(f"/api/v1/imports/1/entries/{number}", json={"ends": "Elsewhere"})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "no-heading")


def test_papers_of_a_later_version_are_not_filed_under_the_removed_heading(browser, database, me):
    browser.patch(f"/api/v1/imports/1/entries/{position(database, 'Prolog/Epilog')}", json={"title": "Checkpoints"})
    browser.patch(f"/api/v1/imports/1/entries/{position(database, 'Prolog/Epilog')}", json={"decision": "skip"})
    carry_out(database, me, 1)
    browser.post("/imports", data={"text": NOTES + "\nMore.\n", "title": "notes.md"})
    carry_out(database, me, 2)
    names = {topic["name"] for topic in browser.get("/api/v1/papers/2?include=topics").json()["topics"]}
    assert names == {"Systems", "Checkpoints"}


@pytest.mark.both_databases
def test_many_lines_follow_in_few_statements(database, me, statements):
    count = 200
    lines = [line(number, title=f"Paper {number}", topics=("Old",)) for number in range(2, count + 2)]
    import_id = given(database, me, line(1, "topic", title="Old"), *lines)
    with database.write() as tx, statements() as seen:
        correct_entry(tx, me, import_id, 1, edit=EntryUpdate(title="New"))
    assert len(seen) < 50
    with database.write() as tx:
        reset_entry(tx, me, import_id, 1)
    assert {tuple(entry.topics) for entry in entries_of(database, import_id)[1:]} == {("Old",)}
