"""Progress by its doors: my figures and the team's, files of numbers, a goal for my eyes; nobody's private reading."""

import csv
import io
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
import time_machine
from lxml import html

from readtrack.infra.clock import now, today
from readtrack.infra.models import PaperTopic, ReadingEvent
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.workspace.statistics.tables import TITLES
from tests import make
from tests.depth import DEEP

pytestmark = pytest.mark.slow  # a whole application


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {name: make.visitor(tx, name) for name in ("Ada", "Bo")}


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people["Ada"])


@pytest.fixture
def papers(database, people):
    """Ada finished two this week, one of them under a topic; Bo one, long ago; something lies about."""
    with database.write() as tx:
        topic = make.topic(tx, "=2+2 Training")
        papers = [make.paper(tx, f"Paper {n}", venue="OSDI", year=2024).id for n in range(5)]
        make.filed(tx, make.added(tx, make.paper(tx)), topic)
        make.added(tx, PaperTopic(paper_id=papers[0], topic_id=topic.id))
        ada, bo = people["Ada"].id, people["Bo"].id
        make.reading(tx, ada, papers[0], "read", depth="studied", finished_on=today())
        make.reading(tx, ada, papers[1], "read", finished_on=today())
        make.reading(tx, ada, papers[2], "reading")
        make.reading(tx, bo, papers[0], "read", depth="read", finished_on=today() - timedelta(days=300))
        make.comment(tx, bo, paper_id=papers[3])
        wish: dict[str, Any] = {"verb": "set", "to_status": "to_read", "pass_number": 1}
        make.added(tx, ReadingEvent(person_id=ada, paper_id=papers[0], **wish))
    return papers


def page(browser, query=""):
    answer = browser.get(f"/progress{query}")
    assert answer.status_code == 200
    return html.fromstring(answer.text)


def in_short(document):
    return [text.text_content() for text in document.xpath("//dl[@class='in-short']//dd")]


def lines(answer):
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def test_without_data_the_page_explains_how_figures_appear(ada):
    shown = page(ada)
    assert "No data for this period" in shown.text_content()
    assert not shown.xpath("//svg[@role='img']")


@pytest.mark.deep
def test_my_figures_are_mine_and_the_teams_are_everybodys(ada, papers):
    assert in_short(page(ada))[:2] == ["2", "3"]
    assert in_short(page(ada, "?who=team"))[:2] == ["2", "4"]
    assert in_short(page(ada, "?who=team&span=all"))[:2] == ["3", "4"]


def test_every_chart_has_a_text_alternative_and_no_inline_style(ada, papers):
    shown = page(ada, "?who=team&span=all")
    drawings = shown.xpath("//svg[@role='img']")
    assert len(drawings) == 6
    for drawing in drawings:
        told = [shown.get_element_by_id(each).text_content() for each in drawing.get("aria-labelledby").split()]
        assert all(told)
    assert not shown.xpath("//main//*[@style]")
    assert len(shown.xpath("//main//*[@id]/@id")) == len({*shown.xpath("//main//*[@id]/@id")})


def test_bars_link_to_their_papers_in_the_library(ada, papers):
    addresses = page(ada).xpath("//section[@id='finished']//tbody//a/@href")
    assert len(addresses) == 1
    assert ada.get(addresses[0]).text.count('class="row"') == 2


def test_a_topic_filters_every_figure_and_is_found_by_any_name(ada, papers):
    assert in_short(page(ada, "?topic=%3D2%2B2+Training"))[:2] == ["1", "1"]
    assert "topic=nowhere" in ada.get("/progress?topic=nowhere").text
    assert in_short(page(ada, "?topic=nowhere")) == in_short(page(ada))
    assert ada.get("/api/v1/progress?topic=nowhere").status_code == 404


def test_page_and_api_show_the_same_numbers(ada, papers):
    shown = ada.get("/api/v1/progress?who=team&span=all").json()
    assert sum(each["finished"] for each in shown["finished"]) == 3
    assert shown["growth"][-1] | {"last_day": ""} == {"last_day": "", "added": 4, "finished": 3}
    assert [[each["name"], each["number"]] for each in shown["venues"]] == [["OSDI 2024", 3]]
    assert shown["waits"]["median"] == 0
    assert shown["goal"] is None
    assert shown["calendar"][str(today())] == 2
    standing = ada.get("/api/v1/progress/coverage?who=team").json()
    assert (standing["papers"], standing["read"], standing["read_by_two"]) == (6, 2, 1)
    assert standing["only_one"] == [papers[1]]
    assert standing["discussed"] == [papers[3]]


