"""Where papers and topics are named, by links and without: on pages, as JSON, and for whose eyes."""

import pytest
from lxml import html

from readtrack import search
from readtrack.library.papers.commands import delete_paper
from readtrack.library.references import autocomplete, unlinked_mentions
from readtrack.library.topics.commands import TopicCreate, add_topic
from readtrack.library.topics.queries import get_topic
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.reading.summaries.queries import get_my_summary
from readtrack.team.discussion.commands import CommentCreate, add_comment, hide_comment
from readtrack.team.discussion.targets import DiscussionTarget
from tests import make
from tests.tables import cases

pytestmark = pytest.mark.slow

FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def people(database):
    with database.write() as tx:
        roles = {"ada": "member", "bo": "member", "root": "admin", "guest": "viewer"}
        return {name: make.visitor(tx, name.title(), role=role) for name, role in roles.items()}


@pytest.fixture
def ada(people):
    return people["ada"]


@pytest.fixture
def paper(database):
    """What is named."""
    with database.write() as tx:
        return make.paper(tx, "Gemini: Fast Failure Recovery", identifier="arxiv:2308.00001")


@pytest.fixture
def other(database):
    """Where it is named."""
    with database.write() as tx:
        return make.paper(tx, "On queues")


def summarise(database, me, paper, text, **fields):
    with database.write() as tx:
        return edit_summary(tx, me, paper.id, SummaryUpdate(markdown=text, **fields), version=None).id


def comment(database, me, paper, text):
    with database.write() as tx:
        subject = DiscussionTarget("paper", paper.id, str(paper.id))
        return add_comment(tx, me, subject, CommentCreate(markdown=text)).id


def named(database, me, place, find=unlinked_mentions.list_mentions):
    """Each as (what kind of text, what it is on, the words that are marked)."""
    with database.read() as tx:
        items = find(tx, me, place).items
    return [(one.subject, one.title, "".join(piece for piece, marked in one.passage if marked)) for one in items]


def unlinked(database, me, place):
    return named(database, me, place, unlinked_mentions.list_unlinked_mentions)


def page(browser, address, **options):
    answer = browser.get(address, **options)
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def pressed(browser, address, fields):
    """What the page says after the button was pressed."""
    answer = browser.post(address, data=fields)
    assert answer.status_code == 303, answer.text
    return words(page(browser, answer.headers["Location"]))


def words(element):
    return " ".join(element.text_content().split())


def test_a_paper_lists_the_texts_linking_to_it_the_newest_first(database, ada, paper, other):
    summarise(database, ada, other, "Unlike [[Gemini]], this one waits.")
    comment(database, ada, other, "see arXiv:2308.00001v2!")
    with database.write() as tx:
        add_topic(tx, ada, TopicCreate(name="Recovery", markdown="begins with https://arxiv.org/abs/2308.00001"))
    summarise(database, ada, paper, "[[Gemini]] of itself is not told")
    assert named(database, ada, ("paper", paper.id)) == [
        ("topic", "Recovery", "https://arxiv.org/abs/2308.00001"),
        ("comment", "On queues", "arXiv:2308.00001v2"),
        ("summary", "On queues", "Gemini"),
    ]


def test_a_topic_lists_the_texts_linking_to_it(database, ada, other):
    with database.write() as tx:
        topic = add_topic(tx, ada, TopicCreate(name="Fault tolerance", aliases=["容错"], markdown="[[容错]]"))
    summarise(database, ada, other, "属于[[容错]]的做法")
    comment(database, ada, other, "about [[fault tolerance|faults]]")
    assert named(database, ada, ("topic", topic.id)) == [
        ("comment", "On queues", "faults"),
        ("summary", "On queues", "容错"),
    ]


def test_plain_mentions_are_found_without_a_link(database, ada, paper, other):
    summarise(database, ada, other, "We use\n**Gemini** here; [[Gemini]] not.")
    third, fourth = (make_paper(database, title) for title in ("On trees", "On heaps"))
    summarise(database, ada, third, "In gemini: fast   failure recovery they say")
    summarise(database, ada, fourth, "the gemini of the zodiac, `Gemini` in code and [Gemini](https://e.org)")
    comment(database, ada, third, "As Gemini does. 关于Gemini的讨论")
    assert unlinked(database, ada, ("paper", paper.id)) == [
        ("comment", "On trees", "Gemini"),
        ("summary", "On trees", "gemini: fast failure recovery"),
    ]


def make_paper(database, title):
    with database.write() as tx:
        return make.paper(tx, title)


def test_a_topic_is_found_by_each_of_its_names_in_any_script(database, ada, other):
    with database.write() as tx:
        topic = add_topic(tx, ada, TopicCreate(name="Fault tolerance", aliases=["容错"]))
        add_topic(tx, ada, TopicCreate(name="Recovery", markdown="part of FAULT TOLERANCE"))
        add_topic(tx, ada, TopicCreate(name="Faults", markdown="fault tolerances are something else"))
    summarise(database, ada, other, "关于容错的论文")
    assert unlinked(database, ada, ("topic", topic.id)) == [
        ("summary", "On queues", "容错"),
        ("topic", "Recovery", "FAULT TOLERANCE"),
    ]


