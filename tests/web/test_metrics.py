"""Metrics: right over several processes, and nobody's business outside of the allowed networks."""

import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.jobs.scheduler import record_heartbeat
from readtrack.infra.models import HostRateLimit, Job
from readtrack.web.app import all_routes, create_app
from readtrack.web.middleware.request_metrics import BUCKETS, RequestMetrics
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS

DASHBOARD = Path(__file__).parents[2] / "docs" / "grafana-dashboard.json"
LOOPBACK, ELSEWHERE, INNER = ("127.0.0.1", 50_000), ("192.0.2.7", 50_000), ("10.1.2.3", 50_000)


def client_of(settings, database, client=LOOPBACK, **given):
    app = create_app(settings.model_copy(update=given), database)
    return AppClient(app, base_url=ADDRESS, client=client)


def samples(text):
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read(client, **headers):
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    return samples(answer.text)


def test_requests_are_counted_by_route_and_status(settings, database):
    client = client_of(settings, database)
    for path in (
        "/sign-in",
        "/sign-in?next=/x",
        "/papers/1",
        "/papers/2",
        "/papers/secret",
        "/nowhere/1",
        "/nowhere/2",
    ):
        client.get(path)
    client.head("/sign-in")
    client.request("BREW", "/sign-in")
    seen = read(client)

    def count(method, route, status):
        return seen.get(("readtrack_requests_total", ("method", method), ("route", route), ("status", status)))

    assert count("GET", "/sign-in", "200") == 3
    assert count("GET", "/papers/{paper_id:int}", "303") == 2
    assert count("", "unmatched", "404") == 3
    assert count("", "unmatched", "405") == 1
    assert not any("secret" in str(key) or "BREW" in str(key) for key in seen)
    timed = ("readtrack_request_duration_seconds_count", ("method", "GET"), ("route", "/sign-in"))
    assert seen[timed] == 3


def test_processes_of_one_server_are_added_up():
    metrics = RequestMetrics(all_routes(), processes=3)
    for process, seconds in enumerate((0.001, 0.3, 20.0)):
        metrics.process = process
        metrics.record("GET", "/papers", 200, seconds)
    metrics.record("GET", "/papers", 503, 0.1)
    requests, durations = metrics.collect()
    assert {sample.labels["status"]: sample.value for sample in requests.samples} == {"200": 3, "503": 1}
    values = {sample.labels.get("le", sample.name): sample.value for sample in durations.samples}
    assert [values[str(end)] for end in BUCKETS] == [1, 1, 1, 1, 2, 2, 3, 3, 3, 3]
    assert values["+Inf"] == values["readtrack_request_duration_seconds_count"] == 4
    assert values["readtrack_request_duration_seconds_sum"] == pytest.approx(20.401)


def test_the_state_of_database_jobs_and_sources_is_told(settings, database):
    record_heartbeat(database)
    with database.write() as tx:
        make.paper(tx)
        tx.add(Job(kind="papers.again", run_at=now()))
        tx.add(Job(kind="papers.again", state="failed", run_at=now()))
        tx.add(HostRateLimit(host="localhost", not_before=now(), answers=7, errors=2))
    seen = read(client_of(settings, database))
    assert seen["readtrack_up",] == seen["readtrack_papers",] == 1
    assert seen["readtrack_jobs", ("kind", "papers.again"), ("state", "queued")] == 1
    assert seen["readtrack_jobs", ("kind", "papers.again"), ("state", "failed")] == 1
    assert 0 <= seen["readtrack_oldest_due_job_age_seconds",] < 60
    assert 0 <= seen["readtrack_worker_heartbeat_age_seconds",] < 60
    assert seen["readtrack_source_requests_total", ("result", "answer"), ("source", "arxiv")] == 7
    assert seen["readtrack_source_requests_total", ("result", "error"), ("source", "arxiv")] == 2
    assert seen["readtrack_database_bytes",] > 10_000
    assert ("readtrack_wal_bytes",) in seen


def test_without_a_database_the_metrics_say_so(settings, tmp_path):
    (tmp_path / "damaged.sqlite3").write_bytes(b"no database " * 1_000)
    damaged = Database(f"sqlite:///{tmp_path / 'damaged.sqlite3'}")
    assert read(client_of(settings, damaged))["readtrack_up",] == 0
    damaged.dispose()


PROXY = {"trusted_proxies": "10.1.2.3"}
REFUSED = [
    (ELSEWHERE, {}, {}),
    (INNER, {}, {}),
    (("testclient", 1), {}, {}),
    (LOOPBACK, {}, {"X-Forwarded-For": "127.0.0.1"}),  # by a proxy of which the settings say nothing
    (LOOPBACK, {}, {"X-Real-IP": "192.0.2.7"}),
    (LOOPBACK, {"base_url": "https://reading.example.org"}, {"Host": "reading.example.org"}),
    (INNER, PROXY, {"X-Forwarded-For": "192.0.2.7"}),
    (LOOPBACK, {"metrics_networks": ""}, {}),
    (LOOPBACK, {"metrics_networks": "10.0.0.0/8"}, {}),
]
ALLOWED = [
    (LOOPBACK, {}, {}),
    (("::1", 1), {}, {}),
    (("::ffff:127.0.0.1", 1), {}, {}),
    (LOOPBACK, {"base_url": "https://reading.example.org"}, {"Host": "localhost:8000"}),
    (INNER, {"metrics_networks": "10.0.0.0/8"}, {}),
    (INNER, {**PROXY, "metrics_networks": "192.0.2.7"}, {"X-Forwarded-For": "192.0.2.7"}),
]


def test_only_allowed_networks_read_metrics_and_others_see_an_address_that_does_not_exist(settings, database):
    for client, given, headers in REFUSED:
        stranger = client_of(settings, database, client, **given)
        answer, nowhere = (stranger.get(path, headers=headers) for path in ("/metrics", "/nowhere"))
        assert (answer.status_code, "readtrack_" in answer.text) == (404, False), (client, given, headers)
        assert re.sub("nowhere|metrics", "", answer.text) == re.sub("nowhere|metrics", "", nowhere.text)
    for client, given, headers in ALLOWED:
        answer = client_of(settings, database, client, **given).get("/metrics", headers=headers)
        assert answer.status_code == 200, (client, given, headers)


def test_every_query_of_the_dashboard_names_metrics_that_exist(settings, database):
    client = client_of(settings, database)
    client.get("/sign-in")
    with database.write() as tx:
        tx.add(Job(kind="papers.again", run_at=now()))
    record_heartbeat(database)
    exported = {key[0] for key in read(client)}
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    named = {name for query in queries for name in re.findall(r"readtrack_\w+", query)}
    assert named <= exported
    shown = {name.removesuffix("_bucket").removesuffix("_total") for name in named}
    hidden = {"readtrack_build_info", "readtrack_requests"}
    families = {family.name for family in text_string_to_metric_families(client.get("/metrics").text)}
    assert families - shown <= hidden
