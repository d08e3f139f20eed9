"""What every test can ask for. Tests of `database`, `app`, `client` or `sign_in` run on SQLite. On PostgreSQL too run
those that are marked `both_databases`, the first of each folder, and in a deep run all of them.

The parts above the database are imported where they are used: tests of one part run while another is in pieces.
"""

import gc
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
import sqlalchemy as sa
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlmodel import SQLModel
from starlette.types import ASGIApp

from readtrack.cli.logging import set_up_log
from readtrack.infra import config as operator
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.permissions import CurrentUser
from tests import compiled_templates
from tests.client import AppClient
from tests.databases import (
    DIALECTS,
    Server,
    SqliteFiles,
    make_folder,
    postgres_server,
    repeat_migrations,
    share_statements,
)
from tests.depth import DEEP
from tests.nowhere import bases

if TYPE_CHECKING:
    from tests.provider import ProviderStandIn

ADDRESS = "http://127.0.0.1:8000"
FIRST = pytest.StashKey[dict[str, object]]()  # by folder: the first test in it that takes a database
OWN_PAGES = {"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}

# A busy machine is no defect; and where the tests decide on a change, they do not gamble.
hypothesis.settings.register_profile(
    "readtrack", deadline=None, derandomize="CI" in os.environ, max_examples=100 if DEEP else 20
)
hypothesis.settings.load_profile("readtrack")


# As `serve` does it; else structlog draws tracebacks with every variable in them, which takes seconds.
set_up_log("console", level="WARNING")

share_statements()
repeat_migrations()


@sa.event.listens_for(SQLModel, "init", propagate=True)
def refuse_unknown_columns(row: SQLModel, _args: object, values: dict[str, object]) -> None:
    """Raise TypeError for a misspelled column, which a table class ignores."""
    if unknown := set(values) - set(type(row).model_fields):
        raise TypeError(f"{type(row).__name__} has no {', '.join(sorted(unknown))}.")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sqlite-only", action="store_true", help="leave out the second run of tests, on PostgreSQL")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIRST] = {}
    if cache := getattr(config, "cache", None):
        os.environ[compiled_templates.FOLDER] = str(cache.mkdir("templates"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "dialect" in metafunc.fixturenames:
        marked = metafunc.definition.get_closest_marker
        first = None
        if not (marked("one_database") or (marked("deep") and not DEEP)):
            first = metafunc.config.stash[FIRST].setdefault(str(metafunc.definition.path.parent), metafunc.function)
        both = (metafunc.function is first or marked("both_databases")) and not marked("one_database")
        sqlite_only = metafunc.config.getoption("--sqlite-only") or not (DEEP or both)
        metafunc.parametrize("dialect", DIALECTS[:1] if sqlite_only else DIALECTS, indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected is never garbage: to look through it again and again took an eighth of the time."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 50)
    return collected


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not DEEP:
        left_out = {item for item in items if item.get_closest_marker("deep") or _is_repeated(item)}
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]


def _is_repeated(item: pytest.Item) -> bool:
    """Whether it is one of the three cases in four that are left out on PostgreSQL; what differs there shows in one."""
    case = getattr(item, "callspec", None)
    if case is None or case.params.get("dialect") != "postgresql":
        return False
    return any(number % 4 for name, number in case.indices.items() if name != "dialect")


@pytest.fixture(scope="session")
def sqlite_files() -> Iterator[Server]:
    folder = make_folder("rt-sqlite-")
    yield SqliteFiles(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def dialect(request: pytest.FixtureRequest) -> str:
    """The word for the database this test runs on."""
    return str(request.param)


@pytest.fixture
def server(dialect: str, request: pytest.FixtureRequest) -> Server:
    """What hands out databases of this kind."""
    found: Server = request.getfixturevalue({"sqlite": "sqlite_files", "postgresql": "postgres"}[dialect])
    return found


@pytest.fixture
def database_url(server: Server) -> Iterator[str]:
    """A migrated, empty database of this test's own."""
    url = server.copy()
    yield url
    server.drop(url)


@pytest.fixture
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed with little memory: the full work takes longer than most tests of people."""
    from readtrack.team.accounts import passwords  # noqa: PLC0415

    monkeypatch.setattr(passwords, "HASHER", PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),)))


@pytest.fixture
def database(database_url: str, quick_hashes: None) -> Iterator[Database]:
    import readtrack.cli.worker  # noqa: F401, PLC0415 - every kind of job has its handler, as where jobs are run

    database = Database(database_url)
    yield database
    database.dispose()


@pytest.fixture
def statements() -> Callable[[], AbstractContextManager[list[str]]]:
    """Opens a block that collects the SQL which any engine is given in it, BEGIN left out."""

    @contextmanager
    def watch() -> Iterator[list[str]]:
        seen: list[str] = []

        def note(_connection, _cursor, statement, *_):
            if not statement.startswith("BEGIN"):
                seen.append(statement)

        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        try:
            yield seen
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", note)

    return watch


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return operator.load(
        {},
        data=tmp_path / "data",
        database_url=database_url,
        base_url=ADDRESS,
        secret_key="only for tests " * 4,
        arxiv_interval=0,
        **bases(),
    ).ready()


@pytest.fixture(scope="session")
def routes_found_once() -> Iterator[None]:
    """Modules are looked through for their routes once and not for each application, which has them as they are."""
    from readtrack.web import app  # noqa: PLC0415

    compiled_templates.keep()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "all_routes", cache(app.all_routes))
        yield


@pytest.fixture
def app(settings: Settings, database: Database, routes_found_once: None) -> ASGIApp:
    """The application over `database`, without a worker: jobs are run by the test that wants them."""
    from readtrack.web.app import create_app  # noqa: PLC0415

    return create_app(settings, database)


@pytest.fixture
def client(app: ASGIApp) -> AppClient:
    """A browser in which nobody is signed in. It follows no redirects, so that a test sees them."""
    return AppClient(app, base_url=ADDRESS, headers=OWN_PAGES)


@pytest.fixture
def sign_in(app: ASGIApp, database: Database, settings: Settings) -> Callable[[CurrentUser], AppClient]:
    """`sign_in(make.visitor(tx, "Ada"))` gives a browser in which she is signed in."""
    from readtrack.team.accounts import commands, queries  # noqa: PLC0415
    from readtrack.web.dependencies.auth import cookie_name  # noqa: PLC0415

    def browser_of(visitor: CurrentUser) -> AppClient:
        with database.write() as tx:
            _, secret = commands.sign_in_new(tx, queries.get_person(tx, visitor.id), agent="a test")
        cookies = {cookie_name(settings): secret}
        return AppClient(app, base_url=ADDRESS, headers=OWN_PAGES, cookies=cookies)

    return browser_of


@pytest.fixture
def provider() -> Iterator["ProviderStandIn"]:
    """An OpenID provider on loopback, by which nobody can sign in until an application knows it."""
    from tests.provider import ProviderStandIn  # noqa: PLC0415

    with ProviderStandIn() as standing:
        yield standing


@pytest.fixture
def browsers(settings: Settings, database: Database) -> Callable[..., Callable[[], AppClient]]:
    """`browsers(auth_header="Remote-User")` makes an application with those settings; what it gives opens browsers."""
    from readtrack.web.app import create_app  # noqa: PLC0415

    def of(peer: str = "192.0.2.7", **given: object) -> Callable[[], AppClient]:
        app = create_app(settings.model_copy(update=given), database)
        at = (peer, 50000)
        return lambda: AppClient(app, ADDRESS, headers=OWN_PAGES, client=at)

    return of
