"""Measures the pages of a large team beside its library page, and counts their statements.

50 people, 50,000 papers, 200,000 readings, 100,000 comments. Requests alternate, so that a busy machine slows all.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

import sqlalchemy as sa
from starlette.testclient import TestClient

from bench import crowd
from bench.measuring import WARM_UP, Client, Figures, figures, free_port, process, sign_in
from readtrack.cli.logging import set_up_log
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.web.app import create_app
from readtrack.web.dependencies.auth import cookie_name

LIBRARY = "/papers"
PAGES = {
    "library page, 50 rows": LIBRARY,
    "home page": "/",
    "a paper, 2 comments or so": "/papers/1234",
    "a paper that all talk about": f"/papers/{crowd.BUSIEST}",
    "team page": "/people",
    "one person's page": "/people/2",
    "activity": "/activity",
    "inbox": "/notifications",
    "queue": "/queue",
    "assignments": "/assignments",
    "questions": "/questions",
    "meetings": "/meetings",
    "events as JSON": "/api/v1/events",
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.team", description=__doc__)
    parser.add_argument("--rounds", type=int, default=60, metavar="N", help="requests of each kind")
    given = parser.parse_args(arguments)
    set_up_log("console", level="WARNING")
    settings = crowd.crowded()
    counted = statements(settings)
    print(*table(timed(settings, given.rounds), counted), sep="\n")


def timed(settings: Settings, rounds: int) -> dict[str, Figures]:
    """Milliseconds of each page; they take turns, and the first answers are not counted."""
    with serving(settings) as client:
        spent: dict[str, list[float]] = {name: [] for name in PAGES}
        for _ in range(WARM_UP + rounds):
            for name, path in PAGES.items():
                spent[name].append(client.timed("GET", path))
    return {name: figures(times[WARM_UP:]) for name, times in spent.items()}


@contextmanager
def serving(settings: Settings) -> Iterator[Client]:
    """A client who is signed in."""
    port = free_port()
    headers = {"Cookie": f"{cookie_name(settings)}={sign_in(settings)}"}
    with process(port, "readtrack", "serve", "--no-worker", "--port", str(port), data=str(settings.data)):
        yield Client(port, headers)


def statements(settings: Settings) -> dict[str, int]:
    """How many statements each page asks, in a process of its own."""
    database, cookies = Database(settings.url), {cookie_name(settings): sign_in(settings)}
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        seen.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    counted = {}
    browser = TestClient(create_app(settings, database), "http://127.0.0.1", cookies=cookies)
    for name, path in PAGES.items():
        browser.get(path)
        seen.clear()
        browser.get(path)
        counted[name] = sum(not statement.startswith("BEGIN") for statement in seen)
    sa.event.remove(sa.Engine, "before_cursor_execute", note)
    database.dispose()
    return counted


def table(spent: dict[str, Figures], counted: dict[str, int]) -> Iterator[str]:
    least = spent[next(name for name, path in PAGES.items() if path == LIBRARY)]
    yield "| a team of 50 | median | p95 | best | of the library page | statements |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, its in spent.items():
        shown = chain(
            (f"{figure:.1f} ms" for figure in (its.median, its.p95, its.best)), (f"{its.median / least.median:.1f} ×",)
        )
        yield f"| {name} | {' | '.join(shown)} | {counted[name]} |"


if __name__ == "__main__":
    main()
