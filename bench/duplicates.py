"""How long finding the papers that are there twice takes, how many are found, and how many of those are right."""

import argparse
import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from readtrack.papers.likely import find
from tests.papers import noise

SIZES = (10_000, 100_000)
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


def measured(papers: int) -> Figures:
    made = noise.library(papers, seed=SEED)
    started = time.process_time()
    found = find(made.papers)
    spent = time.process_time() - started
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // KIBIBYTES_A_MEGABYTE
    return Figures(papers, spent, *made.measured(found), held)


if __name__ == "__main__":
    main()
