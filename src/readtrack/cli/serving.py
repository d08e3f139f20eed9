"""`readtrack serve`, `demo`, `worker`, `migrate`."""

import gc
import os
import signal
import socket
import sys
import tempfile
from contextlib import nullcontext
from typing import Annotated, Any

import typer
import uvicorn
from starlette.types import ASGIApp

from readtrack import demo, settings
from readtrack.cli.beside import Beside
from readtrack.cli.log import set_up_log
from readtrack.cli.opened import library
from readtrack.cli.wire import Wire, count_allowed_connections
from readtrack.db import Database
from readtrack.opening import open_egress, open_library
from readtrack.people.commands import make_set_up_code
from readtrack.people.queries import anybody
from readtrack.settings import Settings, SettingsError, is_loopback
from readtrack.worker import Worker

JOBS = (sys.executable, "-m", "readtrack", "worker")
LAST_PORT = 65535
UVICORN: dict[str, Any] = {
    "http": Wire,
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,  # web/fronting.py believes the trusted ones, and knows whom it believed
    "timeout_graceful_shutdown": 5,  # seconds for answers under way when the server is asked to stop
    "limit_concurrency": count_allowed_connections(),
    "backlog": 64,  # connections that may be accepted at once, before wire.py counts them
}
Port = Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")]
Host = Annotated[str, typer.Option(help="Address to listen on. Other machines need BASE_URL to be set.")]


def register(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command(epilog="Example: readtrack serve --port 8080")(serve)
    app.command("demo", epilog="Example: readtrack demo")(show_demo)
    app.command(epilog="Example: readtrack worker")(worker)
    app.command(epilog="Example: readtrack migrate")(migrate)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[int, typer.Option(help="Processes that answer; with more than one, jobs run in one more.")] = 1,
    *,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Run no jobs here; `readtrack worker` does.")] = False,
) -> None:
    """Migrate, serve pages and API, run the jobs; print the address, and a set-up link while nobody is there."""
    if workers < 1:
        message = f"With --workers {workers} nobody would answer; choose 1 or more."
        raise SettingsError(message)
    port = _port(host, port)
    ready = _with_address(settings.load(), host, port).ready()
    set_up_log(ready.log_format)
    database = open_library(ready)
    _announce(ready, database)
    if workers > 1:
        database.dispose()
        _serve_many(ready, host, port, workers=workers, no_worker=no_worker)
        return
    jobs = None if no_worker else Worker(database, open_egress(ready, database))
    _run(_app(ready, database, worker=jobs), host, port)


def show_demo(port: Port = 8000) -> None:
    """Open a throw-away library full of papers, people and summaries; needs no network and keeps nothing."""
    port = _port("127.0.0.1", port)
    with tempfile.TemporaryDirectory(prefix="readtrack-demo-", ignore_cleanup_errors=True) as folder:
        given = settings.load({}, data=folder, offline=True)
        ready = _with_address(given, "127.0.0.1", port).ready()
        set_up_log(ready.log_format, level="WARNING")
        database = open_library(ready)
        code = demo.fill(database)
        typer.echo(f"A library to look round in, kept nowhere: {ready.base_url}/join/demo/{code}")
        sys.stdout.flush()
        jobs = Worker(database, open_egress(ready, database))
        _run(_app(ready, database, worker=jobs, demo_code=code), "127.0.0.1", port)


def worker() -> None:
    """Run jobs only, beside any number of `readtrack serve --no-worker`."""
    with library() as (ready, database):
        set_up_log(ready.log_format)
        working = Worker(database, open_egress(ready, database))
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: working.stop())
        typer.echo("Working; Ctrl+C ends it after the present step.", err=True)
        working.run()


def migrate() -> None:
    """Bring the database up to date; safe while others start."""
    with library() as (ready, _):
        typer.echo(f"The database is up to date: {ready.shown_url}")


def app_of_process() -> ASGIApp:
    """The application of one process of several; settings come from the environment, the parent has migrated."""
    ready = settings.load().ready()
    set_up_log(ready.log_format)
    return _app(ready, Database(ready.url))


def _app(ready: Settings, database: Database, **given: Any) -> ASGIApp:  # noqa: ANN401 - what create_app takes
    """The application. It is imported here, as no other command needs it: they start in two thirds of the time."""
    gc.disable()  # as in __main__.py
    try:
        from readtrack.app import create_app  # noqa: PLC0415

        return create_app(ready, database, **given)
    finally:
        gc.enable()


def _port(host: str, wanted: int) -> int:
    """The port, or a free one for 0. Raises SettingsError when it is taken, before any link is printed."""
    if not 0 <= wanted <= LAST_PORT:
        message = f"{wanted} is no port: choose one from 1 to {LAST_PORT} with --port, or 0 for any that is free."
        raise SettingsError(message)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, wanted), family=family) as listening:
            return int(listening.getsockname()[1])
    except OSError as error:
        why = os.strerror(error.errno or 0)
        message = f"readtrack cannot listen on {host}, port {wanted}: {why}. Choose another with --port."
        raise SettingsError(message) from error


def _with_address(given: Settings, host: str, port: int) -> Settings:
    if given.base_url:
        return given
    if not is_loopback(host):
        message = f"READTRACK_BASE_URL must say at which address people reach {host}, for example https://reading.example.org."
        raise SettingsError(message)
    shown = f"[{host}]" if ":" in host else host
    return given.model_copy(update={"base_url": f"http://{shown}:{port}"})


def _announce(ready: Settings, database: Database) -> None:
    typer.echo(f"readtrack is at {ready.base_url}")
    with database.read() as tx:
        somebody = anybody(tx)
    if not somebody:
        with database.write() as tx:
            code = make_set_up_code(tx)
        typer.echo(f"Set it up here (works once): {ready.base_url.rstrip('/')}/set-up/{code}")
    sys.stdout.flush()


def _run(app: ASGIApp, host: str, port: int) -> None:
    gc.collect()
    gc.freeze()  # what was loaded at start is never garbage; looking through it again cost 60 ms now and then
    uvicorn.run(app, host=host, port=port, **UVICORN)


def _serve_many(ready: Settings, host: str, port: int, *, workers: int, no_worker: bool) -> None:
    """Several processes share the settings through the environment; one more runs the jobs."""
    os.environ |= {"READTRACK_DATA": str(ready.data), "READTRACK_BASE_URL": ready.base_url}
    with nullcontext() if no_worker else Beside(JOBS):
        uvicorn.run(
            "readtrack.cli.serving:app_of_process",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            **UVICORN,
        )
