"""Asking arXiv for what waits: every way in which it can fail, told in the database, and mended when it is over."""

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col
from structlog.testing import capture_logs

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, SourceRefused, SourceUnavailable, StorageUnavailable
from readtrack.infra.http.client import HttpClient
from readtrack.infra.http.rate_limiter import DatabaseRateLimiter
from readtrack.infra.http.types import OFFLINE
from readtrack.infra.jobs import queue
from readtrack.infra.models import HostRateLimit, Job, MetadataRecord, MetadataRequest, Paper
from readtrack.library.enrichment import jobs as enrichment_jobs
from readtrack.library.papers import commands
from readtrack.library.papers.commands import add_paper, refresh_paper
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from tests import make
from tests.depth import some
from tests.metadata.browsing import Browsing, page
from tests.processes import until
from tests.standin import ArxivStandIn, StandIn, made_up_title

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

ARXIV = col(MetadataRequest.service) == "arxiv"
KEYS = ("2401.00001", "2401.00002", "2401.00003")
PUT_BACK = {  # fault: what the job then says
    "429": "is temporarily unavailable (status 429)",
    "503": "is temporarily unavailable (status 503)",
    "hang": "did not respond in time",
    "drip": "did not respond in time",
    "reset": "closed the connection",
    "403": "unexpected response (status 403)",
    "html": "invalid or truncated feed",
    "rate exceeded": "invalid or truncated feed",
    "empty body": "invalid or truncated feed",
    "truncated": "invalid or truncated feed",
    "ill-formed": "invalid or truncated feed",
    "entities": "not a feed",
    "empty feed": "different papers",
    "wrong entry": "different papers",
}
GIVEN_UP = {
    "huge": "sent more than 1 MB",
    "endless": "sent more than 1 MB",
    "gzip bomb": "sent more than 1 MB",
    "redirect loop": "more than 5 redirects",
    "redirect inwards": "Only ports 80 and 443",
}


@pytest.fixture
def database(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def arxiv():
    with ArxivStandIn() as arxiv:
        yield arxiv


@pytest.fixture
def http(arxiv, database):
    return way_to(arxiv.url, database)


def way_to(url, database, **settings):
    times = {"connect": 0.5, "total": 0.5, "max_bytes": 1_000_000, **settings}
    gate = DatabaseRateLimiter(database)
    return HttpClient(agent="test", gate=gate, intervals={"127.0.0.1": 0.0}, bases={"arxiv": url}, **times)


def add(database, *keys, title=""):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for key in keys:
            add_paper(tx, me, Ref("arxiv", key), title=title)
    return me


def the_job(database, service="arxiv"):
    with database.read() as tx:
        (job,) = (job for job in tx.scalars(sa.select(Job)) if job.payload == {"service": service})
        tx.expunge(job)
        return job


def states(database):
    with database.read() as tx:
        rows = tx.execute(
            sa.select(col(MetadataRequest.key), col(MetadataRequest.state), col(MetadataRequest.problem)).where(ARXIV)
        )
        return {row.key: (row.state, row.problem) for row in rows}


def titles(database):
    with database.read() as tx:
        return set(tx.scalars(sa.select(col(Paper.title))))


def count(database, table):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table))


def let_time_pass(database):
    """Whatever waits for a moment to come is due."""
    with database.write() as tx:
        tx.execute(sa.update(Job).values(run_at=now() - timedelta(seconds=1)))
        tx.execute(sa.update(HostRateLimit).values(not_before=now() - timedelta(seconds=1)))


def expect_complete(database, job_id):
    job = the_job(database)
    assert (job.id, job.state, job.error, job.dedup_key) == (job_id, "done", "", None)
    assert states(database) == dict.fromkeys(KEYS, ("answered", ""))
    assert titles(database) == {made_up_title(key) for key in KEYS}
    assert (count(database, Paper), count(database, MetadataRecord)) == (3, 3)


def expect_untouched(database):
    assert states(database) == dict.fromkeys(KEYS, ("waiting", ""))
    assert (count(database, Paper), count(database, MetadataRecord)) == (3, 0)


