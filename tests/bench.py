"""What pages cost on a large library: `make bench`, or `python -m tests.bench 100000` for that many papers."""

import logging
import statistics
import sys
import tempfile
import time
from pathlib import Path

import structlog
from starlette.testclient import TestClient

from readtrack import search
from readtrack import settings as operator
from readtrack.app import create_app
from readtrack.db import Database, migrate
from readtrack.people import commands, queries
from readtrack.web.visitor import cookie_name
from tests import make

ADDRESS = "http://127.0.0.1:8000"
ROUNDS = 15
PATHS = (
    "/papers",
    "/papers?q=pipeline",
    "/papers?q=%E8%A8%93%E7%B7%B4",
    "/papers/17",
    "/topics",
    "/api/v1/papers",
    "/api/v1/papers?limit=200",
)
WORDS = (
    "pipeline",
    "scheduling",
    "attention",
    "memory",
    "分散学習",
    "訓練",
    "checkpoint",
    "network",
    "compiler",
    "推論",
)


def main(papers: int) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as folder:
        settings = operator.load({}, data=Path(folder), base_url=ADDRESS).ready()
        database = Database(settings.url)
        migrate(database)
        started = time.perf_counter()
        fill(database, papers)
        print(f"{papers} papers written in {time.perf_counter() - started:.1f} s")
        with database.write() as tx:
            reader = make.visitor(tx, "A reader")
            _, secret = commands.sign_in_new(tx, queries.get_person(tx, reader.id), agent="bench")
        browser = TestClient(create_app(settings, database), base_url=ADDRESS, cookies={cookie_name(settings): secret})
        for path in PATHS:
            print(f"{path:34} {timed(browser, path)}")
        database.dispose()


def fill(database: Database, papers: int, at_once: int = 1000) -> None:
    with database.write() as tx:
        search.ensure(tx)
        topics = [make.topic(tx, word) for word in WORDS]
    for start in range(0, papers, at_once):
        with database.write() as tx:
            ids = []
            for number in range(start, min(start + at_once, papers)):
                first, second = number % len(WORDS), number // len(WORDS) % len(WORDS)
                made = make.paper(tx, f"{WORDS[first]} for {WORDS[second]}, part {number}", triage="library")
                make.filed(tx, made, topics[first])
                ids.append(made.id or 0)
            search.update_papers(tx, ids)


def timed(browser: TestClient, path: str) -> str:
    """Status, size, and the median and worst of ROUNDS answers."""
    answer = browser.get(path)
    spent = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        browser.get(path)
        spent.append((time.perf_counter() - started) * 1000)
    size = len(answer.content) / 1000
    return (
        f"{answer.status_code}  {size:7.1f} kB  median {statistics.median(spent):7.1f} ms  worst {max(spent):7.1f} ms"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
