"""Requests for another site's name are refused: a page of that site would read the answer as its own."""

import pytest

from readtrack.infra import config as operator
from readtrack.infra.errors import SettingsError
from readtrack.infra.jobs.scheduler import record_heartbeat
from readtrack.web.app import create_app
from tests.client import AppClient
from tests.conftest import ADDRESS
from tests.depth import one_in

pytestmark = pytest.mark.slow

EVIL = [
    "evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example@127.0.0.1",
    "127.0.0.1@evil.example", "127.0.0.1/evil.example", "evil.example#127.0.0.1", "127.0.0.1, evil.example", "",
    "127.0.0.1 evil.example", "localhost:evil", "[::1].evil.example", "[::1]evil", "0.0.0.0", "[::]", "192.0.2.1", ".",
    "127.0.0.1:8000", "127.8.9.1:1", "[::1]", "[::1]:8000", "ip6-localhost", "reading.localhost",
    "reading.example.com", "xreading.example.org", "a.reading.example.org", "reading.example.org.evil.example", ":8000",
]  # fmt: skip
OURS = [
    "localhost", "LOCALHOST:99", "localhost.", "localhost:8000",
    "reading.example.org", "Reading.Example.org:443", "reading.example.org.", "readtrack:8000", "xn--bcher-kva.example",
]  # fmt: skip
PLACES = [
    "/",
    "/sign-in",
    "/api/v1/me",
    "/api/v1/openapi.json",
    "/nowhere",
    "/static/x/app.css",
    "/invitations/accept/x",
]


@pytest.fixture
def client(settings, database):
    given = {"base_url": "https://reading.example.org", "allowed_hosts": "readtrack, bücher.example"}
    app = create_app(settings.model_copy(update=given), database)
    return AppClient(app, base_url=ADDRESS)


@pytest.mark.deep
@pytest.mark.parametrize("host", EVIL)
def test_an_unknown_host_name_is_refused(client, host):
    for place in PLACES:
        for method in (method for method in ("GET", "HEAD", "POST") if one_in(3, host, place, method)):
            answer = client.request(method, place, headers={"Host": host})
            assert answer.status_code == 421, (method, place)
    answer = client.get("/api/v1/me", headers={"Host": host})
    assert answer.json()["code"] == "unknown-host"
    assert "https://reading.example.org" in answer.json()["detail"]
    assert "evil" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "evil.example"])
def test_a_service_opened_by_its_address_is_not_opened_by_another_of_loopback(settings, database, host):
    client = AppClient(create_app(settings, database), base_url=ADDRESS)
    answers = [client.get("/sign-in", headers={"Host": name}).status_code for name in (host, "localhost", "127.0.0.2")]
    assert answers == [200 if host in ADDRESS else 421, 200, 421]


@pytest.mark.deep
@pytest.mark.parametrize("host", OURS)
def test_configured_and_local_host_names_are_accepted(client, host):
    assert client.get("/sign-in", headers={"Host": host}).status_code == 200


@pytest.mark.deep
@pytest.mark.parametrize("host", ["10.1.2.3:8000", "evil.example", "", "a b"])
def test_health_probes_are_answered_under_any_host_name(client, database, host):
    record_heartbeat(database)
    assert client.get("/healthz", headers={"Host": host}).text == "ok\n"
    assert client.get("/readyz", headers={"Host": host}).text == "ready\n"


@pytest.mark.parametrize("host", ["http://reading.example.org", "a/b", "a:80", "*"])
def test_an_invalid_host_setting_is_refused(host):
    with pytest.raises(SettingsError, match="ALLOWED_HOSTS"):
        operator.load({}, data="/tmp", allowed_hosts=host)
