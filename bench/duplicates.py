"""What comparing papers as they come takes, how many duplicates are found, and how many of those are right."""

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import db
from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.jobs import queue
from readtrack.infra.models import DuplicatePair, Identifier, Job, Paper
from readtrack.infra.text import normalize
from readtrack.library.duplicates.blocking import ComparedPaper, DuplicateCandidate
from readtrack.library.duplicates.jobs import JOB, enqueue_duplicate_search
from tests.library.papers import noise

SIZES = (10_000, 100_000)
NEW = 500  # papers that come to a library that is already compared
NOBODY: Any = None  # whom the job asks
SEED = 1
KIBIBYTES_A_MEGABYTE = 1024


class Figures(NamedTuple):
    """Of a library that is compared for the first time, and then of new papers that come to it.

    `first_seconds` of the processor: for the whole library; `ms_a_paper`: for each new one, with what SQLite takes;
    `longest_ms`: the longest write transaction; `megabytes` that the process held at most; `keys_megabytes`: how much
    larger the database is.
    """

    papers: int
    first_seconds: float
    ms_a_paper: float
    longest_ms: float
    recall: float
    precision: float
    megabytes: int
    keys_megabytes: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.duplicates", description=__doc__)
    parser.add_argument("--papers", type=int, nargs="+", default=SIZES, metavar="N", help="sizes of the libraries")
    print(*lines(parser.parse_args(arguments).papers), sep="\n", flush=True)


def lines(sizes: Sequence[int] = SIZES) -> Iterator[str]:
    """A table, a line for each size. Each in a process of its own, that the memory is its own."""
    heads = ("first, s", "ms a paper", "longest ms", "recall", "precision", "MB at most", "keys, MB")
    yield f"\n{'papers there twice, 3 % of':34}" + "".join(f"{head:>12}" for head in heads)
    for size in sizes:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            found = fresh.submit(measured, size).result()
        times = (f"{found.first_seconds:.1f}", f"{found.ms_a_paper:.2f}", f"{found.longest_ms:.0f}")
        rates = (f"{found.recall:.1%}", f"{found.precision:.1%}", f"{found.megabytes}", f"{found.keys_megabytes}")
        yield f"{f'{found.papers:,} papers':34}" + "".join(f"{figure:>12}" for figure in (*times, *rates))


def measured(papers: int) -> Figures:
    """Compares all papers but some, and then those as if they had just come."""
    made, is_new = noise.library(papers, seed=SEED), col(Paper.id) % (papers // NEW) == 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "library.db")
        database = Database(f"sqlite:///{path}")
        db.migrate(database)
        _fill(database, made.papers)
        with database.write() as tx:
            tx.execute(sa.update(Paper).where(is_new).values(compared_version=col(Paper.version)))
        before = path.stat().st_size
        with _watched(database) as transactions:
            first = _compare(database)
            with database.write() as tx:
                tx.execute(sa.update(Paper).where(is_new).values(compared_version=0))
            later = _compare(database)
        with database.read() as tx:
            pairs = [DuplicateCandidate(row.first_id, row.second_id, 0, "") for row in tx.execute(PAIRS)]
        database.dispose()
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // KIBIBYTES_A_MEGABYTE
        more = (path.stat().st_size - before) // KIBIBYTES_A_MEGABYTE**2
    return Figures(papers, first, later / NEW * 1000, max(transactions) * 1000, *made.measured(pairs), held, more)


PAIRS = sa.select(col(DuplicatePair.first_id), col(DuplicatePair.second_id))


def _compare(database: Database) -> float:
    """Seconds of the processor until every paper is compared."""
    with database.write() as tx:
        job = enqueue_duplicate_search(tx)
        tx.execute(sa.update(Job).where(col(Job.id) == job).values(run_at=now()))
    started = time.process_time()
    while queue.run_due_job(database, NOBODY, kinds=(JOB,)):
        pass
    return time.process_time() - started


@contextmanager
def _watched(database: Database) -> Iterator[list[float]]:
    """The seconds of each write transaction within: others wait that long."""
    took, begun = [0.0], [0.0]

    def begin(_connection: object) -> None:
        begun[0] = time.perf_counter()

    def commit(_dbapi: object, _record: object) -> None:
        took.append(time.perf_counter() - begun[0])

    writer = database.engines[0]
    sa.event.listen(writer, "begin", begin)
    sa.event.listen(writer, "checkin", commit)
    try:
        yield took
    finally:
        sa.event.remove(writer, "begin", begin)
        sa.event.remove(writer, "checkin", commit)


def _fill(database: Database, papers: Sequence[ComparedPaper]) -> None:
    """Each identifier once, as in any library: the twin of a paper has others, or none."""
    refs = {ref: paper.id for paper in reversed(papers) for ref in paper.refs}
    rows = [
        {
            "id": paper.id,
            "kind": paper.kind,
            "title": paper.title,
            "title_key": normalize.key(paper.title),
            "authors": list(paper.authors),
            "year": paper.year,
        }
        for paper in papers
    ]
    named = [{"paper_id": paper_id, "scheme": ref.scheme, "value": ref.key} for ref, paper_id in refs.items()]
    with database.write() as tx:
        tx.execute(sa.insert(Paper), rows)
        tx.execute(sa.insert(Identifier), named)


if __name__ == "__main__":
    main()
