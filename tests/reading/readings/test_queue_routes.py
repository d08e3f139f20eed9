"""My queue, many at once and recommendations at both doors."""

import pytest
from lxml import html

from readtrack.infra.models import Paper
from readtrack.reading.readings.queries import find_my_reading
from tests import make

pytestmark = pytest.mark.slow  # requests through the whole application


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo", role="viewer")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


@pytest.fixture
def papers(database, ada):
    with database.write() as tx:
        ids = [make.paper(tx, title).id for title in ("One", "Two", "Three")]
    for paper_id in ids:
        ada.put(f"/api/v1/papers/{paper_id}/reading", json={"status": "to_read"})
    return ids


def queued(browser):
    """Titles as the page shows them, and as the API does."""
    document = html.fromstring(browser.get("/queue").text)
    shown = [" ".join(title.text_content().split()) for title in document.xpath("//*[@id='queue']//a[@class='title']")]
    assert shown == [item["paper"]["title"] for item in browser.get("/api/v1/queue").json()["items"]]
    return shown


def flash_of(browser, address="/queue"):
    document = html.fromstring(browser.get(address).text)
    said = " ".join(document.xpath("string(//*[@id='flash'])").split())
    forms = document.xpath("//*[@id='flash']//form")
    return said, forms[0] if forms else None


def press(browser, form, **more):
    return browser.post(form.get("action"), data={**dict(form.form_values()), **more})


def test_page_and_api_show_the_same_queue_which_buttons_reorder_and_undo_restores(ada, papers):
    assert queued(ada) == ["One", "Two", "Three"]
    document = html.fromstring(ada.get("/queue").text)
    [form] = document.xpath(f"//form[@action='/papers/{papers[2]}/reading/position']")
    answer = press(ada, form, to="top")
    assert (answer.status_code, answer.headers["location"]) == (303, "/queue")
    said, undo = flash_of(ada)
    assert said.startswith("Moved")
    assert queued(ada) == ["Three", "One", "Two"]
    press(ada, undo)
    assert queued(ada) == ["One", "Two", "Three"]


def test_the_queue_is_reordered_through_the_api_too(ada, papers):
    address = f"/api/v1/papers/{papers[0]}/reading/position"
    assert ada.put(address, json={"after": papers[1]}).json() == {"paper": papers[0], "moved": True, "priority": 0}
    assert queued(ada) == ["Two", "One", "Three"]
    assert ada.put(address, json={"after": papers[1]}).json()["moved"] is False
    for body in ({}, {"to": "left"}, {"to": "top", "after": papers[1]}, {"before": None}, {"before": 0}):
        assert ada.put(address, json=body).status_code == 422, body
    assert ada.put(address, json={"before": 4711}).json()["code"] == "not-in-queue"
    undone = ada.post(f"/api/v1/papers/{papers[0]}/reading/undo")
    assert (undone.status_code, undone.json()["reading"]["status"]) == (200, "to_read")
    assert queued(ada) == ["One", "Two", "Three"]


def test_priorities_divide_the_queue(ada, papers):
    document = html.fromstring(ada.get("/queue").text)
    [button] = document.xpath(f"//button[@form='priority-{papers[1]}' and @name='priority' and @value='1']")
    [form] = document.xpath(f"//form[@id='{button.get('form')}']")
    press(ada, form, priority="1")
    assert queued(ada) == ["Two", "One", "Three"]
    headings = html.fromstring(ada.get("/queue").text).xpath("//*[@id='queue']//h2/text()")
    assert headings == ["First", "Next"]
    assert ada.get(f"/api/v1/papers/{papers[1]}/reading").json()["priority"] == 1


def test_papers_being_read_are_above_the_queue(ada, papers):
    ada.put(
        f"/api/v1/papers/{papers[1]}/reading",
        json={"status": "reading", "progress": {"unit": "page", "at": 3, "of": 12}},
    )
    document = html.fromstring(ada.get("/queue").text)
    assert document.xpath("//*[@id='queue']//h2/text()") == ["Reading", "Next"]
    assert document.xpath("//progress[@value='3' and @max='12']")
    [row] = document.xpath("//ol[@class='rows']/li[.//progress]")
    assert row.text_content().count("page 3 of 12") == 1


