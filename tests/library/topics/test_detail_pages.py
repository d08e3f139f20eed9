"""What stands round the papers of a topic, by both doors: order, coverage, links; merging and splitting shown first."""

import pytest
from lxml import html

from readtrack.infra.models import TopicLink
from tests import make
from tests.tables import cases

pytestmark = pytest.mark.slow  # `make check` is to be quick
TOOL = "https://github.com/pytorch/torchsnapshot"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        visitor = make.visitor(tx, "Ada", role="editor")
    return sign_in(visitor)


@pytest.fixture
def topic(database):
    """With papers 1 to 3, an alias, and a topic below it; besides another topic with paper 1."""
    with database.write() as tx:
        topic = make.topic(tx, "MoE", aliases=("mixture",), markdown="Text.")
        make.topic(tx, "Routing", parent_id=topic.id)
        other = make.topic(tx, "Experts")
        for title in "ABC":
            make.filed(tx, make.paper(tx, title), topic)
        make.filed(tx, make.paper(tx, "D"), other)
        return topic


def page(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def order(ada):
    return [row["paper"] for row in ada.get("/api/v1/topics/moe/order").json()["items"]]


def test_papers_are_reordered_on_the_page_and_through_the_api(ada, topic):
    for paper in (3, 1):
        answer = ada.post("/topics/moe/order", data={"paper": str(paper)})
        assert (answer.status_code, answer.headers["location"]) == (303, "/topics/moe#order")
    ada.post("/topics/moe/order/1/position", data={"to": "up"})
    assert order(ada) == [1, 3]
    assert ada.put("/api/v1/topics/moe/order/2/position", json={"after": 1}).status_code == 204
    assert order(ada) == [1, 2, 3]
    shown = page(ada.get("/topics/moe")).xpath("//*[@id='order']//a[@class='title']")
    assert [words(link) for link in shown] == ["A", "B", "C"]
    ada.post("/topics/moe/order/2/position", data={"to": "out"})
    assert ada.delete("/api/v1/topics/moe/order/2/position").status_code == 204
    assert order(ada) == [1, 3]


@cases(
    ("address", "body", "status"),
    [
        ("moe/order/1/position", {"to": "sideways"}, 422),
        ("moe/order/1/position", {}, 422),
        ("moe/order/1/position", {"to": "up", "after": 2}, 422),
        ("moe/order/4/position", {"to": "top"}, 409),
        ("moe/order/99/position", {"to": "top"}, 404),
        ("nowhere/order/1/position", {"to": "top"}, 404),
    ],
)
def test_an_invalid_move_is_refused(ada, topic, address, body, status):
    assert ada.put(f"/api/v1/topics/{address}", json=body).status_code == status


def test_links_added_through_the_api_are_on_the_page(ada, topic):
    made = ada.post("/api/v1/topics/moe/links", json={"url": TOOL, "title": HOSTILE, "note": HOSTILE})
    assert (made.status_code, made.json()["kind"], made.json()["by"]) == (201, "repository", "Ada")
    number = made.json()["id"]
    assert ada.post("/api/v1/topics/moe/links", json={"url": TOOL}).status_code == 409
    assert ada.post("/api/v1/topics/moe/links", json={"url": "javascript:alert(1)"}).status_code == 422
    [link] = page(ada.get("/topics/moe")).xpath("//*[@id='links']//a[@class='where']")
    assert (link.get("href"), words(link), link.get("rel")) == (TOOL, HOSTILE, "noreferrer noopener")
    changed = ada.patch(f"/api/v1/topics/moe/links/{number}", json={"title": "Tool", "note": None})
    assert (changed.json()["title"], changed.json()["note"], changed.json()["url"]) == ("Tool", "", TOOL)
    assert ada.delete(f"/api/v1/topics/moe/links/{number}").status_code == 204
    assert ada.get("/api/v1/topics/moe/links").json() == {"items": []}


def test_a_mistake_in_the_link_form_keeps_the_input(ada, topic, database):
    with database.write() as tx:
        link = make.added(tx, TopicLink(topic_id=topic.id, url=TOOL))
    for address in ("/topics/moe/links", f"/topics/moe/links/{link.id}/edit"):
        document = page(ada.post(address, data={"url": "ftp://x", "title": "Kept", "note": "Too"}), 422)
        assert "Enter an http:// or https:// address" in words(document.xpath("//*[@role='alert']")[0])
        assert [field.value for field in document.xpath("//form//input[@name='title' or @name='note']")] == [
            "Kept",
            "Too",
        ]
    assert page(ada.post("/topics/moe/links", data={"url": ""}), 422) is not None
    assert page(ada.get("/topics/moe/links/99/edit"), 404) is not None


def test_the_url_of_a_library_paper_offers_to_file_it(ada, topic, database):
    with database.write() as tx:
        paper = make.paper(tx, "Known", identifier="arxiv:2305.15778")
    document = page(ada.post("/topics/moe/links", data={"url": "https://arxiv.org/abs/2305.15778"}), 422)
    [form] = document.xpath(f"//form[@action='/papers/{paper.id}/topics']")
    assert form.xpath(".//input[@name='name']")[0].value == "MoE"


@pytest.mark.deep
def test_the_reading_coverage_is_a_table_with_text(ada, topic, database):
    with database.write() as tx:
        bo = make.person(tx, "Bo")
        make.reading(tx, bo.id, 1, "read")
        make.reading(tx, bo.id, 2, "read", private=True)
    for address in ("/topics/moe", "/topics/moe/coverage"):
        [table] = page(ada.get(address)).xpath("//table[@class='covered']")
        rows = [words(row) for row in table.xpath("./tbody/tr")]
        assert rows == ["C", "B", "A Bo Read"]
    body = ada.get("/api/v1/topics/moe/coverage").json()
    assert [paper["states"] for paper in body["papers"]] == [{}, {}, {str(bo.id): "read"}]
    assert (body["people"], body["next"]) == ([{"id": bo.id, "name": "Bo"}], None)


def test_a_merge_is_previewed(ada, topic):
    document = page(ada.get("/topics/moe/merge?into=experts"))
    assert "3 papers" in words(document)
    assert "Aliases: MoE, mixture" in words(document)
    [form] = document.xpath("//form[@action='/topics/moe/merge'][@method='post']")
    assert form.xpath(".//input[@name='into']")[0].value == "experts"
    told = ada.post("/api/v1/topics/moe/merge/preview", json={"into": "experts"}).json()
    assert (told["papers"], told["shared"], told["below"], told["problem"]) == (3, 0, ["routing"], "")
    for into, said in (("nowhere", "No matching topic"), ("mixture", "Choose a different topic")):
        assert said in words(page(ada.get(f"/topics/moe/merge?into={into}"), 422))
    assert ada.get("/api/v1/topics/moe").json()["papers"] == 3


def test_a_split_is_previewed_and_keeps_the_ticked_items(ada, topic):
    chosen = {"paper": ["1", "3"], "alias": ["mixture"], "below": ["routing"], "under": "1"}
    document = page(ada.post("/topics/moe/split/preview", data={"into": "", **chosen}), 422)
    assert len(document.xpath("//form//input[@checked]")) == 5
    document = page(ada.post("/topics/moe/split/preview", data={"into": "Gates", **chosen}))
    assert "Move to a new topic “Gates”:" in words(document)
    [form] = document.xpath("//form[@action='/topics/moe/split']")
    sent = [(field.get("name"), field.value) for field in form.xpath(".//input")]
    told = ada.post("/api/v1/topics/moe/split/preview", json={"into": "experts", "papers": [1]}).json()
    assert told == {"into": "experts", "name": "Experts", "papers": [1], "shared": [], "aliases": [], "below": []}
    lists = {name: [value for known, value in sent if known == name] for name, _ in sent}
    answer = ada.post("/topics/moe/split", data=lists)
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics/gates")
    assert ada.get("/api/v1/topics/gates").json()["papers"] == 2
    refused = page(ada.post("/topics/moe/split/preview", data={"into": "X", "paper": ["4"]}), 422)
    assert "Paper 4 isn't directly in this topic" in words(refused.xpath("//*[@role='alert']")[0])


@pytest.mark.deep
def test_the_index_is_filtered_on_the_page_and_through_the_api(ada, topic):
    document = page(ada.get("/topics?of=once"))
    assert [words(link) for link in document.xpath("//ul[@class='found-topics']//a")] == ["Experts"]
    assert [item["slug"] for item in ada.get("/api/v1/topics?of=empty").json()["items"]] == ["routing"]
    assert [item["slug"] for item in ada.get("/api/v1/topics?q=MIX").json()["items"]] == ["moe"]
    assert "No matching topic" in words(page(ada.get("/topics?q=zyzzyva&of=nonsense")))
    assert ada.get("/api/v1/topics?of=nonsense").status_code == 422


def test_hostile_names_and_titles_are_inert_on_every_topic_page(ada, database):
    with database.write() as tx:
        topic = make.topic(tx, HOSTILE, aliases=(f"{HOSTILE} too",))
        make.filed(tx, make.paper(tx, HOSTILE), topic)
        make.reading(tx, make.person(tx, HOSTILE).id, 1, "read")
        make.topic(tx, "Other")
        slug = topic.slug
    shown = ("", "/coverage", "/merge", "/merge?into=other", "/split")
    for address in (*(f"/topics/{slug}{rest}" for rest in shown), "/topics?q=script", "/topics?of=once"):
        document = page(ada.get(address))
        assert HOSTILE in words(document), address
        assert not document.xpath("//script[not(@src)]"), address


@pytest.mark.deep
def test_the_page_takes_as_many_statements_for_many_items_as_for_one(ada, database, statements):
    asked = []
    for count in (1, 12):
        with database.write() as tx:
            topic = make.topic(tx, f"Of {count}")
            for number in range(count):
                make.filed(tx, make.paper(tx), topic).position = number + 1
                make.topic(tx, parent_id=topic.id)
                make.added(tx, TopicLink(topic_id=topic.id, url=f"https://example.org/{number}"))
                make.filed(tx, make.paper(tx), topic)
        with statements() as counted:
            page(ada.get(f"/topics/of-{count}"))
        asked.append(len(counted))
    assert asked[0] == asked[1]
