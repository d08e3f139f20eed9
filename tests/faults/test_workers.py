"""Two worker processes on one library: a thousand papers in twenty questions, never two at once, each applied once."""

from contextlib import ExitStack
from itertools import pairwise

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import Event, Identifier, Job, MetadataRecord, MetadataRequest, Paper
from readtrack.library.papers.commands import add_paper
from readtrack.metadata.types import Ref
from tests import make
from tests.nowhere import surroundings
from tests.processes import TIMES, processes, until
from tests.standin import ArxivStandIn, made_up_title

INTERVAL = 0.1
KEYS = [f"24{number // 100 + 1:02}.{number:05}" for number in range(1000)]


SOME = KEYS[:150]  # three questions


@pytest.fixture
def environment(database_url, tmp_path):
    given = {"database_url": database_url, "secret_key": "only for tests " * 4, "arxiv_interval": INTERVAL}
    return surroundings(tmp_path, **given)


def add(database, keys):
    with database.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, role="editor")
        for key in keys:
            add_paper(tx, me, Ref("arxiv", key))


def count(database, table, *conditions):
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).select_from(table).where(*conditions))


@pytest.mark.deep
def test_two_workers_fetch_many_papers_within_the_rate_limit_and_apply_each_once(
    database, environment, dialect, tmp_path
):
    keys = KEYS if dialect == "sqlite" else KEYS[:100]
    add(database, keys)
    with ArxivStandIn() as arxiv, ExitStack() as started:
        for _ in range(2):
            environment["READTRACK_ARXIV_URL"] = arxiv.url
            worker = processes().start("worker", environment=environment, log=tmp_path / "log")
            started.callback(processes().stop, worker)
        until(lambda: count_answered(database) == len(keys), "all are answered")
    assert len(arxiv.requests) == len(keys) / 50
    assert sorted(key for ids in arxiv.asked for key in ids) == sorted(keys)
    expect_polite(arxiv)
    expect_each_applied_once(database, keys)


@pytest.mark.deep
@pytest.mark.slow
@pytest.mark.one_database
def test_another_worker_continues_where_killed_workers_stopped(database, environment, tmp_path):
    add(database, SOME)
    running = processes()
    with ArxivStandIn() as arxiv:
        environment["READTRACK_ARXIV_URL"] = arxiv.url
        workers = [
            running.start("worker", environment=environment, log=tmp_path / "log", times=TIMES) for _ in range(2)
        ]
        until(lambda: len(arxiv.requests) >= 2, "the second question is asked")
        begun = col(Job.state).in_(("running", "done"))  # done when this process was not run for that long
        until(lambda: count(database, Job, begun), "somebody has the job")
        for worker in workers:  # whichever had it; a third takes over from both
            running.kill(worker)
        third = running.start("worker", environment=environment, log=tmp_path / "log", times=TIMES)
        until(lambda: count_answered(database) == len(SOME), "the third has answered the rest")
        running.kill(third)
    expect_polite(arxiv)
    expect_each_applied_once(database, SOME)


def expect_polite(arxiv):
    for earlier, later in pairwise(arxiv.requests):
        assert later.at - earlier.at >= INTERVAL


def count_answered(database):
    return count(
        database, MetadataRequest, col(MetadataRequest.service) == "arxiv", col(MetadataRequest.state) == "answered"
    )


def expect_each_applied_once(database, keys):
    assert count_answered(database) == len(keys)
    assert count(database, MetadataRecord) == count(database, Event, col(Event.verb) == "paper.fetched") == len(keys)
    with database.read() as tx:
        named = dict(tuple(row) for row in tx.execute(sa.select(col(Identifier.value), col(Paper.title)).join(Paper)))
    assert named == {key: made_up_title(key) for key in keys}
