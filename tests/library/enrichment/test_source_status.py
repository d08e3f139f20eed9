"""What is said of sources and imports, and what admins do about a source: pause, resume, try now, cancel."""

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

import readtrack.cli.worker  # noqa: F401 - registers what jobs run
from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db.batch_size import BatchSize
from readtrack.infra.errors import Conflict, SourceRateLimited
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, HostRateLimit, Job, MetadataRequest, Note, NoteRevision, Paper, Person
from readtrack.ingest import job_overview
from readtrack.ingest.job_overview import get_job_overview, list_import_progress
from readtrack.library.citations.citation_lists import enqueue_citation_job
from readtrack.library.enrichment import source_commands, source_jobs, source_status
from readtrack.library.enrichment.pending import CANCELED
from readtrack.library.enrichment.refresh_many import refresh_matching_papers
from readtrack.library.enrichment.scheduler import enqueue_requests
from readtrack.library.enrichment.source_status import list_sources
from readtrack.library.papers import needs_attention
from readtrack.library.papers.commands import add_paper
from readtrack.library.papers.detail import get_paper
from readtrack.metadata.types import Ref
from tests import make
from tests.outside.world import SERVICES, World, egress_for
from tests.steps import steps

ARXIV, DOI = Ref("arxiv", "2305.15778"), Ref("doi", "10.1145/3627703.3629553")
BASES = {service: f"http://{service}.test/{service}" for service in SERVICES}
CHANGES = ("papers.cancel", "papers.restore", "papers.retry", "papers.bypass")
ACTIONS = ("pause", "resume", "retry", "cancel", "restore")


@pytest.fixture
def database(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={f"{service}_url": base for service, base in BASES.items()})


@pytest.fixture
def people(database):
    with database.write() as tx:
        return {role: make.visitor(tx, role.title(), role=role) for role in ("viewer", "member", "editor", "admin")}


@pytest.fixture
def admin(people):
    return people["admin"]


@pytest.fixture
def world():
    with World() as world:
        yield world


def add(database, me, *refs):
    with database.write() as tx:
        return [add_paper(tx, me, ref)[0] for ref in refs]


def run_jobs(database, world):
    http = egress_for(world, database)
    while queue.run_due_job(database, http):
        pass


def run_changes(database, world=None):
    """Run the jobs behind the commands, without those that ask a source."""
    while queue.run_due_job(database, world, kinds=CHANGES):
        pass


def act(database, command, *arguments):
    with database.write() as tx:
        return command(tx, *arguments)


def status(database, name, *, offline=False):
    with database.read() as tx:
        return next(source for source in list_sources(tx, BASES, offline=offline) if source.name == name)


def let_fail(database, host="arxiv.test", *, failures=4, problem="It is temporarily unavailable."):
    until = now() + timedelta(minutes=5)
    with database.write() as tx:
        tx.add(HostRateLimit(host=host, not_before=until, failures=failures, problem=problem))
        tx.execute(sa.update(Job).values(run_at=until, error=problem))
    return until


def test_a_source_says_what_waits_and_when_it_answered(database, admin, world):
    add(database, admin, ARXIV)
    waiting = status(database, "arxiv")
    assert (waiting.state, waiting.waiting, waiting.last_answer_at, waiting.next_try_at) == ("queued", 1, None, None)
    start = now()
    run_jobs(database, world)
    answered = status(database, "arxiv")
    assert (answered.state, answered.waiting, answered.failures) == ("idle", 0, 0)
    assert answered.last_answer_at >= start


@pytest.mark.parametrize(("failures", "state"), [(1, "waiting"), (4, "resting"), (0, "throttled")])
def test_a_source_that_is_not_asked_says_why_and_until_when(database, admin, failures, state):
    add(database, admin, ARXIV)
    until = let_fail(database, failures=failures)
    source = status(database, "arxiv")
    assert (source.state, source.failures, source.next_try_at) == (state, failures, until)
    assert source.reason == "It is temporarily unavailable."


@pytest.mark.both_databases
def test_hosts_of_the_web_that_do_not_answer_are_counted_for_the_web_alone(database, admin):
    let_fail(database, "lab.example.org")
    assert (status(database, "url").resting_hosts, status(database, "arxiv").failures) == (1, 0)


def test_offline_no_source_has_a_next_try(database, admin):
    add(database, admin, ARXIV)
    let_fail(database)
    source = status(database, "arxiv", offline=True)
    assert (source.state, source.next_try_at, source.waiting) == ("offline", None, 1)


