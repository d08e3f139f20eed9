"""Meetings as JSON, the calendar with its private address, and the agenda as Markdown."""

import icalendar
import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.models import Person, Token
from readtrack.team.accounts import commands as people
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.team.meetings.commands.agendas import add_item
from readtrack.team.meetings.commands.schedule import plan_next, set_state
from readtrack.team.meetings.schemas import AgendaItemCreate, NextMeetingCreate
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS

pytestmark = pytest.mark.slow  # whole requests; `make check` is to be quick
API = "/api/v1"


@pytest.fixture
def ed(team, sign_in):
    return sign_in(team.ed)


@pytest.fixture
def meeting(team, database):
    with database.write() as tx:
        planned = plan_next(tx, team.ed, team.series, NextMeetingCreate())
        add_item(tx, team.ed, planned.id or 0, AgendaItemCreate(paper=team.paper, presenter=team.bo.id))
    return planned.id


def test_a_series_returns_its_next_meeting_and_presenters(team, ed):
    wanted = {
        "name": "Systems",
        "weekday": 4,
        "presenter_order": [team.bo.id, team.ann.id],
        "time_zone": "Europe/Berlin",
    }
    made = ed.post(f"{API}/series", json=wanted)
    assert made.status_code == 201
    assert made.json()["next"] == {"date": "2026-12-04", "presenters": [team.bo.id, team.ann.id]}
    address = made.headers["location"]
    planned = ed.post(f"{address}/meetings", json={}, headers={"Idempotency-Key": "one"})
    again = ed.post(f"{address}/meetings", json={}, headers={"Idempotency-Key": "one"})
    assert (planned.status_code, planned.json()["presenter"]) == (201, team.bo.id)
    assert (again.json(), again.headers["idempotency-replayed"]) == (planned.json(), "true")
    assert planned.json()["starts_at"] == "2026-12-04T14:00:00Z"
    assert ed.get(address).json()["next"] == {"date": "2026-12-11", "presenters": [team.ann.id, team.bo.id]}


def test_a_meeting_can_be_changed_only_from_the_current_version(ed, meeting):
    address = f"{API}/meetings/{meeting}"
    seen = ed.get(address)
    assert ed.patch(address, json={"location": "Room 9"}).status_code == 428
    changed = ed.patch(address, json={"at": "16:00"}, headers={"If-Match": seen.headers["etag"]})
    assert (changed.json()["starts_at"], changed.json()["location"]) == ("2026-12-02T07:00:00Z", "Room 3")
    stale = ed.patch(address, json={"at": "17:00"}, headers={"If-Match": seen.headers["etag"]})
    assert (stale.status_code, stale.json()["current"]["version"]) == (412, 2)
    notes = ed.put(f"{address}/notes", json={"notes": "x"}, headers={"If-Match": changed.headers["etag"]})
    assert (notes.status_code, notes.json()["notes"]) == (200, "x")
    assert ed.get(address, headers={"If-None-Match": ed.get(address).headers["etag"]}).status_code == 304


def test_lists_are_paged_in_both_directions_of_time(team, ed, database):
    with database.write() as tx:
        ids = [plan_next(tx, team.ed, team.series, NextMeetingCreate()).id or 0 for _ in range(5)]
        set_state(tx, team.ed, ids[0], "held")
        set_state(tx, team.ed, ids[1], "held")
    for when, expected in (("upcoming", ids[2:]), ("past", ids[1::-1])):
        found: list[int] = []
        after: str | None = ""
        while after is not None:
            page = ed.get(f"{API}/meetings", params={"when": when, "limit": 2, **({"after": after} if after else {})})
            found += [item["id"] for item in page.json()["items"]]
            after = page.json()["next"]
        assert found == expected
    assert [item["id"] for item in ed.get(f"{API}/meetings?state=held").json()["items"]] == ids[:2]
    assert ed.get(f"{API}/meetings?wen=past").status_code == 422


def test_the_agenda_through_the_api(team, ed, meeting, database):
    with database.write() as tx:
        question = make.question(tx, "Why?")
    added = ed.post(f"{API}/meetings/{meeting}/agenda", json={"question": question.id})
    assert (added.status_code, added.json()["title"]) == (201, "Why?")
    item = f"{API}/meetings/{meeting}/agenda/{added.json()['id']}"
    assert ed.patch(item, json={"minutes": 10, "state": "postponed"}).json()["minutes"] == 10
    assert ed.patch(item, json={"minutes": None}).json()["minutes"] is None
    assert ed.post(f"{item}/move", json={"where": "up"}).status_code == 204
    assert [each["question"] for each in ed.get(f"{API}/meetings/{meeting}").json()["agenda"]] == [question.id, None]
    assert ed.delete(item).status_code == 204
    assert ed.delete(item).status_code == 404
    assert ed.post(f"{API}/meetings/{meeting}/agenda", json={}).status_code == 422
    assert ed.put(f"{API}/meetings/{meeting}/state", json={"state": "held"}).json()["agenda"][0]["state"] == "discussed"
    assert ed.delete(f"{API}/meetings/{meeting}").status_code == 409


def test_a_cancelled_meeting_stays_until_it_is_deleted(ed, meeting):
    address = f"{API}/meetings/{meeting}"
    assert ed.put(f"{address}/state", json={"state": "cancelled"}).json()["state"] == "cancelled"
    assert [ed.delete(address).status_code for _ in range(2)] == [204, 404]


