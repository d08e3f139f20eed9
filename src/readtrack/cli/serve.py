"""`readtrack serve` and `demo`."""

import gc
import os
import socket
import sys
import tempfile
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import typer
import uvicorn
from starlette.types import ASGIApp

from readtrack.bootstrap import open_egress, open_library
from readtrack.cli.http_protocol import LimitedHttpProtocol, count_allowed_connections
from readtrack.cli.logging import set_up_log
from readtrack.cli.supervisor import DeferredWorker, ProcessSupervisor, wait_for_answer
from readtrack.infra import config
from readtrack.infra.config import Settings, is_loopback
from readtrack.infra.db import Database
from readtrack.infra.errors import SettingsError
from readtrack.team.accounts.commands import make_set_up_code
from readtrack.team.accounts.queries import has_people

if TYPE_CHECKING:
    from readtrack.cli.worker import JobWorker

SERVER_PROCESS = "readtrack.cli.server_process:create_process_app"
JOBS = (sys.executable, "-m", "readtrack", "worker")
LAST_PORT = 65535
UVICORN: dict[str, Any] = {
    "http": LimitedHttpProtocol,
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,  # web/middleware/proxy_headers.py believes the trusted ones, and knows whom it believed
    "timeout_graceful_shutdown": 5,  # Seconds for responses in progress at shutdown.
    "timeout_worker_healthcheck": 30,  # seconds: a process imports for a while before it answers
    "limit_concurrency": count_allowed_connections(),
    "backlog": 64,  # connections that may be accepted at once, before http_protocol.py counts them
}


def serve(host: str, port: int, *, workers: int, no_worker: bool) -> None:
    """Run `readtrack serve`."""
    if workers < 1:
        message = f"Invalid --workers {workers}. Use 1 or more."
        raise SettingsError(message)
    port = _port(host, port)
    settings = _with_address(config.load(), host, port).ready()
    set_up_log(settings.log_format)
    database = open_library(settings)
    _announce(settings, database)
    if workers > 1:
        database.dispose()
        _serve_many(settings, host, port, workers=workers, no_worker=no_worker)
        return
    jobs = None if no_worker else _worker(settings, database)
    _run(_app(settings, database, worker=jobs), host, port)


def show_demo(port: int) -> None:
    """Run `readtrack demo`."""
    port = _port("127.0.0.1", port)
    with tempfile.TemporaryDirectory(prefix="readtrack-demo-", ignore_cleanup_errors=True) as folder:
        loaded_settings = config.load({}, data=folder, offline=True)
        settings = _with_address(loaded_settings, "127.0.0.1", port).ready()
        set_up_log(settings.log_format, level="WARNING")
        database = open_library(settings)
        from readtrack.cli import demo

        code = demo.fill(database)
        typer.echo(f"Demo library, deleted when you stop it: {settings.base_url}/invitations/accept/demo/{code}")
        sys.stdout.flush()
        jobs = _worker(settings, database)
        _run(_app(settings, database, worker=jobs, demo_code=code), "127.0.0.1", port)


def _app(settings: Settings, database: Database, **options: Any) -> ASGIApp:  # noqa: ANN401 - arguments of create_app
    """Create the application.

    Imported here because no other command needs it (they start in two thirds of the time).
    """
    gc.disable()  # As in __main__.py.
    try:
        from readtrack.web.app import create_app

        return create_app(settings, database, **options)
    finally:
        gc.enable()


def _worker(settings: Settings, database: Database) -> DeferredWorker:
    def make() -> "JobWorker":
        from readtrack.cli.worker import JobWorker

        return JobWorker(database, open_egress(settings, database))

    return DeferredWorker(make)


def _port(host: str, port: int) -> int:
    """Return the port, or a free one for 0.

    Raise SettingsError if it is in use, before any link is printed.
    """
    if not 0 <= port <= LAST_PORT:
        message = f"Invalid --port {port}. Use 1 to {LAST_PORT}, or 0 for any free port."
        raise SettingsError(message)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family) as listener:
            return int(listener.getsockname()[1])
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        message = f"Can't listen on {host}, port {port}: {reason}. Choose another port with --port."
        raise SettingsError(message) from error


def _with_address(settings: Settings, host: str, port: int) -> Settings:
    if settings.base_url:
        return settings
    if not is_loopback(host):
        message = "Set READTRACK_BASE_URL to the address that people open, such as https://reading.example.org."
        raise SettingsError(message)
    host_text = f"[{host}]" if ":" in host else host
    return settings.model_copy(update={"base_url": f"http://{host_text}:{port}"})


def _announce(settings: Settings, database: Database) -> None:
    typer.echo(f"readtrack is at {settings.base_url}")
    with database.read() as tx:
        is_set_up = has_people(tx)
    if not is_set_up:
        with database.write() as tx:
            code = make_set_up_code(tx)
        typer.echo(f"Create the first account (link works once): {settings.base_url.rstrip('/')}/setup/{code}")
    sys.stdout.flush()


def _run(app: ASGIApp, host: str, port: int) -> None:
    gc.freeze()  # Objects loaded at startup are never garbage, except for 1 MB; scanning them takes up to 250 ms.
    uvicorn.run(app, host=host, port=port, **UVICORN)


def _serve_many(settings: Settings, host: str, port: int, *, workers: int, no_worker: bool) -> None:
    """Start several processes that answer, and one more that runs the jobs. They read settings from the environment."""
    os.environ |= {"READTRACK_DATA": str(settings.data), "READTRACK_BASE_URL": settings.base_url}
    with nullcontext() if no_worker else ProcessSupervisor(JOBS, wait=partial(wait_for_answer, host, port)):
        uvicorn.run(SERVER_PROCESS, factory=True, host=host, port=port, workers=workers, **UVICORN)