def test_no_endpoint_reveals_mentions_in_texts_i_may_not_read(database, people, paper, other, sign_in):
    ada, bo = people["ada"], people["bo"]
    summarise(database, bo, other, "Gemini [[Gemini]] xylophone", private=True)
    plain = make_paper(database, "On trees")
    summarise(database, bo, plain, "Gemini xylophone", private=True)
    gone = make_paper(database, "Gone")
    comment(database, bo, gone, "[[Gemini]] and xylophone")
    with database.write() as tx:
        delete_paper(tx, people["root"], gone.id)
        hidden = add_comment(
            tx, bo, DiscussionTarget("paper", other.id, ""), CommentCreate(markdown="[[Gemini]] xylophone")
        )
        hide_comment(tx, people["root"], hidden.id or 0)
    place = ("paper", paper.id)
    assert named(database, ada, place) == unlinked(database, ada, place) == []
    assert {kind for kind, *_ in named(database, bo, place)} == {"summary", "comment"}
    assert [kind for kind, *_ in named(database, people["root"], place)] == ["comment"]
    browser = sign_in(ada)
    for address in (
        "/papers/{}",
        "/papers/{}/mentions",
        "/api/v1/papers/{}/mentions",
        "/api/v1/papers/{}/mentions?linked=0",
    ):
        assert "xylophone" not in browser.get(address.format(paper.id)).text


def test_pages_show_both_and_work_without_scripts(database, people, paper, other, sign_in):
    summarise(database, people["ada"], other, "Unlike [[Gemini]], this waits.")
    third = make_paper(database, "On trees")
    summarise(database, people["bo"], third, "Unlike Gemini")
    browser = sign_in(people["ada"])
    beside = page(browser, f"/papers/{paper.id}").get_element_by_id("mentions")
    assert "Unlike Gemini, this waits." in words(beside)
    (link,) = beside.xpath(".//p[@id='unlinked']/a/@href")
    assert link == f"/papers/{paper.id}/mentions#unlinked"
    whole = page(browser, f"/papers/{paper.id}/mentions")
    assert "this waits" in words(whole)
    assert not whole.get_element_by_id("unlinked").xpath(".//form")  # of somebody else
    part = browser.get(f"/papers/{paper.id}/mentions", headers=FRAGMENT).text
    assert "On trees" in part
    assert "On queues" not in part


def test_one_click_turns_a_mention_in_my_text_into_a_link(database, people, paper, other, sign_in):
    ada = people["ada"]
    summarise(database, ada, other, "`Gemini` first; unlike Gemini: fast\nfailure recovery, and Gemini.", tldr="T")
    browser = sign_in(ada)
    (form,) = page(browser, f"/papers/{paper.id}/mentions").xpath("//form[contains(@action, 'mentions')]")
    fields = dict(form.form_values())
    assert "Link added" in pressed(browser, form.get("action"), fields)
    with database.read() as tx:
        mine = get_my_summary(tx, ada, other.id)
    assert (mine.markdown, mine.tldr, mine.version) == (
        "`Gemini` first; unlike [[Gemini: fast failure recovery]], and Gemini.",
        "T",
        2,
    )
    assert named(database, ada, ("paper", paper.id))
    assert browser.post(form.get("action"), data=fields).status_code == 409
    with database.read() as tx:
        assert get_my_summary(tx, ada, other.id).version == 2


def test_ambiguous_words_are_linked_with_an_unambiguous_name(database, people, sign_in, other):
    ada = people["ada"]
    with database.write() as tx:
        one = make.paper(tx, "Same [title]", identifier="arxiv:2308.00002")
        add_topic(tx, ada, TopicCreate(name="Recovery", markdown="by Same [title] of 2023"))
        topic = get_topic(tx, ada, "recovery")
    browser = sign_in(ada)
    fields = {"subject": "topic", "text": topic.row.id, "version": 1}
    assert "Link added" in pressed(browser, f"/papers/{one.id}/mentions", fields)
    (link,) = page(browser, "/topics/recovery").xpath("//a[@class='reference']")
    assert link.get("href") == f"/papers/{one.id}"


def test_a_text_saved_meanwhile_or_written_by_another_person_is_not_changed(database, people, paper, other, sign_in):
    number = summarise(database, people["ada"], other, "Unlike Gemini")
    fields = {"subject": "summary", "text": number, "version": 0}
    said = pressed(sign_in(people["ada"]), f"/papers/{paper.id}/mentions", fields)
    assert "Someone edited this text" in said
    answer = sign_in(people["bo"]).post(f"/papers/{paper.id}/mentions", data={**fields, "version": 1})
    assert answer.status_code == 404
    with database.write() as tx:
        add_topic(tx, people["ada"], TopicCreate(name="Recovery", markdown="by Gemini"))
        text = get_topic(tx, people["ada"], "recovery").row.id
    fields = {"subject": "topic", "text": text, "version": 1}
    assert sign_in(people["guest"]).post(f"/papers/{paper.id}/mentions", data=fields).status_code == 403