def test_the_data_of_each_figure_can_be_downloaded(ada, papers):
    for name in TITLES:
        head, *rest = lines(ada.get(f"/progress/{name}.csv?span=year"))
        assert head[0]
        assert all(len(line) == len(head) for line in rest)
    assert ["'=2+2 Training", "1"] in lines(ada.get("/progress/topics.csv"))
    assert ada.get("/progress/nothing.csv").status_code == 404


@pytest.mark.deep
@pytest.mark.parametrize("asked", ["?span=weeks", "?span=all", "?who=team&span=all", "?who=team&span=year"])
def test_charts_tables_files_and_json_contain_the_same_numbers(ada, papers, asked):
    shown, told = page(ada, asked), ada.get(f"/api/v1/progress{asked}").json()

    def table(name):
        rows = shown.xpath(f"//section[@id='{name}']//tbody/tr")
        return [[cell.text_content() for cell in row.xpath("./td")] for row in rows][::-1]

    def file(name):
        return lines(ada.get(f"/progress/{name}.csv{asked}"))[1:]

    depths = ("skimmed", "read", "studied", "depth_not_said")
    finished = [[str(each[name]) for name in ("finished", *depths)] for each in told["finished"]]
    assert table("finished") == [line[2:] for line in file("finished")] == finished
    growth = [[str(each["added"]), str(each["finished"])] for each in told["growth"]]
    assert table("growth") == [line[2:] for line in file("growth")] == growth
    for name, shares in (("topics", told["topics"]), ("venues", told["venues"]), ("waits", told["waits"]["shares"])):
        drawn = shown.xpath(f"//section[@id='{name}']//ol/li/*[@class='n']/text()")
        assert drawn == [line[1] for line in file(name)] == [str(each["number"]) for each in shares]
    months = [int(row[-1]) for row in table("calendar")]
    days = [int(line[1]) for line in file("calendar")]
    assert sum(months) == sum(days) == sum(told["calendar"].values())
    said = shown.xpath("string(//section[@id='finished']//*[local-name()='desc'])")
    assert said.endswith(f" added, {sum(each['finished'] for each in told['finished'])} finished")


def test_the_coverage_is_a_fragment_and_a_page(ada, papers):
    alone = html.fromstring(ada.get("/progress/coverage?who=team").text)
    assert alone.xpath("string(//h1)") == "Library coverage"
    part = ada.get("/progress/coverage?who=team", headers={"HX-Request-Type": "partial"}).text
    assert "<html" not in part
    assert "Read by the team: 2 of 6" in part


def test_papers_with_only_hidden_or_deleted_comments_are_not_listed_as_discussed(database, people, ada, papers):
    with database.write() as tx:
        make.comment(tx, people["Bo"].id, paper_id=papers[4], hidden_at=now())
        make.comment(tx, people["Bo"].id, paper_id=papers[2], deleted_at=now())
    assert ada.get("/api/v1/progress/coverage?who=team").json()["discussed"] == [papers[3]]


def test_a_goal_is_private_and_can_be_removed(ada, people, papers, sign_in):
    assert ada.post("/progress/goal", data={"goal": "3"}).status_code == 303
    assert "Weekly goal 3" in " ".join(page(ada).text_content().split())
    assert "Weekly goal" not in page(ada, "?who=team").text_content()
    assert sign_in(people["Bo"]).get("/api/v1/progress").json()["goal"] is None
    refused = ada.post("/progress/goal", data={"goal": "many"})
    assert refused.status_code == 422
    assert 'value="many"' in refused.text
    ada.post("/progress/goal", data={"goal": ""})
    assert ada.get("/api/v1/progress").json()["goal"] is None
    assert ada.put("/api/v1/progress/goal", json={"goal": 7}).json() == {"goal": 7}
    assert ada.put("/api/v1/progress/goal", json={"goal": 0}).status_code == 422


