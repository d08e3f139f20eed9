"""Questions in a browser and as JSON: the same list, the form with its mistakes and conflicts, and the buttons."""

import pytest
from lxml import html

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import Person
from readtrack.infra.pagination import PageRequest
from tests import make

pytestmark = pytest.mark.slow  # many requests to a whole application; `make check` is to be quick


@pytest.fixture
def people(database):
    with database.write() as tx:
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo Lee"), make.visitor(tx, "Guest", role="viewer")]


@pytest.fixture
def ada(people, sign_in):
    return sign_in(people[0])


def page(browser, address):
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def asked(document):
    return [words(link) for link in document.xpath("//ol[@class='asked']//a[@class='title']")]


def form_of(document, action):
    [form] = document.xpath(f"//form[@action='{action}']")
    return {field.get("name"): field.value for field in form.xpath(".//input[@name]|.//textarea[@name]")}


@pytest.mark.deep
def test_a_question_about_a_paper_is_shown_there_and_in_the_list(ada, people, sign_in, database):
    with database.write() as tx:
        paper = make.paper(tx, "On recovery")
    form = form_of(page(ada, f"/papers/{paper.id}"), "/questions")
    answer = ada.post("/questions", data={**form, "text": "Why is $n$ slow?"})
    assert answer.status_code == 303
    guest = sign_in(people[2])
    for address in ("/questions", f"/papers/{paper.id}", f"/questions?paper={paper.id}"):
        document = page(guest, address)
        assert asked(document) == ["Why is n slow?"]
        assert not document.xpath("//form[@action='/questions']")
    shown = page(guest, answer.headers["location"])
    assert "On recovery" in words(shown)
    assert "Open" in words(shown.xpath("//p[@class='by']")[0])


def test_page_and_api_list_the_same_questions_in_the_same_order(ada, database):
    with database.write() as tx:
        topic = make.topic(tx, "Recovery")
        for number in range(4):
            make.question(tx, f"number {number}", topic_id=topic.id, state=("open", "dropped")[number % 2])
    for asks in ("", "?state=all", "?topic=recovery&state=dropped", "?mine=1"):
        rows = ada.get(f"/api/v1/questions{asks.replace('mine=1', 'mine=true')}").json()["items"]
        assert asked(page(ada, f"/questions{asks}")) == [row["text"] for row in rows], asks
    first = ada.get("/api/v1/questions?state=all&limit=3").json()
    rest = ada.get("/api/v1/questions", params={"state": "all", "limit": 3, "after": first["next"]}).json()
    assert [row["text"] for row in first["items"] + rest["items"]] == [f"number {n}" for n in (3, 2, 1, 0)]


def test_the_list_is_paged(ada, database):
    with database.write() as tx:
        for number in range(PageRequest().limit + 1):
            make.question(tx, f"number {number}")
    document = page(ada, "/questions")
    [older] = document.xpath("//a[@rel='next']/@href")
    assert asked(page(ada, older)) == ["number 0"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"text": ""}, "This field is required."),
        ({"topic": "nowhere"}, "Topic “nowhere” not found"),
        ({"owner": "nobody"}, "No such member: nobody"),
        ({"paper": "999"}, "No paper matches “999”."),
        ({"paper": "2401.99999"}, "No paper matches “2401.99999”."),
    ],
)
def test_a_mistake_keeps_the_input(ada, typed, said):
    answer = ada.post("/questions", data={"text": "Why?", **typed})
    document = html.fromstring(answer.text)
    assert answer.status_code == 422
    assert said in words(document.xpath("//*[@role='alert']")[0])
    assert {**form_of(document, "/questions"), **typed} == form_of(document, "/questions")


