"""New and changed papers are compared as they come, and only with papers that may be the same."""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.cli.periodic_tasks import periodic_tasks
from readtrack.infra.clock import now
from readtrack.infra.jobs import queue
from readtrack.infra.models import DuplicateKey, DuplicatePair, Identifier, Job, MatchSuggestion, Paper
from readtrack.library.duplicates import jobs as duplicates_jobs
from readtrack.library.duplicates import stored_keys
from readtrack.library.duplicates.blocking import MAX_CANDIDATES, MAX_PAPERS_PER_KEY
from readtrack.library.duplicates.jobs import JOB, compare_all_papers, enqueue_duplicate_search
from readtrack.library.duplicates.merge import merge_papers, unmerge_paper
from readtrack.library.duplicates.stored_keys import find_blocks, has_uncompared, list_uncompared
from readtrack.library.enrichment.records import store_record
from readtrack.library.matching.suggestions import accept_proposal
from readtrack.library.papers.commands import PaperCreate, add_by_text, delete_paper, restore_paper, update_known_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.metadata.types import Metadata, Ref
from readtrack.workspace.trash.purge import erase_papers
from tests import make
from tests.library.duplicates.comparison import find_all
from tests.library.papers import noise
from tests.plans import plans

pytestmark = pytest.mark.slow  # `make check` is to be quick

NOBODY: Any = None  # whom this job asks
AUTHORS = ["Ada Example"]
TITLE = "Keeping Large Models Alive through Failures of Their Machines"


@pytest.fixture
def editor(database):
    with database.write() as tx:
        return make.visitor(tx, "Edith", role="editor")


@pytest.fixture
def run(database):
    """Compares everything that waits, and returns how many turns that takes."""

    def run():
        turns = 0
        with database.write() as tx:
            enqueue_duplicate_search(tx)
            tx.execute(sa.update(Job).where(col(Job.state) == "queued").values(run_at=now()))
        while queue.run_due_job(database, NOBODY, kinds=(JOB,)):
            turns += 1
        return turns

    return run


def waiting(database):
    with database.read() as tx:
        return list_uncompared(tx, 100)


def found(database):
    with database.read() as tx:
        pairs = tx.execute(sa.select(col(DuplicatePair.first_id), col(DuplicatePair.second_id)))
        return {(row.first_id, row.second_id) for row in pairs}


def add(database, papers):
    with database.write() as tx:
        for paper in papers:
            values = {"title": paper.title, "authors": list(paper.authors), "year": paper.year, "kind": paper.kind}
            tx.add(Paper(id=paper.id, **values))
            tx.flush()
            for ref in paper.refs:
                tx.add(Identifier(paper_id=paper.id, scheme=ref.scheme, value=ref.key))


@pytest.mark.both_databases
def test_papers_that_come_in_any_order_are_found_as_if_each_was_compared_with_every_other(database, run):
    papers = list(noise.library(120, seed=3, share=0.2).papers)
    expected = {(pair.one, pair.other) for pair in find_all(papers)}
    Random(3).shuffle(papers)
    for start in (0, 50, 100):
        add(database, papers[start : start + 50])
        run()
    assert found(database) == expected
    assert len(expected) > 20


def edit(tx, me, paper_id, **fields):
    edit_paper(tx, me, paper_id, PaperUpdate(**fields), version=version(tx, paper_id))


def answer(tx, _me, paper_id):
    store_record(tx, paper_id, Metadata(Ref("doi", "10.1145/77"), title=TITLE, year=2023), key="10.1145/77")


CHANGES: dict[str, Callable[..., object]] = {
    "title": lambda tx, me, number: edit(tx, me, number, title="Another"),
    "authors": lambda tx, me, number: edit(tx, me, number, authors=["Cy Roe"]),
    "year": lambda tx, me, number: edit(tx, me, number, year=1999),
    "kind": lambda tx, me, number: edit(tx, me, number, kind="video"),
    "rejected": lambda tx, me, number: edit(tx, me, number, triage="rejected"),
    "deleted": delete_paper,
    "purged": lambda tx, _me, number: erase_papers(tx, [number]),
    "record": answer,
}