def test_an_empty_queue_explains_what_to_do(people, sign_in):
    page = sign_in(people[1]).get("/queue").text
    assert "Your queue is empty" in page
    assert 'href="/papers"' in page


def test_many_papers_are_changed_from_the_list_and_one_undo_reverts_them(ada, papers, database, people):
    ada.put(f"/api/v1/papers/{papers[2]}/reading", json={"status": "read"})
    document = html.fromstring(ada.get("/papers").text)
    boxes = document.xpath("//input[@form='bulk' and @name='paper']/@value")
    assert sorted(map(int, boxes)) == papers
    [form] = document.xpath("//form[@id='bulk']")
    answer = ada.post(form.get("action"), data={"next": "/papers?q=x", "paper": boxes, "do": "dropped"})
    assert answer.headers["location"] == "/papers?q=x"
    said, undo = flash_of(ada, "/papers")
    assert said.startswith("Marked 2 papers as dropped. 1 paper not changed: Can't change from “read” to “dropped”.")
    press(ada, undo)
    assert "Undone for 2 papers." in flash_of(ada, "/papers")[0]
    with database.read() as tx:
        mine = [find_my_reading(tx, people[0], paper_id) for paper_id in papers]
    assert [reading and reading.status for reading in mine] == ["to_read", "to_read", "read"]


def test_many_papers_are_changed_from_a_topics_list_too(ada, papers, database):
    with database.write() as tx:
        topic = make.topic(tx, "検査点")
        for paper_id in papers[:2]:
            make.filed(tx, tx.get(Paper, paper_id), topic)
    document = html.fromstring(ada.get(f"/topics/{topic.slug}").text)
    boxes = document.xpath("//input[@form='bulk' and @name='paper']/@value")
    assert sorted(map(int, boxes)) == papers[:2]
    [form] = document.xpath("//form[@id='bulk']")
    there = dict(form.form_values())["next"]
    answer = ada.post(form.get("action"), data={"next": there, "paper": boxes, "do": "reading"})
    assert answer.headers["location"] == there
    assert flash_of(ada, there)[0].startswith("Marked 2 papers as reading.")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"do": "dropped"}, "Select papers first"),
        ({"do": "dropped", "paper": ["x", ""]}, "Select papers first"),
        ({"do": "to_read", "paper": ["1"]}, "1 unchanged."),
        ({"do": "later", "paper": ["1"]}, "Added 1 paper to your queue."),
        ({"do": "off", "paper": ["1", "2"]}, "Removed 2 papers from your queue."),
        ({"do": "off", "paper": ["4711"]}, "1 paper not changed: Paper 4711 not found."),
    ],
)
def test_the_outcome_of_a_bulk_change_is_given_in_words(ada, papers, sent, said):
    ada.post("/bulk", data=sent)
    assert said in flash_of(ada, "/papers")[0]


def test_an_invalid_bulk_change_is_refused(ada, papers):
    assert ada.post("/bulk", data={"paper": "1", "do": "burn"}).status_code == 422
    many = {"paper": [str(number) for number in range(1, 2002)], "do": "read"}
    assert ada.post("/bulk", data=many).status_code == 422


def test_a_bulk_change_through_the_api_has_an_outcome_per_paper_and_runs_once_per_key(ada, papers):
    body = {"papers": [papers[0], 4711, papers[1]], "act": "reading", "reading": {"status": "reading", "private": True}}
    answer = ada.post("/api/v1/bulk", json=body, headers={"Idempotency-Key": "a"})
    told = answer.json()
    assert (answer.status_code, told["changed"]) == (207, 2)
    assert [(item["paper"], item["status"], item["changed"]) for item in told["items"]] == [
        (papers[0], 200, True), (4711, 404, False), (papers[1], 200, True),
    ]  # fmt: skip
    assert told["items"][1]["problem"]["code"] == "not-found"
    again = ada.post("/api/v1/bulk", json=body, headers={"Idempotency-Key": "a"})
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (told, "true")
    refused = ada.post("/api/v1/bulk", json={"papers": [papers[0]], "act": "off"}).json()["items"][0]
    assert (refused["status"], refused["problem"]["allowed"]) == (409, ["paused", "read", "dropped", "to_read"])
    assert ada.post(f"/api/v1/bulk/{told['deed']}/undo").json() == {"papers": papers[:2], "left": []}
    assert ada.post(f"/api/v1/bulk/{told['deed']}/undo").status_code == 409


