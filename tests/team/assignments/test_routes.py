"""Assignments in a browser and as JSON."""

from datetime import timedelta

import pytest
from lxml import html

from readtrack.infra import clock
from readtrack.web.templating.environment import FLASH
from tests import make

pytestmark = pytest.mark.slow  # many requests

SOON = (clock.today() + timedelta(days=9)).isoformat()


class Team:
    """Ada asks, Bo is asked, Vi looks on; each in a browser of their own."""

    def __init__(self, database, sign_in):
        with database.write() as tx:
            people = [
                make.visitor(tx, name, role) for name, role in (("Ada", "member"), ("Bo", "viewer"), ("Vi", "viewer"))
            ]
            self.paper = make.paper(tx, "Elastic Pipelines").id
        self.ids = [person.id for person in people]
        self.ada, self.bo, self.vi = map(sign_in, people)

    def asked(self, **fields):
        wanted = {"paper": self.paper, "person": self.ids[1], "due_on": SOON, **fields}
        answer = self.ada.post("/api/v1/assignments", json=wanted)
        assert answer.status_code == 201, answer.text
        return answer


@pytest.fixture
def team(database, sign_in):
    return Team(database, sign_in)


def text(answer):
    return " ".join(html.fromstring(answer.text).xpath("//main")[0].text_content().split())


def test_a_person_is_assigned_on_the_paper_page_and_responds_on_their_own(team):
    there = f"/papers/{team.paper}"
    sent = team.ada.post(
        f"{there}/assignments", data={"person": " bo ", "due_on": SOON, "depth": "studied", "note": "§ 3"}
    )
    assert (sent.status_code, sent.headers["location"]) == (303, there)
    assert FLASH in sent.cookies
    page = text(team.bo.get("/assignments"))
    assert "Elastic Pipelines" in page
    assert "Depth: studied" in page
    assert "Assigned by Ada" in page
    assert "§ 3" in page
    assert team.bo.post("/assignments/1/answer", data={"answer": "decline", "reason": "On leave"}).status_code == 303
    [facts] = html.fromstring(team.vi.get(there).text).xpath("//li[@id='assignment-1']//div[@class='meta']")
    assert [span.text_content() for span in facts.xpath("span")][-2:] == ["Declined", "On leave"]
    assert "No assignments" in text(team.bo.get("/assignments"))


@pytest.mark.deep
def test_the_paper_shows_forms_only_to_people_who_may_use_them(team):
    team.asked()
    actions = {
        name: {
            action
            for action in html.fromstring(browser.get(f"/papers/{team.paper}").text).xpath("//form/@action")
            if "assignments" in action
        }
        for name, browser in (("ada", team.ada), ("bo", team.bo), ("vi", team.vi))
    }
    assert actions == {
        "ada": {"/assignments/1/withdraw", f"/papers/{team.paper}/assignments"},
        "bo": {"/assignments/1/answer"},
        "vi": set(),
    }


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"person": "Nobody"}, "No such member"),
        ({"person": ""}, "This field is required."),
        ({"person": "Bo", "due_on": "2020-01-01"}, "Choose a date that isn't in the past"),
        ({"person": "Bo", "due_on": "soon"}, "Enter a date like"),
        ({"person": "Bo", "depth": "deep"}, "Must be one of"),
        ({"person": "Bo", "note": "x" * 501}, "at most 500 characters"),
    ],
)
def test_an_invalid_form_is_shown_again_with_the_input(team, fields, told):
    answer = team.ada.post(f"/papers/{team.paper}/assignments", data={"note": "Kept.", **fields})
    page = html.fromstring(answer.text)
    assert answer.status_code == 422
    assert told in text(answer)
    assert page.xpath("string(//input[@name='person']/@value)") == fields["person"]
    assert page.xpath("string(//input[@name='note']/@value)") == fields.get("note", "Kept.")


def test_editing_with_a_form_shows_what_somebody_saved_meanwhile(team):
    team.asked(note="First.")
    shown = html.fromstring(team.ada.get("/assignments/1/edit").text)
    assert shown.xpath("string(//input[@name='note']/@value)") == "First."
    version = shown.xpath("string(//input[@name='version']/@value)")
    saved = {"due_on": "", "note": "Second.", "depth": "", "version": version}
    assert team.ada.post("/assignments/1/edit", data=saved).status_code == 303
    assert team.ada.get("/api/v1/assignments/1").json()["due_on"] is None
    late = team.ada.post("/assignments/1/edit", data={**saved, "note": "Third."})
    assert late.status_code == 409
    assert "Second." in text(late)
    again = html.fromstring(late.text)
    assert again.xpath("string(//input[@name='note']/@value)") == "Third."
    data = {**saved, "note": "Third.", "version": again.xpath("string(//input[@name='version']/@value)")}
    assert team.ada.post("/assignments/1/edit", data=data).status_code == 303