@pytest.mark.deep
@pytest.mark.one_database
@pytest.mark.parametrize("fault", some(PUT_BACK, 6))
def test_a_transient_error_reschedules_the_job_and_the_same_job_completes(database, arxiv, http, fault):
    add(database, *KEYS)
    arxiv.fault = fault
    assert queue.run_due_job(database, http)
    job = the_job(database)
    assert (job.state, job.attempts) == ("queued", 1)
    assert PUT_BACK[fault] in job.error
    assert "Retrying later" in job.error
    assert 1 < (job.run_at - now()).total_seconds() < 3
    expect_untouched(database)
    assert not queue.run_due_job(database, http), "it is not due yet"

    arxiv.fault = ""
    let_time_pass(database)
    assert queue.run_due_job(database, http)
    expect_complete(database, job.id)


@pytest.mark.deep
@pytest.mark.parametrize("status", ["429", "503"])
def test_a_pause_requested_by_arxiv_is_respected_by_the_job_and_everyone_else(database, arxiv, http, status):
    add(database, *KEYS)
    arxiv.fault = f"{status} after 120"
    queue.run_due_job(database, http)
    job = the_job(database)
    assert 110 < (job.run_at - now()).total_seconds() <= 120
    expect_untouched(database)

    arxiv.fault = ""
    with database.write() as tx:
        queue.retry_job(tx, job.id)  # somebody is impatient
    queue.run_due_job(database, http)
    job = the_job(database)
    assert "Waiting to send" in job.error
    assert 100 < (job.run_at - now()).total_seconds() <= 120
    assert len(arxiv.requests) == 1

    let_time_pass(database)
    queue.run_due_job(database, http)
    expect_complete(database, job.id)


@pytest.mark.deep
@pytest.mark.parametrize("fault", some(GIVEN_UP, 3))
def test_a_permanent_error_fails_the_job_which_completes_when_retried(database, arxiv, http, fault):
    add(database, *KEYS)
    with StandIn() as trap:
        arxiv.fault, arxiv.inwards = fault, trap.url
        queue.run_due_job(database, http)
    assert trap.requests == []
    job = the_job(database)
    assert (job.state, job.ended_at is None) == ("failed", False)
    assert GIVEN_UP[fault] in job.error
    expect_untouched(database)

    arxiv.fault = ""
    with database.write() as tx:
        queue.retry_job(tx, job.id)
    queue.run_due_job(database, http)
    expect_complete(database, job.id)


def test_when_nothing_listens_the_job_is_rescheduled(database):
    add(database, *KEYS)
    queue.run_due_job(database, way_to("http://127.0.0.1:9/api/query", database))
    assert (the_job(database).state, "can't be reached" in the_job(database).error) == ("queued", True)
    expect_untouched(database)


def test_an_offline_job_says_so_and_continues_when_online(database, arxiv, http):
    add(database, *KEYS)
    queue.run_due_job(database, way_to(arxiv.url, database, offline=True))
    job = the_job(database)
    assert (job.state, "READTRACK_OFFLINE" in job.error) == ("failed", True)
    expect_untouched(database)
    with database.write() as tx:
        enrichment_jobs.resume_pending_requests(tx)  # as at a start
    queue.run_due_job(database, http)
    expect_complete(database, job.id)


def test_offline_no_job_is_restarted_for_each_paper_and_nothing_is_logged(database, arxiv):
    offline = way_to(arxiv.url, database, offline=True)
    with capture_logs() as logged:
        for key in KEYS:
            add(database, key)
            while queue.run_due_job(database, offline):
                pass
    job = the_job(database)
    assert (job.state, job.error, job.attempts) == ("queued", OFFLINE, 0)
    assert 50 < (job.run_at - now()).total_seconds() <= 60
    assert logged == []


@pytest.mark.parametrize("fault", ["400", "error entry"])
def test_identifiers_arxiv_rejects_are_refused_each_with_a_message(database, arxiv, http, fault):
    me = add(database, *KEYS)
    arxiv.fault = fault
    queue.run_due_job(database, http)
    assert the_job(database).state == "done"
    for key, (state, sentence) in states(database).items():
        assert state == "refused"
        assert f"rejected '{key}'" in sentence
    assert count(database, Paper) == 3

    arxiv.fault = ""
    with database.write() as tx:
        for paper_id in tx.scalars(sa.select(col(Paper.id))).all():
            refresh_paper(tx, me, paper_id)
    queue.run_due_job(database, http)
    assert states(database) == dict.fromkeys(KEYS, ("answered", ""))


@pytest.mark.deep
def test_a_partial_response_is_completed_by_further_requests(database, arxiv, http):
    add(database, *KEYS)
    arxiv.fault = "one of several"
    queue.run_due_job(database, http)
    expect_complete(database, the_job(database).id)


