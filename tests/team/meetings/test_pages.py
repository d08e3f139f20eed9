"""Meetings in a browser: the list, the click that plans the next one, agendas, votes, notes with their conflicts."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import AgendaItem, Meeting, Person, Series
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.schedule import plan_next
from readtrack.team.meetings.schemas import AgendaItemCreate, NextMeetingCreate
from tests import make
from tests.team.meetings.conftest import NOW

pytestmark = pytest.mark.slow  # whole pages; `make check` is to be quick


@pytest.fixture
def ed(team, sign_in):
    return sign_in(team.ed)


@pytest.fixture
def meeting(team, database):
    with database.write() as tx:
        planned = plan_next(tx, team.ed, team.series, NextMeetingCreate())
        add_item(
            tx,
            team.ed,
            planned.id or 0,
            AgendaItemCreate(paper=team.paper, presenter=team.bo.id, minutes=20, note="§3 first"),
        )
    return planned.id


def page(answer, status=200):
    assert answer.status_code == status, answer.headers
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def form_to(document, address):
    [form] = document.xpath(f"//form[@method='post'][@action='{address}']")
    return form


def sent(form):
    return {field.get("name"): field.value or "" for field in form.xpath(".//*[@name]") if field.tag != "button"}


def main(document):
    return words(document.xpath("//main")[0])


@pytest.mark.deep
def test_without_meetings_the_page_explains_how_to_start(database, sign_in):
    with database.write() as tx:
        editor, viewer = make.visitor(tx, "Ed", role="editor"), make.visitor(tx, "Vi", role="viewer")
    shown = page(sign_in(editor).get("/meetings"))
    assert shown.xpath("//a[@href='/meetings/series/new']")
    shown = page(sign_in(viewer).get("/meetings"))
    assert "No meetings yet" in main(shown)
    assert not shown.xpath("//a[@href='/meetings/series/new' or @href='/meetings/new']")


def test_one_click_plans_the_next_meeting_with_its_date_and_presenter(team, ed, database):
    button = form_to(page(ed.get("/meetings")), f"/meetings/series/{team.series}/next")
    assert words(button) == "Schedule 2 Dec 2026 (Ann)"
    answer = ed.post(button.action, data=sent(button))
    assert answer.status_code == 303
    shown = main(page(ed.get(answer.headers["location"])))
    assert "Wednesday 2 Dec 2026, 15:00–16:00 Asia/Tokyo, Room 3" in shown
    assert "Presented by AAnn" in shown
    following = form_to(page(ed.get("/meetings")), f"/meetings/series/{team.series}/next")
    assert words(following) == "Schedule 9 Dec 2026 (Bo)"


@pytest.mark.deep
def test_a_double_click_plans_one_meeting(team, ed, database):
    button = form_to(page(ed.get("/meetings")), f"/meetings/series/{team.series}/next")
    statuses = [ed.post(button.action, data=sent(button)).status_code for _ in range(2)]
    assert statuses == [303, 409]
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Meeting.title))).all() == ["Reading group"]


@pytest.mark.deep
def test_a_meeting_shows_its_agenda_and_who_has_read_what(team, ed, meeting, database):
    with database.write() as tx:
        make.reading(tx, team.ann.id, team.paper, "read")
        make.reading(tx, team.bo.id, team.paper, "reading")
    shown = page(ed.get(f"/meetings/{meeting}"))
    [item] = shown.xpath("//li[@class='point']")
    assert "Just-in-Time Checkpointing" in words(item)
    assert "20 min" in words(item)
    assert "§3 first" in words(item)
    reached = [words(each) for each in item.xpath(".//ul[@class='reached']/li")]
    assert reached == ["Ann: read", "Bo: reading", "Cy: no status"]


def test_private_readings_are_not_in_the_table_of_who_has_read_what(team, sign_in, meeting, database):
    with database.write() as tx:
        make.reading(tx, team.cy.id, team.paper, "read", private=True)
    for who, told in ((team.ed, "Cy: no status"), (team.cy, "Cy: read")):
        shown = page(sign_in(who).get(f"/meetings/{meeting}"))
        assert told in [words(each) for each in shown.xpath("//ul[@class='reached']/li")]


def test_a_paper_is_put_on_the_agenda_by_any_identifier_or_title(team, ed, database):
    with database.write() as tx:
        meeting = plan_next(tx, team.ed, team.series, NextMeetingCreate()).id
    address = f"/meetings/{meeting}/agenda"
    assert ed.post(address, data={"paper": "arXiv:2305.15778v2"}).status_code == 303
    again = page(ed.post(address, data={"paper": f"#{team.paper}"}), 409)
    assert "Already on the agenda" in main(again)
    unknown = page(ed.post(address, data={"paper": "nothing like it"}), 422)
    assert unknown.xpath("//input[@id='paper']/@value") == ["nothing like it"]
    assert "No paper matches “nothing like it”." in main(unknown)


def test_a_part_of_a_title_puts_a_paper_on_the_agenda_or_asks_which(team, ed, database):
    with database.write() as tx:
        meeting = plan_next(tx, team.ed, team.series, NextMeetingCreate()).id
        opt = make.paper(tx, "OPT: Open Pre-trained Transformer Language Models").id
        llama = make.paper(tx, "LLaMA: Open Foundation Language Models").id
        search.update_papers(tx, [opt, llama])
    address = f"/meetings/{meeting}/agenda"
    which = page(ed.post(address, data={"paper": "language models"}), 422)
    [form] = which.xpath(f"//form[@action='{address}']")
    assert form.xpath(".//input[@type='radio']/@value") == [f"#{llama}", f"#{opt}"]
    assert ed.post(form.action, data=dict(form.form_values())).status_code == 303
    assert ed.post(address, data={"paper": "OPT: Open Pre-trained"}).status_code == 303
    shown = main(page(ed.get(f"/meetings/{meeting}")))
    assert shown.index("LLaMA: Open") < shown.index("OPT: Open")


def test_a_paper_is_proposed_for_a_series_by_a_part_of_its_title(team, sign_in, database):
    ann = sign_in(team.ann)
    with database.write() as tx:
        search.update_papers(tx, [team.paper])
    form = form_to(page(ann.get(f"/meetings/series/{team.series}")), "/meetings/candidates")
    unknown = page(ann.post(form.action, data={**sent(form), "paper": "nothing like it", "reason": "Short"}), 422)
    assert "No paper matches “nothing like it”." in main(unknown)
    again = form_to(unknown, "/meetings/candidates")
    assert (sent(again)["reason"], sent(again)["series"]) == ("Short", str(team.series))
    assert ann.post(form.action, data={**sent(again), "paper": "just-in-time"}).status_code == 303
    assert "Just-in-Time" in words(page(ann.get(f"/meetings/series/{team.series}")).xpath("//*[@id='candidates']")[0])


@pytest.fixture
def visit(team, database):
    """A single meeting next week, beside no series."""
    with database.write() as tx:
        tx.get_one(Series, team.series).ended_at = NOW
        return make.meeting(
            tx, NOW + timedelta(days=8), "Visit", time_zone="Asia/Tokyo", minutes=45, location="Hall"
        ).id


def proposing(browser, paper):
    [fold] = page(browser.get(f"/papers/{paper}")).xpath("//details[summary='Propose for meeting']")
    return fold


def test_an_editor_puts_a_paper_on_the_agenda_of_a_single_meeting_from_its_page(team, ed, visit):
    form = form_to(proposing(ed, team.paper), f"/meetings/{visit}/agenda")
    assert ed.post(form.action, data=sent(form)).headers["location"] == f"/papers/{team.paper}"
    assert "Visit, 8 Dec 2026 On agenda" in main(page(ed.get(f"/papers/{team.paper}")))
    assert "Already on the agenda" in words(proposing(ed, team.paper))


def test_a_member_is_told_who_can_add_to_the_agenda_of_a_single_meeting(team, sign_in, visit):
    fold = proposing(sign_in(team.ann), team.paper)
    assert fold.xpath(".//a/@href") == [f"/meetings/{visit}"]
    assert "An editor can add it to the agenda." in words(fold)
    assert not fold.xpath(".//form")
    assert not page(sign_in(team.vi).get(f"/papers/{team.paper}")).xpath("//details[summary='Propose for meeting']")


def test_without_meetings_a_paper_page_leads_to_scheduling_one(database, sign_in):
    with database.write() as tx:
        paper, editor, member = make.paper(tx).id, make.visitor(tx, "Ed", role="editor"), make.visitor(tx, "Ann")
        make.meeting(tx, NOW - timedelta(days=1), "Over")
        make.meeting(tx, NOW + timedelta(days=1), "Off", state="cancelled")
    fold = proposing(sign_in(editor), paper)
    assert "No upcoming meetings" in words(fold)
    assert [words(link) for link in fold.xpath(".//a[@href='/meetings/new']")] == ["Schedule meeting"]
    fold = proposing(sign_in(member), paper)
    assert "An editor can schedule one." in words(fold)
    assert not fold.xpath(".//a")


def test_a_single_meeting_is_made_recurring_and_takes_proposals(team, ed, visit, sign_in):
    assert not page(sign_in(team.ann).get(f"/meetings/{visit}")).xpath("//a[text()='Make recurring']")
    [link] = page(ed.get(f"/meetings/{visit}")).xpath("//a[text()='Make recurring']/@href")
    form = form_to(page(ed.get(link)), "/meetings/series")
    values = {name: form.fields[name] for name in ("name", "weekday", "start_time", "minutes", "time_zone", "location")}
    assert values == {
        "name": "Visit",
        "weekday": "1",
        "start_time": "18:00",
        "minutes": "45",
        "time_zone": "Asia/Tokyo",
        "location": "Hall",
    }
    invalid = page(ed.post(form.action, data={**dict(form.form_values()), "name": ""}), 422)
    assert form_to(invalid, "/meetings/series").fields["meeting"] == str(visit)
    series = ed.post(form.action, data=dict(form.form_values())).headers["location"]
    shown = page(ed.get(series))
    assert shown.xpath(f"//a[@href='/meetings/{visit}']")
    assert "Schedule 15 Dec 2026" in main(shown)
    assert ed.post(form.action, data=dict(form.form_values())).status_code == 409
    assert not page(ed.get(f"/meetings/{visit}")).xpath("//a[text()='Make recurring']")
    assert form_to(proposing(sign_in(team.ann), team.paper), "/meetings/candidates").fields["series"]


def test_an_item_is_edited_moved_and_removed(team, ed, meeting, database):
    with database.write() as tx:
        question = make.question(tx, "Why so slow?")
    ed.post(f"/meetings/{meeting}/agenda", data={"question": str(question.id)})
    first, second = page(ed.get(f"/meetings/{meeting}")).xpath("//li[@class='point']/@id")
    address = f"/meetings/{meeting}/agenda/{second.removeprefix('item-')}"
    ed.post(f"{address}/move", data={"where": "up"})
    assert page(ed.get(f"/meetings/{meeting}")).xpath("//li[@class='point']/@id") == [second, first]
    assert ed.post(address, data={"state": "postponed", "minutes": "5"}).status_code == 303
    assert "5 min" in main(page(ed.get(f"/meetings/{meeting}")))
    assert "Duration (min)" in main(page(ed.post(address, data={"minutes": "no"}), 422))
    ed.post(f"{address}/remove")
    assert page(ed.get(f"/meetings/{meeting}")).xpath("//li[@class='point']/@id") == [first]


def test_a_held_meeting_has_discussed_its_agenda_and_the_paper_says_so(team, ed, meeting, database):
    ed.post(f"/meetings/{meeting}/state", data={"state": "held"})
    assert "Room 3 Held Presented by" in main(page(ed.get(f"/meetings/{meeting}")))
    assert "Reading group, 2 Dec 2026 Discussed" in main(page(ed.get(f"/papers/{team.paper}")))
    assert page(ed.get("/meetings?past=1")).xpath(f"//a[@href='/meetings/{meeting}']")
    ed.post(f"/meetings/{meeting}/state")  # what “Undo” sends
    with database.read() as tx:
        assert tx.scalars(sa.select(col(AgendaItem.state))).all() == ["planned"]


def test_members_write_notes_which_are_shown_with_decisions_first(team, sign_in, meeting):
    ann = sign_in(team.ann)
    form = form_to(page(ann.get(f"/meetings/{meeting}/notes")), f"/meetings/{meeting}/notes")
    answer = ann.post(form.action, data={**sent(form), "notes": "We liked $x^2$.", "decisions": "Bo tries it."})
    assert answer.headers["location"] == f"/meetings/{meeting}#notes"
    shown = page(ann.get(f"/meetings/{meeting}"))
    assert main(shown).index("Bo tries it.") < main(shown).index("We liked")
    assert shown.xpath("//section[@id='notes']//math")
    assert sign_in(team.vi).get(f"/meetings/{meeting}/notes").status_code == 403


def test_two_concurrent_note_takers_see_both_texts_and_neither_is_lost(team, sign_in, meeting):
    ann, bo = sign_in(team.ann), sign_in(team.bo)
    address = f"/meetings/{meeting}/notes"
    typed = sent(form_to(page(ann.get(address)), address))
    ann.post(address, data={**typed, "notes": "Hers."})
    conflict = page(bo.post(address, data={**typed, "notes": "His.", "decisions": "Go."}), 409)
    assert words(conflict.xpath("//del")[0]) == "Hers"
    both, his = conflict.xpath(f"//form[@action='{address}']")
    assert sent(both)["notes"].strip() == "Hers.\n\n---\n\nHis."
    assert sent(his)["notes"].strip() == "His."
    assert bo.post(address, data=sent(both)).status_code == 303
    assert "Hers." in main(page(bo.get(f"/meetings/{meeting}")))


def test_a_meeting_is_rescheduled_in_the_form_without_overwriting_a_newer_version(ed, meeting):
    address = f"/meetings/{meeting}/edit"
    typed = sent(form_to(page(ed.get(address)), address))
    assert (typed["date"], typed["at"], typed["time_zone"]) == ("2026-12-02", "15:00", "Asia/Tokyo")
    assert ed.post(address, data={**typed, "at": "16:30"}).status_code == 303
    assert "16:30–17:30" in main(page(ed.get(f"/meetings/{meeting}")))
    stale = page(ed.post(address, data={**typed, "location": "Room 9"}), 409)
    assert sent(form_to(stale, address))["location"] == "Room 9"
    assert "16:30" in main(stale)
    wrong = page(ed.post(address, data={**typed, "time_zone": "Mars/Base", "at": "25:00"}), 422)
    assert "Unknown time zone: Mars/Base" in main(wrong)


def test_a_single_meeting_needs_no_series(ed):
    assert ed.post("/meetings", data={"title": "Visit", "date": "2026-12-11", "at": "10:00"}).status_code == 303
    assert "This field is required" in main(page(ed.post("/meetings", data={"date": "2026-12-11"}), 422))


def test_a_series_is_created_with_names_and_edited_without_losing_a_newer_version(team, ed):
    form = form_to(page(ed.get("/meetings/series/new")), "/meetings/series")
    assert sent(form)["presenter_order"].strip().splitlines() == ["Ann", "Bo", "Cy", "Ed", "Vi"]
    answer = ed.post(form.action, data={**sent(form), "name": "Systems", "presenter_order": "bo\nAnn"})
    address = answer.headers["location"]
    shown = page(ed.get(address))
    assert [words(each) for each in shown.xpath("//ol[@class='turns']/li")] == ["BBo next", "AAnn"]
    typed = sent(form_to(page(ed.get(f"{address}/edit")), f"{address}/edit"))
    assert ed.post(f"{address}/edit", data={**typed, "interval_weeks": "2"}).status_code == 303
    stale = page(ed.post(f"{address}/edit", data={**typed, "interval_weeks": "4"}), 409)
    assert sent(form_to(stale, f"{address}/edit"))["interval_weeks"] == "4"
    assert "every 2 weeks" in main(stale)
    unknown = page(ed.post("/meetings/series", data={**typed, "presenter_order": "Ann\nZoe"}), 422)
    assert "No such member: “Zoe”" in main(unknown)


def test_a_series_is_ended_and_resumed(team, ed):
    address = f"/meetings/series/{team.series}"
    ed.post(f"{address}/end")
    assert "Ended" in main(page(ed.get(address)))
    assert ed.post(f"{address}/next").status_code == 409
    ed.post(f"{address}/resume")
    assert ed.post(f"{address}/next", data={"date": "2026-12-04"}).status_code == 303


def test_a_paper_is_proposed_on_its_page_and_voted_for(team, sign_in):
    ann = sign_in(team.ann)
    form = form_to(page(ann.get(f"/papers/{team.paper}")), "/meetings/candidates")
    answer = ann.post(form.action, data={**sent(form), "reason": "It saves us hours"})
    assert answer.headers["location"] == f"/papers/{team.paper}"
    assert "Reading group Proposed for discussion" in main(page(ann.get(f"/papers/{team.paper}")))
    series = page(ann.get(f"/meetings/series/{team.series}"))
    [candidate] = series.xpath("//li[@class='candidate']")
    assert "It saves us hours" in words(candidate)
    vote = candidate.xpath(".//form[@class='vote']")[0].action
    for browser, value, score in ((ann, "for", "1"), (sign_in(team.bo), "against", "0"), (ann, "for", "-1")):
        browser.post(vote, data={"vote": value})
        shown = page(browser.get(f"/meetings/series/{team.series}"))
        assert words(shown.xpath("//form[@class='vote']/b")[0]) == score


def test_the_top_candidate_is_put_on_the_agenda_and_is_no_longer_a_candidate(team, ed, database):
    with database.write() as tx:
        candidate = make.candidate(tx, team.series, team.paper, proposed_by=team.ann.id)
        meeting = plan_next(tx, team.ed, team.series, NextMeetingCreate()).id
    shown = page(ed.get(f"/meetings/{meeting}"))
    [form] = shown.xpath("//li[@class='candidate']//form[contains(@action, '/agenda')]")
    assert ed.post(form.action, data=sent(form)).status_code == 303
    assert not page(ed.get(f"/meetings/series/{team.series}")).xpath("//li[@class='candidate']")
    [item] = page(ed.get(f"/meetings/{meeting}")).xpath("//li[@class='point']/@id")
    ed.post(f"/meetings/{meeting}/agenda/{item.removeprefix('item-')}/remove")
    assert page(ed.get(f"/meetings/series/{team.series}")).xpath("//li[@class='candidate']")
    ed.post(f"/meetings/candidates/{candidate.id}/withdraw")
    assert not page(ed.get(f"/meetings/series/{team.series}")).xpath("//li[@class='candidate']")


@pytest.mark.deep
def test_pages_and_the_calendar_take_as_many_statements_for_many_meetings_as_for_one(
    team, sign_in, database, statements
):
    browser = sign_in(team.ed)
    counts: dict[str, set[int]] = {}
    for more in (1, 30):
        with database.write() as tx:
            first = plan_next(tx, team.ed, team.series, NextMeetingCreate()).id or 0
            for number in range(more):
                paper = make.paper(tx, f"About {number}").id
                add_item(tx, team.ed, first, AgendaItemCreate(paper=paper, presenter=team.bo.id))
                make.reading(tx, team.ann.id, paper, "read")
                make.question(tx, f"Why {number}?", paper_id=paper)
                make.candidate(tx, team.series, make.paper(tx).id)
                make.meeting(tx, NOW - timedelta(days=7 * number + 1), series_id=team.series)
        series = f"/meetings/series/{team.series}"
        for address in ("/meetings", "/meetings?past=1", f"/meetings/{first}", series, "/meetings.ics"):
            with statements() as seen:
                assert browser.get(address).status_code == 200
            counts.setdefault(address.rstrip("0123456789"), set()).add(len(seen))
    assert {address: len(each) for address, each in counts.items()} == dict.fromkeys(counts, 1), counts


def test_a_meeting_planned_by_mistake_is_deleted_on_its_page_but_not_one_with_notes(team, ed, meeting):
    address = f"/meetings/{meeting}"
    ed.post(f"{address}/notes", data={"notes": "We met.", "version": "1"})
    assert not page(ed.get(address)).xpath(f"//form[@action='{address}/delete']")
    assert "Cancel it instead" in main(page(ed.post(f"{address}/delete"), 409))
    ed.post(f"{address}/notes", data={"notes": "", "version": "2"})
    deleted = ed.post(form_to(page(ed.get(address)), f"{address}/delete").action)
    assert deleted.headers["location"] == "/meetings"
    assert "Meeting deleted" in words(page(ed.get("/meetings")))
    assert ed.get(address).status_code == 404


@pytest.mark.deep
def test_questions_about_its_papers_are_collected_before_a_meeting(team, ed, meeting, sign_in, database):
    with database.write() as tx:
        make.question(tx, "How is it restored?", paper_id=team.paper)
        make.question(tx, "Who asked?", paper_id=team.paper, state="answered")
        make.question(tx, "Elsewhere?", paper_id=make.paper(tx).id)
    viewer = sign_in(team.vi)
    card = page(viewer.get(f"/meetings/{meeting}")).xpath("//a[contains(@href, '/questions/')]")
    assert [words(link) for link in card] == ["How is it restored?"]
    listed = main(page(viewer.get(f"/questions?meeting={meeting}")))
    assert "How is it restored?" in listed
    assert "Elsewhere?" not in listed
    asked = page(ed.get(f"/meetings/{meeting}")).xpath("//aside//form[input[@name='question']]")
    assert ed.post(asked[0].action, data=sent(asked[0])).status_code == 303
    assert not page(ed.get(f"/meetings/{meeting}")).xpath("//aside//form[input[@name='question']]")


@pytest.mark.deep
def test_a_form_keeps_a_former_presenter_and_an_unusual_schedule(team, ed, meeting, database):
    with database.write() as tx:
        tx.get(Person, team.bo.id).disabled_at = make.person(tx).created_at
        tx.get(Meeting, meeting).presenter_id = team.bo.id
        rare = make.series(tx, "Rare", interval_weeks=5).id
    [item] = page(ed.get(f"/meetings/{meeting}")).xpath("//li[@class='point']")
    assert sent(item.xpath(".//form[@class='stack']")[0])["presenter"] == str(team.bo.id)
    assert sent(form_to(page(ed.get(f"/meetings/{meeting}/edit")), f"/meetings/{meeting}/edit"))["presenter"] == str(
        team.bo.id
    )
    address = f"/meetings/series/{rare}/edit"
    assert sent(form_to(page(ed.get(address)), address))["interval_weeks"] == "5"