def test_invalid_parameters_are_ignored(ada, papers):
    assert in_short(page(ada, "?who=everybody&span=ever&year=12")) == in_short(page(ada))
    assert "Reading calendar 2024" in page(ada, "?year=2024").text_content()


def test_many_readings_take_no_more_statements(database, people, ada, papers, statements):
    def asked():
        with statements() as seen:
            ada.get("/progress?who=team&span=all")
            ada.get("/progress/coverage")
        return len(seen)

    before = asked()
    with database.write() as tx:
        for number in range(30):
            day = {"finished_on": today() - timedelta(days=11 * number), "added_on": today() - timedelta(days=400)}
            make.reading(tx, people["Bo"].id, make.paper(tx, venue=f"V{number}").id, "read", **day)
    assert asked() == before


SPANS = ("weeks", "year", "all")
DOORS = [
    *(f"{door}?who=team&span={span}" for span in SPANS for door in ("/progress", "/api/v1/progress")),
    *(f"/progress/{name}.csv?who=team&span={span}" for span in (SPANS if DEEP else ["all"]) for name in TITLES),
    *("/progress/coverage?who=team", "/api/v1/progress/coverage?who=team"),
]


def team_of(browser, doors=DOORS):
    """Everything that the team's figures say."""
    said = {}
    for door in doors:
        answer = browser.get(door)
        text = answer.text.replace(answer.headers["X-Request-Id"], "")
        said[door] = (answer.status_code, text, answer.headers.get("etag"))
    return said


def test_private_data_does_not_change_the_teams_figures(database, people, ada, papers, sign_in):
    bo, browser = people["Bo"], sign_in(people["Bo"])
    before, own, mine = team_of(ada), team_of(browser), in_short(page(browser, "?span=all"))
    with database.write() as tx:
        set_reading(tx, bo, papers[4], ReadingUpdate(status="to_read", private=True))
        set_reading(tx, bo, papers[4], ReadingUpdate(status="read", depth="skimmed"))
        set_reading(tx, bo, papers[3], ReadingUpdate(status="reading", private=True))
        set_reading(tx, bo, papers[1], ReadingUpdate(status="read", private=True))  # which Ada alone has read
        for paper in (papers[4], papers[0]):  # the other one is read by both, and summarised by nobody
            edit_summary(tx, bo, paper, SummaryUpdate(markdown="Mine alone.", private=True), version=None)
    assert team_of(ada) == before
    assert team_of(browser) == own, "not even to who keeps it private: the figures are the same for everybody"
    assert in_short(page(browser, "?span=all")) != mine
    with database.write() as tx:
        set_reading(tx, bo, papers[4], ReadingUpdate(private=False))
    assert team_of(ada, DOORS[-1:]) != {DOORS[-1]: before[DOORS[-1]]}


@pytest.mark.parametrize(
    ("zone", "week", "until"),
    [("Asia/Tokyo", "2026-03-16", "2026-03-18"), ("America/Los_Angeles", "2026-03-09", "2026-03-15")],
)
def test_weeks_start_on_monday_in_the_persons_time_zone(database, sign_in, zone, week, until):
    with database.write() as tx:
        kei, paper = make.visitor(tx, "Kei", time_zone=zone), make.paper(tx).id
    with time_machine.travel(datetime(2026, 3, 15, 20, tzinfo=UTC), tick=False):  # a Sunday, over in Tokyo
        browser = sign_in(kei)
        for status in ("to_read", "reading", "read"):
            assert browser.put(f"/api/v1/papers/{paper}/reading", json={"status": status}).status_code in {200, 201}
    with time_machine.travel(datetime(2026, 3, 18, 12, tzinfo=UTC), tick=False):
        shown = sign_in(kei).get("/api/v1/progress").json()
    [finished] = [each["first_day"] for each in shown["finished"] if each["finished"]]
    ends = [after["last_day"] for before, after in pairwise(shown["growth"]) if after["added"] > before["added"]]
    assert (finished, ends) == (week, [until])
    assert (shown["waits"]["median"], shown["waits"]["of"]) == (0, 1)
