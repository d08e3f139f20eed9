"""How often what is said to be near a paper is on the same topic, and how long it takes to say so."""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import col

from bench.library import library
from readtrack.bootstrap import open_library
from readtrack.cli import demo
from readtrack.infra import config
from readtrack.infra.db import Database, Read
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import Paper, PaperTopic
from readtrack.library.papers.similar import JOB, enqueue_embedding
from readtrack.search.similarity import nearest, terms, vectors

PAPERS = 20_000
FIRST = 5  # of what is near
ASKED = 200  # papers of the large library
Nearness = Callable[[Read, int], Mapping[int, float]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=PAPERS)
    given = parser.parse_args(arguments)
    for line in (*right(), *lasting(given.papers)):
        print(line)


def right() -> Iterator[str]:
    """Of the first five near each paper of the demo library, how many are filed under one of its topics, too."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_library(config.load({}, data=folder, offline=True).ready())
        demo.fill(database)
        if vectors.is_available():
            _encode(database)
        with database.read() as tx:
            topics = _topics(tx)
            for name, near in _ways(len(topics)).items():
                yield f"{name}: precision at {FIRST} {_precision(tx, topics, near):.2f} over {len(topics)} papers"
        database.dispose()


def lasting(papers: int) -> Iterator[str]:
    """How long one paper takes in a library of so many, by words."""
    database = open_library(library(papers))
    with database.read() as tx:
        ids = tx.scalars(sa.select(col(Paper.id)).order_by(col(Paper.id)).limit(ASKED)).all()
        times = sorted(_seconds(tx, number or 0) for number in ids)
    database.dispose()
    yield f"{papers:,} papers: {times[len(times) // 2] * 1_000:.0f} ms, at most {times[-1] * 1_000:.0f} ms"


def _ways(papers: int) -> dict[str, Nearness]:
    ways: dict[str, Nearness] = {"words": lambda tx, number: terms.nearest(tx, number, papers)}
    if vectors.is_available():
        ways["encoder"] = lambda tx, number: vectors.nearest(tx, number, papers)
        ways["both"] = nearest
    return ways


def _precision(tx: Read, topics: Mapping[int, set[int]], near: Nearness) -> float:
    """Of papers that share a topic with another; what is filed nowhere is neither right nor wrong."""
    shares = []
    for number, mine in topics.items():
        if not any(mine & others for other, others in topics.items() if other != number):
            continue
        found = near(tx, number)
        first = [other for other in sorted(found, key=lambda other: -found[other]) if other in topics][:FIRST]
        shares += [sum(bool(mine & topics[other]) for other in first) / FIRST]
    return sum(shares) / len(shares)


def _topics(tx: Read) -> dict[int, set[int]]:
    topics: defaultdict[int, set[int]] = defaultdict(set)
    for paper_id, topic_id in tx.execute(sa.select(col(PaperTopic.paper_id), col(PaperTopic.topic_id))):
        topics[paper_id].add(topic_id)
    return topics


def _encode(database: Database) -> None:
    nobody = HttpClient(agent="bench", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)
    with database.write() as tx:
        enqueue_embedding(tx)
    while queue.run_due_job(database, nobody, kinds={JOB}):
        pass


def _seconds(tx: Read, paper_id: int) -> float:
    began = time.perf_counter()
    nearest(tx, paper_id)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