def test_a_paused_source_is_not_asked_and_others_are(database, admin, world):
    act(database, source_commands.pause_source, admin, "arxiv")
    (paper_id, _) = add(database, admin, ARXIV, DOI)
    run_jobs(database, world)
    assert (world.asked("arxiv"), bool(world.asked("crossref"))) == ([], True)
    assert (status(database, "arxiv").state, status(database, "arxiv").waiting) == ("paused", 1)
    with database.read() as tx:
        assert "Waiting for arXiv, paused by an admin." in get_paper(tx, admin, paper_id).describe_pending()


def test_neither_title_searches_nor_reference_lists_ask_a_paused_source(database, admin, world):
    for name in ("crossref", "semanticscholar"):
        act(database, source_commands.pause_source, admin, name)
    (paper_id,) = add(database, admin, DOI)
    with database.write() as tx:
        make.paper(tx, "Gemini: Fast Failure Recovery in Distributed Training with In-Memory Checkpoints")
        enqueue_citation_job(tx, [paper_id], dedup_key="citations:test", created_by=admin.id)
        queue.enqueue(tx, "papers.resolve", dedup_key="papers.resolve")
    run_jobs(database, world)
    assert world.asked("crossref") == world.asked("semanticscholar") == []
    with database.read() as tx:
        job = queue.find_by_dedup_key(tx, "citations:test")
        assert job
        assert (job.state, job.error, job.attempts) == ("queued", "Paused by an admin.", 0)
    act(database, source_commands.resume_source, admin, "semanticscholar")
    run_jobs(database, world)
    assert world.asked("semanticscholar")


def test_papers_that_wait_for_a_paused_source_are_asked_about_elsewhere(database, admin, world):
    add(database, admin, ARXIV)
    assert queue.run_due_job(database, egress_for(world, database), kinds=("papers.refresh",))  # arXiv's
    with database.read() as tx:
        services = sa.select(col(MetadataRequest.service)).where(col(MetadataRequest.service) != "arxiv")
        awaited = set(tx.scalars(services))
    assert awaited
    for service in awaited:
        act(database, source_commands.pause_source, admin, service)
    run_jobs(database, world)
    with database.read() as tx:
        assert awaited < set(tx.scalars(services))


@pytest.mark.both_databases
def test_pausing_stops_the_job_that_runs(database, admin, world):
    add(database, admin, ARXIV)
    job = queue.lease_due_job(database)
    assert job
    act(database, source_commands.pause_source, admin, "arxiv")
    queue.run_leased_job(database, egress_for(world, database), job)
    assert (status(database, "arxiv").state, status(database, "arxiv").waiting) == ("paused", 1)


def test_a_resumed_source_is_asked_at_once(database, admin, world):
    act(database, source_commands.pause_source, admin, "arxiv")
    add(database, admin, ARXIV)
    act(database, source_commands.resume_source, admin, "arxiv")
    run_jobs(database, world)
    assert (len(world.asked("arxiv")), status(database, "arxiv").state) == (1, "idle")


def test_try_now_asks_at_once_whatever_it_waits_for(database, admin, world):
    add(database, admin, ARXIV)
    let_fail(database)
    with database.write() as tx:
        tx.execute(sa.update(MetadataRequest).values(not_before=now() + timedelta(hours=1), tries=2))
    run_jobs(database, world)
    assert world.asked("arxiv") == []
    act(database, source_commands.try_source_now, admin, "arxiv", BASES)
    run_jobs(database, world)
    assert (len(world.asked("arxiv")), status(database, "arxiv").waiting) == (1, 0)


@pytest.mark.both_databases
def test_try_now_clears_the_rest_of_no_other_source(database, admin):
    add(database, admin, ARXIV)
    until = let_fail(database, "crossref.test")
    act(database, source_commands.try_source_now, admin, "arxiv", BASES)
    act(database, source_commands.try_source_now, admin, "url", BASES)
    with database.read() as tx:
        assert tx.scalars(sa.select(col(HostRateLimit.not_before))).all() == [until]


def test_a_paused_source_cannot_be_tried(database, admin):
    act(database, source_commands.pause_source, admin, "arxiv")
    with pytest.raises(Conflict, match="arXiv is paused"):
        act(database, source_commands.try_source_now, admin, "arxiv", BASES)