def test_lists_show_mine_those_i_assigned_or_the_teams_by_week(team):
    team.asked()
    team.asked(person=team.ids[2], due_on=None)
    assert "No due date" not in text(team.bo.get("/assignments"))
    both = text(team.ada.get("/assignments?of=given"))
    assert "Bo" in both
    assert "No due date" in both
    assert text(team.vi.get("/assignments?of=all")).count("Elastic Pipelines") == 2
    assert "No assignments" in text(team.ada.get("/assignments?of=nonsense&state=none"))


def test_the_api_returns_what_was_sent_and_updates_with_if_match(team):
    made = team.asked(depth="read", note="Tables")
    told = made.json()
    assert (told["paper"], told["person"], told["by"]) == (
        team.paper, {"id": team.ids[1], "name": "Bo"}, {"id": team.ids[0], "name": "Ada"},
    )  # fmt: skip
    assert (told["state"], told["due_on"], told["done"], told["overdue"]) == ("proposed", SOON, False, False)
    there = made.headers["location"]
    assert team.vi.get(there).json() == told
    assert team.ada.patch(there, json={"note": "All"}).status_code == 428
    changed = team.ada.patch(there, json={"note": "All"}, headers={"If-Match": made.headers["etag"]})
    assert (changed.json()["note"], changed.json()["depth"], changed.json()["version"]) == ("All", "read", 2)
    stale = team.ada.patch(there, json={"note": "None"}, headers={"If-Match": made.headers["etag"]})
    assert (stale.status_code, stale.json()["current"]["note"]) == (412, "All")
    accepted = team.bo.post(f"{there}/answer", json={"answer": "accept"})
    assert (accepted.json()["state"], accepted.json()["decided_at"] is None) == ("accepted", False)
    assert team.ada.delete(there).status_code == 204
    assert team.ada.get(there).json()["state"] == "withdrawn"
    assert team.ada.get("/api/v1/assignments").json() == {"items": [], "next": None}
    assert len(team.ada.get(f"/api/v1/assignments?state=withdrawn&paper={team.paper}").json()["items"]) == 1


def test_page_and_json_list_the_same_in_the_same_order(team, database):
    with database.write() as tx:
        for days in (5, 1, None, 3):
            due_on = None if days is None else clock.today() + timedelta(days=days)
            make.assignment(tx, team.ids[1], make.paper(tx).id, due_on=due_on)
    page = html.fromstring(team.bo.get("/assignments").text)
    ids = [int(row.removeprefix("assignment-")) for row in page.xpath("//li[@data-row]/@id")]
    assert ids == [row["id"] for row in team.bo.get(f"/api/v1/assignments?person={team.ids[1]}").json()["items"]]


def test_a_post_with_an_idempotency_key_runs_once(team):
    wanted = {"paper": team.paper, "person": team.ids[1]}
    first, again = (
        team.ada.post("/api/v1/assignments", json=wanted, headers={"Idempotency-Key": "k1"}) for _ in range(2)
    )
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json() == first.json()
    other = team.ada.post("/api/v1/assignments", json=wanted, headers={"Idempotency-Key": "k2"})
    assert (other.status_code, other.json()["code"]) == (409, "assigned-already")


@pytest.mark.parametrize(
    "body",
    [
        {"paper": 1, "person": 0},
        {"paper": 1},
        {"paper": 1, "person": 2, "state": "accepted"},
        {"paper": 1, "person": 2, "due_on": "2020-01-01"},
        {"paper": 1, "person": 2, "depth": None},
    ],
)
def test_invalid_json_is_rejected_with_pointers(team, body):
    answer = team.ada.post("/api/v1/assignments", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"]


def test_a_viewer_can_respond_but_not_assign(team):
    team.asked()
    assert team.bo.post("/api/v1/assignments", json={"paper": team.paper, "person": team.ids[2]}).status_code == 403
    assert team.bo.delete("/api/v1/assignments/1").status_code == 403
    assert team.bo.get("/assignments/1/edit").status_code == 403
    assert team.vi.post("/api/v1/assignments/1/answer", json={"answer": "accept"}).status_code == 404
    assert team.bo.post("/api/v1/assignments/1/answer", json={"answer": "accept"}).status_code == 200