def test_candidates_and_votes_through_the_api(team, sign_in):
    ann = sign_in(team.ann)
    address = f"{API}/series/{team.series}/candidates"
    made = ann.post(address, json={"paper": team.paper, "reason": "New"})
    assert made.status_code == 201
    assert ann.post(address, json={"paper": team.paper}).status_code == 200
    there = made.headers["location"]
    assert ann.put(f"{there}/vote", json={"value": 1}).json()["in_favour"] == ["Ann"]
    assert ann.put(f"{there}/vote", json={"value": 2}).status_code == 422
    assert [each["score"] for each in ann.get(address).json()["items"]] == [1]
    assert ann.delete(there).status_code == 204
    assert ann.get(address).json() == {"items": [], "next": None}
    assert ann.get(f"{API}/series/99/candidates").status_code == 404


def test_a_calendar_program_can_read_one_meeting_and_all_of_them(team, ed, meeting, database):
    [one] = icalendar.Calendar.from_ical(ed.get(f"{API}/meetings/{meeting}.ics").text).walk("VEVENT")
    assert one["UID"] == f"meeting-{meeting}@127.0.0.1"
    assert "1. Just-in-Time Checkpointing (Bo)" in str(one["DESCRIPTION"])
    with database.write() as tx:
        set_state(tx, team.ed, meeting, "cancelled")
    [same] = icalendar.Calendar.from_ical(ed.get("/meetings.ics").text).walk("VEVENT")
    assert (same["UID"], same["STATUS"], same["SEQUENCE"]) == (one["UID"], "CANCELLED", 1)


def made_address(browser):
    """The address of the calendar that its page shows once."""
    [address] = html.fromstring(browser.post("/meetings/calendar").text).xpath("//input[@id='secret']/@value")
    return address.removeprefix(ADDRESS)


def test_the_private_url_opens_the_calendar_and_nothing_else(team, sign_in, client, meeting):
    address = made_address(sign_in(team.vi))
    answer = client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/calendar; charset=utf-8")
    assert answer.headers["cache-control"] == "private, no-store"
    assert "Just-in-Time Checkpointing" in answer.text.replace("\r\n ", "")
    secret = address.partition("token=")[2]
    assert client.get(f"/papers?token={secret}").status_code == 303
    bearer = {"Authorization": f"Bearer {secret}"}
    assert client.get(f"{API}/meetings", headers=bearer).status_code == 403
    assert client.get("/meetings.ics", headers=bearer).status_code == 200


def test_a63_only_a_valid_feed_token_opens_the_calendar(app, team, sign_in, client, database, meeting):
    address = made_address(sign_in(team.vi))
    with database.write() as tx:
        _, wide = people.create_token(tx, team.ann, TokenCreate(name="both", scopes=["read", "feed"]))
    wrong = ["", "?token=", "?token=rt_nothing", f"?token={wide}", f"{address.partition('ics')[2]}x"]
    answers = [client.get(f"/meetings.ics{query}") for query in wrong]
    assert [answer.status_code for answer in answers] == [404] * len(wrong)
    assert len({answer.text.replace(answer.headers["x-request-id"], "") for answer in answers}) == 1
    with database.write() as tx:
        tx.get(Person, team.vi.id).disabled_at = make.person(tx).created_at
    assert client.get(address).status_code == 404
    with database.write() as tx:
        tx.get(Person, team.vi.id).disabled_at = None
        people.revoke_token(
            tx, team.vi, tx.scalar(sa.select(col(Token.id)).where(col(Token.name) == "Calendar of meetings"))
        )
    assert client.get(address).status_code == 404


def test_a63_the_secret_is_long_stored_as_a_hash_and_not_leaked_to_other_sites(team, sign_in, client, database):
    secret = made_address(sign_in(team.vi)).partition("token=")[2]
    assert len(secret.removeprefix("rt_")) * 5 >= 128  # bits, at the least that a letter of it holds
    with database.read() as tx:
        kept = tx.scalars(sa.select(Token)).one()
        assert secret not in repr(kept.model_dump())
        assert kept.expires_at is None
    assert client.get(f"/meetings.ics?token={secret}").headers["referrer-policy"] in {"same-origin", "no-referrer"}


def test_a_token_cannot_create_a_calendar_url(app, team, database):
    with database.write() as tx:
        _, secret = people.create_token(tx, team.ann, TokenCreate(name="ci", scopes=["write"]))
    program = AppClient(app, ADDRESS, headers={"Authorization": f"Bearer {secret}"})
    assert program.post("/meetings/calendar").status_code == 403


@pytest.mark.deep
def test_the_calendar_is_the_same_for_everybody_whatever_they_read(team, sign_in, meeting, database):
    before = sign_in(team.ed).get("/meetings.ics").text
    with database.write() as tx:
        make.reading(tx, team.cy.id, team.paper, "read", private=True)
    assert [sign_in(who).get("/meetings.ics").text for who in (team.ed, team.cy)] == [before, before]


def test_the_markdown_agenda_is_readable_and_its_titles_stay_plain_text(team, ed, database):
    with database.write() as tx:
        planned = plan_next(tx, team.ed, team.series, NextMeetingCreate())
        odd = make.paper(tx, "Of [links](https://evil.example) & <b>bold</b> *stars*", identifier="arxiv:2401.00001")
        add_item(tx, team.ed, planned.id or 0, AgendaItemCreate(paper=odd.id, minutes=25, note="From # 3 on"))
        add_item(tx, team.ed, planned.id or 0, AgendaItemCreate(question=make.question(tx, "Why?").id))
    text = ed.get(f"{API}/meetings/{planned.id}.md").text
    assert text.startswith(
        "# Reading group\n\nWednesday 2 Dec 2026, 15:00 to 16:00 (Asia/Tokyo)  \nRoom 3  \nPresented by Ann\n"
    )
    shown = ed.post(f"{API}/render", json={"markdown": text}).json()["html"]
    assert "<b>bold</b>" not in shown
    assert 'href="https://evil.example"' not in shown