def test_canceling_ends_the_waiting_and_others_are_asked(database, admin, world):
    world.faults["arxiv"] = "down"
    (paper_id,) = add(database, admin, ARXIV)
    run_jobs(database, world)
    assert status(database, "arxiv").waiting == 1
    assert act(database, source_commands.cancel_requests, admin, "arxiv") == 1
    count = len(world.asked("arxiv"))
    run_jobs(database, world)
    source = status(database, "arxiv")
    assert (source.waiting, source.job_id, len(world.asked("arxiv"))) == (0, None, count)
    with database.read() as tx:
        paper = get_paper(tx, admin, paper_id)
        assert not [sentence for sentence in paper.describe_pending() if "arXiv" in sentence]
        assert paper.problems == ["An admin canceled this request. Use “Refresh metadata” to send it again."]
        assert needs_attention.count_all(tx).unknown == 0


def test_a_refresh_sends_canceled_requests_again(database, admin, world):
    add(database, admin, ARXIV)
    act(database, source_commands.cancel_requests, admin, "arxiv")
    run_jobs(database, world)
    assert world.asked("arxiv") == []
    act(database, refresh_matching_papers, admin, "")
    run_jobs(database, world)
    assert world.asked("arxiv")


@pytest.mark.both_databases
def test_canceling_can_be_undone(database, admin, world):
    add(database, admin, ARXIV)
    act(database, source_commands.cancel_requests, admin, "arxiv")
    act(database, source_commands.restore_requests, admin, "arxiv")
    run_jobs(database, world)
    assert (len(world.asked("arxiv")), status(database, "arxiv").waiting) == (1, 0)


def add_waiting(database, number):
    with database.write() as tx:
        papers = [Paper(title=f"Paper {n}", title_key=f"paper {n}") for n in range(number)]
        tx.add_all(papers)
        tx.flush()
        paper_ids = [paper.id or 0 for paper in papers]
        tx.add_all(MetadataRequest(paper_id=paper_id, service="arxiv", key="2305.15778") for paper_id in paper_ids)
    return paper_ids


@pytest.mark.parametrize(
    ("command", "values"),
    [
        (source_commands.cancel_requests, {}),
        (source_commands.restore_requests, {"state": "refused", "problem": CANCELED}),
        (source_commands.try_source_now, {"not_before": datetime(2099, 1, 1, tzinfo=UTC)}),
        (source_commands.pause_source, {}),
    ],
)
def test_all_requests_of_a_source_are_changed_in_short_transactions(
    database, dialect, admin, monkeypatch, command, values
):
    if dialect != "sqlite":
        pytest.skip("PostgreSQL lets others write meanwhile, so its steps are longer")
    monkeypatch.setattr(BatchSize, "measured", lambda _: nullcontext())  # every batch as small as the first one
    add_waiting(database, 130)
    with database.write() as tx:
        tx.execute(sa.update(MetadataRequest).values(tries=0, **values))
    changed, commits = [0], [0]

    def count_rows(_connection, cursor, statement, *_):
        changed.append(cursor.rowcount if statement.startswith("UPDATE metadata_request") else 0)

    def count_commit(_connection):
        commits[0] += 1

    writer = database.engines[0]
    sa.event.listen(writer, "after_cursor_execute", count_rows)
    sa.event.listen(writer, "commit", count_commit)
    act(database, command, admin, "arxiv", *([BASES] if command is source_commands.try_source_now else []))
    assert max(changed) == 0
    commits[0] = 0
    run_changes(database)
    sa.event.remove(writer, "after_cursor_execute", count_rows)
    sa.event.remove(writer, "commit", count_commit)
    assert max(changed) <= 50
    assert commits[0] >= 3


def test_undo_stops_a_canceling_that_goes_on(database, admin, world):
    add_waiting(database, 3)
    act(database, source_commands.cancel_requests, admin, "arxiv")
    job = queue.lease_due_job(database, CHANGES)
    assert job
    act(database, source_commands.restore_requests, admin, "arxiv")
    queue.run_leased_job(database, egress_for(world, database), job)
    run_changes(database)
    assert (status(database, "arxiv").state, status(database, "arxiv").waiting) == ("queued", 3)


def test_a_request_that_comes_while_others_are_bypassed_is_bypassed_too(database, admin, monkeypatch):
    first, last = add_waiting(database, 2)
    with database.write() as tx:
        tx.execute(sa.delete(MetadataRequest).where(col(MetadataRequest.paper_id) == first))
    act(database, source_commands.pause_source, admin, "arxiv")
    seen: list[int] = []

    def ask(tx, paper_ids, **options):
        if not seen:
            tx.add(MetadataRequest(paper_id=first, service="arxiv", key="2305.15778"))
        seen.extend(paper_ids)
        return enqueue_requests(tx, paper_ids, **options)

    monkeypatch.setattr(source_jobs, "enqueue_requests", ask)
    run_changes(database)
    assert (seen[0], first in seen) == (last, True)


