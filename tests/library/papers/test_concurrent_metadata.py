"""What happens while services are asked: one of them is away, others write, people change their minds."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

import readtrack.cli.worker  # noqa: F401 - registers what jobs run
from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.jobs import queue
from readtrack.infra.models import DuplicatePair, Identifier, Job, MetadataRecord, MetadataRequest, Paper
from readtrack.library.enrichment import refresh_many
from readtrack.library.enrichment.field_choices import split_off
from readtrack.library.enrichment.refresh_many import refresh_matching_papers
from readtrack.library.papers.commands import add_paper, delete_paper, restore_paper
from readtrack.library.papers.detail import get_paper
from readtrack.library.papers.lookup import find_by_ref
from readtrack.metadata.types import Ref
from tests import make
from tests.depth import DEEP
from tests.outside.facts import known
from tests.outside.world import World, egress_for

pytestmark = pytest.mark.slow  # many requests; `make check` is to be quick

ARXIV, DOI = Ref("arxiv", "2305.15778"), Ref("doi", "10.1145/3627703.3629553")  # one work
NAMES = [Ref.parse(min(fact.names)) for fact in known()]


@pytest.fixture
def database(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, role="editor")


class Meanwhile(World):
    """Does something while a service is being asked, once."""

    def __init__(self):
        super().__init__()
        self.deeds = {}

    def answer(self, to, asked):
        deed = self.deeds.pop(asked.path.split("/")[1], None)
        if deed:
            deed()
        super().answer(to, asked)


@pytest.fixture
def world():
    with Meanwhile() as world:
        yield world


def add(database, me, *refs):
    with database.write() as tx:
        return [add_paper(tx, me, ref)[0] for ref in refs]


def ask(database, world, *, times=10_000):
    http = egress_for(world, database)
    while times and queue.run_due_job(database, http):
        times -= 1


def inquiries(database, **of):
    wanted = [getattr(MetadataRequest, name) == value for name, value in of.items()]
    with database.read() as tx:
        return set(tx.scalars(sa.select(col(MetadataRequest.paper_id)).where(*wanted)))


@pytest.mark.deep
def test_while_one_service_is_down_the_others_are_queried_about_everything_waiting(database, me, world):
    world.faults["dblp"] = "down"
    papers = add(database, me, *NAMES[: 30 if DEEP else 10])
    ask(database, world)
    assert inquiries(database, service="dblp", state="waiting") == set(papers)
    assert len(inquiries(database, service="semanticscholar", state="answered")) > len(papers) / 2
    (later,) = add(database, me, NAMES[31])
    ask(database, world)
    assert inquiries(database, service="dblp", state="waiting", paper_id=later) == {later}
    assert not [request for request in world.asked("semanticscholar") if request.body == b""]


def add_some(database, me, start):
    for at in range(start, 30, 6):
        add(database, me, *NAMES[at : at + 3])


def refresh_all(database, me):
    for _ in range(3):
        with database.write() as tx:
            refresh_matching_papers(tx, me, "")


def work(database, http, over):
    while not over.is_set():
        if not queue.run_due_job(database, http):
            over.wait(0.01)


@pytest.mark.deep
def test_workers_and_people_writing_concurrently_do_not_deadlock(database, me, world):
    http, over = egress_for(world, database), threading.Event()
    with ThreadPoolExecutor() as threads:
        working = [threads.submit(work, database, http, over) for _ in range(3)]
        writing = [threads.submit(add_some, database, me, start) for start in (0, 3)]
        writing.append(threads.submit(refresh_all, database, me))
        wait(writing)
        over.set()
        for done in (*working, *writing):
            done.result()
    with database.read() as tx:
        assert not tx.scalars(sa.select(col(Job.error)).where(col(Job.error) != "")).all()


@pytest.mark.deep
def test_an_identifier_another_paper_gets_concurrently_spoils_no_record(database, me, world):
    (paper_id,) = add(database, me, ARXIV)
    held, done = threading.Event(), threading.Event()

    def add_the_doi():
        with database.write() as tx:
            add_paper(tx, me, DOI)
            held.set()
            done.wait(0.5)

    def let_it_begin():
        other.start()
        held.wait(10)

    other = threading.Thread(target=add_the_doi)
    world.deeds["dblp"] = let_it_begin
    ask(database, world)
    done.set()
    other.join()
    with database.read() as tx:
        twin = find_by_ref(tx, DOI)
        (pair,) = tx.scalars(sa.select(DuplicatePair)).all()
        assert (pair.first_id, pair.second_id) == (paper_id, twin)
        assert set(tx.scalars(sa.select(col(Job.error)))) == {""}


def test_a_record_for_an_identifier_split_off_meanwhile_is_not_applied_to_the_former_paper(database, me, world):
    (paper_id,) = add(database, me, DOI)
    ask(database, world)
    with database.read() as tx:
        printed = tx.scalar(sa.select(col(MetadataRecord.id)).where(col(MetadataRecord.service) == "crossref"))
        before = tx.scalar(
            sa.select(sa.func.count()).select_from(MetadataRecord).where(col(MetadataRecord.paper_id) == paper_id)
        )

    def split():
        with database.write() as tx:
            tx.add(Identifier(paper_id=paper_id, scheme="arxiv", value="2401.99999"))
            tx.flush()
            split_off(tx, me, paper_id, printed)

    with database.write() as tx:
        refresh_matching_papers(tx, me, "")
    world.deeds["crossref"] = split
    ask(database, world)
    with database.read() as tx:
        mine = sa.select(col(MetadataRecord.value)).where(
            col(MetadataRecord.paper_id) == paper_id, col(MetadataRecord.state) == "agrees"
        )
        assert DOI.key not in tx.scalars(mine).all()
        assert before


def test_a_deleted_paper_is_not_queried_until_it_is_restored(database, me, world):
    (paper_id,) = add(database, me, ARXIV)
    with database.write() as tx:
        delete_paper(tx, me, paper_id)
    ask(database, world)
    assert not world.requests
    with database.write() as tx:
        restore_paper(tx, me, paper_id)
    ask(database, world)
    with database.read() as tx:
        assert tx.get_one(Paper, paper_id).title


def test_a_record_that_moved_to_another_paper_is_fetched_in_full(database, me, world):
    (paper_id,) = add(database, me, DOI)
    ask(database, world)
    with database.write() as tx:
        tx.execute(sa.update(Paper).values(record_id=None))
        tx.execute(sa.delete(MetadataRecord))
        refresh_matching_papers(tx, me, "")
    ask(database, world)
    with database.read() as tx:
        services = set(
            tx.scalars(sa.select(col(MetadataRecord.service)).where(col(MetadataRecord.paper_id) == paper_id))
        )
    assert "crossref" in services


def test_the_paper_shows_until_when_an_unresponsive_host_is_not_queried(database, me):
    with database.write() as tx:
        paper_id = add_paper(tx, me, Ref("url", "lab.example.org/page"))[0]
        late = {"not_before": now() + timedelta(hours=2), "problem": "lab.example.org did not answer in time."}
        tx.execute(sa.update(MetadataRequest).values(**late))
    with database.read() as tx:
        (sentence,) = get_paper(tx, me, paper_id).describe_pending()
    until = f"{late['not_before']:%H:%M} UTC"
    assert sentence == f"Waiting for Web page, next try {until}. lab.example.org did not answer in time."


def test_many_papers_are_refreshed_in_batches(database, me, world, monkeypatch):
    monkeypatch.setattr(refresh_many, "BATCH_SIZE", 10)
    with database.write() as tx:
        papers = [make.paper(tx, f"Paper {number}", identifier=f"arxiv:2401.{number:05}").id for number in range(25)]
        found = refresh_matching_papers(tx, me, "")
    assert found == len(papers)
    assert inquiries(database, state="waiting") == set(papers[:10])
    with database.read() as tx:
        assert tx.scalar(sa.select(col(Job.total)).where(col(Job.kind) == "papers.again")) == len(papers) - 10
    while queue.run_due_job(database, egress_for(world, database), kinds=["papers.again"]):
        pass
    assert inquiries(database, state="waiting") == set(papers)
