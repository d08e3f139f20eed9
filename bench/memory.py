"""Memory of the process that answers, over a day of use: `python -m bench.memory --requests 100000`.

Five people open pages, search, use the API and change things in a library of 1,000 papers, no two searches the same.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from random import Random
from typing import NamedTuple
from urllib.parse import quote_plus

from bench.library import PEOPLE, STATUSES, TOPICS, library
from bench.measuring import MEGABYTE, Server, free_port, process, resident_memory, signed_in
from bench.under_load import copied
from bench.words import invented

PAPERS, REQUESTS, POINTS = 1_000, 100_000, 20
LANGUAGES = ("en", "ja", "zh-CN")
EXPECTED = {200, 201, 404, 409, 412, 429}  # also pages that do not exist, refused changes, too many comments in an hour


class Request(NamedTuple):
    """A kind of request, as often as `weight` says. Its parts are filled in with what differs each time."""

    weight: int
    path: str
    method: str = "GET"
    body: Mapping[str, str] | None = None


MIX = (
    Request(14, "/papers?q={search}"),
    Request(6, "/papers"),
    Request(14, "/papers/{paper}"),
    Request(6, "/home"),
    Request(3, "/topics"),
    Request(6, "/topics/topic-{topic}"),
    Request(4, "/papers?q=topic:topic-{topic}+year:{year}"),
    Request(3, "/topics/topic-{topic}/graph"),
    Request(4, "/notifications"),
    Request(2, "/activity"),
    Request(3, "/queue"),
    Request(2, "/board"),
    Request(1, "/progress"),
    Request(1, "/people/{person}"),
    Request(4, "/palette?q={search}"),
    Request(2, "/papers/{paper}/summary/edit"),
    Request(1, "/no-such-page/{number}"),
    Request(6, "/api/v1/papers?limit=50&q={search}"),
    Request(6, "/api/v1/papers/{paper}"),
    Request(2, "/api/v1/notifications"),
    Request(6, "/api/v1/papers/{paper}/reading", "PUT", {"status": "{status}"}),
    Request(
        2, "/api/v1/papers/{paper}/comments", "POST", {"markdown": "Why {search}? @Reader 0{person} $x_{{{number}}}$"}
    ),
    Request(
        4,
        "/api/v1/papers/{paper}/summary",
        "PUT",
        {"tldr": "{search}", "markdown": "# {number}\n\n**{search}** $x_{{{number}}}$\n\n```python\nx = {number}\n```"},
    ),
    Request(1, "/api/v1/render", "POST", {"markdown": "A *draft* on {search}, [[{number}]]"}),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS, metavar="N")
    given = parser.parse_args()
    for line in measured(given.requests):
        print(line, flush=True)


def measured(requests: int) -> Iterator[str]:
    """Lines of what the process holds, and how much that grows in the second half."""
    port = free_port()
    arguments = ("serve", "--port", str(port), "--no-worker")
    with (
        copied(library(PAPERS)) as settings,
        process(port, "readtrack", *arguments, data=str(settings.data)) as server,
        ThreadPoolExecutor(PEOPLE) as threads,
    ):
        visitors = [Visitor(port, signed_in(settings, person), person) for person in range(1, PEOPLE + 1)]
        points, answers, began = [], Counter[int](), time.monotonic()
        for _ in range(POINTS):
            for statuses in threads.map(Visitor.visit, visitors, [requests // POINTS // PEOPLE] * PEOPLE):
                answers += statuses
            points.append((answers.total() / 1000, answering_memory(server)))
            yield f"{answers.total():>9,} requests {time.monotonic() - began:6.0f} s {points[-1][1]:8.1f} MB"
    slope, _ = statistics.linear_regression(*zip(*points[POINTS // 2 :], strict=True))
    yield "answers: " + ", ".join(f"{count:,} × {status}" for status, count in answers.most_common())
    yield f"in the second half it grows by {slope * MEGABYTE:.1f} kB per 1,000 requests"


def answering_memory(server: Server) -> float:
    """Megabytes of the process that answers, the first one that the server started."""
    return resident_memory(server.processes()[1])


class Visitor:
    """A person with a connection of their own."""

    def __init__(self, port: int, headers: dict[str, str], person: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port)
        self._headers, self._random, self._tags = headers, Random(person), dict[str, str]()

    def visit(self, requests: int) -> Counter[int]:
        """Send that many requests, and count the statuses of the answers."""
        answers = Counter[int]()
        for kind in self._random.choices(MIX, [kind.weight for kind in MIX], k=requests):
            answers[self._send(kind)] += 1
        return answers

    def _send(self, kind: Request) -> int:
        values = self._values()
        path = kind.path.format_map({name: quote_plus(str(value)) for name, value in values.items()})
        body = {name: text.format_map(values) for name, text in kind.body.items()} if kind.body else None
        headers = {**self._headers, "Accept-Language": self._random.choice(LANGUAGES)}
        if path.endswith("/summary"):
            headers |= {"If-Match": self._tags[path]} if path in self._tags else {"If-None-Match": "*"}
        self._connection.request(kind.method, path, json.dumps(body) if body else None, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status not in EXPECTED:
            raise RuntimeError(f"{kind.method} {path}: {answer.status} {text[:300].decode(errors='replace')}")
        if path.endswith("/summary"):
            self._tags[path] = answer.getheader("ETag") or ""
        return answer.status

    def _values(self) -> Mapping[str, object]:
        """What this request is about. The search excludes a word of its own, so that it is a new one with results."""
        random, number = self._random, self._random.randrange(10**9)
        words = invented(random, number).abstract.split()[:2]
        return {
            "paper": random.randint(1, PAPERS),
            "topic": random.randint(1, TOPICS),
            "person": random.randint(1, PEOPLE),
            "year": random.randint(2012, 2026),
            "status": random.choice(STATUSES),
            "search": f"{' '.join(words)} -{number}",
            "number": number,
        }


if __name__ == "__main__":
    main()
