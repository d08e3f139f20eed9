"""What is private changes nothing that another person can see: the same library with and without it, by every door."""

import pytest

from readtrack import search
from readtrack.readings.commands import ReadingSet, set_reading, undo_reading
from readtrack.summaries.commands import SummaryEdit, edit_summary
from tests import make

pytestmark = pytest.mark.slow  # many requests to a whole application; `make test` has them

DOORS = (
    "/papers",
    "/papers?q=xylophone",
    "/papers?q=summary:xylophone",
    "/papers?q=has:summary",
    "/papers?q=no:summary",
    "/papers?q=-xylophone",
    "/papers?q=status:read",
    "/papers/{paper}",
    "/topics",
    "/topics/recovery",
    "/people",
    "/summaries/1/versions",
    "/api/v1/papers?include=reading,topics,summary,total",
    "/api/v1/papers?q=xylophone&include=total",
    "/api/v1/papers?q=has:summary&include=total",
    "/api/v1/papers?sort=updated",
    "/api/v1/papers/{paper}?include=reading,topics,summary",
    "/api/v1/papers/{paper}/events",
    "/api/v1/papers/{paper}/readings",
    "/api/v1/papers/{paper}/summaries",
    "/api/v1/papers/{paper}.bib",
    "/api/v1/readings",
    "/api/v1/readings?person={bob}",
    "/api/v1/summaries/1/versions",
    "/api/v1/summaries/1/versions/1",
    "/api/v1/topics",
    "/api/v1/topics/recovery",
    "/api/v1/export?format=json",
    "/api/v1/export?format=json&q=xylophone",
    "/api/v1/export?format=bibtex&q=xylophone",
)
VOLATILE = ("X-Request-Id", "Date", "Set-Cookie")


@pytest.fixture
def seen_by_eve(database, sign_in):
    """Eve, an editor, looks through every door."""
    with database.write() as tx:
        search.ensure(tx)
        bob, eve = make.visitor(tx, "Bob"), make.visitor(tx, "Eve", role="editor")
        paper = make.paper(tx, "On recovery")
        make.filed(tx, paper, make.topic(tx, "Recovery"))
        search.update_papers(tx, [paper.id])
    browser = sign_in(eve)

    def look() -> dict[str, object]:
        addresses = [door.format(paper=paper.id, bob=bob.id) for door in DOORS]
        return {address: _shown(browser.get(address)) for address in addresses}

    look.bob, look.paper = bob, paper.id  # type: ignore[attr-defined]
    return look


def _shown(answer) -> tuple[int, dict[str, str], str]:
    headers = {name: value for name, value in answer.headers.items() if name.title() not in VOLATILE}
    return answer.status_code, headers, answer.text.replace(answer.headers["X-Request-Id"], "")


def test_a_private_summary_and_reading_leave_every_door_as_it_was(database, seen_by_eve):
    bob, paper, before = seen_by_eve.bob, seen_by_eve.paper, seen_by_eve()

    with database.write() as tx:
        edit_summary(tx, bob, paper, SummaryEdit(markdown="A xylophone.", tldr="Wood", private=True), version=None)
        edit_summary(tx, bob, paper, SummaryEdit(markdown="Two xylophones.", private=True), version=1)
        set_reading(tx, bob, paper, ReadingSet(status="read", depth="studied", private=True))
        set_reading(tx, bob, paper, ReadingSet(status="reading"))
        undo_reading(tx, bob, paper)

    after = seen_by_eve()
    assert {door for door in before if before[door] != after[door]} == set()


def test_what_becomes_private_leaves_no_trace_of_what_it_was(database, seen_by_eve):
    bob, paper, before = seen_by_eve.bob, seen_by_eve.paper, seen_by_eve()

    with database.write() as tx:
        edit_summary(tx, bob, paper, SummaryEdit(markdown="A xylophone."), version=None)
        set_reading(tx, bob, paper, ReadingSet(status="reading"))
        set_reading(tx, bob, paper, ReadingSet(status="read"))
    assert seen_by_eve() != before
    with database.write() as tx:
        edit_summary(tx, bob, paper, SummaryEdit(markdown="A xylophone.", private=True), version=1)
        set_reading(tx, bob, paper, ReadingSet(private=True))

    after = seen_by_eve()
    assert {door for door in before if before[door] != after[door]} == set()
