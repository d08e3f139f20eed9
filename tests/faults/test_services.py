"""Services that misbehave: each fault has its state and its sentence, the gate holds, and a host may be away for a day.

What arXiv can do wrong is in tests/library/enrichment/test_jobs.py; here are one JSON service and one of pages.
"""

import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from itertools import pairwise

import pytest
import sqlalchemy as sa
from sqlmodel import col

import readtrack.cli.worker  # noqa: F401 - registers what jobs run
from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.jobs import queue
from readtrack.infra.models import HostRateLimit, Job, MetadataRequest
from readtrack.library.enrichment.jobs import resume_pending_requests
from readtrack.library.papers.commands import add_paper
from readtrack.metadata.types import Ref
from tests import make
from tests.depth import DEEP
from tests.outside.world import World, egress_for
from tests.processes import until
from tests.standin import StandIn

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

ASKED = {"crossref": Ref("doi", "10.1145/3627703.3650085"), "usenix": Ref("usenix", "nsdi24/hu")}
WAITS, SETTLED = ("queued", "waiting"), ("done", "refused")


@pytest.fixture
def world():
    with World() as world:
        yield world


@pytest.fixture
def database(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


def add(database, *refs):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for ref in refs:
            add_paper(tx, me, ref)


def work_off(database, http):
    while queue.run_due_job(database, http):
        pass


def outcome(database, service):
    """The states of its job and of its inquiries, and the sentence that a person sees."""
    with database.read() as tx:
        job = tx.scalars(sa.select(Job).where(col(Job.payload)["service"].as_string() == service)).one()
        inquiries = tx.execute(
            sa.select(col(MetadataRequest.state), col(MetadataRequest.problem)).where(
                col(MetadataRequest.service) == service
            )
        )
        ((state, problem),) = {tuple(row) for row in inquiries}
        return (job.state, state), job.error or problem


LATER = "Retrying later."
FAULTS = [  # service, fault: what became of the job and of the question, and what a person reads
    ("crossref", "429", WAITS, "is temporarily unavailable (status 429)"),
    ("crossref", "429 after 70", WAITS, "is temporarily unavailable (status 429)"),
    ("crossref", "500", WAITS, "is temporarily unavailable (status 500)"),
    ("crossref", "503", WAITS, "is temporarily unavailable (status 503)"),
    ("crossref", "captcha", WAITS, "unexpected response (status 403)"),
    ("crossref", "cut", WAITS, "truncated JSON"),
    ("crossref", "down", WAITS, "can't be reached"),
    ("crossref", "empty", WAITS, "invalid or truncated JSON"),
    ("crossref", "error object", WAITS, "sent an unexpected response"),
    ("crossref", "hang", WAITS, "did not respond in time"),
    ("crossref", "html", WAITS, "invalid or truncated JSON"),
    ("crossref", "limit reached", WAITS, "is reached. Retrying after"),
    ("crossref", "not found", ("done", "unknown"), "not found. Check the identifier."),
    ("usenix", "429", WAITS, "is temporarily unavailable (status 429)"),
    ("usenix", "500", WAITS, "is temporarily unavailable (status 500)"),
    ("usenix", "503", WAITS, "is temporarily unavailable (status 503)"),
    ("usenix", "captcha", SETTLED, "Open it in a browser"),
    ("usenix", "cut", WAITS, LATER),
    ("usenix", "down", WAITS, "can't be reached"),
    ("usenix", "empty", WAITS, LATER),
    ("usenix", "error object", SETTLED, "unsupported type"),
    ("usenix", "hang", WAITS, "did not respond in time"),
    ("usenix", "html", WAITS, LATER),
    ("usenix", "limit reached", WAITS, "is reached. Retrying after"),
    ("usenix", "not found", ("done", "unknown"), "not found. Check the identifier."),
]


@pytest.mark.deep
@pytest.mark.one_database
@pytest.mark.parametrize(
    ("service", "fault", "states", "sentence"),
    [one for number, one in enumerate(FAULTS) if DEEP or (number + (one[0] == "usenix")) % 2 == 0],
)
def test_f17_each_fault_has_its_state_and_message_and_recovers(database, world, service, fault, states, sentence):
    add(database, ASKED[service])
    world.faults[service] = fault
    http = egress_for(world, database, connect=5, total=0.6 if fault == "hang" else 20)
    work_off(database, http)
    became, said = outcome(database, service)
    assert (became, sentence in said) == (states, True), said
    assert said.endswith(".")
    if states == WAITS:
        world.faults.clear()
        let_time_pass(database, timedelta(hours=6))
        work_off(database, http)
        assert outcome(database, service) == (("done", "answered"), "")


def let_time_pass(database, step):
    """Whatever was to come within that time is due, as if it had passed."""
    with database.write() as tx:
        for job in tx.scalars(sa.select(Job).where(col(Job.run_at) > now())):
            job.run_at -= step
        for pace in tx.scalars(sa.select(HostRateLimit).where(col(HostRateLimit.not_before) > now())):
            pace.not_before -= step


def test_f17_a_rate_limit_is_not_a_failure_and_no_request_is_made_until_it_ends(database, world):
    add(database, Ref("github", "readtrack/one"), Ref("github", "readtrack/two"))
    world.faults["github"] = "limit reached"
    http = egress_for(world, database)
    for _ in range(3):
        work_off(database, http)
        with database.write() as tx:
            tx.execute(sa.update(Job).values(run_at=now()))
            tx.execute(sa.update(MetadataRequest).values(not_before=None))
    assert len(world.asked("github")) == 1
    with database.read() as tx:
        assert (
            tx.execute(sa.select(col(HostRateLimit.failures)).where(col(HostRateLimit.host) == "github.test")).scalar()
            == 0
        )
        assert tx.scalars(sa.select(col(MetadataRequest.tries)).distinct()).all() == [0]
    assert "Retrying after" in problem_of(database, "papers.refresh:github")


# F18: the rate limit, under many processes, restarts and changed clocks (see also tests/infra/http/test_rate_limit.py)

INTERVAL = 0.2
PROCESSES = 4 if DEEP else 2
ASKING = """
import sys
from datetime import timedelta
from readtrack.infra.http import rate_limiter
from readtrack.infra.db import Database
from readtrack.infra.http.client import HttpClient
from readtrack.infra.errors import SourceUnavailable
rate_limiter.LEASE_DURATION, rate_limiter.LOOK_AGAIN = timedelta(seconds=1), 0.02
url, place, interval, times = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
gate = rate_limiter.DatabaseRateLimiter(Database(url))
egress = HttpClient(agent="test", gate=gate, intervals={"127.0.0.1": interval}, bases={"it": place})
while times:
    try:
        egress.get(place)
        times -= 1
    except SourceUnavailable:
        pass
"""


def asking(database, site, times):
    program = [sys.executable, "-c", ASKING, database.url, site.url, str(INTERVAL), str(times)]
    return subprocess.Popen(program)


def expect_polite(site):
    for earlier, later in pairwise(site.requests):
        assert later.at - earlier.at >= INTERVAL


def asked_so_often(site, times):
    return len(site.requests) >= times


@pytest.mark.deep
@pytest.mark.one_database
def test_f18_processes_share_the_interval_between_requests(database):
    with StandIn() as site:
        for process in [asking(database, site, 4) for _ in range(PROCESSES)]:
            assert process.wait(60) == 0
    assert len(site.requests) == 4 * PROCESSES
    expect_polite(site)


@pytest.mark.deep
def test_f18_a_storm_of_restarts_does_not_speed_up_requests(database):
    with StandIn() as site, ExitStack() as started:
        for storm in range(1, 4):
            for process in [asking(database, site, 1000) for _ in range(2)]:
                started.callback(process.wait)
                started.callback(process.kill)
            until(partial(asked_so_often, site, 3 * storm), "somebody asks")
            started.pop_all().close()
        assert asking(database, site, 3).wait(60) == 0
    assert len(site.requests) >= 12
    expect_polite(site)


# F20: a host away for a day, with five hundred waiting

MANY = 200


def waiting(database, service):
    with database.read() as tx:
        states = sa.select(sa.func.count()).where(
            col(MetadataRequest.service) == service, col(MetadataRequest.state) == "waiting"
        )
        return tx.scalar(states)


def problem_of(database, name):
    with database.read() as tx:
        job = queue.find_by_dedup_key(tx, name)
        return job.error if job else ""


@pytest.mark.deep
def test_f20_a_day_of_outage_delays_no_other_service_and_recovers_at_the_allowed_rate(database, world):
    with database.write() as tx:
        for number in range(MANY):
            paper = make.paper(tx, f"Paper {number}")
            tx.add(MetadataRequest(paper_id=paper.id, service="crossref", key=f"10.1145/{number}"))
        resume_pending_requests(tx)
    world.faults["crossref"] = "down"
    http = egress_for(world, database, {"crossref": 0.02}, connect=5, total=20)
    told = set()
    for half_hour in range(24 * 2):
        with database.write() as tx:
            if half_hour % 12 == 0:
                resume_pending_requests(tx)
        if half_hour == 25:
            add(database, ASKED["usenix"])
        work_off(database, http)
        told.add(problem_of(database, "papers.refresh:crossref"))
        let_time_pass(database, timedelta(minutes=30))
    assert outcome(database, "usenix") == (("done", "answered"), "")
    assert waiting(database, "crossref") >= MANY
    assert any("times in a row. Retrying after" in problem for problem in told)
    assert 6 <= len(world.asked("crossref")) <= 40
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Job)) < 15

    world.faults.clear()
    world.requests.clear()
    let_time_pass(database, timedelta(days=1))
    with database.write() as tx:
        resume_pending_requests(tx)
    while waiting(database, "crossref"):
        assert queue.run_due_job(database, http)
    asked = world.asked("crossref")
    assert len(asked) >= MANY / 50
    for earlier, later in pairwise(asked):
        assert later.at - earlier.at >= 0.02
