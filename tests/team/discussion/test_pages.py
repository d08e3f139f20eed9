"""Discussions in a browser: on papers, topics and questions alike, without any script."""

import pytest
from lxml import html

from readtrack.infra.action_quotas import QUOTAS
from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.papers.commands import delete_paper
from readtrack.team.discussion import commands
from readtrack.team.discussion.commands import CommentCreate
from readtrack.team.discussion.queries import REPLIES_PER_THREAD, THREADS_PER_PAGE
from readtrack.team.discussion.targets import DiscussionTarget
from tests import make
from tests.depth import some

pytestmark = pytest.mark.slow  # many requests to a whole application; `make check` is to be quick

FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def people(database):
    with database.write() as tx:
        names = {"ada": "Ada", "bo": "Bo Lee", "root": "Root", "guest": "Guest"}
        roles = {"root": "admin", "guest": "viewer"}
        return {short: make.visitor(tx, name, role=roles.get(short, "member")) for short, name in names.items()}


@pytest.fixture
def browsers(people, sign_in):
    return {short: sign_in(visitor) for short, visitor in people.items()}


@pytest.fixture(params=some(["papers", "topics", "questions"], 2))
def at(request, database):
    with database.write() as tx:
        made = {
            "papers": lambda: make.paper(tx, "On recovery").id,
            "topics": lambda: make.topic(tx, "Recovery of 训练").slug,
            "questions": lambda: make.question(tx, "Why is recovery slow?").id,
        }
        return f"/{request.param}/{made[request.param]()}"


@pytest.fixture
def paper(database):
    with database.write() as tx:
        return f"/papers/{make.paper(tx, 'On recovery').id}"


def page(browser, address, status=200):
    answer = browser.get(address)
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def say(browser, at, text="Why?", **fields):
    answer = browser.post(f"{at}/comments", data={"markdown": text, **fields})
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].rsplit("/", 1)[1])


def said(document):
    return [
        words(post.xpath("./div")[0].xpath("./div[@class='prose']|./p")[0])
        for post in document.xpath("//article[starts-with(@id,'comment-')]")
    ]


@pytest.mark.deep
def test_comments_are_shown_with_their_replies_beneath(browsers, at):
    first = say(browsers["ada"], at, "Is it **overlap** alone?")
    say(browsers["bo"], at, "Yes, see $x$.", parent=first)
    document = page(browsers["guest"], at)
    assert said(document) == ["Is it overlap alone?", "Yes, see x."]
    assert document.xpath("//div[@class='replies']/article//math")
    assert not document.xpath("//section[@id='discussion']//textarea")
    assert words(document.xpath("//section[@id='discussion']/header")[0]) == "Discussion2"


def test_a_permalink_leads_to_the_comment(browsers, at):
    first = say(browsers["ada"], at)
    answer = browsers["bo"].get(f"/comments/{first}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{page_address(at)}#comment-{first}")


def page_address(at):
    return at.replace("训练", "%E8%AE%AD%E7%BB%83")


def test_the_newest_threads_are_shown_and_older_ones_one_page_back(browsers, people, database, paper):
    subject = DiscussionTarget("paper", int(paper.rsplit("/", 1)[1]), paper.rsplit("/", 1)[1])
    with database.write() as tx:
        ids = [
            commands.add_comment(tx, people["ada"], subject, CommentCreate(markdown=f"number {n}")).id
            for n in range(THREADS_PER_PAGE + 3)
        ]
    document = page(browsers["bo"], paper)
    assert said(document) == [f"number {n}" for n in range(3, THREADS_PER_PAGE + 3)]
    [earlier] = document.xpath("//a[@rel='prev'][contains(@href,'talk=')]/@href")
    assert said(page(browsers["bo"], earlier)) == ["number 0", "number 1", "number 2"]
    loads = "//form[@class='fresh']/@hx-trigger"  # what is on no page yet is not seen by looking at an older one
    assert (page(browsers["bo"], paper).xpath(loads), page(browsers["bo"], earlier).xpath(loads)) == (["load"], [])
    there = browsers["bo"].get(f"/comments/{ids[1]}").headers["location"]
    assert "number 1" in said(page(browsers["bo"], there))
    assert "Invalid page link" in browsers["bo"].get(f"{paper}?talk=forged").text