def test_an_entry_that_never_arrives_is_refused_and_not_called_unknown(database, arxiv, http):
    add(database, *KEYS)
    arxiv.fault = "all but one"
    queue.run_due_job(database, http)
    found = states(database)
    assert [found[key][0] for key in KEYS] == ["answered", "answered", "refused"]
    assert "sent nothing for" in found[KEYS[2]][1]
    assert count(database, Paper) == 3


def test_a_paper_unknown_to_arxiv_is_kept_with_a_message(database, arxiv, http):
    arxiv.unknown.add(KEYS[1])
    add(database, *KEYS)
    queue.run_due_job(database, http)
    found = states(database)
    assert found[KEYS[0]] == found[KEYS[2]] == ("answered", "")
    assert found[KEYS[1]] == (
        "unknown",
        f"arXiv {KEYS[1]} not found. Check the identifier.",
    )
    assert count(database, Paper) == 3


@pytest.mark.deep
def test_results_of_one_batch_are_kept_when_the_next_one_fails(database, arxiv, http):
    keys = [f"2402.{number:05}" for number in range(120)]

    class Tired(ArxivStandIn):
        def answer(self, to, asked):
            self.fault = "503" if len(self.requests) == 2 else ""
            super().answer(to, asked)

    add(database, *keys)
    with Tired() as tired:
        way = way_to(tired.url, database)
        queue.run_due_job(database, way)
        job = the_job(database)
        assert (job.state, job.progress_done, job.attempts, count(database, MetadataRecord)) == ("queued", 50, 0, 50)
        let_time_pass(database)
        queue.run_due_job(database, way)
    assert [len(ids) for ids in tired.asked] == [50, 50, 50, 20]
    assert (the_job(database).state, count(database, MetadataRecord)) == ("done", 120)
    assert set(states(database).values()) == {("answered", "")}


@pytest.mark.deep
def test_papers_added_while_the_job_runs_are_requested_by_the_same_job(database, http, arxiv):
    class Meddling(ArxivStandIn):
        def answer(self, to, asked):
            if len(self.requests) == 1:
                add(database, "2403.00001")
            super().answer(to, asked)

    add(database, "2402.00001")
    with Meddling() as meddling:
        queue.run_due_job(database, way_to(meddling.url, database))
    assert meddling.asked == [("2402.00001",), ("2403.00001",)]
    assert the_job(database).state == "done"


def test_papers_added_after_a_failure_restart_the_failed_job(database, arxiv, http):
    add(database, *KEYS[:2])
    arxiv.fault = "huge"
    queue.run_due_job(database, http)
    failed = the_job(database)
    arxiv.fault = ""
    add(database, KEYS[2])
    queue.run_due_job(database, http)
    expect_complete(database, failed.id)


def test_a_response_about_a_paper_deleted_meanwhile_breaks_nothing(database, arxiv):
    class Slow(ArxivStandIn):
        def answer(self, to, asked):
            with database.write() as tx:
                commands.delete_paper(tx, me, 1)
            super().answer(to, asked)

    me = add(database, *KEYS)
    with Slow() as slow:
        queue.run_due_job(database, way_to(slow.url, database))
    assert (the_job(database).state, count(database, MetadataRecord)) == ("done", 3)
    with database.read() as tx:
        assert tx.get_one(Paper, 1).deleted_at is not None


def test_only_a_failed_or_waiting_job_can_be_retried(database, http):
    add(database, *KEYS)
    queue.run_due_job(database, http)
    with database.write() as tx, pytest.raises(Conflict, match=r"is done\. Only failed or waiting jobs can be retried"):
        queue.retry_job(tx, the_job(database).id)


PAGE = "<html><head><title>A Page About Checkpoints</title></head><body><h1>A Page About Checkpoints</h1></body></html>"


def pages_that_wait(database):
    with database.read() as tx:
        return dict(tuple(row) for row in tx.execute(sa.select(col(MetadataRequest.key), col(MetadataRequest.state))))