def test_a_mention_in_my_comment_is_linked_too_and_a_missing_mention_is_a_conflict(database, people, other, sign_in):
    ada = people["ada"]
    with database.write() as tx:
        topic = add_topic(tx, ada, TopicCreate(name="容错"))
    number = comment(database, ada, other, "关于容错的论文")
    browser = sign_in(ada)
    fields = {"subject": "comment", "text": number, "version": 1}
    assert "Link added" in pressed(browser, f"/topics/{topic.slug}/mentions", fields)
    assert named(database, ada, ("topic", topic.id)) == [("comment", "On queues", "容错")]
    assert browser.post(f"/topics/{topic.slug}/mentions", data={**fields, "version": 2}).status_code == 409


def test_the_api_returns_the_same_as_the_page(database, people, paper, other, sign_in):
    summarise(database, people["ada"], other, "Unlike [[Gemini]], this\nwaits.")
    comment(database, people["bo"], other, "As Gemini does")
    browser = sign_in(people["ada"])
    told = browser.get(f"/api/v1/papers/{paper.id}/mentions").json()
    (item,) = told["items"]
    assert (told["more"], told["next"]) == (False, None)
    assert (item["subject"], item["about"], item["person"]) == ("summary", "On queues", "Ada")
    assert item["passage"] == "Unlike Gemini, this waits."
    (item,) = browser.get(f"/api/v1/papers/{paper.id}/mentions?linked=false").json()["items"]
    assert item["subject"] == "comment"
    assert browser.get("/api/v1/papers/999/mentions").status_code == 404
    assert browser.get("/api/v1/topics/none/mentions").status_code == 404


@pytest.fixture
def named_alike(database):
    with database.write() as tx:
        make.topic(tx, "Gemini", aliases=("双子座",))
        make.paper(tx, "Gemini", identifier="arxiv:2308.00003")
        make.paper(tx, "Fast [recovery] | Gemini", identifier="arxiv:2308.00004")
        make.paper(tx, "Gemini rejected", triage="rejected")
        make.paper(tx, "分散学習の容错", identifier="arxiv:2308.00005")

        search.ensure(tx)
        search.rebuild(tx)


@cases(
    ("beginning", "offered"),
    [
        ("gem", ["[[Gemini]]", "[[arxiv:2308.00003|Gemini]]", "[[Gemini: Fast Failure Recovery]]",
                 "[[arxiv:2308.00004|Fast recovery Gemini]]"]),
        ("failure re", ["[[Gemini: Fast Failure Recovery]]"]),
        ("双子", ["[[Gemini]]"]),
        ("容错", ["[[分散学習の容错]]"]),
        ("nothing", []),
        ("", []),
        ("x" * 101, []),
        ("%", []),
    ],
)  # fmt: skip
def test_completing_a_partial_name_offers_only_unambiguous_references(database, paper, named_alike, beginning, offered):
    with database.read() as tx:
        assert [offer.written for offer in autocomplete.suggest_references(tx, beginning)] == offered


def test_completions_are_returned_as_json(database, people, paper, named_alike, sign_in):
    answer = sign_in(people["guest"]).get("/api/v1/references/complete?q=failure")
    written = "[[Gemini: Fast Failure Recovery]]"
    assert answer.json()["items"] == [{"kind": "paper", "title": "Gemini: Fast Failure Recovery", "written": written}]


def test_a_page_takes_a_fixed_number_of_statements_however_often_it_is_mentioned(
    database, people, paper, other, sign_in, statements
):
    def asked():
        with database.read() as tx, statements() as seen:
            unlinked_mentions.list_mentions(tx, people["ada"], ("paper", paper.id))
        return len(seen)

    few = asked()
    for number in range(8):
        comment(database, people["ada"], other, f"{number} [[Gemini]]")
    assert asked() == few <= 4


def test_the_render_endpoint_links_references_as_pages_do(people, paper, sign_in):
    answer = sign_in(people["guest"]).post("/api/v1/render", json={"markdown": "see [[Gemini]] and [[Varuna]]"})
    links = html.fromstring(answer.json()["html"]).xpath("//a/@href")
    assert links == [f"/papers/{paper.id}", "/papers/new?text=Varuna"]


@pytest.mark.deep
@pytest.mark.parametrize("said", ["ÜBERPRÜFUNG", "überprüfung", "Überprüfung"])
def test_a_topic_is_found_in_another_topics_text_in_any_case(database, ada, said):
    with database.write() as tx:
        topic = add_topic(tx, ada, TopicCreate(name="Überprüfung"))
        add_topic(tx, ada, TopicCreate(name="Trust", markdown=f"After the {said} all is well."))
    assert unlinked(database, ada, ("topic", topic.id)) == [("topic", "Trust", said)]