def test_a_paused_source_stays_paused_when_its_requests_are_canceled(database, admin):
    act(database, source_commands.pause_source, admin, "arxiv")
    add(database, admin, ARXIV)
    act(database, source_commands.cancel_requests, admin, "arxiv")
    run_changes(database)
    assert (status(database, "arxiv").state, status(database, "arxiv").waiting) == ("paused", 0)


def test_the_rate_limit_of_a_paused_source_does_not_count_as_an_attempt():
    from readtrack.library.enrichment.pending import build_paused_error  # noqa: PLC0415

    assert isinstance(build_paused_error(), SourceRateLimited)


def test_an_admin_acts_on_the_page_and_can_take_it_back(database, people, sign_in):
    add(database, people["admin"], ARXIV)
    browser = sign_in(people["admin"])
    assert browser.post("/jobs/sources/arxiv/pause").headers["location"] == "/jobs"
    page = html.fromstring(browser.get("/jobs").text)
    assert "arXiv paused" in page.xpath("string(//*[@id='flash'])")
    assert page.xpath("//*[@id='flash']//form/@action") == ["/jobs/sources/arxiv/resume"]
    (row,) = page.xpath("//tr[@id='source-arxiv']")
    assert "Paused" in row.text_content()
    assert [form.get("action").rpartition("/")[2] for form in row.iter("form")] == ["resume", "cancel"]
    browser.post("/jobs/sources/arxiv/resume")
    assert browser.post("/jobs/sources/arxiv/cancel", data={"next": "/jobs?show=all"}).status_code == 303
    page = html.fromstring(browser.get("/jobs?show=all").text)
    assert "Canceling 1 request" in page.xpath("string(//*[@id='flash'])")
    browser.post("/jobs/sources/arxiv/restore")
    assert browser.post("/jobs/sources/arxiv/retry").status_code == 303
    assert status(database, "arxiv").waiting == 1


def test_when_it_is_tried_again_is_said_once_and_in_the_readers_time(database, admin, sign_in):
    (paper_id,) = add(database, admin, ARXIV)
    rest = "Retrying after 2026-11-29 17:58 UTC."
    let_fail(database, problem=f"arxiv.test failed 6 times in a row. {rest} Last error: It is unavailable.")
    with database.write() as tx:
        tx.execute(sa.update(HostRateLimit).values(problem="It is unavailable."))
    paper, jobs = (
        " ".join(html.fromstring(sign_in(admin).get(path).text).text_content().split())
        for path in (f"/papers/{paper_id}", "/jobs?show=all")
    )
    assert "arxiv.test failed 6 times in a row. Last error: It is unavailable." in paper
    assert "17:58" not in paper + jobs


def test_the_page_is_live_and_works_without_javascript(database, admin, sign_in):
    add(database, admin, ARXIV)
    until = let_fail(database)
    page = html.fromstring(sign_in(admin).get("/jobs").text)
    (live,) = page.xpath("//*[@hx-trigger='every 5s']")
    assert (live.get("id"), live.get("hx-get")) == ("jobs", "/jobs")
    assert page.xpath("//noscript/meta[@http-equiv='refresh']")
    row = " ".join(page.xpath("string(//tr[@id='source-arxiv'])").split())
    assert f"Not answering next try {until:%H:%M} UTC 4 failures in a row" in row
    assert page.xpath("//tr[starts-with(@id, 'source-')]/@id") == ["source-arxiv"]
    everything = html.fromstring(sign_in(admin).get("/jobs?show=all").text)
    assert len(everything.xpath("//tr[starts-with(@id, 'source-')]")) > 20


def test_times_are_those_of_the_person_who_reads(database, admin, sign_in):
    (paper_id,) = add(database, admin, ARXIV)
    until = let_fail(database)
    with database.write() as tx:
        tx.execute(sa.update(Person).values(time_zone="Asia/Kathmandu"))
    there = f"next try {(until + timedelta(hours=5, minutes=45)):%H:%M}"
    for path in ("/jobs", f"/papers/{paper_id}"):
        text = " ".join(html.fromstring(sign_in(admin).get(path).text).text_content().split())
        assert there in text, path
        assert "UTC" not in text.partition(there)[2][:10]
    listed = html.fromstring(sign_in(admin).get("/papers").text).text_content()
    assert there.replace("next try", "retrying arXiv at") in listed