def test_a_long_thread_has_its_own_page(browsers, people, database, paper):
    subject = DiscussionTarget("paper", int(paper.rsplit("/", 1)[1]), paper.rsplit("/", 1)[1])
    with database.write() as tx:
        first = commands.add_comment(tx, people["ada"], subject, CommentCreate(markdown="number 0")).id
        ids = [
            commands.add_comment(tx, people["ada"], subject, CommentCreate(markdown=f"number {n}", parent=first)).id
            for n in range(1, REPLIES_PER_THREAD + 4)
        ]
    document = page(browsers["bo"], paper)
    assert said(document) == ["number 0", *(f"number {n}" for n in range(4, REPLIES_PER_THREAD + 4))]
    [earlier] = document.xpath("//a[contains(text(),'earlier')]")
    assert words(earlier) == "3 earlier replies"
    assert said(page(browsers["bo"], earlier.get("href"))) == [f"number {n}" for n in range(REPLIES_PER_THREAD + 4)]
    there = browsers["bo"].get(f"/comments/{ids[1]}").headers["location"]
    assert there.startswith(f"/threads/{first}?after=")
    assert said(page(browsers["bo"], there))[0] == "number 2"
    assert browsers["bo"].get(f"/threads/{ids[1]}").headers["location"] == f"/threads/{first}"


def test_unread_comments_are_marked_until_viewed(browsers, at):
    newest = say(browsers["ada"], at)
    document = page(browsers["guest"], at)
    assert "1 new comment" in words(document)
    assert document.xpath("//article[@data-new]")
    assert page(browsers["guest"], at).xpath("//article[@data-new]")  # looking alone changes nothing
    assert not page(browsers["ada"], at).xpath("//article[@data-new]")
    answer = browsers["guest"].post(f"{at}/read-marker", data={"comment": newest})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{page_address(at)}#discussion")
    assert not page(browsers["guest"], at).xpath("//article[@data-new]")
    by_script = browsers["bo"].post(f"{at}/read-marker", data={"comment": newest}, headers=FRAGMENT)
    assert (by_script.status_code, by_script.text) == (204, "")
    for wrong in ("", "x", "999", "9" * 18):
        assert browsers["bo"].post(f"{at}/read-marker", data={"comment": wrong}).status_code == 422


def test_only_mentions_link_to_people(browsers, people, at):
    say(browsers["ada"], at, '@"Bo Lee", `@Root`, [x](/people/1) <b>@guest</b>')
    links = page(browsers["root"], at).xpath("//article//div[@class='prose']//a/@href")
    assert links == [f"/people/{people['bo'].id}", f"/people/{people['guest'].id}"]


def test_a_reply_starts_with_the_quote(browsers, paper):
    first = say(browsers["ada"], paper, "one\n\ntwo")
    document = page(browsers["bo"], f"/comments/{first}/reply?quote=1")
    [form] = document.xpath(f"//form[@action='{paper}/comments']")
    assert form.xpath(".//textarea")[0].value.strip("\r\n").split("\n") == ["> one", ">", "> two"]
    assert form.xpath(".//input[@name='parent']/@value") == [str(first)]
    assert "Reply to Ada" in words(document)


@pytest.mark.deep
def test_an_invalid_comment_is_kept_in_the_form_with_the_reason(browsers, at):
    first = say(browsers["ada"], at)
    for text, reason in ((" ", "This field is required"), ("é" * 50_001, "limit 100,000")):
        answer = browsers["bo"].post(f"{at}/comments", data={"markdown": text, "parent": first})
        document = html.fromstring(answer.text)
        assert answer.status_code == 422
        assert reason in words(document.xpath("//*[@role='alert']")[0])
        assert document.xpath("//textarea")[0].value.strip("\n") == text.strip("\n")
        assert document.xpath("//form//input[@name='parent']/@value") == [str(first)]


def test_a_reply_to_a_comment_deleted_meanwhile_is_kept(browsers, paper):
    first = say(browsers["ada"], paper)
    browsers["ada"].post(f"/comments/{first}/delete")
    answer = browsers["bo"].post(f"{paper}/comments", data={"markdown": "My long answer", "parent": first})
    document = html.fromstring(answer.text)
    assert answer.status_code == 409
    assert "was deleted" in words(document.xpath("//*[@role='alert']")[0])
    assert document.xpath("//textarea")[0].value.strip() == "My long answer"


