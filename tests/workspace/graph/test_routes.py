"""The graph by page and API: pictures, tables, what is kept of them, and the map."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import anyio
import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.errors import NotAllowed
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import GraphLayout, Job, Paper, PaperTopic, Relation
from readtrack.infra.permissions import CurrentUser
from readtrack.web.dependencies.database import write_after_response
from readtrack.workspace.graph.commands import MAP_SUBJECT, MAX_LAYOUTS, store_layout
from readtrack.workspace.graph.map_job import MAX_NODES, enqueue_map_layout, map_network, schedule_map_layout
from readtrack.workspace.graph.queries import StoredLayout
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick

FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}
MARKUP = '</title></text></svg><script>alert(1337)</script><img src=x onerror=alert(1)> & "so"'


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def topic(database, ada):
    """With one paper that she has read, one that nobody has, and a topic below."""
    with database.write() as tx:
        topic = make.topic(tx, "Checkpointing", aliases=("ckpt",))
        make.topic(tx, "Elastic training", parent_id=topic.id)
        read, unread = make.paper(tx, "CheckFreq"), make.paper(tx, "Gemini")
        for paper in (read, unread):
            make.filed(tx, paper, topic)
        make.reading(tx, ada.id, read.id, "read")
        make.added(tx, Relation(from_id=unread.id, to_id=read.id, kind="extends", note="in memory"))
    return topic


def page(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def links(document):
    return [(node.get("href"), node.xpath("./title")[0].text) for node in document.xpath("//*[@data-node]")]


def drawn(database):
    """Does the jobs that draw."""
    offline = HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)
    while queue.run_due_job(database, offline, kinds=("graph.map",)):
        pass


def layouts(database):
    with database.read() as tx:
        return {row.subject: (row.fingerprint, row.positions) for row in tx.scalars(sa.select(GraphLayout))}


def test_each_node_is_a_link_naming_its_readers_the_nearest_first(sign_in, ada, topic):
    document = page(sign_in(ada).get("/topics/checkpointing/graph"))
    assert [title for _, title in links(document)] == [
        "Checkpointing · 2 papers",
        "Elastic training",
        "CheckFreq · Read by me",
        "Gemini · Read by no one",
    ]
    assert links(document)[0][0] == "/topics/checkpointing"
    [told] = document.xpath("//path[contains(@class, 'said')]/title")
    assert told.text == "Gemini — extends — CheckFreq (in memory)"
    assert not document.xpath("//*[@style]")


def test_any_alias_of_a_topic_redirects_to_its_graph(sign_in, ada, topic):
    answer = sign_in(ada).get("/topics/ckpt/graph?depth=2")
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics/checkpointing/graph?depth=2")
    answer = sign_in(ada).get("/topics/ckpt/graph?path=1&as=table")
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics/checkpointing/graph?path=1&as=table")
    answer = sign_in(ada).get("/api/v1/topics/ckpt/graph?depth=2")
    assert answer.status_code == 301
    assert answer.headers["location"].endswith("/api/v1/topics/checkpointing/graph?depth=2")


def test_the_table_contains_everything_in_the_picture(sign_in, ada, topic):
    document = page(sign_in(ada).get("/topics/checkpointing/graph?as=table"))
    rows = [" ".join(" ".join(row.itertext()).split()) for row in document.xpath("//tbody/tr")]
    assert rows[0].startswith("Checkpointing 0 Topic, 2 papers Papers CheckFreq , Gemini Subtopics")
    assert rows[3] == "Gemini 1 Read by no one Extends CheckFreq (in memory) Topics Checkpointing"
    assert not document.xpath("//*[@data-graph]")


def test_a_name_in_another_script_redirects_too(sign_in, ada, database):
    with database.write() as tx:
        make.topic(tx, "容错", aliases=("fault tolerance",))
    browser = sign_in(ada)
    for address in ("/topics/{}/graph?depth=2", "/api/v1/topics/{}/graph?depth=2"):
        answer = browser.get(address.format("fault tolerance"))
        assert answer.status_code in {301, 303}
        assert browser.get(answer.headers["location"]).status_code == 200


def test_the_table_is_under_the_picture_on_request(sign_in, ada, topic):
    browser = sign_in(ada)
    folded = page(browser.get("/topics/checkpointing/graph?depth=2")).get_element_by_id("as-table")
    [address] = folded.xpath(".//a/@href")
    assert folded.xpath(".//@hx-get") == [address]
    part = browser.get(address, headers=FRAGMENT).text
    assert "<html" not in part
    assert len(html.fromstring(part).xpath("//tbody/tr")) == 4


@pytest.mark.deep
def test_the_graph_shows_what_the_viewer_has_read(sign_in, ada, topic, database):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
    assert "CheckFreq · Read by me" in titles(sign_in(ada))
    assert "CheckFreq · Read by someone" in titles(sign_in(bob))
    with database.write() as tx:
        relation = tx.scalars(sa.select(Relation)).one()
        relation.note = "not in memory"
        tx.execute(sa.update(Paper).where(col(Paper.title) == "Gemini").values(title="Twins <b> & <i>"))
    assert {"CheckFreq · Read by me", "Twins <b> & <i> · Read by no one"} <= titles(sign_in(ada))
    [told] = page(sign_in(bob).get(GRAPH)).xpath("//path[contains(@class, 'said')]/title")
    assert told.text == "Twins <b> & <i> — extends — CheckFreq (not in memory)"


GRAPH = "/topics/checkpointing/graph"


def titles(browser):
    return {title for _, title in links(page(browser.get(GRAPH)))}


def test_read_by_someone_has_a_sign_of_its_own_that_no_status_has(sign_in, ada, topic, database):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
    for person, sign, title in ((ada, "tick", "Read by me"), (bob, "person", "Read by someone")):
        document = page(sign_in(person).get("/topics/checkpointing/graph"))
        [node] = [link for link in document.xpath("//*[@data-node]") if title in link.xpath("string(title)")]
        assert node.xpath(".//path/@class") == [sign]
        legend = document.xpath(f"//ul[contains(@class, 'legend')]/li[normalize-space()='{title}']//path/@class")
        assert legend == [sign]


def test_a_paper_has_its_graph_and_invalid_parameters_are_ignored(sign_in, ada, topic, database):
    with database.write() as tx:
        alone = make.paper(tx, "Alone")
    browser = sign_in(ada)
    assert "No connections yet" in browser.get(f"/papers/{alone.id}/graph?depth=nine").text
    assert browser.get("/papers/999999/graph").status_code == 404
    assert browser.get("/topics/nothing/graph").status_code == 404
    assert browser.get(f"/api/v1/papers/{alone.id}/graph?depth=9").status_code == 422


def test_positions_are_computed_once_and_are_the_same_for_everybody(sign_in, ada, topic, database):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
    first = sign_in(ada).get("/api/v1/topics/checkpointing/graph").json()
    kept = layouts(database)
    assert list(kept) == [f"topic:{topic.id}:1"]
    with database.write() as tx:
        tx.execute(sa.update(GraphLayout).values(positions={key: [77.0, 88.0] for key in next(iter(kept.values()))[1]}))
    second = sign_in(bob).get("/api/v1/topics/checkpointing/graph").json()
    assert {(node["x"], node["y"]) for node in second["nodes"]} == {(77.0, 88.0)}
    assert [node["key"] for node in first["nodes"]] == [node["key"] for node in second["nodes"]]
    assert [node["read"] for node in first["nodes"]] == [None, None, "mine", "nobody"]
    assert [node["read"] for node in second["nodes"]] == [None, None, "someone", "nobody"]
    with database.write() as tx:
        tx.execute(sa.delete(PaperTopic).where(col(PaperTopic.paper_id) == first["nodes"][3]["id"]))
        tx.execute(sa.delete(Relation))
    assert len(sign_in(bob).get("/api/v1/topics/checkpointing/graph").json()["nodes"]) == 3
    assert layouts(database)[f"topic:{topic.id}:1"][0] != kept[f"topic:{topic.id}:1"][0]


@pytest.mark.deep
def test_the_number_of_stored_layouts_is_limited_but_the_map_always_stays(database):
    with database.write() as tx:
        store_layout(tx, StoredLayout(MAP_SUBJECT, "f", {}))
        for number in range(MAX_LAYOUTS + 3):
            store_layout(tx, StoredLayout(f"topic:{number}:1", "f", {"topic-1": (0.0, 0.0)}))
    assert len(layouts(database)) == MAX_LAYOUTS + 1
    assert MAP_SUBJECT in layouts(database)
    assert "topic:0:1" not in layouts(database)


def test_two_concurrent_viewers_store_one_layout_and_both_get_a_response(database):
    laid = StoredLayout("topic:1:1", "f", {"topic-1": (0.0, 0.0)})
    at_once = Barrier(4)

    def keep():
        at_once.wait(30)
        anyio.run(write_after_response, database, partial(store_layout, layout=laid))

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(keep) for _ in range(4)]:
            done.result()
    assert list(layouts(database)) == ["topic:1:1"]


def test_hostile_names_are_plain_text(sign_in, ada, topic, database):
    with database.write() as tx:
        paper = make.paper(tx, MARKUP)
        make.filed(tx, paper, topic)
        make.filed(tx, paper, make.topic(tx, f"<b>{MARKUP}"[:100]))
        make.added(tx, Relation(from_id=paper.id, to_id=paper.id - 1, kind="discusses", note=MARKUP))
        enqueue_map_layout(tx, ada)
    drawn(database)
    addresses = ("/topics/checkpointing/graph?depth=2", f"/papers/{paper.id}/graph?as=table", "/graph")
    for address in addresses:
        answer = sign_in(ada).get(address)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
        assert "alert(1337)" in answer.text


@pytest.mark.deep
def test_three_hundred_nodes_are_drawn_and_the_page_says_what_is_omitted(sign_in, ada, database, statements):
    with database.write() as tx:
        topic = make.topic(tx, "Large")
        for _ in range(310):
            make.filed(tx, make.paper(tx), topic)
    browser = sign_in(ada)
    document = page(browser.get("/topics/large/graph?depth=3"))
    assert len(links(document)) == 300
    assert "11 more not shown" in document.text_content()
    with statements() as seen:
        browser.get("/topics/large/graph?depth=3")
    assert len(seen) <= 24
    assert not [statement for statement in seen if statement.startswith(("INSERT", "UPDATE", "DELETE"))]


def test_a_topic_page_loads_a_small_graph(sign_in, ada, topic):
    shown = sign_in(ada).get("/topics/checkpointing").text
    assert 'hx-get="/topics/checkpointing/graph"' in shown
    part = sign_in(ada).get("/topics/checkpointing/graph", headers=FRAGMENT).text
    assert "<html" not in part
    assert part.count("data-node") == 4


def test_the_map_is_drawn_on_request(sign_in, ada, topic, database):
    browser = sign_in(ada)
    assert "No graph yet" in browser.get("/graph").text
    assert browser.get("/api/v1/graph").json()["drawn_at"] is None
    assert browser.post("/graph").status_code == 303
    assert "Drawing the graph" in browser.get("/graph").text
    drawn(database)
    document = page(browser.get("/graph"))
    assert {title for _, title in links(document)} == {
        "Checkpointing · 2 papers",
        "Elastic training · 0 papers",
        "CheckFreq · Read by me",
        "Gemini · Read by no one",
    }
    with database.write() as tx:
        make.filed(tx, make.paper(tx), topic)
    assert "Recent changes aren't shown yet" in browser.get("/graph").text
    told = browser.get("/api/v1/graph").json()
    assert (told["outdated"], told["underway"], len(told["nodes"])) == (True, False, 4)


def test_the_map_is_filtered_and_zoomed(sign_in, ada, topic, database):
    with database.write() as tx:
        make.filed(tx, make.paper(tx, "Elsewhere"), make.topic(tx, "Serving"))
        enqueue_map_layout(tx, ada)
    drawn(database)
    browser = sign_in(ada)

    def seen(question):
        return {title.partition(" · ")[0] for _, title in links(page(browser.get(f"/graph?{question}")))}

    assert seen("topic=ckpt") == {"Checkpointing", "Elastic training", "CheckFreq", "Gemini"}
    assert seen("unread=1") == {"Checkpointing", "Elastic training", "Gemini", "Serving", "Elsewhere"}
    assert seen("related=1") == {"Checkpointing", "Elastic training", "CheckFreq", "Gemini", "Serving"}
    assert len(seen("zoom=24&x=0&y=0")) < 6
    assert seen("zoom=nan&x=1e99&y=-3") == seen("zoom=1&x=0.5&y=0")
    unknown = page(browser.get("/graph?topic=chekpointing")).get_element_by_id("topic")
    assert (unknown.get("value"), unknown.get("aria-invalid")) == ("chekpointing", "true")
    nearer = page(browser.get("/graph")).xpath("//a[@data-way='in']/@href")[0]
    assert re.fullmatch(r"/graph\?zoom=1\.6&x=0\.5&y=0\.5", nearer)
    assert page(browser.get("/graph", headers=FRAGMENT)).get("id") == "map"


def test_a_worker_schedules_the_map_layout_when_it_is_outdated(topic, database):
    def wanted():
        schedule_map_layout(database)
        with database.read() as tx:
            return tx.scalar(sa.select(sa.func.count()).select_from(Job).where(col(Job.state) == "queued"))

    assert wanted() == 1
    drawn(database)
    assert wanted() == 0
    with database.write() as tx:
        make.topic(tx, "Another")
    assert wanted() == 1


def test_no_map_is_drawn_for_an_empty_library(database):
    schedule_map_layout(database)
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Job)) == 0


def test_the_map_has_all_topics_and_the_most_linked_papers(database):
    with database.write() as tx:
        topics = [make.topic(tx) for _ in range(3)]
        once, thrice, never = make.paper(tx), make.paper(tx), make.paper(tx)
        make.filed(tx, once, topics[0])
        for topic in topics:
            make.filed(tx, thrice, topic)
    with database.read() as tx:
        keys = {node.key for node in map_network(tx).nodes}
    assert keys == {*(f"topic-{topic.id}" for topic in topics), f"paper-{once.id}", f"paper-{thrice.id}"}
    assert f"paper-{never.id}" not in keys
    assert len(keys) <= MAX_NODES


def test_a_read_only_token_cannot_start_drawing_the_map(database):
    with database.write() as tx, pytest.raises(NotAllowed):
        enqueue_map_layout(tx, CurrentUser(1, "Ada", "member", frozenset({"read"})))


def test_private_data_of_bob_changes_neither_adas_view_nor_what_is_stored(sign_in, ada, topic, database):
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
        [unread] = list(tx.scalars(sa.select(col(PaperTopic.paper_id)).order_by(col(PaperTopic.paper_id))))[1:]
        enqueue_map_layout(tx, ada)
    drawn(database)
    browser = sign_in(ada)
    addresses = [
        "/topics/checkpointing/graph",
        "/topics/checkpointing/graph?as=table&depth=3",
        f"/papers/{unread}/graph?citations=1",
        "/graph",
        "/graph?unread=1",
        "/api/v1/topics/checkpointing/graph",
        "/api/v1/graph",
    ]

    def seen():
        return [re.sub(r"[0-9a-f]{8,}", "", browser.get(address).text) for address in addresses], layouts(database)

    seen()
    before = seen()
    with database.write() as tx:
        make.reading(tx, bob.id, unread, "read", private=True)
        make.summary(tx, bob.id, unread, "Of [[Elastic training]].", private=True)
    assert seen() == before
    with database.write() as tx:
        make.reading(tx, bob.id, unread, "read", pass_number=2)
    assert seen()[0] != before[0]
    assert seen()[1] == before[1]
