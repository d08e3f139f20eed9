"""The first page: what waits for me, and nothing that is not mine to know."""

from datetime import timedelta

import pytest
from lxml import html

from readtrack.infra import events
from readtrack.infra.clock import now, today
from readtrack.infra.models import AgendaItem, Meeting
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from tests import make

pytestmark = pytest.mark.slow  # a whole application


@pytest.fixture
def team(database):
    with database.write() as tx:
        return {"Ada": make.visitor(tx, "Ada", role="admin"), "Bo": make.visitor(tx, "Bo")}


def page(browser):
    answer = browser.get("/")
    assert answer.status_code == 200
    return html.fromstring(answer.text)


def titles(document, within):
    return [link.text_content() for link in document.xpath(f"//section[.//h2='{within}']//a[@class='title']")]


@pytest.mark.parametrize("address", ["/home", "/papers"])
def test_an_empty_library_shows_one_form_for_links_titles_notes_and_files(team, sign_in, address):
    shown = html.fromstring(sign_in(team["Bo"]).get(address).text)
    (form,) = shown.xpath("//main//form[.//textarea]")
    assert (form.get("action"), form.get("enctype")) == ("/papers", "multipart/form-data")
    assert form.xpath(".//textarea/@name | .//input/@name") == ["text", "file"]
    assert form.xpath(".//input[@type='file']/@name") == [form.get("data-drop")]
    assert "nothing is added before you confirm" in form.xpath("string(.//*[@id='text-help'])")
    assert shown.xpath("count(//main//*[contains(@class, 'button first')])") == 1


@pytest.mark.parametrize("address", ["/home", "/papers"])
def test_a_viewer_of_an_empty_library_is_told_to_wait_for_the_team(database, sign_in, address):
    with database.write() as tx:
        viewer = make.visitor(tx, "Vera", role="viewer")
    shown = html.fromstring(sign_in(viewer).get(address).text)
    assert "once your team adds them" in shown.xpath("string(//main)")
    assert not shown.xpath("//main//textarea")
    assert not {"/imports/new", "/papers/new"} & set(shown.xpath("//main//a/@href"))


def checklist(browser):
    """The steps of the checklist by label, and whether each is done."""
    steps = page(browser).xpath("//section[contains(@class, 'checklist')]//li")
    return {step.xpath("string(a)"): bool(step.xpath("span[.='Done']")) for step in steps}


