"""Topics in a browser: the tree, a topic's page, its form with its mistakes and conflicts, and filing from a paper."""

import pytest
from lxml import html

from readtrack.infra.permissions import CurrentUser
from readtrack.library.topics import queries
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick

NOBODY = CurrentUser(0, "", "viewer")
FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        visitor = make.visitor(tx, "Ada", role="editor")
    return sign_in(visitor)


def page(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def values(form):
    return {field.get("name"): field.value for field in form.xpath(".//input[@name]|.//textarea[@name]")}


def form_to(document, address):
    [form] = document.xpath(f"//form[@method='post'][@action='{address}']")
    return form


def test_an_empty_index_explains_what_to_do_and_offers_the_form(ada):
    document = page(ada.get("/topics"))
    assert "No topics yet" in words(document)
    assert set(values(form_to(document, "/topics"))) == {"name", "aliases", "parent", "markdown"}


@pytest.mark.deep
def test_a_topic_added_in_the_form_is_in_the_tree_under_its_parent(ada):
    ada.post("/topics", data={"name": "Fault tolerance"})
    answer = ada.post(
        "/topics", data={"name": "Checkpointing", "aliases": "ckpt\r\n\r\n检查点", "parent": "fault tolerance"}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics/checkpointing")
    tree = page(ada.get("/topics")).xpath("//ul[@class='tree']/li")
    assert [words(item) for item in tree] == ["Fault tolerance No papers Checkpointing No papers"]
    shown = words(page(ada.get("/topics/checkpointing")))
    assert "Topics › Fault tolerance" in shown
    assert "Aliases: ckpt, 检查点" in shown


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "CKPT"}, "“ckpt” is already used by the topic “Checkpointing”."),
        (
            {"name": "New", "aliases": "checkpointing"},
            "“Checkpointing” is already used by the topic “Checkpointing”.",
        ),
        ({"name": "New", "parent": "nowhere"}, "Topic “nowhere” not found."),
    ],
)
def test_a_mistake_keeps_the_input_and_is_explained(ada, typed, said):
    ada.post("/topics", data={"name": "Checkpointing", "aliases": "ckpt"})
    document = page(ada.post("/topics", data={"markdown": "kept text", **typed}), 422)
    kept = values(form_to(document, "/topics"))
    assert {name: kept[name].strip() for name in typed} == typed
    assert kept["markdown"].strip() == "kept text"
    assert said in words(document.xpath("//*[@role='alert']")[0])


def test_a_topic_page_shows_its_text_its_papers_and_those_of_subtopics(ada, database):
    with database.write() as tx:
        top = make.topic(tx, "Training", markdown="Costs $C$ & <script>alert(1)</script>")
        low = make.topic(tx, "Checkpointing", parent_id=top.id)
        for title, topic in (("Early", top), ("Late", low)):
            make.filed(tx, make.paper(tx, title), topic)
    document = page(ada.get("/topics/training"))
    assert [words(row) for row in document.xpath("//*[@data-row]//a[contains(@class,'title')]")] == ["Late", "Early"]
    assert "0 of 2 read" in words(document)
    assert document.xpath("//div[contains(@class,'prose')]//math")
    assert not document.xpath("//main//script[not(@src)]")
    assert [words(link) for link in document.xpath("//ul[@class='tree']//bdi")] == ["Checkpointing"]


def test_any_alias_redirects_to_the_topic(ada):
    ada.post("/topics", data={"name": "Checkpointing", "aliases": "ckpt"})
    assert ada.get("/topics/ckpt").headers["location"] == "/topics/checkpointing"
    assert page(ada.get("/topics/nowhere"), 404) is not None


def test_the_form_replaces_every_field_including_cleared_ones(ada, database):
    ada.post("/topics", data={"name": "Training"})
    ada.post("/topics", data={"name": "MoE", "aliases": "mixture", "parent": "training", "markdown": "text"})
    form = form_to(page(ada.get("/topics/moe/edit")), "/topics/moe/edit")
    assert values(form)["parent"] == "Training"
    answer = ada.post("/topics/moe/edit", data={**values(form), "aliases": "", "parent": "", "markdown": ""})
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics/moe")
    with database.read() as tx:
        topic = queries.get_topic(tx, NOBODY, "moe")
    assert (topic.aliases, topic.row.parent, topic.markdown, topic.version) == ([], None, "", 2)


def test_two_concurrent_editors_see_both_texts_and_neither_is_lost(ada, database):
    ada.post("/topics", data={"name": "MoE", "markdown": "first"})
    typed = values(form_to(page(ada.get("/topics/moe/edit")), "/topics/moe/edit"))
    ada.post("/topics/moe/edit", data={**typed, "markdown": "theirs"})
    document = page(ada.post("/topics/moe/edit", data={**typed, "markdown": "mine"}), 409)
    assert [words(text) for text in document.xpath("//pre")] == ["firsttheirs", "firstmine", "first"]
    [form] = [form for form in document.xpath("//main//form") if "Save mine" in words(form)]
    assert ada.post("/topics/moe/edit", data=values(form)).status_code == 303
    with database.read() as tx:
        assert queries.get_topic(tx, NOBODY, "moe").markdown == "mine"


@pytest.mark.deep
def test_moving_a_topic_under_its_descendant_is_reported_at_the_field(ada):
    ada.post("/topics", data={"name": "A"})
    ada.post("/topics", data={"name": "B", "parent": "A"})
    typed = values(form_to(page(ada.get("/topics/a/edit")), "/topics/a/edit"))
    document = page(ada.post("/topics/a/edit", data={**typed, "parent": "b"}), 422)
    assert "can't be placed under itself" in words(document.xpath("//*[@id='parent-error']")[0])