def test_a_reason_that_several_sources_share_is_said_once(database, admin, sign_in):
    add(database, admin, ARXIV, DOI)
    for name in ("arxiv", "crossref"):
        let_fail(database, f"{name}.test", problem=f"{name}.test did not respond in time.")
    page = html.fromstring(sign_in(admin).get("/jobs").text)
    text = " ".join(page.xpath("string(//*[@id='jobs'])").split())
    assert text.count("did not respond in time") == 1
    assert "arXiv, Crossref did not respond in time." in text
    assert text.count("4 failures in a row") == 2


@pytest.mark.parametrize("role", ["viewer", "member", "editor"])
def test_others_see_what_is_going_on_and_change_nothing(database, people, sign_in, role):
    add(database, people["admin"], ARXIV)
    with database.write() as tx:
        tx.get(Job, queue.enqueue(tx, "people.letter")).error = "550: <eve@example.org> unknown"
        queue.enqueue(tx, "papers.duplicates")
    client = sign_in(people[role])
    page = client.get("/jobs")
    assert "arXiv" in page.text
    assert "Find duplicates" in page.text
    assert "eve@example.org" not in page.text
    assert "Account email" not in page.text
    assert not html.fromstring(page.text).xpath("//main//form")
    for action in ACTIONS:
        assert client.post(f"/jobs/sources/arxiv/{action}").status_code == 403
        assert client.post(f"/api/v1/sources/arxiv/{action}").status_code == 403
    assert client.post("/jobs/1/retry").status_code == 403
    assert status(database, "arxiv").state == "queued"


def test_admins_see_all_jobs_and_retry_those_that_failed(database, people, sign_in):
    with database.write() as tx:
        job_id = queue.enqueue(tx, "people.letter")
        tx.execute(sa.update(Job).values(state="failed", error="No answer."))
    browser = sign_in(people["admin"])
    page = html.fromstring(browser.get("/jobs").text)
    assert "No answer." in page.text_content()
    assert page.xpath("//main//form/@action") == [f"/jobs/{job_id}/retry"]
    assert browser.post(f"/jobs/{job_id}/retry").status_code == 303
    with database.read() as tx:
        assert queue.get_job(tx, job_id).state == "queued"


def test_the_api_lists_sources_and_acts_on_them(database, people, sign_in):
    add(database, people["admin"], ARXIV)
    until = let_fail(database)
    client = sign_in(people["admin"])
    (arxiv,) = [item for item in client.get("/api/v1/sources").json()["items"] if item["name"] == "arxiv"]
    assert arxiv | {"reason": "", "job_id": 0} == {
        "answers": 0,
        "errors": 0,
        "name": "arxiv",
        "label": "arXiv",
        "state": "resting",
        "waiting": 1,
        "last_answer_at": None,
        "next_try_at": until.isoformat().replace("+00:00", "Z"),
        "reason": "",
        "failures": 4,
        "resting_hosts": 0,
        "job_id": 0,
    }
    assert client.get("/api/v1/sources/arxiv").json() == arxiv
    assert client.get("/api/v1/sources/nobody").status_code == 404
    assert client.post("/api/v1/sources/nobody/pause").status_code == 404
    states = {}
    for action in ACTIONS:
        assert client.post(f"/api/v1/sources/arxiv/{action}").json()["name"] == "arxiv"
        run_changes(database)
        states[action] = client.get("/api/v1/sources/arxiv").json()
    assert {action: (answer["state"], answer["waiting"]) for action, answer in states.items()} == {
        "pause": ("paused", 1),
        "resume": ("resting", 1),
        "retry": ("queued", 1),
        "cancel": ("idle", 0),
        "restore": ("queued", 1),
    }
    client.post("/api/v1/sources/arxiv/pause")
    assert client.post("/api/v1/sources/arxiv/retry").status_code == 409
    assert "canceled the requests to arXiv" in client.get("/activity?of=sources").text


