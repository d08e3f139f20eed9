"""The pages of the team: who is here, and what each of them shares of their reading."""

from typing import Any

import pytest
from lxml import html

from readtrack import search
from readtrack.infra import events
from readtrack.infra.clock import now, today
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from tests import make

pytestmark = pytest.mark.slow  # a whole application


@pytest.fixture
def team(database):
    with database.write() as tx:
        search.ensure(tx)
        people: dict[str, Any] = {name: make.visitor(tx, name, role=role) for name, role in ROLES.items()}
        people["papers"] = [make.paper(tx, f"Paper {word}") for word in ("one", "two", "three", "four")]
    return people


ROLES = {"Ada": "admin", "Bo": "member", "Eve": "viewer"}


def main(browser, address):
    answer = browser.get(address)
    assert answer.status_code == 200
    return html.fromstring(answer.text).xpath("//main")[0]


def titles(document, within):
    return [link.text_content() for link in document.xpath(f".//section[.//h2='{within}']//a[@class='title']")]


def test_everybody_is_listed_with_their_current_reading(team, database, sign_in):
    with database.write() as tx:
        for paper in team["papers"][:3]:
            set_reading(tx, team["Bo"], paper.id, ReadingUpdate(status="reading"))
    shown = main(sign_in(team["Eve"]), "/people")
    assert [name.text_content() for name in shown.xpath(".//a[@class='title']")] == ["Ada", "Bo", "Eve"]
    read = [link.text_content() for link in shown.xpath(f".//*[@id='person-{team['Bo'].id}']//*[@class='reads']//a")]
    assert read == ["Paper three", "Paper two"]


def test_a_persons_page_shows_their_reading_lists(team, database, sign_in):
    bo, (one, two, three, four) = team["Bo"], team["papers"]
    with database.write() as tx:
        make.reading(tx, bo.id, one.id, "reading", progress_unit="percent", progress_at=40)
        make.reading(tx, bo.id, two.id, "read", depth="studied", finished_on=today(), recommendation="must_read")
        make.reading(tx, bo.id, three.id, "to_read")
        make.assignment(tx, bo.id, four.id, created_by=team["Ada"].id, due_on=today())
        make.summary(tx, bo.id, two.id)
        events.record_event(tx, bo, "summary.added", paper_id=two.id)
    shown = main(sign_in(team["Eve"]), f"/people/{bo.id}")
    assert titles(shown, "Reading") == ["Paper one"]
    assert titles(shown, "Recently read") == ["Paper two"]
    assert titles(shown, "Queue") == ["Paper three"]
    said = " ".join(shown.text_content().split())
    for part in ("studied", "must read", "Assigned", "Paper four", "Bo summarized Paper two", "1 paper"):
        assert part in said


def test_others_see_a_queue_by_date_because_its_order_is_private(team, database, sign_in):
    bo, (one, two, three, _four) = team["Bo"], team["papers"]
    with database.write() as tx:
        make.reading(tx, bo.id, one.id, "to_read", priority=1)
        make.reading(tx, bo.id, two.id, "to_read")
        make.reading(tx, bo.id, three.id, "to_read")
    address = f"/people/{bo.id}"
    assert titles(main(sign_in(bo), address), "Queue") == ["Paper one", "Paper two", "Paper three"]
    assert titles(main(sign_in(team["Eve"]), address), "Queue") == ["Paper three", "Paper two", "Paper one"]


def test_a_reread_paper_appears_once_among_the_read_ones(team, database, sign_in):
    bo, paper = team["Bo"], team["papers"][0]
    with database.write() as tx:
        make.reading(tx, bo.id, paper.id, "read", pass_number=1, current=False, depth="skimmed")
        make.reading(tx, bo.id, paper.id, "read", pass_number=2, depth="studied")
    shown = main(sign_in(team["Eve"]), f"/people/{bo.id}")
    assert titles(shown, "Recently read") == ["Paper one"]
    assert "studied" in shown.text_content()


def test_private_data_changes_nothing_on_a_persons_page_for_others(team, database, sign_in):
    bo, browser = team["Bo"], sign_in(team["Ada"])
    addresses = ("/people", f"/people/{bo.id}", "/", "/activity")

    def seen():
        answers = [browser.get(address) for address in addresses]
        return [answer.text.replace(answer.headers["X-Request-Id"], "") for answer in answers]

    before = seen()
    with database.write() as tx:
        for paper, status in zip(team["papers"], ("reading", "read", "to_read", "paused"), strict=True):
            set_reading(tx, bo, paper.id, ReadingUpdate(status="reading", private=True))
            if status != "reading":
                set_reading(tx, bo, paper.id, ReadingUpdate(status=status))
        make.summary(tx, bo.id, team["papers"][0].id, private=True)
    assert seen() == before
    assert titles(main(sign_in(bo), f"/people/{bo.id}"), "Reading") != []


def test_only_admins_can_manage_people_from_there(team, sign_in):
    bo = team["Bo"]
    assert f"/people/{bo.id}/role" in sign_in(team["Ada"]).get(f"/people/{bo.id}").text
    for name in ("Bo", "Eve"):
        for address in ("/people", f"/people/{bo.id}"):
            text = sign_in(team[name]).get(address).text
            assert f"/people/{bo.id}/role" not in text
            assert "/people/invitations" not in text


def test_deleted_papers_leave_the_reading_lists(team, database, sign_in):
    bo = team["Bo"]
    with database.write() as tx:
        make.reading(tx, bo.id, make.paper(tx, "Gone", deleted_at=now()).id, "reading")
        make.reading(tx, bo.id, make.paper(tx, "Rejected", triage="rejected").id, "read")
    shown = main(sign_in(team["Eve"]), f"/people/{bo.id}")
    assert "Gone" not in shown.text_content()
    assert "Rejected" not in shown.text_content()
    assert "Nothing shared yet" in shown.text_content()


def test_an_unknown_person_is_not_found(team, sign_in):
    assert sign_in(team["Eve"]).get("/people/999999").status_code == 404


@pytest.mark.deep
@pytest.mark.parametrize("address", ["/people", "/people/{bo}"])
def test_the_pages_take_the_same_statements_for_few_and_many(team, database, sign_in, statements, address):
    browser, bo = sign_in(team["Ada"]), team["Bo"]

    def more(count):
        with database.write() as tx:
            for _ in range(count):
                paper = make.paper(tx)
                paper.title = ""
                for status in ("reading", "read", "to_read"):
                    make.reading(tx, make.person(tx).id, paper.id, status)
                    make.reading(tx, bo.id, make.paper(tx).id, status)
                make.reading(tx, bo.id, paper.id, "reading")
                make.assignment(tx, bo.id, paper.id)
                events.record_event(tx, bo, "paper.added", paper_id=paper.id)

    def cost():
        with statements() as seen:
            assert browser.get(address.format(bo=bo.id)).status_code == 200
        return len(seen)

    more(1)
    one = cost()
    more(12)
    assert cost() == one
