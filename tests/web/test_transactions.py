"""Requests and their transactions: who waits for a disk or for another writer keeps nobody else from an answer."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlmodel import col
from starlette.testclient import TestClient
from structlog.testing import capture_logs

import readtrack
from readtrack.infra import db
from readtrack.infra.clock import now
from readtrack.infra.models import Reading, UserSession
from readtrack.team.accounts import queries
from readtrack.web.app import all_routes, create_app
from readtrack.web.dependencies import database
from tests import make
from tests.conftest import ADDRESS, OWN_PAGES

PATIENCE = 20
WRITERS = 50  # more than there are threads


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def papers(database):
    with database.write() as tx:
        return [make.paper(tx).id for _ in range(WRITERS)]


@pytest.fixture
def browser(app, ada, sign_in) -> Iterator[TestClient]:
    """All its requests are answered on one event loop, as those of a server are."""
    cookies = sign_in(ada).cookies
    with TestClient(app, ADDRESS, headers=OWN_PAGES, cookies=cookies, follow_redirects=False) as browser:
        yield browser


@pytest.fixture
def impatient(database, settings, browser, monkeypatch) -> Iterator[TestClient]:
    """The same, where nobody waits long for others who write."""
    monkeypatch.setattr(db, "WRITE_WAIT", 0.05)
    own = database if database.dialect == "sqlite" else type(database)(database.url)  # which keeps it by connection
    with TestClient(create_app(settings, own), ADDRESS, headers=OWN_PAGES, cookies=browser.cookies) as client:
        yield client


@contextmanager
def stuck(
    engine: sa.Engine | type[sa.Engine], event: str, *, most: int = 1
) -> Iterator[tuple[threading.Semaphore, threading.Event]]:
    """The first `most` events of an engine wait until the block ends, or until the second of what it gives is set.

    The first can be acquired as often as an event waits.
    """
    reached, go_on, left = threading.Semaphore(0), threading.Event(), iter(range(most))

    def wait(*_):
        if next(left, None) is not None:
            reached.release()
            go_on.wait(PATIENCE)

    sa.event.listen(engine, event, wait)
    try:
        yield reached, go_on
    finally:
        go_on.set()
        sa.event.remove(engine, event, wait)


@contextmanager
def somebody_writes(database) -> Iterator[None]:
    """A transaction that every change of a reading waits for."""
    with database.write() as tx:
        if database.dialect == "postgresql":
            tx.execute(sa.text("LOCK TABLE reading IN EXCLUSIVE MODE"))
        yield


def put(browser: TestClient, paper: int) -> int:
    return browser.put(f"/api/v1/papers/{paper}/reading", json={"status": "reading"}).status_code


@pytest.mark.deep
def test_other_requests_are_answered_while_a_commit_waits_for_the_disk(database, browser, papers):
    with ThreadPoolExecutor(1) as pool, stuck(database.engines[0], "commit") as (reached, go_on):
        change = pool.submit(put, browser, papers[0])
        assert reached.acquire(timeout=PATIENCE)
        assert browser.get("/healthz").status_code == 200
        assert browser.get("/papers").status_code == 200
        assert not change.done()
        go_on.set()
        assert change.result(PATIENCE) == 201


def test_other_requests_are_answered_while_a_statement_waits_for_the_disk(database, browser):
    with ThreadPoolExecutor(1) as pool, stuck(database.engines[-1], "before_cursor_execute") as (reached, go_on):
        page = pool.submit(browser.get, "/papers")
        assert reached.acquire(timeout=PATIENCE)
        assert browser.get("/healthz").status_code == 200
        assert browser.get("/home").status_code == 200
        assert not page.done()
        go_on.set()
        assert page.result(PATIENCE).status_code == 200


def test_other_requests_are_answered_while_a_read_transaction_ends(database, browser):
    with ThreadPoolExecutor(1) as pool, stuck(database.engines[-1], "rollback", most=3) as (reached, go_on):
        page = pool.submit(browser.get, "/papers")
        assert reached.acquire(timeout=PATIENCE)
        assert browser.get("/healthz").status_code == 200
        go_on.set()
        assert page.result(PATIENCE).status_code == 200


@pytest.mark.deep
def test_readers_are_answered_while_more_writers_wait_than_there_are_threads(database, browser, papers):
    asking = stuck(database.engines[-1], "before_cursor_execute", most=WRITERS)
    with ThreadPoolExecutor(WRITERS) as pool:
        with somebody_writes(database), asking as (asked, go_on):
            changes = [pool.submit(put, browser, paper) for paper in papers]
            go_on.set()
            for _ in changes:  # each has been asked who it is
                assert asked.acquire(timeout=PATIENCE)
            assert browser.get("/papers").status_code == 200
            assert browser.get("/healthz").status_code == 200
            assert not any(change.done() for change in changes)
        assert [change.result(PATIENCE) for change in changes] == [201] * WRITERS
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Reading)) == WRITERS


@pytest.mark.deep
def test_a_writer_waiting_too_long_gets_503_with_retry_after(database, impatient, papers):
    with somebody_writes(database):
        answer = impatient.put(f"/api/v1/papers/{papers[0]}/reading", json={"status": "reading"})
        page = impatient.post(f"/papers/{papers[0]}/reading", data={"status": "reading"})
    for refused in (answer, page):
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert "The database is busy. Try again in a moment." in refused.text
    assert put(impatient, papers[0]) == 201


def test_a_writer_queued_too_long_gets_503_and_postgresql_has_no_queue(database, impatient, papers, sign_in):
    with database.write() as tx:
        bo = make.visitor(tx, "Bo")
    cookies = dict(sign_in(bo).cookies)
    with ThreadPoolExecutor(1) as pool, stuck(sa.Engine, "commit") as (reached, go_on):
        first = pool.submit(put, impatient, papers[0])
        assert reached.acquire(timeout=PATIENCE)
        impatient.cookies.update(cookies)
        assert put(impatient, papers[1]) == (503 if database.dialect == "sqlite" else 201)
        assert not first.done()
        go_on.set()
        assert first.result(PATIENCE) == 201


def test_a_sign_in_waits_no_longer_than_other_writes(database, impatient):
    impatient.cookies.clear()
    with database.write() as tx:
        if database.dialect == "postgresql":
            tx.execute(sa.text("LOCK TABLE attempt IN EXCLUSIVE MODE"))
        answer = impatient.post("/sign-in", data={"name": "Ada", "password": "correct horse"})
    assert answer.status_code == 503


def test_a_failed_write_after_the_response_is_only_logged(database, impatient, ada):
    with database.write() as tx:
        tx.execute(sa.update(UserSession).values(seen_at=now() - 2 * queries.USE_NOTED))
    with capture_logs() as logged, database.write() as tx:
        tx.execute(sa.select(UserSession).with_for_update())
        assert impatient.get("/papers").status_code == 200
    assert [line["event"] for line in logged if line["log_level"] != "info"] == ["change after response failed"]
    assert impatient.get("/papers").status_code == 200
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.min(col(UserSession.seen_at)))) > now() - queries.USE_NOTED


def test_nothing_blocks_while_a_write_transaction_is_open():
    """Neither a body that arrives slowly nor a thread for something else: each writer waits for the one before."""
    late = {route.path: [further.call for further in _after_writing(route.dependant)] for route in _routes()}
    assert {path: calls for path, calls in late.items() if calls} == {}


def _after_writing(dependant: Dependant) -> list[Dependant]:
    """Dependencies that are asked for after the transaction has begun, and do not need it."""
    begun, late = False, []
    for further in dependant.dependencies:
        needs = _writes(further)
        if begun and not needs:
            late.append(further)
        begun = begun or needs
    return late


def _writes(dependant: Dependant) -> bool:
    return dependant.call is database._write_transaction or any(map(_writes, dependant.dependencies))  # noqa: SLF001


def test_requests_write_only_through_the_queue():
    """A thread that waits for its turn by itself is kept from those who read."""
    assert not {path for path, text in _sources() if "state.database.write(" in text}


def test_only_endpoints_without_database_access_run_on_the_event_loop():
    assert {route.name for route in _routes() if iscoroutinefunction(route.endpoint)} == {"show_asset", "healthy"}


def _routes() -> list[APIRoute]:
    return [route for route in all_routes() if isinstance(route, APIRoute)]


def _sources() -> list[tuple[str, str]]:
    package = Path(readtrack.__file__).parent
    return [(path.relative_to(package).as_posix(), path.read_text(encoding="utf-8")) for path in package.rglob("*.py")]
