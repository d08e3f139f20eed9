"""Hosts that are never asked: an editor closes and opens them, at both doors."""

import pytest
from lxml import html

from readtrack.infra.http.blocked_hosts import blocked_host_names
from readtrack.metadata.blocked_hosts.commands import BlockedHostCreate
from tests import make

pytestmark = pytest.mark.slow


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, role.title(), role=role) for role in ("member", "editor")}


@pytest.fixture
def ed(people, sign_in):
    return sign_in(people["editor"])


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("example.org", "example.org"),
        ("  WWW.Example.ORG. ", "www.example.org"),
        ("https://intranet.example.org:8443/wiki?x=1", "intranet.example.org"),
        ("例え.jp", "xn--r8jz45g.jp"),
    ],
)
def test_a_host_is_given_by_name_or_by_any_url_on_it(typed, host):
    assert BlockedHostCreate(host=typed).host == host


@pytest.mark.parametrize(
    "typed", ["", "org", "not a host", "http://", "http://[::1", "-", "a..b", "ex\nample.org", "x" * 64 + ".org"]
)
def test_an_invalid_host_is_refused(typed):
    with pytest.raises(ValueError, match=r"host|character|line"):
        BlockedHostCreate(host=typed)


def test_an_editor_blocks_and_unblocks_a_host(ed, database):
    assert ed.post("/settings/blocked-hosts", data={"host": "https://closed.example.org/a"}).status_code == 303
    document = html.fromstring(ed.get("/settings/blocked-hosts").text)
    assert "closed.example.org blocked" in document.xpath("string(//*[@id='flash'])")
    with database.read() as tx:
        assert blocked_host_names(tx) == {"closed.example.org"}
    [there] = [form.action for form in document.forms if "/blocked-hosts/" in (form.action or "")]
    assert ed.post(there).status_code == 303
    with database.read() as tx:
        assert blocked_host_names(tx) == set()


def test_an_invalid_input_is_kept_in_the_form(ed):
    answer = ed.post("/settings/blocked-hosts", data={"host": "no host at all"})
    assert answer.status_code == 422
    assert html.fromstring(answer.text).xpath("//input[@name='host']/@value") == ["no host at all"]


def test_blocked_hosts_through_the_api(ed, people, sign_in):
    there = "/api/v1/blocked-hosts"
    made = ed.post(there, json={"host": "Example.org"})
    assert (made.status_code, made.json()["host"]) == (201, "example.org")
    assert ed.post(there, json={"host": "example.org"}).status_code == 200
    [item] = ed.get(there).json()["items"]
    assert (item["host"], item["person"]) == ("example.org", "Editor")
    member = sign_in(people["member"])
    assert (member.get(there).status_code, member.post(there, json={"host": "a.org"}).status_code) == (200, 403)
    assert member.get("/settings/blocked-hosts").status_code == 200
    assert ed.post(there, json={"host": "nowhere"}).json()["errors"][0]["pointer"] == "/host"
    assert [ed.delete(f"{there}/{item['id']}").status_code for _ in range(2)] == [204, 404]