def test_people_topics_and_papers_are_entered_by_name(ada, database):
    with database.write() as tx:
        make.topic(tx, "Fault tolerance", aliases=("FT",))
        paper = make.paper(tx, identifier="arxiv:2401.00001")
    for said in ("arXiv:2401.00001v2", str(paper.id), f"http://127.0.0.1:8000/papers/{paper.id}"):
        where = ada.post("/questions", data={"text": "Why?", "topic": "ft", "owner": "@bo lee", "paper": said})
        row = ada.get(f"/api/v1{where.headers['location']}").json()
        assert (row["topic"], row["owner_name"], row["paper"]) == ("fault-tolerance", "Bo Lee", paper.id)


def test_a_part_of_a_title_names_the_paper_or_asks_which(ada, database):
    with database.write() as tx:
        papers = [make.paper(tx, title).id for title in ("On Slow Recovery", "On Fast Recovery")]
        search.update_papers(tx, papers)
    one = ada.post("/questions", data={"text": "Why?", "paper": "slow rec"})
    assert ada.get(f"/api/v1{one.headers['location']}").json()["paper"] == papers[0]
    which = html.fromstring(ada.post("/questions", data={"text": "How?", "paper": "recovery"}).text)
    assert len(which.xpath("//input[@type='radio']")) == 2
    assert form_of(which, "/questions")["text"] == "How?"
    edited = ada.post(f"{one.headers['location']}/edit", data={"text": "Why?", "version": "1", "paper": "recovery"})
    [form] = html.fromstring(edited.text).xpath("//main//form")
    assert ada.post(form.action, data=dict(form.form_values())).status_code == 303
    assert ada.get(f"/api/v1{one.headers['location']}").json()["paper"] == papers[1]


def test_the_topic_field_suggests_existing_ones(ada, database):
    with database.write() as tx:
        make.topic(tx, "Recovery")
    asks = page(ada, "/questions").xpath("//input[@id='topic']")[0]
    offered = ada.get(asks.get("hx-get"), params={"topic": "reco"}, headers={"HX-Request-Type": "partial"})
    assert "Recovery" in offered.text
    assert (
        "Recovery"
        not in ada.get("/topics", params={"topic": "x" * 60_000}, headers={"HX-Request-Type": "partial"}).text
    )


def test_two_concurrent_editors_see_both_texts_and_neither_is_lost(ada, database):
    with database.write() as tx:
        question = make.question(tx, "one?")
    at = f"/questions/{question.id}"
    form = form_of(page(ada, f"{at}/edit"), f"{at}/edit")
    assert ada.post(f"{at}/edit", data={**form, "text": "theirs?"}).status_code == 303
    answer = ada.post(f"{at}/edit", data={**form, "text": "mine?"})
    document = html.fromstring(answer.text)
    assert answer.status_code == 409
    again = form_of(document, f"{at}/edit")
    assert (again["text"], again["version"]) == ("mine?", "2")
    assert "theirs?" in words(document.xpath("//dl[@class='facts']")[0])


def test_the_form_saves_even_if_the_owner_was_disabled(ada, database, people):
    with database.write() as tx:
        question = make.question(tx, "one?", owner_id=people[1].id)
        tx.get_one(Person, people[1].id).disabled_at = now()
    at = f"/questions/{question.id}"
    form = form_of(page(ada, f"{at}/edit"), f"{at}/edit")
    assert ada.post(f"{at}/edit", data={**form, "text": "two?"}).status_code == 303
    shown = ada.get(f"/api/v1{at}")
    assert (shown.json()["text"], shown.json()["owner_name"]) == ("two?", "Bo Lee")
    tag = shown.headers["etag"]
    assert ada.patch(f"/api/v1{at}", json={"text": "three?"}, headers={"If-Match": tag}).status_code == 200