def version(tx, paper_id):
    return tx.scalar(sa.select(col(Paper.version)).where(col(Paper.id) == paper_id))


def test_a_new_identifier_has_a_paper_compared_again(database, editor, run):
    with database.write() as tx:
        paper_id = make.paper(tx, TITLE).id
        proposal = make.added(
            tx,
            MatchSuggestion(
                kind="is", paper_id=paper_id, identifier="doi:10.1145/77", service="dblp", title=TITLE,
                likeness=90, evidence="Alike.",
            ),
        ).id  # fmt: skip
    run()
    with database.write() as tx:
        accept_proposal(tx, editor, proposal)
    assert waiting(database) == [paper_id]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_paper_is_compared_again_and_no_other(database, editor, run, change):
    with database.write() as tx:
        paper_id = make.paper(tx, TITLE, authors=AUTHORS).id
        make.paper(tx, "Something Else Entirely about Graphs")
    run()
    assert waiting(database) == []
    with database.write() as tx:
        CHANGES[change](tx, editor, paper_id)
    assert waiting(database) == [paper_id]


def test_new_restored_and_unmerged_papers_are_compared(database, editor, run):
    with database.write() as tx:
        added, _ = add_by_text(tx, editor, PaperCreate(title=TITLE))
        other = make.paper(tx, "Something Else Entirely about Graphs").id
    run()
    with database.write() as tx:
        delete_paper(tx, editor, added)
    run()
    with database.write() as tx:
        restore_paper(tx, editor, added)
    assert waiting(database) == [added]
    run()
    with database.write() as tx:
        merge_papers(tx, editor, added, into_id=other)
    assert waiting(database) == sorted([added, other])
    run()
    with database.write() as tx:
        unmerge_paper(tx, editor, added)
    assert waiting(database) == sorted([added, other])


def test_a_paper_that_gets_its_title_later_is_compared_with_it(database, editor, run):
    with database.write() as tx:
        one, other = make.paper(tx, TITLE, authors=AUTHORS).id, make.paper(tx, authors=AUTHORS).id
        tx.execute(sa.update(Paper).where(col(Paper.id) == other).values(title=""))
    run()
    assert found(database) == set()
    with database.write() as tx:
        update_known_paper(tx, editor, other, {"title": TITLE})
    run()
    assert found(database) == {(one, other)}


def test_a_restored_paper_is_found_but_a_deleted_or_rejected_one_is_not(database, editor, run):
    with database.write() as tx:
        one, other = (make.paper(tx, TITLE, authors=AUTHORS).id for _ in range(2))
        delete_paper(tx, editor, one)
    run()
    assert found(database) == set()
    with database.write() as tx:
        restore_paper(tx, editor, one)
        edit(tx, editor, one, triage="rejected")
    run()
    assert found(database) == set()
    with database.write() as tx:
        edit(tx, editor, one, triage="library")
    run()
    assert found(database) == {(one, other)}


def test_a_deleted_paper_has_no_keys(database, editor, run):
    with database.write() as tx:
        gone, erased = (make.paper(tx, TITLE, authors=AUTHORS).id for _ in range(2))
    run()
    with database.write() as tx:
        delete_paper(tx, editor, gone)
        erase_papers(tx, [erased])
        assert tx.scalar(sa.select(col(DuplicateKey.key)).where(col(DuplicateKey.paper_id) == erased)) is None
    run()
    with database.read() as tx:
        assert tx.scalars(sa.select(DuplicateKey)).all() == []


def test_a_title_shared_by_many_papers_costs_no_more_than_others(database, run, statements):
    papers = 3 * MAX_PAPERS_PER_KEY // 2
    with database.write() as tx:
        values = {"title": "Introduction", "title_key": "introduction", "authors": ["Ann Orr"], "year": 2020}
        tx.execute(sa.insert(Paper), [{"id": paper_id, **values} for paper_id in range(1, papers + 1)])
    run()
    pairs = found(database)
    assert 0 < len(pairs) <= papers * MAX_CANDIDATES
    with database.read() as tx, statements() as seen:
        blocks = find_blocks(tx, [1, papers])
    assert len(seen) == 1
    assert {len(block) for block in blocks.values()} == {MAX_PAPERS_PER_KEY}