def test_recommendations_are_counted_and_named_except_private_ones(ada, people, sign_in, papers):
    bo, paper_id = sign_in(people[1]), papers[0]
    done = {"status": "read", "recommendation": "must_read", "depth": "studied"}
    ada.put(f"/api/v1/papers/{paper_id}/reading", json=done)
    bo.put(f"/api/v1/papers/{paper_id}/reading", json={**done, "private": True})
    address = f"/api/v1/papers/{paper_id}/readings"
    assert ada.get(address).json()["recommended"] == {"must_read": ["Ada"]}
    assert bo.get(address).json()["recommended"] == {"must_read": ["Ada", "Bo"]}
    main = html.fromstring(ada.get(f"/papers/{paper_id}").text).xpath("string(//main)")
    page = " ".join(main.split())
    assert "1 must read" in page
    assert "Bo" not in page.partition("Readers")[2]
    ada.put(f"/api/v1/papers/{paper_id}/reading", json={"status": "reading"})  # what was said of the first pass stands
    assert ada.get(address).json()["recommended"] == {"must_read": ["Ada"]}
    passes = ada.get(f"{address}?all=true").json()["items"]
    assert [(item["pass_number"], item["status"]) for item in passes] == [(2, "reading"), (1, "read")]


def test_only_a_finished_reading_recommends(ada, papers):
    answer = ada.put(f"/api/v1/papers/{papers[0]}/reading", json={"recommendation": "skip"})
    assert (answer.status_code, [e["pointer"] for e in answer.json()["errors"]]) == (422, ["/recommendation"])


def test_priorities_are_hidden_from_others(ada, people, sign_in, papers):
    ada.put(f"/api/v1/papers/{papers[0]}/reading", json={"priority": 1})
    [seen] = sign_in(people[1]).get(f"/api/v1/papers/{papers[0]}/readings").json()["items"]
    assert (seen["person"], seen["priority"]) == ("Ada", None)


def test_the_paper_form_shows_only_the_fields_of_its_status(ada, people, papers, database):
    def form():
        document = html.fromstring(ada.get(f"/papers/{papers[0]}").text)
        [found] = document.xpath("//form[@id='my-reading']")
        return {name: "" if value == "on" else value for name, value in found.form_values()}

    def stands():
        with database.read() as tx:
            return find_my_reading(tx, people[0], papers[0])

    address = f"/papers/{papers[0]}/reading"
    ada.post(address, data=form() | {"priority": "-1"})
    assert (stands().status, stands().priority) == ("to_read", -1)
    said = {"status": "read", "depth": "studied", "recommendation": "worth_it", "finished_on": "2024-03-01"}
    ada.post(address, data=form() | said)
    assert (stands().depth, stands().recommendation, str(stands().finished_on)) == ("studied", "worth_it", "2024-03-01")
    ada.post(address, data=form() | {"status": "reading", "depth": "skimmed", "progress_unit": "percent",
                                     "progress_at": "40", "progress_of": "9"})  # fmt: skip
    now = stands()
    assert (now.pass_number, now.depth, now.progress_unit, now.progress_at, now.progress_of) == (
        2,
        "",
        "percent",
        40,
        None,
    )
    ada.post(address, data=form() | {"status": "dropped", "reason": "no proof", "recommendation": "skip"})
    assert (stands().status, stands().reason) == ("dropped", "no proof")


def test_a_form_sent_again_says_that_nothing_changed_and_offers_no_undo(ada, papers):
    ada.post(f"/papers/{papers[0]}/reading", data={"status": "to_read", "next": "/queue"})
    assert flash_of(ada) == ("No changes", None)
