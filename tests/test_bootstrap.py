"""The way out as the operator set it: who is asked where, how often, and who never."""

import time

import pytest

from readtrack.bootstrap import open_egress, request_intervals
from readtrack.infra.config import load
from readtrack.infra.errors import SourceRefused
from readtrack.infra.http import blocked_hosts
from readtrack.infra.http.blocked_hosts import HostBlocklist
from readtrack.infra.models import BlockedHost


def close(database, host):
    with database.write() as tx:
        tx.add(BlockedHost(host=host))


def test_each_service_has_its_rate_limit_at_the_host_of_its_base_url():
    found = request_intervals(load({}))
    assert (found["export.arxiv.org"], found["api.crossref.org"], found["www.usenix.org"]) == (3.0, 0.5, 2.0)


def test_services_sharing_a_host_have_the_rate_limit_of_the_slowest():
    mirror = "https://mirror.example.org/"
    found = request_intervals(load({}, crossref_url=f"{mirror}crossref", usenix_url=f"{mirror}usenix"))
    assert found["mirror.example.org"] == 2.0


def test_the_arxiv_interval_applies_to_its_host_even_when_shared():
    mirror = "http://127.0.0.1:9/"
    found = request_intervals(load({}, arxiv_url=f"{mirror}arxiv", usenix_url=f"{mirror}usenix", arxiv_interval=0.1))
    assert found["127.0.0.1"] == 0.1


def test_every_base_url_is_known_to_the_http_client(database, tmp_path):
    egress = open_egress(load({}, data=tmp_path, github_url="http://127.0.0.1:9/"), database)
    assert (egress.base("github"), egress.base("oembed")) == ("http://127.0.0.1:9", "")


def test_blocked_hosts_and_their_subdomains_are_never_requested(database, tmp_path):
    close(database, "example.org")
    egress = open_egress(load({}, data=tmp_path), database)
    for host in ("example.org", "www.example.org", "a.b.example.org."):
        with pytest.raises(SourceRefused, match="is a blocked site"):
            egress.get(f"https://{host}/")


def test_a_host_with_a_similar_name_is_not_blocked(database):
    close(database, "example.org")
    is_closed = HostBlocklist(database, ["example.com"])
    assert [host for host in ("myexample.org", "org", "example.net", "example.org.net") if is_closed(host)] == []
    assert is_closed("www.example.com")


def test_newly_blocked_hosts_take_effect_soon(database, monkeypatch):
    assert blocked_hosts.CACHE_SECONDS <= 30
    is_closed = HostBlocklist(database)
    assert not is_closed("example.org")
    close(database, "example.org")
    assert not is_closed("example.org"), "the list is not read for every request"
    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + blocked_hosts.CACHE_SECONDS)
    assert is_closed("example.org")
