"""How many papers get their facts in a minute, at the pace that the services allow: `python -m bench.enriching`.

One worker, invented papers, and the stand-in of the tests for all services: real sockets, and answers without a delay.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import sqlalchemy as sa
from sqlmodel import col

from bench.words import invented
from readtrack.bootstrap import open_library
from readtrack.cli.worker import JobWorker
from readtrack.infra import config
from readtrack.infra.db import Database
from readtrack.infra.models import MetadataRequest, Paper
from readtrack.library.papers.commands import add_paper
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from tests import make
from tests.outside.facts import Fact, Facts
from tests.outside.world import World, egress_for

PAPERS, SECONDS, LOOK = 300, 60.0, 0.1


@dataclass(frozen=True)
class Figures:
    """`titled`: seconds until the last paper had its title; `settled`: how many had all answers after `seconds`.

    `late`: seconds until one more paper, added when the others had theirs, had its title too.
    """

    titled: float
    late: float
    settled: int
    seconds: float
    requests: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.enriching", description=__doc__)
    parser.add_argument("--papers", type=int, default=PAPERS, metavar="N", help="how many papers are added at once")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="how long they are watched")
    parser.add_argument("--hang", nargs="*", default=[], metavar="SERVICE", help="services that never answer")
    given = parser.parse_args(arguments)
    figures = measured(given.papers, given.seconds, given.hang)
    print(*plain(given.papers, figures), sep="\n", flush=True)


def measured(papers: int, seconds: float, hanging: Iterable[str] = ()) -> Figures:
    intervals = {service.name: service.interval for service in sources.all_services()}
    *facts, last = (fact(number) for number in range(papers + 1))
    with World(Facts([*facts, last])) as world, library() as database:
        world.faults |= dict.fromkeys(hanging, "hang")
        add(database, facts)
        started = time.monotonic()
        with working(database, world, intervals):
            titled = seconds_until(lambda: not untitled(database), started + seconds)
            add(database, [last])
            late = seconds_until(lambda: not untitled(database), started + seconds)
            seconds_until(lambda: not unsettled(database), started + seconds)
            spent, settled = time.monotonic() - started, papers + 1 - unsettled(database)
        return Figures(titled, late, settled, spent, len(world.requests))


@contextmanager
def working(database: Database, world: World, intervals: Mapping[str, float]) -> Iterator[None]:
    worker = JobWorker(database, egress_for(world, database, intervals))
    worker.start()
    try:
        yield
    finally:
        worker.stop()


def seconds_until(done: Callable[[], bool], deadline: float) -> float:
    """How long it took; as long as there was time when it did not come to pass."""
    started = time.monotonic()
    while time.monotonic() < deadline and not done():
        time.sleep(LOOK)
    return time.monotonic() - started


def untitled(database: Database) -> int:
    with database.read() as tx:
        return tx.scalar(sa.select(sa.func.count()).where(col(Paper.title) == "")) or 0


def unsettled(database: Database) -> int:
    """Papers of which some service still has to be asked."""
    waiting = sa.select(sa.func.count(sa.distinct(col(MetadataRequest.paper_id)))).where(
        col(MetadataRequest.state) == "waiting"
    )
    with database.read() as tx:
        return tx.scalar(waiting) or 0


def fact(number: int) -> Fact:
    """A paper on arXiv that was printed afterwards."""
    made = invented(Random(number), number)
    return Fact(
        title=made.title,
        authors=tuple(dict.fromkeys(made.authors)),
        year=2023,
        arxiv=f"23{number // 10_000 + 1:02}.{number % 10_000 + 1:05}",
        doi=f"10.1145/3627703.{number}",
        venue="EuroSys 2024",
    )


def add(database: Database, facts: Iterable[Fact]) -> None:
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
        for each in facts:
            add_paper(tx, me, Ref("arxiv", each.arxiv))


@contextmanager
def library() -> Iterator[Database]:
    """An empty one, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_library(config.load({}, data=Path(folder)).ready())
        try:
            yield database
        finally:
            database.dispose()


def plain(papers: int, figures: Figures) -> Iterator[str]:
    yield f"\n{f'{papers:,} papers, one worker':44}{'papers':>9}{'seconds':>9}{'a minute':>10}"
    rows = (
        ("title, authors and abstract, from arXiv", papers, figures.titled),
        ("the same of one more, added meanwhile", 1, figures.late),
        ("everything, from all services", figures.settled, figures.seconds),
    )
    for name, count, seconds in rows:
        yield f"{name:44}{count:9,}{seconds:9.1f}{count / seconds * 60:10,.0f}"
    yield f"{figures.requests:,} requests, {figures.requests / papers:.2f} for each paper"


if __name__ == "__main__":
    main()