def test_each_button_of_a_question_works(ada, database, people):
    with database.write() as tx:
        question = make.question(tx, "Why?", created_by=people[0].id)
    at = f"/questions/{question.id}"

    def now():
        row = ada.get(f"/api/v1{at}").json()
        return row["state"], row["owner_name"], row["answer"]

    ada.post(f"{at}/assign-to-me")
    ada.post(f"{at}/close")
    assert now() == ("dropped", "Ada", None)
    ada.post(f"{at}/reopen")
    answer = ada.post(f"{at}/comments", data={"markdown": "Because.", "then": "answer"})
    comment = int(answer.headers["location"].rsplit("/", 1)[1])
    assert now() == ("answered", "Ada", comment)
    [mark] = page(ada, at).xpath(f"//article[@id='comment-{comment}']//header/span[@class='status read']")
    assert words(mark) == "Answer"
    other = int(ada.post(f"{at}/comments", data={"markdown": "Or so."}).headers["location"].rsplit("/", 1)[1])
    ada.post(f"{at}/answer", data={"comment": other})
    assert now() == ("answered", "Ada", other)
    assert ada.post(f"{at}/close").status_code == 409
    assert ada.post(f"{at}/delete").status_code == 409


def test_a_merge_patch_changes_only_the_given_fields(ada, database):
    with database.write() as tx:
        paper = make.paper(tx)
        make.topic(tx, "Recovery")
    made = ada.post("/api/v1/questions", json={"text": "Why?", "paper": paper.id})
    at, tag = made.headers["location"], made.headers["etag"]
    assert made.status_code == 201
    assert ada.patch(at, json={"text": "How?"}).status_code == 428
    changed = ada.patch(at, json={"text": "How?", "topic": "recovery", "paper": None}, headers={"If-Match": tag})
    assert {name: changed.json()[name] for name in ("text", "topic", "paper", "state")} == {
        "text": "How?",
        "topic": "recovery",
        "paper": None,
        "state": "open",
    }
    assert ada.patch(at, json={"text": "x"}, headers={"If-Match": tag}).status_code == 412
    tag = changed.headers["etag"]
    wrongs: list[object] = [
        {"state": "answered"},
        {"state": "done"},
        {"text": ""},
        {"asked_by": "Bo"},
        [],
        {"answer": 9},
    ]
    for wrong in wrongs:
        assert ada.patch(at, json=wrong, headers={"If-Match": tag}).status_code == 422, wrong
    dropped = ada.patch(at, json={"state": "dropped"}, headers={"If-Match": tag})
    assert dropped.json()["closed_by"] == "Ada"
    assert ada.delete(at).status_code == 204
    assert ada.get(at).status_code == 404


@pytest.mark.deep
def test_pages_take_the_same_number_of_statements_for_any_amount_of_data(ada, database, people, statements):
    with database.write() as tx:
        paper, topic = make.paper(tx), make.topic(tx, "Recovery")
        question = make.question(tx, paper_id=paper.id, topic_id=topic.id)
        thread = make.comment(tx, people[1].id, "@Ada", paper_id=paper.id)

    def fill(count):
        with database.write() as tx:
            for number in range(count):
                make.question(tx, paper_id=paper.id, topic_id=topic.id, created_by=people[1].id)
                for about in ({"paper_id": paper.id}, {"topic_id": topic.id}, {"question_id": question.id}):
                    first = make.comment(tx, people[1].id, f"@Ada @Bo Lee {number}", **about)
                    make.comment(tx, people[0].id, "@Ada", parent_id=first.id, **about)
                make.comment(tx, people[0].id, "@Bo Lee", parent_id=thread.id, paper_id=paper.id)

    def counted():
        counts = {}
        at = (f"/papers/{paper.id}", "/topics/recovery", f"/questions/{question.id}")
        alone = (f"/threads/{thread.id}", f"/comments/{thread.id}/reply?quote=1")
        for address in (*at, *alone, *(f"/api/v1{one}/comments" for one in at), "/questions"):
            with statements() as seen:
                assert ada.get(address).status_code == 200
            counts[address] = len(seen)
        return counts

    fill(1)
    once = counted()
    fill(12)
    assert counted() == once
