"""Pages while long files are imported: `python -m bench.under_load`.

One client asks for pages and changes a status, first while nothing else happens, then while two files are read and
committed by the worker. It says how long each took, and what the two processes held at most.
"""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread
from typing import IO, Any

from bench.enriching import add, fact
from bench.import_forms import repeated
from bench.library import library
from bench.measuring import Client, Server, free_port, process, resident_memory, signed_in
from bench.workloads import CHANGE, LIST, Workload, workloads
from readtrack.infra import config
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.library.duplicates.stored_keys import has_uncompared
from tests.nowhere import surroundings
from tests.outside.facts import Facts
from tests.outside.world import World, settings_for

PAPERS, ENTRIES, IDLE_SECONDS = 10_000, 20_000, 20.0
FORMS = ("bibtex", "ris")
ASKED = (LIST, "paper page", "search, rare word", CHANGE.name)
PAUSE = 0.02  # seconds between two requests: a person does not click all the time
AIM_RATIO, AIM_WORST = 2.0, 150.0  # of the 95th percentile; milliseconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.under_load", description=__doc__)
    parser.add_argument("--papers", type=int, default=PAPERS, metavar="N", help="size of the library")
    parser.add_argument("--entries", type=int, default=ENTRIES, metavar="N", help="records of each file")
    parser.add_argument(
        "--pending", type=int, default=0, metavar="N", help="papers added before, whose metadata is fetched meanwhile"
    )
    given = parser.parse_args()
    facts = [fact(number) for number in range(given.pending)]
    with copied(library(given.papers)) as settings, World(Facts(facts)) as world:
        asked = [its for its in workloads(settings, given.papers) if its.name in ASKED]
        print(*measured(settings, asked, given.entries, world), sep="\n", flush=True)


@contextmanager
def copied(settings: Settings) -> Iterator[Settings]:
    """The same library in a folder of its own, as imports change it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "data"
        shutil.copytree(settings.data, copy)
        yield config.load({}, data=copy, offline=True).ready()


def measured(settings: Settings, asked: Sequence[Workload], entries: int, world: World) -> Iterator[str]:
    """The lines of the table. All services are at one address, which is asked ten times a second."""
    port = free_port()
    arguments, data = ("serve", "--port", str(port)), str(settings.data)
    services = settings_for(world) if world.facts.papers else {"offline": "1"}
    environment = surroundings(settings.data, **services, arxiv_interval=0.1)
    with process(port, "readtrack", *arguments, data=data, environment=environment) as server:
        headers = signed_in(settings)
        client = Client(port, headers)
        wait_until_compared(settings)
        ask_in_turns(client, asked, time.monotonic() + 2)
        idle = ask_in_turns(client, asked, time.monotonic() + IDLE_SECONDS)
        add_pending(settings, world.facts)
        client = Client(port, headers)  # the server closes connections that are idle for five seconds
        with most_memory(server) as most:
            began, over = time.monotonic(), Event()
            thread = Thread(target=import_files, args=(port, headers, entries, over), daemon=True)
            thread.start()
            busy = ask_in_turns(client, asked, time.monotonic() + 3600, over)
            spent = time.monotonic() - began
    yield f"\n{2 * entries:,} records of two files in {spent:.0f} s, {len(world.requests):,} requests to services"
    yield f"{'milliseconds':24}{'idle p95':>10}{'worst':>8}{'busy p95':>10}{'worst':>8}{'ratio':>8}  aim {AIM_RATIO:g}×"
    for name in idle:
        alone, beside = quantiles(idle[name], n=20)[18], quantiles(busy[name], n=20)[18]
        row = f"{name:24}{alone:10.1f}{max(idle[name]):8.0f}{beside:10.1f}{max(busy[name]):8.0f}{beside / alone:8.1f}"
        yield row + ("" if beside <= AIM_RATIO * alone and max(busy[name]) <= AIM_WORST else "  missed")
    yield "memory at most: " + ", ".join(f"{megabytes:.0f} MB" for megabytes in most.values())


def add_pending(settings: Settings, facts: Facts) -> None:
    """Add papers that are known by their identifier only."""
    database = Database(settings.url)
    for each in facts:  # not at once, as the server waits that long to write
        add(database, [each])
    database.dispose()


def wait_until_compared(settings: Settings) -> None:
    """Wait until the worker has compared the papers of the library, which it does once."""
    database = Database(settings.url)
    while True:
        with database.read() as tx:
            if not has_uncompared(tx):
                break
        time.sleep(1)
    database.dispose()


def ask_in_turns(
    client: Client, asked: Sequence[Workload], until: float, over: Event | None = None
) -> dict[str, list[float]]:
    """Milliseconds of each request, by workload."""
    spent: dict[str, list[float]] = {its.name: [] for its in asked}
    turn = 0
    while time.monotonic() < until and not (over and over.is_set()):
        for its in asked:
            spent[its.name].append(client.ask(its.path, its, turn))
            time.sleep(PAUSE)
        turn += 1
    return spent


@contextmanager
def most_memory(server: Server) -> Iterator[dict[int, float]]:
    """What each process held at most during the block, looked at every 0.2 s."""
    most: dict[int, float] = {}
    over = Event()

    def look() -> None:
        while not over.wait(0.2):
            for pid in server.processes():
                most[pid] = max(most.get(pid, 0.0), resident_memory(pid))

    thread = Thread(target=look, daemon=True)
    thread.start()
    yield most
    over.set()
    thread.join()


def import_files(port: int, headers: Mapping[str, str], entries: int, over: Event) -> None:
    """Import a file of each form at the same time, and set `over` at the end."""
    try:
        numbers = [_upload(port, headers, form, entries) for form in FORMS]
        for state in ("preview", "committed"):
            for number in numbers:
                while call(port, headers, "GET", f"/api/v1/imports/{number}")["state"] not in {state, "committed"}:
                    time.sleep(0.5)
                if state == "preview":
                    call(port, headers, "POST", f"/api/v1/imports/{number}/commit", b"{}")
    finally:
        over.set()


def _upload(port: int, headers: Mapping[str, str], form: str, entries: int) -> int:
    text = repeated(form, entries).encode()
    return int(
        call(port, {**headers, "Content-Type": "text/plain"}, "POST", f"/api/v1/imports?title={form}", text)["id"]
    )


def call(
    port: int, headers: Mapping[str, str], method: str, path: str, body: bytes | IO[bytes] | None = None
) -> dict[str, Any]:
    """Send a request and return the JSON of its answer. Raise RuntimeError if it is refused."""
    connection = HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request(method, path, body, dict(headers))
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status >= 400:
        raise RuntimeError(f"{method} {path}: {answer.status} {text[:300].decode(errors='replace')}")
    return dict(json.loads(text))


if __name__ == "__main__":
    main()
