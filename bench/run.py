"""Measures readtrack beside the floor and prints a table.

Both run as processes of one worker over the same file. Requests to them alternate, so that a busy machine slows both.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from bench.library import library
from bench.measuring import CLIENTS, Client, Figures, Server, free_port, in_turns, per_second, process, signed_in
from bench.workloads import CHANGE, Workload, workloads
from readtrack.infra.config import Settings

SIZES = (10_000, 100_000)
ROUNDS = 100
SECONDS = 2.0  # that eight clients ask together
READERS = 8  # who look at the library while somebody changes a status
HEADS = ("p50", "p95", "a second", "processor", "floor p50", "floor processor", "ratio p50", "ratio processor", "aim")


@dataclass(frozen=True)
class Both:
    """readtrack and the floor over one library, and what a browser sends to the first."""

    ours: Server
    least: Server
    headers: dict[str, str]

    def clients(self, many: int = 1) -> list[Client]:
        return [Client(self.ours.port, self.headers) for _ in range(many)]


@dataclass(frozen=True)
class Row:
    """One line of the table. `least` of a page that the floor does not have is the floor's list."""

    workload: Workload
    ours: Figures
    least: Figures
    rate: float

    @property
    def ratios(self) -> tuple[float, float]:
        return self.ours.median / self.least.median, self.ours.processor / self.least.processor

    @property
    def aim(self) -> str:
        its = self.workload
        reached = max(self.ratios) <= its.aim if its.aim else self.ours.median <= its.longest
        return f"{its.aim:g} ×{_missed(reached)}" if its.aim else f"{its.longest:g} ms{_missed(reached)}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--papers", type=int, nargs="+", default=SIZES, metavar="N", help="sizes of the libraries")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="requests of each kind to each server")
    parser.add_argument("--only", default="", metavar="WORD", help="only workloads with this word in their names")
    given = parser.parse_args(arguments)
    medians: dict[str, list[float]] = {}
    for papers in given.papers:
        settings = library(papers)
        wanted = [its for its in workloads(settings, papers) if given.only in its.name]
        with servers(settings) as both:
            rows = measured(both, wanted, given.rounds)
            print(*table(papers, rows), *beside(both, given.rounds), sep="\n", flush=True)
        for row in rows:
            medians.setdefault(row.workload.name, []).append(row.ours.processor)
    print(*growth(given.papers, medians), sep="\n", flush=True)


def measured(both: Both, wanted: Sequence[Workload], rounds: int) -> list[Row]:
    """Each workload beside its floor."""
    floor_list = Client(both.least.port, {})
    (list_floor,) = in_turns([(both.least, lambda _: floor_list.timed("GET", "/papers"))], rounds)
    return [row(both, its, rounds, list_floor) for its in wanted]


def row(both: Both, its: Workload, rounds: int, list_floor: Figures) -> Row:
    (ours,), least = both.clients(), Client(both.least.port, {"Content-Type": "application/json"})
    asked = [(both.ours, lambda turn: ours.ask(its.path, its, turn))]
    if its.floor:
        asked.append((both.least, lambda turn: least.ask(its.floor, its, turn)))
    found = in_turns(asked, rounds)
    rate = 0.0 if its.statuses else per_second(lambda one: one.timed("GET", its.path), both.clients(CLIENTS), SECONDS)
    return Row(its, found[0], found[1] if its.floor else list_floor, rate)


def beside(both: Both, rounds: int) -> Iterator[str]:
    """A change while others read; the start; what is held in memory at the end."""
    change = busy_change(both, rounds)
    yield f"\nstatus change while {READERS} read: p50 {change.median:.1f} ms, p95 {change.p95:.1f} ms (aim 40)"
    yield f"start to the first answer: {both.ours.started:.2f} s (aim 1.5)"
    yield f"memory at the end: {both.ours.memory():.0f} MB (aim 200)"


def busy_change(both: Both, rounds: int) -> Figures:
    """A status change of one person while others look at the library as fast as they can."""
    over = Event()

    def read(client: Client) -> None:
        while not over.is_set():
            client.timed("GET", "/papers")

    readers = [Thread(target=read, args=(client,)) for client in both.clients(READERS)]
    for reader in readers:
        reader.start()
    try:
        (mine,) = both.clients()
        return in_turns([(both.ours, lambda turn: mine.ask(CHANGE.path, CHANGE, turn))], rounds)[0]
    finally:
        over.set()
        for reader in readers:
            reader.join()


@contextmanager
def servers(settings: Settings) -> Iterator[Both]:
    """Both over this library, and what a signed-in browser sends."""
    ours, least = free_port(), free_port()
    file, headers = settings.url.removeprefix("sqlite:///"), signed_in(settings)
    with ExitStack() as running:
        command = ("readtrack", "serve", "--no-worker", "--port", str(ours))
        readtrack = running.enter_context(process(ours, *command, data=str(settings.data)))
        floor = running.enter_context(process(least, "bench.floor", file, str(least), data=""))
        yield Both(readtrack, floor, headers)


def table(papers: int, rows: Sequence[Row]) -> Iterator[str]:
    """As Markdown: what docs/speed.md has, and a terminal shows well enough."""
    yield f"\n| {papers:,} papers | {' | '.join(HEADS)} |"
    yield f"|---|{'---:|' * len(HEADS)}"
    for its in rows:
        ours, least = its.ours, its.least if its.workload.floor else None
        floor = [f"{least.median:.2f} ms", f"{least.processor:.2f} ms"] if least else ["", ""]
        shown = [f"{ours.median:.2f} ms", f"{ours.p95:.2f} ms", f"{its.rate:.0f}" if its.rate else ""]
        shown += [f"{ours.processor:.2f} ms", *floor, *(f"{ratio:.2f} ×" for ratio in its.ratios), its.aim]
        yield f"| {its.workload.name} | {' | '.join(shown)} |"


def growth(sizes: Sequence[int], processor: dict[str, list[float]]) -> Iterator[str]:
    """How much more a page takes of a larger library."""
    if len(sizes) > 1:
        yield f"\n| processor time, from {sizes[0]:,} to {sizes[-1]:,} papers | |"
        yield "|---|---:|"
        yield from (f"| {name} | {spent[-1] / spent[0]:.2f} × |" for name, spent in processor.items())


def _missed(reached: bool) -> str:  # noqa: FBT001
    return "" if reached else ", missed"


if __name__ == "__main__":
    main()
