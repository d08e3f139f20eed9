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


def test_each_service_has_its_pace_at_the_host_of_its_base():
    found = request_intervals(load({}))
    assert (found["export.arxiv.org"], found["api.crossref.org"], found["www.usenix.org"]) == (3.0, 0.5, 2.0)


def test_services_that_share_a_host_have_the_pace_of_the_slowest():
    mirror = "https://mirror.example.org/"
    found = request_intervals(load({}, crossref_url=f"{mirror}crossref", usenix_url=f"{mirror}usenix"))
    assert found["mirror.example.org"] == 2.0


def test_the_interval_of_arxiv_rules_its_host_whoever_shares_it():
    mirror = "http://127.0.0.1:9/"
    found = request_intervals(load({}, arxiv_url=f"{mirror}arxiv", usenix_url=f"{mirror}usenix", arxiv_interval=0.1))
    assert found["127.0.0.1"] == 0.1


def test_every_base_is_known_to_the_way_out(database, tmp_path):
    egress = open_egress(load({}, data=tmp_path, github_url="http://127.0.0.1:9/"), database)
    assert (egress.base("github"), egress.base("oembed")) == ("http://127.0.0.1:9", "")


def test_what_the_team_closed_is_never_asked_nor_what_lies_below(database, tmp_path):
    close(database, "example.org")
    egress = open_egress(load({}, data=tmp_path), database)
    for host in ("example.org", "www.example.org", "a.b.example.org."):
        with pytest.raises(SourceRefused, match="is closed here"):
            egress.get(f"https://{host}/")


def test_another_host_of_a_similar_name_is_not_closed(database):
    close(database, "example.org")
    is_closed = HostBlocklist(database, ["example.com"])
    assert [host for host in ("myexample.org", "org", "example.net", "example.org.net") if is_closed(host)] == []
    assert is_closed("www.example.com")


def test_what_is_closed_meanwhile_is_heard_of_soon(database, monkeypatch):
    assert blocked_hosts.CACHE_SECONDS <= 30
    is_closed = HostBlocklist(database)
    assert not is_closed("example.org")
    close(database, "example.org")
    assert not is_closed("example.org"), "the list is not read for every request"
    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + blocked_hosts.CACHE_SECONDS)
    assert is_closed("example.org")