def test_a_form_sent_twice_posts_once(browsers, at):
    first = say(browsers["ada"], at, "one")
    assert say(browsers["ada"], at, "one") == first
    answer = say(browsers["ada"], at, "one", parent=first)
    assert answer == say(browsers["ada"], at, "one", parent=first) != first
    assert say(browsers["bo"], at, "one") not in {first, answer}
    say(browsers["ada"], at, "two")
    assert say(browsers["ada"], at, "one") > first  # said anew, as it is not the last word
    assert said(page(browsers["ada"], at)) == ["one", "one", "one", "two", "one"]


def kept(answer, status, *sentences):
    """What the page of a refusal gives back of the text."""
    document = html.fromstring(answer.text)
    assert answer.status_code == status
    assert all(sentence in words(document) for sentence in sentences), words(document)
    return document.xpath("//textarea")[0].value.strip()


def test_a_text_about_a_deleted_target_is_given_back(browsers, people, database, paper):
    paper_id = int(paper.rsplit("/", 1)[1])
    first = say(browsers["ada"], paper, "one")
    with database.write() as tx:
        other = make.paper(tx, "The survivor")
        merge_papers(tx, people["root"], paper_id, into_id=other.id)
    answer = browsers["bo"].post(f"{paper}/comments", data={"markdown": "My long answer", "parent": first})
    assert kept(answer, 409, f"merged into paper {other.id}", "Reply to Ada") == "My long answer"
    assert f'action="/papers/{other.id}/comments"' in answer.text
    with database.write() as tx:
        delete_paper(tx, people["root"], other.id)
    for address in (f"/papers/{other.id}/comments", "/topics/nowhere/comments", "/questions/999/comments"):
        answer = browsers["bo"].post(address, data={"markdown": "My long answer"})
        assert kept(answer, 404, "not found", "Comment not posted") == "My long answer"
    answer = browsers["ada"].post(f"/comments/{first}/edit", data={"markdown": "My long edit", "version": 1})
    assert kept(answer, 404, f"Comment {first} not found") == "My long edit"


@pytest.mark.parametrize("answered", [False, True])
def test_an_edit_of_a_comment_i_deleted_in_another_window_is_given_back(browsers, paper, answered):
    first = say(browsers["ada"], paper, "one")
    if answered:
        say(browsers["bo"], paper, "two", parent=first)
    browsers["ada"].post(f"/comments/{first}/delete")
    answer = browsers["ada"].post(f"/comments/{first}/edit", data={"markdown": "My long edit", "version": 1})
    assert kept(answer, 404, "Comment not posted") == "My long edit"


def test_input_refused_because_of_a_limit_or_state_is_kept_in_the_form(browsers, people, database, monkeypatch):
    with database.write() as tx:
        question = make.question(tx, state="dropped")
    at = f"/questions/{question.id}"
    answer = browsers["ada"].post(f"{at}/comments", data={"markdown": "My answer", "then": "answer"})
    assert kept(answer, 409, "Reopen this question first") == "My answer"
    assert said(page(browsers["ada"], at)) == []
    monkeypatch.setitem(QUOTAS, "comment.added", QUOTAS["comment.added"]._replace(limit=1))
    first = say(browsers["ada"], at)
    answer = browsers["ada"].post(f"{at}/comments", data={"markdown": "My second", "parent": first})
    assert kept(answer, 429, "Try again later", "Reply to Ada") == "My second"


def test_posting_without_permission_shows_no_form(browsers, at):
    first = say(browsers["ada"], at)
    for fields in ({}, {"markdown": "x"}, {"markdown": "x", "then": "preview"}):
        assert browsers["guest"].post(f"{at}/comments", data=fields).status_code == 403
        for who in ("guest", "bo", "root"):
            assert browsers[who].post(f"/comments/{first}/edit", data={**fields, "version": 1}).status_code == 403


