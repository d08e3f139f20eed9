"""How long finding the papers that are there twice takes, how many are found, and how many of those are right."""

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
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
from readtrack.library.duplicates.blocking import ComparedPaper, find_candidates
from readtrack.library.duplicates.jobs import JOB, enqueue_duplicate_search
from tests.library.papers import noise

SIZES = (10_000, 100_000)
THROUGH_THE_JOB = 10_000  # papers
NOBODY: Any = None  # whom the job asks
SEED = 1
KIBIBYTES_A_MEGABYTE = 1024


class Figures(NamedTuple):
    """`seconds` of the processor; `megabytes` that the process held at most, with the papers themselves."""

    papers: int
    seconds: float
    recall: float
    precision: float
    megabytes: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.duplicates", description=__doc__)
    parser.add_argument("--papers", type=int, nargs="+", default=SIZES, metavar="N", help="sizes of the libraries")
    print(*lines(parser.parse_args(arguments).papers), sep="\n", flush=True)


def lines(sizes: Sequence[int] = SIZES) -> Iterator[str]:
    """A table, a line for each size. Each in a process of its own, that the memory is its own."""
    heads = ("seconds", "recall", "precision", "MB at most")
    yield f"\n{'papers there twice, 3 % of':34}" + "".join(f"{head:>12}" for head in heads)
    for size in sizes:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            found = fresh.submit(measured, size).result()
        figures = (f"{found.seconds:.1f}", f"{found.recall:.1%}", f"{found.precision:.1%}", f"{found.megabytes}")
        yield f"{f'{found.papers:,} papers':34}" + "".join(f"{figure:>12}" for figure in figures)
    seconds, pairs = through_the_job(THROUGH_THE_JOB)
    yield f"{f'{THROUGH_THE_JOB:,} papers, by the job on SQLite':34}{seconds:>12.1f}{pairs:>12,} pairs kept"


def through_the_job(papers: int) -> tuple[float, int]:
    """Seconds from the library to the pairs that wait for a person, and how many they are."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder, 'library.db')}")
        db.migrate(database)
        _fill(database, noise.library(papers, seed=SEED).papers)
        with database.write() as tx:
            tx.execute(sa.update(Job).where(col(Job.id) == enqueue_duplicate_search(tx)).values(run_at=now()))
        started = time.perf_counter()
        queue.run_due_job(database, NOBODY, kinds=(JOB,))
        spent = time.perf_counter() - started
        with database.read() as tx:
            pairs = tx.scalar(sa.select(sa.func.count()).select_from(DuplicatePair)) or 0
        database.dispose()
    return spent, pairs


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


def measured(papers: int) -> Figures:
    made = noise.library(papers, seed=SEED)
    started = time.process_time()
    found = find_candidates(made.papers)
    spent = time.process_time() - started
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // KIBIBYTES_A_MEGABYTE
    return Figures(papers, spent, *made.measured(found), held)


if __name__ == "__main__":
    main()