@pytest.mark.deep
def test_a_paper_is_filed_by_any_topic_name_and_a_new_name_creates_a_topic(ada, database):
    with database.write() as tx:
        paper = make.paper(tx)
        make.topic(tx, "Checkpointing", aliases=("ckpt",))
    for name in ("ckpt", "checkpointing", "Elastic training", "elastic-training"):
        answer = ada.post(f"/papers/{paper.id}/topics", data={"name": name})
        assert (answer.status_code, answer.headers["location"]) == (303, f"/papers/{paper.id}?topics=open")
    with database.read() as tx:
        assert queries.find_paper_topics(tx, [paper.id])[paper.id] == [
            ("checkpointing", "Checkpointing"),
            ("elastic-training", "Elastic training"),
        ]
    ada.post(f"/papers/{paper.id}/topics/checkpointing/remove")
    with database.read() as tx:
        assert queries.find_paper_topics(tx, [paper.id])[paper.id] == [("elastic-training", "Elastic training")]


def test_filing_in_place_responds_with_the_topics_only(ada, database):
    with database.write() as tx:
        paper = make.paper(tx)
    answer = ada.post(f"/papers/{paper.id}/topics", data={"name": "MoE"}, headers=FRAGMENT)
    part = page(answer)
    assert (part.get("id"), [words(tag) for tag in part.xpath(".//a[@class='tag']")]) == ("paper-topics", ["MoE"])
    assert is_ready_for_a_topic(part)
    wrong = page(ada.post(f"/papers/{paper.id}/topics", data={"name": " "}, headers=FRAGMENT), 422)
    assert "This field is required." in words(wrong)
    assert page(ada.post(f"/papers/{paper.id}/topics", data={"name": " "}), 422) is not None
    gone = page(ada.post(f"/papers/{paper.id}/topics/moe/remove", headers=FRAGMENT))
    assert "None" in words(gone)
    assert is_ready_for_a_topic(gone)


def is_ready_for_a_topic(part):
    """The form that adds a topic is open, its field empty and focused."""
    return [field.get("value") for field in part.xpath(".//details[@open]//input[@name='name'][@autofocus]")] == [""]


def test_after_a_change_without_scripts_the_form_is_open_for_the_next_topic(ada, database):
    with database.write() as tx:
        paper = make.paper(tx).id
    here = f"/papers/{paper}"
    [closed] = page(ada.get(here)).xpath("//*[@id='paper-topics']")
    assert not closed.xpath(".//details[@open] | .//*[@autofocus]")
    for address, form in ((f"{here}/topics", {"name": "MoE"}), (f"{here}/topics/moe/remove", {})):
        answer = ada.post(address, data=form)
        [part] = page(ada.get(answer.headers["location"])).xpath("//*[@id='paper-topics']")
        assert is_ready_for_a_topic(part), address


def test_existing_topic_names_are_suggested(ada):
    ada.post("/topics", data={"name": "Checkpointing <b>", "aliases": "ckpt"})
    answer = ada.get("/topics", params={"parent": "ck"}, headers=FRAGMENT)
    assert [option.get("value") for option in html.fromstring(f"<div>{answer.text}</div>")] == ["Checkpointing <b>"]
    assert ada.get("/topics", params={"name": ""}, headers=FRAGMENT).text.strip() == ""


@pytest.mark.deep
def test_merging_and_deleting_redirect_to_what_remains(ada):
    for name in ("MoE", "Mixture of experts"):
        ada.post("/topics", data={"name": name})
    answer = ada.post("/topics/moe/merge", data={"into": "Mixture of Experts"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics/mixture-of-experts")
    answer = ada.post("/topics/mixture-of-experts/delete")
    assert (answer.status_code, answer.headers["location"]) == (303, "/topics")


@pytest.mark.deep
def test_hostile_names_are_inert_wherever_they_are_shown(ada, database):
    evil = '"><svg onload=alert(1)>'
    with database.write() as tx:
        topic = make.topic(tx, evil, aliases=(f"alias {evil}",))
        make.filed(tx, make.paper(tx), topic)
    for address in ("/topics", f"/topics/{topic.slug}", f"/topics/{topic.slug}/edit"):
        document = page(ada.get(address))
        assert not document.xpath("//*[@onload]")
        assert "svg onload" in document.text_content()


@pytest.mark.deep
def test_cross_site_requests_and_viewers_change_nothing(ada, database, sign_in):
    with database.write() as tx:
        viewer, paper = make.visitor(tx, role="viewer"), make.paper(tx)
        make.topic(tx, "MoE")
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    browser = sign_in(viewer)
    for address in (
        "/topics",
        "/topics/moe/edit",
        "/topics/moe/delete",
        "/topics/moe/merge",
        f"/papers/{paper.id}/topics",
    ):
        data = {"name": "New", "into": "moe", "version": "1"}
        assert ada.post(address, data=data, headers=elsewhere).status_code == 403
        assert browser.post(address, data=data).status_code == 403
    assert not page(browser.get("/topics")).xpath("//main//form[@method='post']")
    assert not page(browser.get("/topics/moe")).xpath("//main//form[@method='post']")


def test_the_page_and_the_api_list_the_same_topics(ada, database):
    with database.write() as tx:
        top = make.topic(tx, "Training")
        for name in ("Checkpointing", "DDP"):
            make.filed(tx, make.paper(tx), make.topic(tx, name, parent_id=top.id))
    shown = [words(name) for name in page(ada.get("/topics")).xpath("//ul[@class='tree']//bdi")]
    listed = ada.get("/api/v1/topics").json()["items"]
    assert sorted(shown) == sorted(topic["name"] for topic in listed)
