"""Servers as processes, clients, and what a request takes: time until its answer, processor time, how many a second."""

import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

from bench.library import ME
from bench.workloads import Workload
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.team.accounts import commands, queries
from readtrack.web.dependencies.auth import cookie_name

WARM_UP = 10
START = 60.0  # seconds a server may take to start
CLIENTS = 8
CPUCLOCK_SCHED = 2  # what Linux calls the processor clock of another process
MEGABYTE = 1024  # kibibytes


@dataclass(frozen=True)
class Figures:
    """Milliseconds. `best` is what a busy machine disturbs least; `processor`: of the server, for one request."""

    best: float
    median: float
    p95: float
    processor: float = 0


@dataclass(frozen=True)
class Server:
    """A process that listens, with its children. `started`: seconds until its first answer."""

    port: int
    pid: int
    started: float

    def processor(self) -> float:
        """Milliseconds of processor time so far, of all its processes and threads, those that ended included."""
        return sum(time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED) * 1000 for pid in self.processes())

    def memory(self) -> float:
        """Megabytes that its largest process holds."""
        return max(map(resident_memory, self.processes()))

    def processes(self) -> list[int]:
        """The ids of the process and its children, in the order in which they were started."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/children")
        return [self.pid, *sorted(int(child) for path in tasks for child in path.read_text().split())]


def resident_memory(pid: int) -> float:
    """Megabytes that a process holds, those that it shares included."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / MEGABYTE


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

    def ask(self, path: str, workload: Workload, turn: int) -> float:
        if not workload.statuses:
            return self.timed("GET", path)
        status = workload.statuses[turn % len(workload.statuses)]
        return self.timed("PUT", path, json.dumps({"status": status}).encode())


def figures(spent: Sequence[float], processor: float = 0) -> Figures:
    return Figures(min(spent), statistics.median(spent), statistics.quantiles(spent, n=20)[18], processor)


def in_turns(asked: Sequence[tuple[Server, Callable[[int], float]]], rounds: int) -> list[Figures]:
    """Figures of each server; they take turns, so that a busy machine slows all. The first answers are not counted."""
    for turn in range(WARM_UP):
        for _, ask in asked:
            ask(turn)
    before = [server.processor() for server, _ in asked]
    spent = [[ask(turn) for _, ask in asked] for turn in range(rounds)]
    processor = [server.processor() - start for (server, _), start in zip(asked, before, strict=True)]
    return [figures(times, used / rounds) for times, used in zip(zip(*spent, strict=True), processor, strict=True)]


def per_second(ask: Callable[[Client], object], clients: Sequence[Client], seconds: float) -> float:
    """How many answers a second all these clients get together."""
    until, done = time.perf_counter() + seconds, [0] * len(clients)

    def run(number: int) -> None:
        while time.perf_counter() < until:
            ask(clients[number])
            done[number] += 1

    started = time.perf_counter()
    threads = [Thread(target=run, args=(number,)) for number in range(len(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - started)


@contextmanager
def process(
    port: int, module: str, *arguments: str, data: str, environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """A Python module of ours as a server, from when it listens until the block ends; offline unless told where."""
    if environment is None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("READTRACK_")}
        environment |= {"READTRACK_DATA": data, "READTRACK_OFFLINE": "1"} if data else {}
    command, began = [sys.executable, "-m", module, *arguments], time.perf_counter()
    started = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, started)
        yield Server(port, started.pid, time.perf_counter() - began)
    finally:
        started.terminate()
        started.wait(timeout=20)


def wait_for(port: int, started: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and started.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.01)
    raise RuntimeError(f"The server for port {port} did not start. Run it by hand to see why: {started.args!r}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def signed_in(settings: Settings, person: int = ME) -> dict[str, str]:
    """The headers of a browser of a person."""
    cookie = f"{cookie_name(settings)}={sign_in(settings, person)}"
    return {"Cookie": cookie, "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}


def sign_in(settings: Settings, person: int = ME) -> str:
    """The secret of a session of a person."""
    database = Database(settings.url)
    with database.write() as tx:
        _, secret = commands.sign_in_new(tx, queries.get_person(tx, person), agent="bench")
    database.dispose()
    return secret
