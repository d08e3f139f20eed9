"""Jobs that go through a list: an item that raises something unexpected stops none of the others."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.http.types import HttpResponse
from readtrack.infra.jobs import queue
from readtrack.infra.mail import Mail
from readtrack.infra.models import Citation, DuplicatePair, Job, MetadataRequest, Paper, PaperVector, TitleSearch
from readtrack.library.citations.citation_lists import enqueue_citation_job
from readtrack.library.duplicates import jobs as duplicates_jobs
from readtrack.library.enrichment import refresh_many
from readtrack.library.matching import lookups, title_search
from readtrack.library.papers import similar
from readtrack.library.papers.commands import add_unnamed
from readtrack.search.similarity import vectors
from readtrack.team.notifications import digest
from tests import make
from tests.depth import some
from tests.raising import raise_when
from tests.relay import Relay

pytestmark = pytest.mark.slow

NOBODY: Any = None
UNEXPECTED = [
    KeyError("title"),
    RecursionError(),
    UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    sa.exc.InvalidRequestError("a transaction is over"),
    sa.exc.OperationalError("INSERT", {}, Exception("odd")),
    MemoryError(),
    SystemExit(1),
]


def each_of(problems):
    return pytest.mark.parametrize("problem", some(problems, 3), ids=lambda problem: type(problem).__name__)


each_problem = each_of(UNEXPECTED)
# Within a transaction, an error of the database concerns all items.
each_problem_in_transaction = each_of([problem for problem in UNEXPECTED if not isinstance(problem, sa.exc.DBAPIError)])


@pytest.fixture
def library(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


def job_of(database, kind):
    with database.read() as tx:
        job = tx.scalars(sa.select(Job).where(col(Job.kind) == kind).order_by(col(Job.id).desc())).first()
        tx.expunge(job)
        return job


def run(database, http, kind):
    """Until nothing of that kind is due."""
    with database.write() as tx:
        tx.execute(sa.update(Job).values(run_at=now() - timedelta(seconds=1)))
    while queue.run_due_job(database, http, kinds=(kind,)):
        pass
    return job_of(database, kind)


@each_problem
def test_papers_that_cannot_be_refreshed_stop_no_others_and_are_retried_alone(library, monkeypatch, problem):
    with library.write() as tx:
        papers = [make.paper(tx, identifier=f"arxiv:2401.{number:05}").id for number in range(5)]
        queue.enqueue(tx, refresh_many.JOB, {"papers": papers})
    monkeypatch.setattr(refresh_many, "BATCH_SIZE", 3)
    with monkeypatch.context() as broken:
        refresh = "library.enrichment.refresh_many.refresh_metadata"
        raise_when(broken, refresh, lambda _tx, some: papers[1] in some, problem)
        job = run(library, NOBODY, refresh_many.JOB)
    assert (job.state, job.payload["papers"]) == ("queued", [papers[1]])
    assert job.error == "1 of 5 could not be handled, all others were; the log has the details."
    with library.read() as tx:
        assert set(tx.scalars(sa.select(col(MetadataRequest.paper_id)))) == {*papers} - {papers[1]}
    assert run(library, NOBODY, refresh_many.JOB).state == "done"


def test_items_that_always_fail_are_given_up_and_the_same_job_can_be_enqueued_again(library, monkeypatch):
    with library.write() as tx:
        papers = [make.paper(tx).id]
        first = queue.enqueue(tx, refresh_many.JOB, {"papers": papers}, dedup_key="all")
    raise_when(monkeypatch, "library.enrichment.refresh_many.refresh_metadata", lambda *_: True, KeyError("x"))
    for _ in range(queue.MAX_ATTEMPTS):
        run(library, NOBODY, refresh_many.JOB)
    job = job_of(library, refresh_many.JOB)
    assert (job.id, job.state, job.attempts) == (first, "failed", queue.MAX_ATTEMPTS)
    with library.write() as tx:
        assert queue.enqueue(tx, refresh_many.JOB, {"papers": []}, dedup_key="all") != first


class Citing:
    """A service that tells of each paper what it cites, and raises for one."""

    def __init__(self, key, problem):
        self.key, self.problem, self.asked = key, problem, []

    def get(self, url, headers=None):
        self.asked.append(url)
        if self.key in url and self.problem:
            raise self.problem
        body = b'{"data": [{"citedPaper": {"externalIds": {"ArXiv": "2401.99999"}, "title": "Leaf", "year": 2024}}]}'
        return HttpResponse(200, {"content-type": "application/json"}, body, url)

    def base(self, name):
        return f"https://{name}.example.org"


@each_problem_in_transaction
def test_a_paper_for_whose_citations_no_service_can_be_chosen_stops_no_others(library, monkeypatch, problem):
    with library.write() as tx:
        me = make.visitor(tx, role="editor")
        papers = [make.paper(tx, identifier=f"arxiv:2404.{number:05}").id for number in range(3)]
        enqueue_citation_job(tx, papers, dedup_key="citations:test", created_by=me.id)
    http = Citing("2404.00001", None)
    with monkeypatch.context() as broken:
        described = "library.citations.citation_lists.PaperDescription"
        raise_when(broken, described, lambda refs: refs[0].key == "2404.00001", problem)
        job = run(library, http, "citations.ask")
    assert (job.state, job.payload["papers"]) == ("queued", [papers[1]])
    assert cited(library) == {papers[0], papers[2]}
    assert run(library, http, "citations.ask").state == "done"
    assert cited(library) == {*papers}


@each_problem
def test_a_paper_whose_citations_are_unreadable_stops_no_others(library, problem):
    with library.write() as tx:
        me = make.visitor(tx, role="editor")
        papers = [make.paper(tx, identifier=f"arxiv:2404.{number:05}").id for number in range(3)]
        enqueue_citation_job(tx, papers, dedup_key="citations:test", created_by=me.id)
    http = Citing("2404.00001", problem)
    job = run(library, http, "citations.ask")
    assert (job.state, job.payload["papers"]) == ("queued", [papers[1]])
    assert cited(library) == {papers[0], papers[2]}
    http.problem = None
    assert run(library, http, "citations.ask").state == "done"
    assert cited(library) == {*papers}


def cited(database):
    with database.read() as tx:
        return set(tx.scalars(sa.select(col(Citation.paper_id))))


@each_problem
def test_a_title_whose_search_fails_stops_no_others_and_is_retried_in_a_day(library, monkeypatch, problem):
    with library.write() as tx:
        for title in ("A Title of the First Kind", "A Title of the Second Kind", "A Title of the Third Kind"):
            add_unnamed(tx, make.visitor(tx, role="editor"), title=title)
        title_search.enqueue_title_search(tx)
    raise_when(monkeypatch, "library.matching.lookups._build_task", lambda _tx, row, *_: "Second" in row.title, problem)
    sought = []

    def look_for(_self, task):
        sought.append(task.work.title)
        if "First" in task.work.title:
            raise problem
        return title_search.TitleSearchOutcome()

    monkeypatch.setattr(title_search.TitleSearcher, "look_for", look_for)
    for _ in range(3):  # what the database said is tried once more
        run(library, NOBODY, title_search.JOB)
    assert job_of(library, title_search.JOB).state == "done"
    assert sought[-1] == "A Title of the Third Kind"
    with library.read() as tx:
        asked = {row.title.split()[4]: row for row in tx.scalars(sa.select(TitleSearch)).all()}
        assert {row.state for row in asked.values()} == {"done"}
        back = now() - lookups.AGAIN_AFTER + timedelta(hours=23)
        assert [asked[name].asked_at > back for name in ("First", "Second")] == [True, True]


@each_problem
def test_a_pair_that_cannot_be_stored_and_a_paper_that_cannot_be_compared_stop_no_others(library, monkeypatch, problem):
    titles = ("Keeping Large Models Alive through Failures", "Pipelines that Never Idle in a Bubble at All")
    with library.write() as tx:
        ids = [make.paper(tx, title, authors=["Ada Example"], year=2023).id for title in titles for _ in range(2)]
        make.paper(tx, "An odd one among them all, for sure")
        duplicates_jobs.enqueue_duplicate_search(tx)
    odd = "library.duplicates.blocking.build_traits"
    raise_when(monkeypatch, odd, lambda known: known.title.startswith("An odd one"), KeyError("x"))
    raise_when(monkeypatch, "library.duplicates.jobs.add_candidate", lambda _tx, one, _other: one == ids[0], problem)
    assert run(library, NOBODY, duplicates_jobs.JOB).state == "done"
    with library.read() as tx:
        assert tx.scalars(sa.select(col(DuplicatePair.first_id))).all() == [ids[2]]


@each_problem_in_transaction
def test_a_digest_that_cannot_be_written_stops_no_others(library, monkeypatch, problem):
    with time_machine.travel(now().replace(hour=8, minute=0), tick=False), Relay() as relay:
        with library.write() as tx:
            people = [make.person(tx, name, email=f"{name.lower()}@example.org").id for name in ("Ada", "Bo", "Cy")]
            for person in people:
                make.notice(tx, person, "mention", mail_due=True, paper_id=make.paper(tx, "Elastic").id)
        mail = Mail(relay.url, "Reading <reading@example.org>", home="https://x.example.org", step=2.0)
        http = HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, mail=mail)
        with library.write() as tx:
            digest.schedule_digests(tx, http)
        with monkeypatch.context() as broken:
            raise_when(broken, "team.notifications.digest.render_text", lambda name, *_: name == "Ada", problem)
            job = run(library, http, digest.JOB)
        assert (job.state, addressees(relay)) == ("queued", ["bo@example.org", "cy@example.org"])
        assert run(library, http, digest.JOB).state == "done"
        assert sorted(addressees(relay)) == [f"{name}@example.org" for name in ("ada", "bo", "cy")]


def addressees(relay):
    return [to for letter in relay.letters for to in letter.to]


@each_problem
def test_a_text_that_cannot_be_encoded_stops_no_others(library, monkeypatch, problem):
    monkeypatch.setattr(vectors, "is_available", lambda: True)

    def encode(texts):
        if any(text.startswith("Odd") for text in texts):
            raise problem
        return [b"\x01\x02" for _ in texts]

    monkeypatch.setattr(vectors, "encode", encode)
    with library.write() as tx:
        for title in ("Plain", "Odd", "Other"):
            make.paper(tx, title)
        similar.enqueue_embedding(tx)
    assert run(library, NOBODY, similar.JOB).state == "done"
    with library.read() as tx:
        query = sa.select(col(Paper.title), col(PaperVector.vector)).join(Paper, col(Paper.id) == PaperVector.paper_id)
        made = dict(map(tuple, tx.execute(query)))
    assert made == {"Plain": b"\x01\x02", "Odd": b"\x00\x00", "Other": b"\x01\x02"}


def test_a_worker_that_lost_its_job_stops_in_the_middle_of_its_batch(library, monkeypatch):
    with library.write() as tx:
        papers = [make.paper(tx).id for _ in range(3)]
        job_id = queue.enqueue(tx, refresh_many.JOB, {"papers": papers})
    handled = []

    def lose(tx, some):
        handled.append(list(some))
        raise queue.LeaseLostError

    monkeypatch.setattr(refresh_many, "refresh_metadata", lose)
    run(library, NOBODY, refresh_many.JOB)
    assert handled == [papers]
    assert job_of(library, refresh_many.JOB).id == job_id
    assert job_of(library, refresh_many.JOB).state == "running"