@pytest.mark.both_databases
def test_each_import_says_how_far_it_is(database, admin, sign_in, monkeypatch):
    with database.write() as tx:
        paper = make.paper(tx, identifier="arxiv:2401.00001")
        entry = make.entry(tx, "2401.00001", kind="paper", paper_id=paper.id)
        tx.add(MetadataRequest(paper_id=paper.id, service="arxiv", key="2401.00001"))
        job_id = queue.enqueue(tx, "imports.commit", {"import": entry.revision_id})
        queue.set_total(tx, job_id, 40)
        tx.execute(sa.update(Job).values(progress_done=12, state="running"))
        values = {"state": "committing", "job_id": job_id}
        tx.execute(sa.update(NoteRevision).where(col(NoteRevision.id) == entry.revision_id).values(**values))
    client = sign_in(admin)
    (item,) = client.get("/api/v1/imports/progress").json()["items"]
    assert (item["state"], item["progress_done"], item["total"], item["papers_waiting"]) == ("committing", 12, 40, 1)
    page = html.fromstring(client.get("/jobs").text)
    assert page.xpath("//progress/@value") == ["12"]
    assert "1 paper waiting for metadata" in page.text_content()
    with monkeypatch.context() as patch:
        patch.setattr(job_overview, "MAX_WAITING", 1)
        assert "1 or more papers waiting for metadata" in client.get("/jobs").text
    with database.write() as tx:
        tx.execute(sa.update(NoteRevision).values(state="committed"))
        tx.execute(sa.update(MetadataRequest).values(state="answered"))
    with database.read() as tx:
        assert list_import_progress(tx) == []


def test_the_page_costs_the_same_however_many_requests_wait(database, dialect, admin, monkeypatch):
    if dialect != "sqlite":
        pytest.skip("counts the steps of SQLite")

    def fill(number):
        with database.write() as tx:
            entry = make.entry(tx, f"Notes {number}", kind="paper")
            tx.get_one(NoteRevision, entry.revision_id).state = "committed"
            paper_ids = [make.paper(tx, f"Paper {n}").id for n in range(number)]
            rows = [{"paper_id": paper_id, "service": "arxiv", "key": "2305.15778"} for paper_id in paper_ids]
            tx.execute(sa.insert(MetadataRequest), rows)
            columns = [
                column for column in sa.inspect(Entry).columns if column.name not in {"id", "position", "paper_id"}
            ]
            others = sa.select(*columns, col(Paper.id), col(Paper.id)).join(Paper, col(Paper.id).in_(paper_ids[1:]))
            others = others.where(col(Entry.id) == entry.id)
            names = [*(column.name for column in columns), "position", "paper_id"]
            tx.execute(sa.insert(Entry).from_select(names, others))
            tx.execute(sa.update(Entry).where(col(Entry.id) == entry.id).values(paper_id=paper_ids[0]))

    def work():
        with database.read() as tx, steps(tx) as counted:
            overview = get_job_overview(tx, admin, BASES, offline=False)
        (arxiv,) = [source for source in overview.sources if source.name == "arxiv"]
        return counted[0], arxiv, overview.imports[0]

    monkeypatch.setattr(source_status, "MAX_WAITING", 40)
    monkeypatch.setattr(job_overview, "MAX_WAITING", 20)
    fill(10)
    _, arxiv, progress = work()
    assert (arxiv.waiting, arxiv.has_more_waiting, progress.papers_waiting) == (10, False, 10)
    fill(50)
    before, *_ = work()
    fill(300)
    after, arxiv, progress = work()
    assert (arxiv.waiting, arxiv.has_more_waiting) == (40, True)
    assert (progress.papers_waiting, progress.has_more_waiting) == (20, True)
    assert after <= before * 1.5


@pytest.mark.parametrize("role", ["member", "admin"])
def test_a_paper_says_in_one_line_what_it_waits_for(database, people, sign_in, role):
    (paper_id,) = add(database, people["member"], ARXIV)
    until = let_fail(database)
    page = html.fromstring(sign_in(people[role]).get(f"/papers/{paper_id}").text)
    (line,) = page.xpath("//*[contains(@class, 'notice')][contains(., 'Waiting for')]")
    assert f"Waiting for arXiv, next try {until:%H:%M} UTC. It is temporarily unavailable." in line.text_content()
    assert line.xpath(".//a/@href") == (["/jobs"] if role == "admin" else [])


def test_the_page_lists_imports_that_go_on_and_no_canceled_or_deleted_one(database, people, sign_in):
    states = ("uploading", "parsing", "preview", "committing", "committed", "cancelled", "discarded")
    with database.write() as tx:
        for state in states:
            entry = make.entry(tx, f"Notes {state}")
            revision = tx.get_one(NoteRevision, entry.revision_id)
            revision.state = state
            tx.get_one(Note, revision.note_id).title = f"Notes {state}"
    page = sign_in(people["member"]).get("/jobs")
    assert page.status_code == 200
    assert [state for state in states if f"Notes {state}" in page.text] == ["parsing", "committing"]
