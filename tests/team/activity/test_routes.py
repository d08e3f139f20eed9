"""The feed, the log and the audit trail, by both doors."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra import events
from readtrack.infra.clock import now
from readtrack.infra.errors import NotAllowed
from readtrack.infra.models import Event
from readtrack.infra.pagination import PageRequest
from readtrack.library.papers.commands import delete_paper
from readtrack.library.topics.commands import link_topic
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.team.accounts.commands import create_token, edit_me, revoke_token, set_role
from readtrack.team.accounts.queries import list_tokens
from readtrack.team.accounts.schemas import MeUpdate, TokenCreate
from readtrack.team.activity.queries import EventFilter, list_activity, list_audit, list_recent_events, list_since
from readtrack.team.notifications.commands import NotificationSettings, update_notification_settings
from readtrack.workspace.saved_searches.commands import SavedSearchFields, make_feed, save_view
from tests import make

pytestmark = pytest.mark.slow  # a whole application


@pytest.fixture
def team(database):
    """Bo, who did some things; Eve, who looks; and an admin."""
    with database.write() as tx:
        people = {name: make.visitor(tx, name, role=role) for name, role in ROLES.items()}
        paper = make.paper(tx, "On <recovery>")
        people["paper"] = paper.id
        events.record_event(tx, people["Bo"], "paper.added", paper_id=paper.id, data={"identifier": "arxiv:1"})
        set_reading(tx, people["Bo"], paper.id, ReadingUpdate(status="reading"))
    return people


ROLES = {"Bo": "editor", "Eve": "member", "Ada": "admin"}


def sentences(answer):
    return [" ".join(p.text_content().split()) for p in html.fromstring(answer.text).xpath("//*[@class='feed']//p")]


def verbs(answer):
    return [item["verb"] for item in answer.json()["items"]]


def test_everybody_sees_what_the_team_did(team, sign_in):
    answer = sign_in(team["Eve"]).get("/activity")
    assert sentences(answer) == ["Bo is reading On <recovery>", "Bo added On <recovery>"]
    assert f'href="/papers/{team["paper"]}"' in answer.text
    assert "/admin/audit" not in answer.text


def test_a_line_is_one_sentence_and_names_the_topic(team, database, sign_in):
    with database.write() as tx:
        topic = make.topic(tx, "Fault tolerance")
        link_topic(tx, team["Bo"], team["paper"], topic.slug)
    browser = sign_in(team["Eve"])
    assert sentences(browser.get("/activity"))[0] == "Bo added On <recovery> to Fault tolerance"
    japanese = browser.get("/activity", headers={"Accept-Language": "ja"})
    assert sentences(japanese)[0] == "BoさんがOn <recovery>をFault toleranceに追加しました"


def test_the_feed_is_filtered_by_kind_and_person(team, database, sign_in):
    browser = sign_in(team["Eve"])
    assert sentences(browser.get("/activity?of=papers")) == ["Bo added On <recovery>"]
    assert sentences(browser.get(f"/activity?person={team['Eve'].id}")) == []
    assert len(sentences(browser.get(f"/activity?person={team['Bo'].id}&of=readings"))) == 1
    assert len(sentences(browser.get("/activity?of=nonsense"))) == 2
    assert sentences(browser.get("/activity?person=nonsense")) == []
    with database.write() as tx:
        events.record_event(tx, team["Eve"], "reading.moved", paper_id=team["paper"], private=True)
    assert len(sentences(browser.get("/activity"))) == 2


def test_private_events_are_hidden_from_others(team, database, sign_in):
    bo, eve, ada = (sign_in(team[name]) for name in ("Bo", "Eve", "Ada"))
    with database.write() as tx:
        set_reading(tx, team["Bo"], team["paper"], ReadingUpdate(private=True))
    assert sentences(eve.get("/activity")) == sentences(ada.get("/activity")) == ["Bo added On <recovery>"]
    assert "Only you" in bo.get("/activity").text
    assert "reading" not in eve.get("/api/v1/events").text
    of_paper = f"/api/v1/papers/{team['paper']}/events"
    assert verbs(eve.get(of_paper)) == verbs(ada.get(of_paper)) == verbs(bo.get(of_paper))[-1:] == ["paper.added"]
    assert "reading.set" not in ada.get("/api/v1/audit").text + ada.get("/admin/audit").text


def test_sign_ins_and_tokens_are_only_in_the_audit_trail(team, database, sign_in):
    with database.write() as tx:
        create_token(tx, team["Bo"], TokenCreate(name="secret agent", scopes=["read"]))
        set_role(tx, team["Ada"], team["Bo"].id, "member")
    everything = "".join(sign_in(team[name]).get("/api/v1/events").text for name in ("Bo", "Eve", "Ada"))
    everything += "".join(sign_in(team[name]).get("/activity").text for name in ("Bo", "Eve", "Ada"))
    assert "secret agent" not in everything
    assert "token." not in everything
    assert "person." not in everything
    audit = sign_in(team["Ada"]).get("/admin/audit?of=access").text
    assert "secret agent" in audit
    assert "person.role-changed" in audit


@pytest.mark.parametrize("address", ["/admin/audit", "/api/v1/audit"])
def test_only_admins_see_the_audit_trail(team, database, sign_in, address):
    assert sign_in(team["Ada"]).get(address).status_code == 200
    assert sign_in(team["Bo"]).get(address).status_code == 403
    with database.read() as tx, pytest.raises(NotAllowed):
        list_audit(tx, team["Eve"], EventFilter(), PageRequest())


@pytest.mark.deep
def test_the_audit_trail_shows_old_and_new_values_and_the_client_address(team, database, sign_in):
    with database.write() as tx:
        tx.add(
            Event(
                person_id=team["Bo"].id,
                verb="topic.edited",
                data={"slug": "moe", "name": "MoE"},
                before={"name": "Old <b>", "markdown": "same"},
                after={"name": "MoE", "markdown": "same"},
                address="192.0.2.7",
            )
        )
    browser = sign_in(team["Ada"])
    shown = html.fromstring(browser.get("/admin/audit?of=topics").text)
    assert [d.text_content() for d in shown.xpath("//*[@class='facts changes']/dt")] == ["name"]
    assert shown.xpath("string(//del)") == "Old <b>"
    assert "192.0.2.7" in shown.text_content()
    item = browser.get("/api/v1/audit?of=topics").json()["items"][0]
    assert (item["before"]["name"], item["after"]["name"], item["address"]) == ("Old <b>", "MoE", "192.0.2.7")
    assert "192.0.2.7" not in sign_in(team["Eve"]).get("/api/v1/events").text


def test_of_a_purged_paper_only_the_purge_is_shown(team, database, sign_in):
    with database.write() as tx:
        delete_paper(tx, team["Bo"], team["paper"])
    answer = sign_in(team["Eve"]).get("/api/v1/events")
    assert verbs(answer) == ["paper.deleted"]
    assert "recovery" not in answer.text
    assert sentences(sign_in(team["Eve"]).get("/activity")) == ["Bo deleted a paper"]


@pytest.mark.deep
def test_the_event_log_continues_from_its_cursor_and_skips_nothing(team, database, sign_in):
    browser, seen, after = sign_in(team["Eve"]), [], ""
    with database.write() as tx:
        for number in range(7):
            events.record_event(tx, team["Bo"], "paper.edited", paper_id=team["paper"], data={"fields": [f"{number}"]})
    while True:
        answer = browser.get(f"/api/v1/events?after={after}&limit=2").json()
        seen += [item["data"].get("fields", [""])[0] for item in answer["items"]]
        after = answer["next"]
        if not answer["more"]:
            break
    assert seen[-7:] == [*"0123456"]
    assert len(seen) == 9
    assert browser.get(f"/api/v1/events?after={after}").json() == {"items": [], "next": after, "more": False}
    with database.write() as tx:
        events.record_event(tx, team["Bo"], "paper.edited", paper_id=team["paper"])
    assert len(browser.get(f"/api/v1/events?after={after}").json()["items"]) == 1


def test_the_event_log_waits_for_an_uncommitted_event_with_a_smaller_id(team, database, dialect):
    if dialect == "sqlite":
        pytest.skip("one writer at a time: numbers are given in the order of commits")
    with database.write() as slow:
        events.record_event(slow, team["Bo"], "paper.edited", paper_id=team["paper"])
        slow.flush()
        with database.write() as quick:
            events.record_event(quick, team["Bo"], "paper.restored", paper_id=team["paper"])
        with database.read() as tx:
            rows, _ = list_since(tx, team["Eve"], EventFilter(), after_id=0, limit=10)
            assert "paper.restored" not in {row.verb for row in rows}
    with database.read() as tx:
        rows, _ = list_since(tx, team["Eve"], EventFilter(), after_id=0, limit=10)
    assert [row.verb for row in rows][-2:] == ["paper.edited", "paper.restored"]


def test_the_event_log_does_not_pass_an_event_changed_concurrently(team, database, dialect):
    """A name in it was erased, say, while somebody else was still writing: it waits, and so do those after it."""
    if dialect == "sqlite":
        pytest.skip("one writer at a time: what is seen is settled")
    with database.read() as tx:
        ids = [row.id for row in list_since(tx, team["Eve"], EventFilter(), after_id=0, limit=10)[0]]
    with database.write() as slow:
        make.topic(slow)
        with database.write() as quick:
            quick.execute(sa.update(Event).where(col(Event.id) == ids[0]).values(address=""))
        with database.read() as tx:
            assert list_since(tx, team["Eve"], EventFilter(), after_id=0, limit=10) == ([], False)
    with database.read() as tx:
        assert [row.id for row in list_since(tx, team["Eve"], EventFilter(), after_id=0, limit=10)[0]] == ids


def test_pages_and_api_show_the_same(team, database):
    with database.read() as tx:
        page = list_activity(tx, team["Eve"], EventFilter(), PageRequest())
        log, _ = list_since(tx, team["Eve"], EventFilter(), after_id=0, limit=50)
    assert [row.id for row in page.items] == [row.id for row in reversed(log)]


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=0", "befor=3", "after=99999999999999999999"])
def test_an_invalid_request_is_refused_with_a_reason(team, sign_in, query):
    answer = sign_in(team["Eve"]).get(f"/api/v1/events?{query}")
    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"


def test_older_pages_follow_without_gaps(team, database):
    with database.write() as tx:
        for _ in range(9):
            events.record_event(tx, team["Bo"], "paper.edited", paper_id=team["paper"])
    seen: list[int] = []
    cut: PageRequest | None = PageRequest(limit=4)
    with database.read() as tx:
        while cut is not None:
            page = list_activity(tx, team["Eve"], EventFilter(), cut)
            seen += [row.id for row in page.items]
            cut = PageRequest(limit=4, after=page.next) if page.next else None
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == 11


def test_recent_activity_is_what_others_did_since_a_given_time(team, database):
    with database.read() as tx:
        assert len(list_recent_events(tx, team["Eve"], since=now() - timedelta(days=7), limit=10)) == 2
        assert list_recent_events(tx, team["Bo"], since=now() - timedelta(days=7), limit=10) == []
        assert list_recent_events(tx, team["Eve"], since=now() + timedelta(seconds=5), limit=10) == []
    with database.write() as tx:
        delete_paper(tx, team["Bo"], team["paper"])
        [event] = list_recent_events(tx, team["Eve"], since=now() - timedelta(days=7), limit=10)
        assert event.verb == "paper.deleted"


@pytest.mark.deep
@pytest.mark.parametrize("address", ["/activity", "/api/v1/events", "/admin/audit", "/api/v1/audit"])
def test_a_list_takes_the_same_statements_for_few_and_many(team, database, sign_in, statements, address):
    browser = sign_in(team["Ada"])

    def cost():
        with statements() as seen:
            assert browser.get(address).status_code == 200
        return len(seen)

    with database.write() as tx:
        make.paper(tx, "x").title = ""
    few = cost()
    with database.write() as tx:
        for number in range(40):
            paper = make.paper(tx, f"Paper {number}")
            events.record_event(tx, team["Bo"], "paper.added", paper_id=paper.id)
    assert cost() == few


def test_personal_settings_are_hidden_from_others_in_the_audit_trail(team, database, sign_in):
    with database.write() as tx:
        view = save_view(tx, team["Bo"], SavedSearchFields(name="Job offers", q="status:read"))
        make_feed(tx, team["Bo"], view)
        update_notification_settings(tx, team["Bo"], NotificationSettings(mention="nothing"))
        edit_me(tx, team["Bo"], MeUpdate(start=f"view:{view}", theme="dark"))
        events.record_event(tx, team["Bo"], "image.added", private=True)
    ada = sign_in(team["Ada"])
    told = "".join(ada.get(page).text for page in ("/api/v1/audit", "/admin/audit", "/admin/audit?of=access"))
    assert "token.created" in told
    for word in ("Job offers", "image.added", "notices-chosen", "person.edited", f"view:{view}"):
        assert word not in told, word
    assert "notices-chosen" not in ada.get("/api/v1/audit?of=person.notices-chosen").text.replace("?of=", "")
    with database.read() as tx:
        (feed,) = [row.name for row in list_tokens(tx, team["Bo"])]
    assert "Job offers" in feed


def test_revoking_a_feed_token_does_not_reveal_the_name_of_its_saved_search(team, database, sign_in):
    with database.write() as tx:
        view = save_view(tx, team["Bo"], SavedSearchFields(name="Job offers", q="status:read"))
        make_feed(tx, team["Bo"], view)
        revoke_token(tx, team["Bo"], list_tokens(tx, team["Bo"])[0].id)
    told = sign_in(team["Ada"]).get("/api/v1/audit?of=access").text
    assert "token.revoked" in told
    assert "Job offers" not in told