def test_a_preview_shows_the_text_and_saves_nothing(browsers, people, at):
    answer = browsers["ada"].post(f"{at}/comments", data={"markdown": "**Bold** @Bo Lee", "then": "preview"})
    document = html.fromstring(answer.text)
    assert answer.status_code == 200
    assert document.xpath("//textarea")[0].value.strip() == "**Bold** @Bo Lee"
    assert document.xpath("//div[@class='prose']//a/@href") == [f"/people/{people['bo'].id}"]
    part = browsers["ada"].post("/comments/preview", data={"markdown": "**Bold**"}, headers=FRAGMENT)
    assert "<strong>Bold</strong>" in part.text
    assert said(page(browsers["ada"], at)) == []


def test_only_the_author_sees_the_edit_form_and_two_windows_lose_nothing(browsers, paper):
    first = say(browsers["ada"], paper, "one")
    assert not page(browsers["bo"], paper).xpath(f"//a[@href='/comments/{first}/edit']")
    assert browsers["bo"].get(f"/comments/{first}/edit").status_code == 403
    [link] = page(browsers["ada"], paper).xpath(f"//a[@href='/comments/{first}/edit']/@href")
    assert page(browsers["ada"], link).xpath("//textarea")[0].value.strip() == "one"
    assert browsers["ada"].post(link, data={"markdown": "two", "version": 1}).status_code == 303
    answer = browsers["ada"].post(link, data={"markdown": "mine", "version": 1})
    document = html.fromstring(answer.text)
    assert answer.status_code == 409
    assert document.xpath("//textarea")[0].value.strip() == "mine"
    assert words(document.xpath("//pre")[0]) == "two"
    version = document.xpath("//form//input[@name='version']/@value")
    assert browsers["ada"].post(link, data={"markdown": "mine", "version": version}).status_code == 303
    assert said(page(browsers["bo"], paper)) == ["mine"]


def test_a_deleted_comment_can_be_restored_at_once(browsers, at):
    first = say(browsers["ada"], at, "one")
    answer = browsers["ada"].post(f"/comments/{first}/delete")
    document = page(browsers["ada"], answer.headers["location"])
    assert said(document) == []
    [undo] = document.xpath("//div[@id='flash']//form/@action")
    browsers["ada"].post(undo)
    assert said(page(browsers["ada"], at)) == ["one"]


def test_page_buttons_hide_and_resolve(browsers, at):
    first = say(browsers["ada"], at, "rude")
    browsers["root"].post(f"/comments/{first}/hide")
    assert said(page(browsers["bo"], at)) == ["Hidden by an admin"]
    assert "rude" in words(page(browsers["ada"], at).xpath("//article")[0])
    browsers["root"].post(f"/comments/{first}/show")
    browsers["bo"].post(f"/comments/{first}/resolve")
    [settled] = page(browsers["ada"], at).xpath("//details[contains(@class,'settled')]/summary")
    assert words(settled) == "Resolved by Bo Lee: rude 1"
    browsers["ada"].post(f"/comments/{first}/reopen")
    assert not page(browsers["ada"], at).xpath("//details[contains(@class,'settled')]")


HOSTILE = (
    "{{7*7}} {% raw %} %s {0.__class__}",
    "<img src=x onerror=alert(1)>",
    "<div hx-get=/sign-out hx-trigger=load>x</div>",
    "[x](javascript:alert(1))",
    '@"<script>alert(1)</script>"',
    "<form action=/people><input name=csrf></form><base href=//evil>",
    '<a id="htmx" name="location">x</a>',
)


@pytest.mark.deep
@pytest.mark.parametrize("text", some(HOSTILE, 3))
def test_hostile_text_is_inert_wherever_it_is_shown(browsers, at, text):
    first = say(browsers["ada"], at, text)
    for address in (at, f"/threads/{first}", f"/comments/{first}/reply?quote=1", f"/comments/{first}/edit"):
        document = page(browsers["ada"], address)
        shown = document.xpath("//div[@class='prose']")
        for prose in shown:
            tags = {node.tag for node in prose.iterdescendants()}
            assert tags <= {"p", "a", "code", "em", "strong"}, tags
            assert {name for node in prose.iterdescendants() for name in node.attrib} <= {"href", "rel", "class"}
            assert "49" not in words(prose)
