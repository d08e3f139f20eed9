"""Feeds of views: what they hold, whom their secrets open them for, and what they never tell (A45, A63)."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import Person, SavedSearch, Token
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts import commands as people_commands
from readtrack.team.accounts.queries import list_tokens
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.workspace.saved_searches import atom_feed, commands
from readtrack.workspace.saved_searches.commands import SavedSearchFields
from tests import make

ATOM = "{http://www.w3.org/2005/Atom}"
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOSTILE = '</title></entry></feed>]]><script>&amp; " \x00\x0b\ufffe <!-- --> <![CDATA['
slow = pytest.mark.slow  # requests to a whole application


@pytest.fixture
def people(database):
    with database.write() as tx:
        search.ensure(tx)
        return [make.visitor(tx, "Ada"), make.visitor(tx, "Bo")]


def made(database, me: CurrentUser, **fields):
    """A view and the secret of its feed."""
    with database.write() as tx:
        view_id = commands.save_view(tx, me, SavedSearchFields.model_validate({"name": "Unread", **fields}))
        return view_id, commands.make_feed(tx, me, view_id)


def parsed(text):
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return etree.fromstring(text.encode(), parser)


def titles(text):
    return [entry.findtext(f"{ATOM}title") for entry in parsed(text).iter(f"{ATOM}entry")]


def feed_of(client, view_id, secret, **headers):
    return client.get(f"/feeds/{view_id}.atom", params={"token": secret}, headers=headers)


@given(st.one_of(st.text(), st.just(HOSTILE)))
def test_a45_any_input_is_plain_text_in_a_feed(text):
    entry = atom_feed.FeedEntry(
        "https://r.example/papers/1", text, AT, AT, authors=[text], topics=[text], text=text, language=text
    )
    page = f"https://r.example/views/1?{text}"
    root = parsed(atom_feed.render_feed(atom_feed.Feed(text, page, page, AT), [entry]))
    assert [child.tag for child in root].count(f"{ATOM}entry") == 1
    wanted = (
        atom_feed.strip_invalid_xml(text).replace("\r\n", "\n").replace("\r", "\n")
    )  # as every reader of XML takes line ends
    assert root.findtext(f"{ATOM}title") == wanted
    assert root.findtext(f"{ATOM}entry/{ATOM}title") == wanted
    assert root.findtext(f"{ATOM}entry/{ATOM}author/{ATOM}name") == wanted


def test_the_length_of_a_feed_is_bounded():
    names = [f"Author {number}" for number in range(3_000)]
    entry = atom_feed.FeedEntry("https://r.example/papers/1", "T", AT, AT, authors=names, text="long " * 50_000)
    text = atom_feed.render_feed(atom_feed.Feed("F", "u", "p", AT), [entry])
    assert len(text) < 5_000
    assert "Author 19" in text
    assert "Author 20" not in text


def test_a_feed_has_the_time_of_its_latest_change():
    later = AT.replace(year=2027)
    feed = atom_feed.Feed("F", "u", "p", AT)
    assert parsed(atom_feed.render_feed(feed, [])).findtext(f"{ATOM}updated") == "2026-01-02T03:04:05Z"
    entries = [atom_feed.FeedEntry("e", "T", AT, later)]
    assert parsed(atom_feed.render_feed(feed, entries)).findtext(f"{ATOM}updated") == "2027-01-02T03:04:05Z"


@slow
def test_a_feed_lists_the_newest_papers_first_whatever_the_saved_sort(client, database, people, monkeypatch):
    monkeypatch.setattr(atom_feed, "MAX_ENTRIES", 2)
    view_id, secret = made(database, people[0], q="year:2020", sort="title-asc")
    with database.write() as tx:
        for title, year in (("C", 2020), ("A", 2020), ("Other", 2024), ("B", 2020)):
            make.paper(tx, title, year=year)
    answer = feed_of(client, view_id, secret)
    assert answer.headers["content-type"] == atom_feed.MEDIA_TYPE
    assert titles(answer.text) == ["B", "A"]


@slow
def test_a_conditional_request_for_an_unchanged_feed_gets_304(client, database, people):
    view_id, secret = made(database, people[0])
    tag = feed_of(client, view_id, secret).headers["etag"]
    again = feed_of(client, view_id, secret, **{"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    with database.write() as tx:
        make.paper(tx)
    assert feed_of(client, view_id, secret, **{"If-None-Match": tag}).status_code == 200


@slow
def test_a_private_feed_uses_its_owners_readings_and_a_shared_one_nobodys(client, database, people):
    bo = people[1]
    mine, mine_secret = made(database, bo, q="status:to_read")
    ours, ours_secret = made(database, bo, q="status:to_read", shared=True)
    with database.write() as tx:
        make.reading(tx, bo.id, make.paper(tx, "Private").id, "to_read", private=True)
        make.reading(tx, bo.id, make.paper(tx, "Shared").id, "to_read")
    assert titles(feed_of(client, mine, mine_secret).text) == ["Shared", "Private"]
    assert titles(feed_of(client, ours, ours_secret).text) == []


@slow
def test_a63_a_secret_opens_its_feed_and_nothing_else(client, database, people):
    ada = people[0]
    view_id, secret = made(database, ada)
    other_id, _ = made(database, ada)
    assert feed_of(client, view_id, secret).status_code == 200
    assert feed_of(client, other_id, secret).status_code == 404
    assert client.get("/meetings.ics", params={"token": secret}).status_code == 404
    bearer = {"Authorization": f"Bearer {secret}"}
    for address in ("/api/v1/me", "/api/v1/views", f"/feeds/{view_id}.atom", "/meetings.ics"):
        assert client.get(address, headers=bearer).status_code in {401, 303}, address
    assert client.get("/papers", params={"token": secret}).status_code == 303


@slow
def test_a63_other_tokens_and_guesses_open_no_feed(client, database, people):
    ada = people[0]
    view_id, secret = made(database, ada)
    with database.write() as tx:
        others = [
            people_commands.create_token(tx, ada, TokenCreate(name="ci", scopes=[scope]))[1]
            for scope in ("read", "write", "feed")
        ]
    guesses = [*others, "", secret[:-1], secret + "x", secret.upper(), "rt_", "\x00", "é"]
    assert {feed_of(client, view_id, guess).status_code for guess in guesses} == {404}
    assert len(secret) >= len("rt_") + 128 // 6  # letters of six bits each


@slow
def test_a63_a_feed_ends_with_its_token_saved_search_sharing_or_person(client, database, people, sign_in):
    ada, bo = people
    view_id, own = made(database, ada, shared=True)
    with database.write() as tx:
        guest = commands.make_feed(tx, bo, view_id)
    assert {feed_of(client, view_id, secret).status_code for secret in (own, guest)} == {200}
    with database.write() as tx:
        commands.share_view(tx, ada, view_id, shared=False)
    assert [feed_of(client, view_id, secret).status_code for secret in (own, guest)] == [200, 404]
    with database.write() as tx:
        commands.share_view(tx, ada, view_id, shared=True)
        commands.delete_view(tx, ada, view_id)
    assert [feed_of(client, view_id, secret).status_code for secret in (own, guest)] == [404, 404]
    with database.write() as tx:
        commands.restore_view(tx, ada, view_id)
        [token] = list_tokens(tx, bo)
        people_commands.revoke_token(tx, bo, token.id)
        tx.get_one(Person, ada.id).disabled_at = now()
    assert [feed_of(client, view_id, secret).status_code for secret in (own, guest)] == [404, 404]


@slow
def test_a63_the_url_is_shown_once_and_leaks_through_no_referrer(database, people, sign_in):
    browser, (view_id, _) = sign_in(people[0]), made(database, people[0])
    page = browser.post(f"/views/{view_id}/feed")
    address = etree.HTML(page.text).xpath("//input[@id='secret']/@value")[0]
    assert page.headers["cache-control"] == "no-store"
    secret = address.partition("token=")[2]
    assert secret not in browser.get(f"/views/{view_id}/feed").text + browser.get("/settings/tokens").text
    answer = browser.get(address.removeprefix("http://127.0.0.1:8000"))
    assert answer.headers["referrer-policy"] in {"same-origin", "no-referrer"}
    assert secret not in answer.text + str(answer.headers)
    assert "Feed for “Unread”" in browser.get("/settings/tokens").text


@slow
def test_feed_use_is_recorded_on_its_token_only(client, database, people, sign_in):
    view_id, secret = made(database, people[0])

    def used():
        with database.read() as tx:
            return tx.scalar(sa.select(col(Token.used_at)))

    assert sign_in(people[0]).get(f"/feeds/{view_id}.atom").status_code == 200
    assert used() is None
    assert feed_of(client, view_id, secret).status_code == 200
    assert used() is not None


@slow
def test_a17_erasing_a_member_ends_feeds_of_their_private_searches(client, database, people):
    ada, bo = people
    view_id, _ = made(database, ada, shared=True)
    with database.write() as tx:
        guest = commands.make_feed(tx, bo, view_id)
        commands.share_view(tx, ada, view_id, shared=False)
        admin = make.visitor(tx, "Root", role="admin")
        people_commands.disable_person(tx, admin, ada.id)
        people_commands.erase_person(tx, admin, ada.id)
    assert feed_of(client, view_id, guest).status_code == 404
    with database.read() as tx:
        assert tx.get(SavedSearch, view_id) is None
