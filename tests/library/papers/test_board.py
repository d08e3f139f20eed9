"""The board: my papers by status or what everybody reads, bounded columns, moves by plain forms, both doors alike."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
from lxml import html

from readtrack.infra.clock import now, today
from readtrack.infra.errors import Conflict
from readtrack.infra.models import STATUSES, Person
from readtrack.reading.readings.commands import ReadingUpdate, move_reading, set_reading
from readtrack.reading.readings.schemas import QueueMove
from readtrack.workspace import board
from tests import make

pytestmark = pytest.mark.slow  # each asks a whole application


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


def read_by(database, me, statuses, **fields):
    with database.write() as tx:
        made = []
        for number, status in enumerate(statuses):
            paper = make.paper(tx, f"{status} {number}", year=2020 + number)
            made.append(paper.id)
            make.reading(tx, me.id, paper.id, status, **fields)
        return made


def page_of(answer):
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def columns(page):
    """Of each column its name, and the titles of its cards."""
    return {
        " ".join(column.xpath("string(.//h2)").split()): column.xpath(".//a[@class='title']/text()")
        for column in page.xpath("//section[@data-column]")
    }


def test_my_papers_are_in_the_columns_of_their_status(ada, people, database):
    read_by(database, people[0], STATUSES)
    read_by(database, people[1], ["reading"])
    assert columns(page_of(ada.get("/board"))) == {
        "To read": ["to_read 0"],
        "Reading": ["reading 1"],
        "Paused": ["paused 2"],
        "Read": ["read 3"],
        "Dropped": ["dropped 4"],
    }


def test_the_board_shows_the_papers_of_the_query(ada, people, database):
    read_by(database, people[0], ["reading", "reading", "read"])
    assert columns(page_of(ada.get("/board?q=year:2021")))["Reading"] == ["reading 1"]
    assert "Unknown filter stats:" in page_of(ada.get("/board?q=stats:read")).text_content()


def test_a_card_is_moved_with_a_plain_form_and_back_with_undo(ada, people, database):
    [paper_id] = read_by(database, people[0], ["to_read"])
    form = page_of(ada.get("/board?q=year:2020")).xpath("//form[@data-move]")[0]
    sent = {"next": form.xpath("./input/@value")[0], "status": "reading"}
    assert "reading" in form.xpath(".//option/@value")
    answer = ada.post(form.get("action"), data=sent)
    assert (answer.status_code, answer.headers["location"]) == (303, "/board?q=year%3A2020")
    moved = page_of(ada.get(answer.headers["location"]))
    assert columns(moved)["Reading"] == ["to_read 0"]
    [undo] = moved.xpath("//*[@id='flash']//form/@action")
    ada.post(undo)
    assert columns(page_of(ada.get("/board")))["To read"] == ["to_read 0"]
    assert undo == f"/papers/{paper_id}/reading/undo"


def test_a_card_offers_only_allowed_statuses(ada, people, database):
    read_by(database, people[0], ["read"])
    assert page_of(ada.get("/board")).xpath("//form[@data-move]//option/@value") == ["reading"]


def test_my_queue_is_reordered_on_the_board(ada, people, database):
    first, second = read_by(database, people[0], ["to_read", "to_read"])
    ada.post(f"/papers/{second}/reading/position", data={"to": "", "before": str(first), "after": "", "next": "/board"})
    assert columns(page_of(ada.get("/board")))["To read"] == ["to_read 1", "to_read 0"]


@pytest.mark.deep
def test_columns_are_limited_and_link_to_the_rest(ada, people, database):
    read_by(database, people[0], ["to_read"] * (board.CARDS_PER_COLUMN + 2))
    page = page_of(ada.get("/board"))
    assert len(columns(page)["To read"]) == board.CARDS_PER_COLUMN
    assert str(board.CARDS_PER_COLUMN + 2) in page.xpath("string(//section[@data-column='to_read']/header)")
    [rest] = page.xpath("//section[@data-column='to_read']/a/@href")
    assert len(page_of(ada.get(rest)).xpath("//*[@data-row]")) == board.CARDS_PER_COLUMN + 2


def test_papers_finished_long_ago_are_only_in_the_list(ada, people, database):
    read_by(database, people[0], ["read"], updated_at=now() - timedelta(days=31))
    read_by(database, people[0], ["dropped"], updated_at=now() - timedelta(days=29))
    page = page_of(ada.get("/board"))
    assert (columns(page)["Read"], columns(page)["Dropped"]) == ([], ["dropped 0"])
    [rest] = page.xpath("//section[@data-column='read']/a/@href")
    assert "read 0" in page_of(ada.get(rest)).text_content()


@pytest.mark.deep
@pytest.mark.parametrize(("limit", "told"), [(3, True), (4, False), (0, False)])
def test_exceeding_my_reading_limit_shows_a_hint(ada, people, database, limit, told):
    ada.post("/settings/appearance", data={"theme": "system", "single_keys": "1", "reading_limit": str(limit)})
    read_by(database, people[0], ["reading"] * 4)
    page = page_of(ada.get("/board"))
    assert bool(page.xpath("//*[contains(@class, 'wip')]")) == told
    assert len(columns(page)["Reading"]) == 4


def test_concurrently_moved_cards_are_in_one_column_each_and_the_limit_only_hints(ada, people, database):
    papers = read_by(database, people[0], ["to_read"] * 6)

    def hand(number):
        for turn, paper_id in enumerate(papers if number % 2 else papers[::-1]):
            with suppress(Conflict), database.write() as tx:  # what another hand has moved on is no longer in the queue
                if number == 3:
                    move_reading(tx, people[0], paper_id, QueueMove(to="top"))
                else:
                    status = ("reading", "paused", "dropped")[(turn + number) % 3]
                    set_reading(tx, people[0], paper_id, ReadingUpdate(status=status))

    with ThreadPoolExecutor(4) as hands:
        list(hands.map(hand, range(4)))
    for paper_id in papers:
        ada.put(f"/api/v1/papers/{paper_id}/reading", json={"status": "reading"})
    shown = ada.get("/api/v1/board").json()
    assert {column["key"]: column["papers"] for column in shown["columns"] if column["papers"]} == {"reading": 6}
    assert len({item["id"] for item in shown["columns"][1]["items"]}) == 6
    assert page_of(ada.get("/board")).xpath("//*[contains(@class, 'wip')]")


@pytest.mark.deep
@pytest.mark.parametrize(("days", "said", "late"), [(2, "Due ", False), (-2, "Was due ", True)])
def test_a_card_shows_its_due_date(ada, people, database, days, said, late):
    [paper_id] = read_by(database, people[0], ["to_read"])
    day = today() + timedelta(days=days)
    with database.write() as tx:
        make.assignment(tx, people[0].id, paper_id, due_on=day, created_by=people[1].id)
    [shown] = page_of(ada.get("/board")).xpath("//*[@class='meta']/span[contains(., 'Due ') or contains(., 'due ')]")
    assert shown.text.startswith(said)
    assert (shown.get("class") == "late") is late
    assert ada.get("/api/v1/board").json()["columns"][0]["items"][0]["due_on"] == str(day)


def test_a_paper_that_was_read_is_no_longer_due(ada, people, database):
    [paper_id] = read_by(database, people[0], ["read"])
    with database.write() as tx:
        make.assignment(tx, people[0].id, paper_id, due_on=today(), created_by=people[1].id)
    assert not page_of(ada.get("/board")).xpath("//*[@class='meta']/span[contains(., 'Due ') or contains(., 'due ')]")


@pytest.mark.deep
def test_grouped_by_reader_the_board_shows_everybodys_reading_side_by_side(ada, people, database):
    mine = read_by(database, people[0], ["reading", "read"])
    with database.write() as tx:
        make.reading(tx, people[1].id, mine[0], "reading")
    read_by(database, people[1], ["reading"])
    found = columns(page_of(ada.get("/board?group=reader")))
    assert list(found.values()) == [["reading 0"], ["reading 0", "reading 0"]]
    assert ["Ada" in name for name in found] == [True, False]


def test_a_private_reading_is_on_its_readers_board_only(ada, people, sign_in, database):
    read_by(database, people[1], ["reading"], private=True)
    for address in ("/board?group=reader", "/api/v1/board?group=reader"):
        assert "reading 0" not in ada.get(address).text
        assert ">Bo<" not in ada.get(address).text
        assert '"Bo"' not in ada.get(address).text
        assert "reading 0" in sign_in(people[1]).get(address).text


def test_a_disabled_person_has_no_column(ada, people, database):
    read_by(database, people[1], ["reading"])
    with database.write() as tx:
        tx.get(Person, people[1].id).disabled_at = now()
    assert len(columns(page_of(ada.get("/board?group=reader")))) == 1


@pytest.mark.parametrize("group", ["status", "reader"])
def test_page_and_api_show_the_same_cards(ada, people, database, group):
    read_by(database, people[0], ["reading", "to_read", "read"])
    read_by(database, people[1], ["reading"])
    board = ada.get(f"/api/v1/board?group={group}").json()["columns"]
    shown = list(columns(page_of(ada.get(f"/board?group={group}"))).values())
    assert [[item["title"] for item in column["items"]] for column in board] == shown
    assert [column["papers"] for column in board] == [len(cards) for cards in shown]


def test_list_and_board_are_displays_of_one_query(ada, people, database):
    read_by(database, people[0], ["reading"])
    page = page_of(ada.get("/papers?q=year:2020&group=year&sort=title"))
    [board] = page.xpath("//nav[@class='switch']//a[normalize-space()='Board']/@href")
    assert board == "/board?q=year%3A2020"
    [back] = page_of(ada.get(board)).xpath("//nav[@class='switch']//a[normalize-space()='List']/@href")
    assert back == "/papers?q=year%3A2020"


@pytest.mark.deep
@pytest.mark.parametrize("address", ["/board", "/board?q=kind:paper", "/board?group=reader"])
def test_the_board_takes_a_fixed_number_of_statements(ada, people, database, statements, address):
    def ask():
        with statements() as seen:
            page_of(ada.get(address))
        return len(seen)

    read_by(database, people[0], STATUSES)
    ask()
    before = ask()
    read_by(database, people[0], STATUSES * 4)
    read_by(database, people[1], STATUSES * 4)
    assert ask() <= before