def test_the_job_leaves_its_place_to_others_and_goes_on_later(database, run, monkeypatch):
    monkeypatch.setattr(duplicates_jobs, "BATCH_SIZE", 2)
    monkeypatch.setattr(duplicates_jobs, "TURN_SECONDS", 0)
    with database.write() as tx:
        first, *_, last = [make.paper(tx, TITLE if number in {0, 4} else "", authors=AUTHORS).id for number in range(5)]
    assert run() == 3
    assert found(database) == {(first, last)}
    with database.read() as tx:
        job = tx.scalars(sa.select(Job)).one()
    assert (job.state, job.progress_done, job.total) == ("done", 5, 5)


MEANWHILE: dict[str, Callable[..., object]] = {
    "version": lambda tx, _paper_id: tx.execute(sa.update(Paper).values(version=Paper.version + 1)),
    "identifier": lambda tx, paper_id: stored_keys.mark_uncompared(tx, [paper_id]),
}


@pytest.mark.parametrize("change", MEANWHILE)
def test_papers_changed_during_the_run_are_left_to_the_next_one(database, run, monkeypatch, change):
    with database.write() as tx:
        paper_id = make.paper(tx, TITLE).id
    compare = duplicates_jobs._compare_batch  # noqa: SLF001

    def change_meanwhile(*given):
        compare(*given)
        with database.write() as tx:
            MEANWHILE[change](tx, paper_id)

    with monkeypatch.context() as patched:
        patched.setattr(duplicates_jobs, "_compare_batch", change_meanwhile)
        assert run() == 1
    assert waiting(database) == [paper_id]
    with database.read() as tx:
        job = queue.find_by_dedup_key(tx, JOB)
        assert job is not None
        assert job.run_at > now()
    run()
    assert waiting(database) == []


def test_a_worker_notices_new_papers_by_itself(database, run):
    (task,) = (task for task in periodic_tasks() if task.name == "compare papers")
    task.run(database, NOBODY)
    with database.write() as tx:
        assert queue.find_by_dedup_key(tx, JOB) is None
        make.paper(tx, TITLE)
    task.run(database, NOBODY)
    with database.read() as tx:
        job = queue.find_by_dedup_key(tx, JOB)
        assert job is not None
        assert job.run_at > now()


def test_a_failed_job_is_restarted_hours_later(database):
    with database.write() as tx:
        make.paper(tx, TITLE)
        job_id = enqueue_duplicate_search(tx)
        tx.execute(sa.update(Job).values(state="failed", ended_at=now()))
    states = []
    for hours in (5, 7):
        with time_machine.travel(now() + timedelta(hours=hours), tick=False):
            duplicates_jobs.schedule_duplicate_search(database)
        with database.read() as tx:
            states.append(tx.get_one(Job, job_id).state)
    assert states == ["failed", "queued"]


def test_all_papers_are_compared_again_on_request(database, run, monkeypatch):
    monkeypatch.setattr(duplicates_jobs, "MARKED", 2)
    with database.write() as tx:
        ids = [make.paper(tx, TITLE, authors=AUTHORS).id for _ in range(5)]
    run()
    with database.write() as tx:
        tx.execute(sa.delete(DuplicatePair))
    assert compare_all_papers(database) == 5
    assert waiting(database) == ids
    run()
    assert len(found(database)) == 10


@pytest.mark.both_databases
def test_waiting_papers_and_those_of_a_key_are_found_by_an_index(database):
    with database.read() as tx:
        assert "ix_paper_uncompared" in plans(tx, lambda: has_uncompared(tx))[0]
        assert "ix_duplicate_key_key_paper_id" in plans(tx, lambda: find_blocks(tx, [1]))[0]