def test_an_unresponsive_page_delays_no_other_and_is_finally_given_up(database):
    away = SourceUnavailable("gone.example.org did not respond in time.")
    browsing = Browsing({"https://gone.example.org/x": away, "https://blog.example.org/y": page(PAGE)})
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for address in ("gone.example.org/x", "blog.example.org/y"):
            add_paper(tx, me, Ref("url", address))
    queue.run_due_job(database, browsing)
    assert pages_that_wait(database) == {"gone.example.org/x": "waiting", "blog.example.org/y": "answered"}
    for tries in range(2, queue.MAX_ATTEMPTS + 1):
        job = the_job(database, "url")
        assert (job.state, job.error, job.run_at > now()) == ("queued", "", True), tries
        let_time_pass(database)
        with database.write() as tx:
            tx.execute(
                sa.update(MetadataRequest).where(col(MetadataRequest.state) == "waiting").values(not_before=now())
            )
        queue.run_due_job(database, browsing)
    assert pages_that_wait(database)["gone.example.org/x"] == "refused"
    with database.read() as tx:
        (problem,) = tx.scalars(sa.select(col(MetadataRequest.problem)).where(col(MetadataRequest.state) == "refused"))
    assert problem.startswith(f"gone.example.org did not respond in time. Gave up after {queue.MAX_ATTEMPTS} attempts")


def test_pages_are_answered_while_another_host_hangs(database):
    answer = threading.Event()

    class Hanging(Browsing):
        def get(self, url, headers=None):
            assert "hangs" not in url or answer.wait(30)
            return super().get(url, headers)

    hosts = [f"h{number}" for number in range(20)]
    browsing = Hanging(add_pages(database, "hangs", *hosts))
    thread = threading.Thread(target=queue.run_due_job, args=(database, browsing))
    thread.start()
    until(lambda: list(pages_that_wait(database).values()).count("answered") == len(hosts), "all others are answered")
    assert pages_that_wait(database)["hangs.example.org/x"] == "waiting"
    answer.set()
    thread.join(30)
    assert set(pages_that_wait(database).values()) == {"answered"}


def test_answers_of_other_pages_are_stored_when_one_stops_the_job(database):
    is_raised = threading.Event()

    class BusyDatabase(Browsing):
        def get(self, url, headers=None):
            if "busy" in url:
                is_raised.set()
                raise StorageUnavailable(url)
            assert is_raised.wait(30)
            return super().get(url, headers)

    browsing = BusyDatabase(add_pages(database, "a", "busy", "c"))
    queue.run_due_job(database, browsing)
    waiting = {"a.example.org/x": "answered", "busy.example.org/x": "waiting", "c.example.org/x": "answered"}
    assert pages_that_wait(database) == waiting
    assert (the_job(database, "url").state, the_job(database, "url").attempts) == ("queued", 0)


@pytest.mark.both_databases
def test_a_host_with_many_requests_hides_no_other(database, monkeypatch):
    monkeypatch.setattr(enrichment_jobs, "HOSTS_AT_ONCE", 3)
    keys = [f"{host}.example.org/{number}" for host in ("a", "m") for number in range(10)]
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for key in [*keys, "http://z.example.org/?next=https://a.example.org/1"]:
            add_paper(tx, me, Ref("url", key))
    service = sources.service("url")

    def list_hosts(busy, after):
        with database.read() as tx:
            return enrichment_jobs._list_other_hosts(tx, service, busy, after=after)  # noqa: SLF001

    found = list_hosts(["a.example.org"], "a.example.org")
    assert [host for host, _ in found] == ["m.example.org", "z.example.org"]
    assert [list(requests) for _, requests in list_hosts(["m.example.org"], "m.example.org")] == [
        ["http://z.example.org/?next=https://a.example.org/1"],
        ["a.example.org/0"],
    ]