def test_the_checklist_ticks_what_is_done_and_goes_away_with_the_last_step(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada", role="admin")
    browser = sign_in(ada)
    assert checklist(browser) == {}
    with database.write() as tx:
        paper = make.paper(tx)
    steps = {"Add papers": True, "Mark a paper as read": False, "Write summary": False, "Invite a member": False}
    assert checklist(browser) == steps
    assert browser.post(f"/papers/{paper.id}/reading", data={"status": "read"}).status_code == 303
    assert checklist(browser) == {**steps, "Mark a paper as read": True}
    invitation = {"role": "member"}
    assert browser.post("/people/invitations", data=invitation).status_code == 200
    assert checklist(browser) == {**steps, "Mark a paper as read": True, "Invite a member": True}
    (editor,) = page(browser).xpath("//a[.='Write summary']/@href")
    assert browser.post(editor, data={"tldr": "Short."}).status_code == 303
    assert checklist(browser) == {}


def test_every_step_of_the_checklist_links_to_a_page(team, database, sign_in):
    with database.write() as tx:
        make.paper(tx)
    browser = sign_in(team["Ada"])
    links = page(browser).xpath("//section[contains(@class, 'checklist')]//a/@href")
    assert len(links) == len(checklist(browser))
    assert [browser.get(link).status_code for link in links] == [200] * len(links)


def test_the_checklist_has_only_steps_that_the_role_may_take(team, database, sign_in):
    with database.write() as tx:
        make.paper(tx)
        viewer = make.visitor(tx, "Vera", role="viewer")
    assert set(checklist(sign_in(viewer))) == {"Mark a paper as read", "Write summary"}
    assert set(checklist(sign_in(team["Bo"]))) == {"Add papers", "Mark a paper as read", "Write summary"}


def test_what_others_read_and_write_ticks_nothing_for_me(team, database, sign_in):
    ada, bo = team["Ada"], team["Bo"]
    with database.write() as tx:
        paper = make.paper(tx)
        make.reading(tx, bo.id, paper.id, "read")
        make.summary(tx, bo.id, paper.id)
        make.reading(tx, ada.id, make.paper(tx, deleted_at=now()).id, "read")
    steps = checklist(sign_in(ada))
    assert not steps["Mark a paper as read"]
    assert not steps["Write summary"]


def test_a_hidden_checklist_stays_hidden_for_that_person_only(team, database, sign_in):
    with database.write() as tx:
        make.paper(tx)
    ada, bo = sign_in(team["Ada"]), sign_in(team["Bo"])
    assert ada.post("/home/checklist/hide").headers["location"] == "/home"
    assert checklist(ada) == {}
    assert checklist(bo) != {}


def test_the_checklist_costs_no_statement(team, database, sign_in, statements):
    with database.write() as tx:
        make.paper(tx)
    browser = sign_in(team["Ada"])

    def cost():
        with statements() as seen:
            assert browser.get("/home").status_code == 200
        return len(seen)

    with_checklist = cost()
    browser.post("/home/checklist/hide")
    browser.get("/home")  # shows the flash of the redirect, if any
    assert cost() == with_checklist


def test_my_current_and_queued_papers_are_shown_in_order(team, database, sign_in):
    ada = team["Ada"]
    with database.write() as tx:
        for title, status, fields in (
            ("Later", "to_read", {"priority": -1}),
            ("Second", "to_read", {"position": 2}),
            ("First", "to_read", {"position": 1}),
            ("Urgent", "to_read", {"priority": 1}),
            ("Halted", "paused", {}),
            ("Begun", "reading", {"progress_unit": "page", "progress_at": 7, "progress_of": 14}),
            ("Done", "read", {}),
        ):
            make.reading(tx, ada.id, make.paper(tx, title).id, status, **fields)
        make.reading(tx, ada.id, make.paper(tx, "Gone", deleted_at=now()).id, "reading")
        make.reading(tx, team["Bo"].id, make.paper(tx, "Not mine").id, "reading")
    shown = page(sign_in(ada))
    assert titles(shown, "Reading") == ["Begun", "Halted"]
    assert titles(shown, "Up next") == ["Urgent", "First", "Second", "Later"]
    assert shown.xpath("//main//progress/@value") == ["50"]
    said = sign_in(ada).get("/api/v1/home").json()
    assert [row["title"] for row in said["reading"]] == ["Begun", "Halted"]
    assert [row["title"] for row in said["queue"]] == ["Urgent", "First", "Second", "Later"]
    assert said["counts"] == {"to_read": 4, "paused": 1, "reading": 1, "read": 1}


def test_a_person_with_nothing_to_read_sees_new_papers(team, database, sign_in):
    with database.write() as tx:
        make.paper(tx, "Fresh")
    assert titles(page(sign_in(team["Ada"])), "Newest papers") == ["Fresh"]


def test_my_assignments_are_shown_until_i_have_read_them(team, database, sign_in):
    ada, bo = team["Ada"], team["Bo"]
    with database.write() as tx:
        late = make.paper(tx, "Late")
        make.assignment(tx, ada.id, late.id, created_by=bo.id, due_on=today() - timedelta(days=2))
        make.assignment(tx, ada.id, make.paper(tx, "Soon").id, "accepted", due_on=today() + timedelta(days=2))
        make.assignment(tx, bo.id, make.paper(tx, "His").id, created_by=ada.id)
    shown = page(sign_in(ada))
    assert titles(shown, "My assignments") == ["Late", "Soon"]
    assert "1 overdue" in shown.xpath("string(//*[contains(@class, 'brief')])")
    with database.write() as tx:
        make.reading(tx, ada.id, late.id, "read")
    assert titles(page(sign_in(ada)), "My assignments") == ["Soon"]


def test_overdue_assignments_beyond_those_shown_are_counted_with_a_plus_sign(team, database, sign_in):
    with database.write() as tx:
        for _ in range(8):
            make.assignment(tx, team["Ada"].id, make.paper(tx).id, due_on=today() - timedelta(days=9))
    shown = page(sign_in(team["Ada"]))
    assert "5+ overdue" in shown.xpath("string(//*[contains(@class, 'brief')])")


def meeting(tx, paper_id, **said):
    made = make.added(tx, Meeting(title="On Thursday", starts_at=now() + timedelta(days=2), **said))
    make.added(tx, AgendaItem(meeting_id=made.id, paper_id=paper_id, position=1))
    return made


def test_the_next_meeting_shows_who_has_read_what_except_private_readings(team, database, sign_in):
    ada, bo = team["Ada"], team["Bo"]
    with database.write() as tx:
        paper = make.paper(tx, "On the agenda")
        meeting(tx, paper.id)
        make.reading(tx, bo.id, paper.id, "read", private=True)
    before = page(sign_in(ada)).xpath("string(//section[contains(@class, 'next')])")
    assert "On the agenda" in before
    assert "No status" in before
    assert "Bo" not in before
    with database.write() as tx:
        other = make.paper(tx, "Read by Bo")
        meeting(tx, other.id, state="cancelled")
        set_reading(tx, bo, paper.id, ReadingUpdate(private=False))
    assert "Bo" in page(sign_in(ada)).xpath("string(//section[contains(@class, 'next')])")


def test_other_peoples_activity_this_week_is_shown_and_mine_is_not(team, database, sign_in):
    ada, bo = team["Ada"], team["Bo"]
    with database.write() as tx:
        paper = make.paper(tx, "New one")
        events.record_event(tx, bo, "paper.added", paper_id=paper.id)
        events.record_event(tx, bo, "person.signed-in", private=True)
        set_reading(tx, bo, paper.id, ReadingUpdate(status="reading", private=True))
    feed = "//*[@class='feed']"
    assert " ".join(page(sign_in(ada)).xpath(f"string({feed}//p)").split()) == "Bo added New one"
    assert not page(sign_in(bo)).xpath(feed)


def test_notifications_and_items_for_review_are_counted(team, database, sign_in):
    ada = team["Ada"]
    with database.write() as tx:
        for _ in range(3):
            make.notice(tx, ada.id, "mention")
        make.notice(tx, team["Bo"].id, "mention")
    shown = page(sign_in(ada))
    assert shown.xpath("string(//*[@id='inbox-count'])") == "3"
    assert sign_in(ada).get("/api/v1/home").json()["unread"] == 3


def test_the_page_takes_the_same_statements_for_one_of_everything_and_many(team, database, sign_in, statements):
    ada, bo, browser = team["Ada"], team["Bo"], sign_in(team["Ada"])

    def more():
        with database.write() as tx:
            paper = make.paper(tx)
            make.reading(tx, ada.id, paper.id, "reading")
            make.reading(tx, ada.id, make.paper(tx).id, "to_read")
            make.assignment(tx, ada.id, make.paper(tx).id, created_by=bo.id)
            make.notice(tx, ada.id, "mention")
            meeting(tx, paper.id)
            events.record_event(tx, bo, "paper.added", paper_id=paper.id)
            events.record_event(tx, bo, "assignment.made", paper_id=paper.id, data={"person": ada.id})

    def cost(address):
        with statements() as seen:
            assert browser.get(address).status_code == 200
        return len(seen)

    more()
    one = {address: cost(address) for address in ("/", "/api/v1/home")}
    for _ in range(12):
        more()
    assert {address: cost(address) for address in one} == one
    assert max(one.values()) <= MOST


MOST = 22  # statements: eight questions, each asked of its own concept


def test_who_was_alone_this_week_is_told_that_others_were_not_active(team, sign_in, database):
    with database.write() as tx:
        paper = make.paper(tx, "Alpha")
        set_reading(tx, team["Bo"], paper.id, ReadingUpdate(status="reading"))
    browser = sign_in(team["Bo"])
    assert "Alpha" in browser.get("/activity").text
    assert "No activity by others this week" in browser.get("/").text


def test_questions_that_i_asked_are_not_said_to_be_assigned_to_me(team, sign_in, database):
    with database.write() as tx:
        make.question(tx, "Why so slow?", created_by=team["Bo"].id)
    (title,) = page(sign_in(team["Bo"])).xpath("//section[contains(., 'Why so slow?')]/h2/text()")
    assert title == "My questions"
