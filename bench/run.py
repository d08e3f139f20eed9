"""Measures readtrack beside the floor and prints a table.

Both run as processes of one worker over the same file. Requests to them alternate, so that a busy machine slows both.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import cycle
from urllib.parse import quote

from bench import words
from bench.library import ME, library
from readtrack.db import Database
from readtrack.people import commands, queries
from readtrack.settings import Settings
from readtrack.web.visitor import cookie_name

SIZES = (10_000, 100_000)
ROUNDS, WARM_UP = 100, 10
START = 60.0  # seconds a server may take to start


@dataclass(frozen=True)
class Workload:
    """One request, to both. `statuses` alternate in the body (and, for the floor, in the address)."""

    name: str
    path: str
    statuses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figures:
    """Milliseconds. `best` is what a busy machine disturbs least."""

    best: float
    median: float
    p95: float


WORKLOADS = (
    Workload("library page, 50 rows", "/papers"),
    Workload("search page, rare word", f"/papers?q={words.RARE}"),
    Workload("search page, common word", f"/papers?q={words.COMMON}"),
    Workload("search page, two characters (CJK)", f"/papers?q={quote(words.PAIR)}"),
    Workload("one paper as JSON", "/api/v1/papers/4321"),
    Workload("50 papers as JSON", "/api/v1/papers?limit=50"),
    Workload("status change", "/api/v1/papers/4300/reading", ("reading", "paused")),
)


class Client:
    """A plain client over one connection that is kept."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._connection = HTTPConnection("127.0.0.1", port)
        self._headers = headers

    def timed(self, method: str, path: str, body: bytes | None = None) -> float:
        """Milliseconds until the whole answer is here. Raises RuntimeError when it is none to measure."""
        started = time.perf_counter()
        self._connection.request(method, path, body, self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        spent = (time.perf_counter() - started) * 1000
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300].decode(errors='replace')}")
        return spent

    def ask(self, workload: Workload, status: str) -> float:
        if not status:
            return self.timed("GET", workload.path)
        return self.timed("PUT", workload.path, json.dumps({"status": status}).encode())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--papers", type=int, nargs="+", default=SIZES, metavar="N", help="sizes of the libraries")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="requests of each kind to each server")
    parser.add_argument("--markdown", action="store_true", help="print the table for docs/speed.md")
    given = parser.parse_args(arguments)
    for papers in given.papers:
        with servers(library(papers)) as (readtrack, floor):
            rows = [(w, *measured(w, readtrack, floor, given.rounds)) for w in WORKLOADS]
        print(*(markdown if given.markdown else plain)(papers, rows), sep="\n", flush=True)


def measured(workload: Workload, readtrack: Client, floor: Client, rounds: int) -> tuple[Figures, Figures]:
    """Figures of both; they take turns, and the first answers are not counted."""
    ours, least = [], []
    statuses = cycle(workload.statuses or ("",))
    for _ in range(WARM_UP + rounds):
        status = next(statuses)
        ours.append(readtrack.ask(workload, status))
        least.append(floor.ask(workload, status))
    return figures(ours[WARM_UP:]), figures(least[WARM_UP:])


def figures(spent: list[float]) -> Figures:
    return Figures(min(spent), statistics.median(spent), statistics.quantiles(spent, n=20)[18])


@contextmanager
def servers(settings: Settings) -> Iterator[tuple[Client, Client]]:
    """Both over this library, and a signed-in client for each."""
    ours, least = free_port(), free_port()
    file = settings.url.removeprefix("sqlite:///")
    cookie = f"{cookie_name(settings)}={sign_in(settings)}"
    headers = {"Cookie": cookie, "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    with ExitStack() as running:
        command = ("readtrack", "serve", "--no-worker", "--port", str(ours))
        running.enter_context(process(ours, *command, data=str(settings.data)))
        running.enter_context(process(least, "bench.floor", file, str(least), data=""))
        yield Client(ours, headers), Client(least, headers)


@contextmanager
def process(port: int, module: str, *arguments: str, data: str) -> Iterator[None]:
    """A Python module of ours as a server, from when it listens until the block ends."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
    if data:
        environment |= {"READTRACK_DATA": data, "READTRACK_OFFLINE": "1"}
    command = [sys.executable, "-m", module, *arguments]
    started = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, started)
        yield
    finally:
        started.terminate()
        started.wait(timeout=20)


def wait_for(port: int, started: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and started.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError(f"The server for port {port} did not start. Run it by hand to see why: {started.args!r}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def sign_in(settings: Settings) -> str:
    """The secret of a session of the one who asks."""
    database = Database(settings.url)
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, queries.get_person(tx, ME), agent="bench")
    database.dispose()
    return secret


def plain(papers: int, rows: Sequence[tuple[Workload, Figures, Figures]]) -> Iterator[str]:
    heads = ("median", "p95", "best", "floor", "best", "ratio", "of best")
    yield f"\n{f'{papers:,} papers, milliseconds':34}" + "".join(f"{head:>9}" for head in heads)
    for workload, ours, least in rows:
        figures = (ours.median, ours.p95, ours.best, least.median, least.best, *ratios(ours, least))
        yield f"{workload.name:34}" + "".join(f"{figure:9.2f}" for figure in figures)


def markdown(papers: int, rows: Sequence[tuple[Workload, Figures, Figures]]) -> Iterator[str]:
    yield f"\n| {papers:,} papers | median | p95 | best | floor, median | floor, best | ratio | ratio of best |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for workload, ours, least in rows:
        figures = (ours.median, ours.p95, ours.best, least.median, least.best)
        shown = [*(f"{figure:.2f} ms" for figure in figures), *(f"{ratio:.1f} ×" for ratio in ratios(ours, least))]
        yield f"| {workload.name} | {' | '.join(shown)} |"


def ratios(ours: Figures, least: Figures) -> tuple[float, float]:
    return ours.median / least.median, ours.best / least.best


if __name__ == "__main__":
    main()