UNEXPECTED = [
    KeyError("title"),
    RecursionError(),
    AttributeError("text"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    sa.exc.InvalidRequestError("a transaction is over"),
    MemoryError(),
    SystemExit(1),
    Invalid("No page of this kind."),
]


class Breaking(Browsing):
    """Pages of which some raise what nobody expects; `broken` may be changed."""

    def __init__(self, pages, problem, broken):
        super().__init__(pages)
        self.problem, self.broken = problem, set(broken)

    def get(self, url, headers=None):
        answer = super().get(url, headers)
        if url in self.broken:
            raise self.problem
        return answer


def add_pages(database, *hosts):
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for host in hosts:
            add_paper(tx, me, Ref("url", f"{host}.example.org/x"))
    return {f"https://{host}.example.org/x": page(PAGE) for host in hosts}


def let_keys_be_asked(database):
    let_time_pass(database)
    with database.write() as tx:
        tx.execute(sa.update(MetadataRequest).values(not_before=None))


@pytest.mark.deep
@pytest.mark.parametrize("problem", some(UNEXPECTED, 3), ids=lambda problem: type(problem).__name__)
def test_a_page_raising_an_unexpected_error_delays_no_other(database, problem):
    browsing = Breaking(add_pages(database, "a", "b", "c"), problem, {"https://a.example.org/x"})
    queue.run_due_job(database, browsing)
    waiting = {"a.example.org/x": "waiting", "b.example.org/x": "answered", "c.example.org/x": "answered"}
    assert pages_that_wait(database) == waiting
    with database.read() as tx:
        row = tx.scalars(sa.select(MetadataRequest).where(col(MetadataRequest.state) == "waiting")).one()
        assert (row.tries, row.not_before > now()) == (1, True)
        assert "The response from Web page can't be read" in row.problem
    browsing.broken.clear()
    let_keys_be_asked(database)
    queue.run_due_job(database, browsing)
    assert set(pages_that_wait(database).values()) == {"answered"}


def test_a_page_that_keeps_raising_errors_is_finally_given_up(database):
    browsing = Breaking(add_pages(database, "a"), KeyError("title"), {"https://a.example.org/x"})
    for _ in range(queue.MAX_ATTEMPTS):
        assert pages_that_wait(database) == {"a.example.org/x": "waiting"}
        let_keys_be_asked(database)
        assert queue.run_due_job(database, browsing)
    assert pages_that_wait(database) == {"a.example.org/x": "refused"}
    assert the_job(database, "url").state == "done"


@pytest.mark.parametrize(
    "problem", some([*UNEXPECTED, sa.exc.OperationalError("INSERT", {}, Exception("odd"))], 3), ids=repr
)
def test_a_response_that_cannot_be_stored_delays_no_other(database, problem):
    """What is written for one paper raises; in whatever transaction it is tried."""
    browsing = Browsing(add_pages(database, "a", "b", "c"))

    def refuse(_connection, _cursor, statement, parameters, *_):
        if statement.startswith("INSERT INTO metadata_record") and "a.example.org/x" in str(parameters):
            raise problem

    writer = database.engines[0]
    sa.event.listen(writer, "before_cursor_execute", refuse)
    queue.run_due_job(database, browsing)
    sa.event.remove(writer, "before_cursor_execute", refuse)
    waiting = {"a.example.org/x": "waiting", "b.example.org/x": "answered", "c.example.org/x": "answered"}
    assert pages_that_wait(database) == waiting
    let_keys_be_asked(database)
    queue.run_due_job(database, browsing)
    assert set(pages_that_wait(database).values()) == {"answered"}


class Stumbling:
    """A way out that raises what nobody expects whenever it is asked for one key."""

    def __init__(self, http, key, problem):
        self._http, self._key, self._problem, self.asked = http, key, problem, 0

    def get(self, url, headers=None):
        self.asked += 1
        if self._key in url:
            raise self._problem
        return self._http.get(url, headers)

    def post(self, url, body, headers=None):
        raise AssertionError(url)

    def base(self, name):
        return self._http.base(name)


@pytest.mark.deep
def test_an_unreadable_feed_entry_is_found_by_bisection_and_delays_no_other(database, http):
    keys = [f"2402.{number:05}" for number in range(40)]
    add(database, *keys)
    stumbling = Stumbling(http, keys[5], KeyError("entry"))
    assert queue.run_due_job(database, stumbling)
    assert {key for key, (state, _) in states(database).items() if state != "answered"} == {keys[5]}
    assert "The response from arXiv can't be read" in states(database)[keys[5]][1]
    assert stumbling.asked < 20


def test_a_key_no_service_answers_properly_delays_no_other(database, arxiv, http):
    class Odd(ArxivStandIn):
        def answer(self, to, asked):
            self.fault = "ill-formed" if KEYS[0] in str(asked) else ""
            super().answer(to, asked)

    add(database, *KEYS)
    with Odd() as odd:
        way = way_to(odd.url, database)
        queue.run_due_job(database, way)
        for _ in range(2):
            assert set(states(database).values()) == {("waiting", "")}
            let_time_pass(database)
            queue.run_due_job(database, way)
    assert [states(database)[key][0] for key in KEYS] == ["waiting", "answered", "answered"]


@pytest.mark.deep
def test_a_refusal_by_one_page_is_reported_for_it_and_the_next_is_requested(database):
    browsing = Browsing({"https://a.example.org/x": SourceRefused("Too large."), "https://b.example.org/y": page(PAGE)})
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for address in ("a.example.org/x", "b.example.org/y"):
            add_paper(tx, me, Ref("url", address))
    queue.run_due_job(database, browsing)
    assert pages_that_wait(database) == {"a.example.org/x": "refused", "b.example.org/y": "answered"}
