"""`demo.fill` makes a library that a team could have made, and its address lets in whoever has it."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack import search
from readtrack.cli import demo
from readtrack.cli.demo.content import load
from readtrack.infra import config as operator
from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.models import (
    Assignment,
    Candidate,
    Comment,
    Entry,
    Event,
    Identifier,
    Job,
    Meeting,
    MetadataRequest,
    NoteRevision,
    Notification,
    Paper,
    Person,
    Question,
    Reading,
    ReadingEvent,
    Summary,
    Topic,
    TopicVersion,
)
from readtrack.infra.permissions import OPERATOR
from readtrack.ingest.sample_notes import read_sample_notes
from readtrack.library.papers.lists import PaperFilter, count_papers
from readtrack.reading.readings import status_transitions
from readtrack.web.app import create_app
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES
from tests.databases import DIALECTS
from tests.depth import DEEP

pytestmark = pytest.mark.slow  # many requests to a whole application

TABLES_WITH_DATES = [
    (Paper, "created_at"),
    (Paper, "updated_at"),
    (ReadingEvent, "created_at"),
    (Summary, "updated_at"),
    (Comment, "created_at"),
    (Assignment, "created_at"),
    (Meeting, "updated_at"),
    (Notification, "created_at"),
    (Event, "created_at"),
]


@pytest.fixture(scope="module", params=DIALECTS if DEEP else DIALECTS[:1])
def library(request):
    """The filled library and its code: one for all tests here, which only look at it or sign in."""
    if request.param != "sqlite" and request.config.getoption("--sqlite-only"):
        pytest.skip("--sqlite-only")
    server = request.getfixturevalue({"sqlite": "sqlite_files", "postgresql": "postgres"}[request.param])
    url = server.copy()
    database = Database(url)
    yield database, demo.fill(database)
    database.dispose()
    server.drop(url)


@pytest.fixture
def tx(library):
    with library[0].read() as tx:
        yield tx


@pytest.fixture
def code(library):
    return library[1]


@pytest.fixture
def browser(library, tmp_path):
    database, code = library
    settings = operator.load({}, data=tmp_path, base_url=ADDRESS, offline=True).ready()
    app = create_app(settings, database, demo_code=code)
    return AppClient(app, base_url=ADDRESS, headers=OWN_PAGES)


def count(tx, table, *conditions):
    return tx.scalar(sa.select(sa.func.count()).select_from(table).where(*conditions))


def test_all_content_is_there_exactly_once(tx):
    content = load()
    assert count(tx, Person) == len(content.people)
    assert count(tx, Summary) == len(content.summaries)
    assert count(tx, ReadingEvent) == sum(len(reading.steps) for reading in content.readings)
    assert count(tx, Paper) > len(content.papers)
    named = {f"{i.scheme}:{i.value}" for i in tx.scalars(sa.select(Identifier))}
    assert named >= {name for paper in content.papers for name in paper.identifiers}


def test_every_topics_text_is_in_its_history(tx):
    kept = sa.select(col(TopicVersion.topic_id)).where(
        col(TopicVersion.number) == col(Topic.version), col(TopicVersion.markdown) == col(Topic.markdown)
    )
    assert count(tx, Topic) > 0
    assert count(tx, Topic, col(Topic.id).not_in(kept)) == 0


def test_the_team_has_comments_questions_assignments_and_meetings(tx):
    content = load()
    does = [deed.action for deed in content.actions]
    for table, word in ((Comment, "comment"), (Assignment, "assign"), (Meeting, "meet"), (Candidate, "propose")):
        assert count(tx, table) == does.count(word), word
    assert count(tx, Question, col(Question.state) == "answered") == 1
    assert count(tx, Meeting, col(Meeting.starts_at) > now(), col(Meeting.state) == "planned") == 1
    assert count(tx, Notification, col(Notification.read_at).is_(None)) > 3
    assert count(tx, Notification, col(Notification.mail_due)) == 0


def test_every_reading_has_the_state_of_its_last_step(tx):
    content = load()
    rows = tx.execute(
        sa.select(col(Person.name), col(Paper.title), col(Reading.status), col(Reading.depth), col(Reading.private))
        .join(Person, col(Person.id) == col(Reading.person_id))
        .join(Paper, col(Paper.id) == col(Reading.paper_id))
        .where(col(Reading.current))
    ).all()
    titles = {paper.slug: paper.title for paper in content.papers}
    expected = {
        (reading.person, titles[reading.paper], reading.steps[-1].status, reading.steps[-1].depth, reading.private)
        for reading in content.readings
    }
    assert {tuple(row) for row in rows} == expected


def test_events_are_in_the_past_and_in_order(tx):
    yesterday = now() - timedelta(hours=23)
    for table, column in TABLES_WITH_DATES:
        assert max(tx.scalars(sa.select(getattr(table, column)))) < yesterday, (table, column)
    moments = tx.scalars(sa.select(col(Event.created_at)).order_by(col(Event.id))).all()
    added = tx.scalars(sa.select(col(Paper.created_at)).order_by(col(Paper.id))).all()
    assert list(moments) == sorted(moments)
    assert list(added) == sorted(added)


def test_reading_dates_are_the_days_of_the_steps(tx):
    readings = tx.scalars(sa.select(Reading).where(col(Reading.status) == "read")).all()
    last = {e.paper_id: e for e in tx.scalars(sa.select(ReadingEvent).order_by(col(ReadingEvent.id)))}
    assert all(reading.finished_on for reading in readings)
    assert all(not r.started_on or r.started_on <= r.finished_on for r in readings)
    assert all(event.created_at.date() < now().date() for event in last.values())


def test_steps_leave_history_for_undo_and_rereading(tx):
    events = tx.scalars(sa.select(ReadingEvent).order_by(col(ReadingEvent.id))).all()
    assert all(status_transitions.can_follow(event.from_status, event.to_status) for event in events)
    assert all((event.before is None) == (event.from_status is None) for event in events)


def test_one_note_was_imported_with_new_and_known_papers_and_a_question(tx):
    revision = tx.scalars(sa.select(NoteRevision)).one()
    kinds = tx.execute(sa.select(col(Entry.kind), col(Entry.decision)).distinct()).all()
    lines = tx.execute(sa.select(col(Entry.first_line), col(Entry.last_line)).where(col(Entry.part) == 1)).all()
    assert revision.state == "committed"
    assert {("paper", "add"), ("paper", "known"), ("question", "add"), ("lead", "add")} <= {tuple(row) for row in kinds}
    assert max(last for _, last in lines) == revision.line_count


def test_nothing_waits_for_network_access_in_the_demo(tx):
    assert count(tx, Job, col(Job.state) != "done") == 0
    assert count(tx, MetadataRequest) == 0


@pytest.mark.deep
def test_search_finds_papers_of_the_demo_by_title_topic_and_note(tx):
    assert search.check(tx) == []
    for question in ("pipeline", "流水线", "topic:checkpointing", "TrainMover"):
        assert count_papers(tx, OPERATOR, PaperFilter(question)), question


def test_the_demo_address_lists_every_reader(browser, code):
    page = browser.get(f"/invitations/accept/demo/{code}")
    assert page.status_code == 200
    for person in load().people:
        assert f"<bdi>{person.name}</bdi>" in page.text


def test_choosing_a_reader_signs_in_as_that_person(browser, code):
    answer = browser.post(f"/invitations/accept/demo/{code}", data={"person": "2"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    library = browser.get("/")
    assert library.status_code == 200
    (greeting,) = html.fromstring(library.text).xpath("//h1")
    assert "佐藤 美咲" in greeting.text_content()
    assert not html.fromstring(library.text).xpath("//div[@id='flash']/*")


def test_choosing_another_reader_ends_the_first_ones_session(browser, code):
    browser.post(f"/invitations/accept/demo/{code}", data={"person": "2"})
    first = dict(browser.cookies)
    browser.post(f"/invitations/accept/demo/{code}", data={"person": "4"})
    assert "Lucas Moreau" in browser.get("/papers").text
    browser.cookies.clear()
    browser.cookies.update(first)
    assert browser.get("/papers").headers["location"].startswith("/sign-in")


@pytest.mark.parametrize("given", ["wrong", "%FF", "é"])
def test_a_wrong_code_does_not_sign_in(browser, given):
    assert browser.get(f"/invitations/accept/demo/{given}").status_code == 404
    assert browser.post(f"/invitations/accept/demo/{given}", data={"person": "1"}).status_code == 404


@pytest.mark.parametrize(("person", "status"), [("", 422), ("x", 422), ("99", 404)])
def test_only_an_existing_reader_can_be_chosen(browser, code, person, status):
    assert browser.post(f"/invitations/accept/demo/{code}", data={"person": person}).status_code == status


def test_a_cross_site_form_cannot_sign_in(browser, code):
    answer = browser.post(
        f"/invitations/accept/demo/{code}", data={"person": "1"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status_code == 403


def test_a_normal_library_has_no_demo_endpoint(client):
    assert client.get("/invitations/accept/demo/anything").status_code == 404


def test_every_page_of_the_demo_can_be_opened(browser, code):
    browser.post(f"/invitations/accept/demo/{code}", data={"person": "1"})
    places = [
        "/",
        "/activity",
        "/admin/audit",
        "/people",
        "/people/1",
        "/people/2",
        "/papers",
        "/papers/1",
        "/papers?q=topic:kv-cache",
        "/topics",
        "/topics/kv-cache",
        "/notes",
        "/notes/1",
        "/imports/1",
    ]
    for place in [*places, "/imports/new?sample=1", "/people", "/settings"]:
        assert browser.get(place).status_code == 200, place


@pytest.mark.deep
def test_importing_the_sample_notes_finds_known_and_new_papers(browser, code):
    browser.post(f"/invitations/accept/demo/{code}", data={"person": "1"})
    answer = browser.post("/imports", data={"text": read_sample_notes(), "title": "sample notes"})
    preview = browser.get(answer.headers["location"])
    assert preview.status_code == 200
    assert "known" in preview.text
