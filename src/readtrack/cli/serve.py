"""`readtrack serve` and `demo`."""

import errno
import socket
import sys
import tempfile
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import typer
import uvicorn
from starlette.types import ASGIApp

from readtrack.bootstrap import open_library
from readtrack.cli.http_protocol import LimitedHttpProtocol, count_allowed_connections
from readtrack.cli.loading import load_modules
from readtrack.cli.logging import set_up_log
from readtrack.cli.supervisor import Supervisor
from readtrack.infra import config
from readtrack.infra.config import Settings, is_loopback
from readtrack.infra.db import Database
from readtrack.infra.db.library_lock import hold_library
from readtrack.infra.errors import SettingNotUsableYet, SettingsError
from readtrack.team.accounts.commands import make_set_up_code
from readtrack.team.accounts.queries import has_people

if TYPE_CHECKING:
    from readtrack.web.middleware.request_metrics import RequestMetrics

LAST_PORT = 65535
PORT_WAIT_SECONDS = 3.0  # The processes of a server that was killed may still hold its port for a moment.
UVICORN: dict[str, Any] = {
    "http": LimitedHttpProtocol,
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,  # web/middleware/proxy_headers.py believes the trusted ones, and knows whom it believed
    "timeout_graceful_shutdown": 5,  # Seconds for responses in progress at shutdown.
    "limit_concurrency": count_allowed_connections(),
    "backlog": 64,  # connections that may be accepted at once, before http_protocol.py counts them
}


def serve(host: str, port: int, *, workers: int, no_worker: bool) -> None:
    """Run `readtrack serve`."""
    if workers < 1:
        message = f"Invalid --workers {workers}. Use 1 or more."
        raise SettingsError(message)
    loaded_settings = config.load()
    with _listen(host, port) as listener:
        settings = _with_address(loaded_settings, host, listener).ready()
        set_up_log(settings.log_format)
        with hold_library(settings.url):  # The child processes hold it too.
            database = open_library(settings)
            _announce(settings, database)
            _supervise(settings, database, listener, workers=workers, no_worker=no_worker)


def show_demo(port: int) -> None:
    """Run `readtrack demo`."""
    with (
        _listen("127.0.0.1", port) as listener,
        tempfile.TemporaryDirectory(prefix="readtrack-demo-", ignore_cleanup_errors=True) as folder,
    ):
        loaded_settings = config.load({}, data=folder, offline=True)
        settings = _with_address(loaded_settings, "127.0.0.1", listener).ready()
        set_up_log(settings.log_format, level="WARNING")
        database = open_library(settings)
        from readtrack.cli import demo

        code = demo.fill(database)
        typer.echo(f"Demo library, deleted when you stop it: {settings.base_url}/invitations/accept/demo/{code}")
        sys.stdout.flush()
        _supervise(settings, database, listener, demo_code=code)


def _supervise(
    settings: Settings,
    database: Database,
    listener: socket.socket,
    *,
    workers: int = 1,
    no_worker: bool = False,
    demo_code: str = "",
) -> None:
    """Answer requests in `workers` processes and run jobs in one more, until a signal arrives."""
    app, metrics = _create_app(settings, database, demo_code, workers=workers)
    database.dispose()  # Each process opens its own connections.
    supervisor = Supervisor()
    for number in range(workers):
        supervisor.add(f"web-{number + 1}", partial(_answer_requests, app, listener, metrics, number))
    if not no_worker:
        supervisor.add("worker", partial(_run_jobs, settings))
    supervisor.run()


def _create_app(
    settings: Settings, database: Database, demo_code: str, *, workers: int = 1
) -> tuple[ASGIApp, "RequestMetrics"]:
    """Create the application, and the counts of requests that all its processes share.

    Imported here because no other command needs it (they start in two thirds of the time).
    """
    with load_modules():
        from readtrack.web.app import all_routes, create_app
        from readtrack.web.middleware.request_metrics import RequestMetrics

        metrics = RequestMetrics(all_routes(), processes=workers)
        return create_app(settings, database, demo_code=demo_code, metrics=metrics), metrics


def _answer_requests(app: ASGIApp, listener: socket.socket, metrics: "RequestMetrics", process: int) -> None:
    metrics.process = process
    uvicorn.Server(uvicorn.Config(app, **UVICORN)).run(sockets=[listener])


def _run_jobs(settings: Settings) -> None:
    from readtrack.cli.worker import run_worker

    run_worker(settings)


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that queues connections from now on, so that a printed link works at once.

    Port 0 is any free port. Raise SettingNotUsableYet if the port is in use.
    """
    if not 0 <= port <= LAST_PORT:
        message = f"Invalid --port {port}. Use 1 to {LAST_PORT}, or 0 for any free port."
        raise SettingsError(message)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + PORT_WAIT_SECONDS
    try:
        while True:
            try:
                return socket.create_server((host, port), family=family, backlog=UVICORN["backlog"])
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while attempting")[0]  # Python adds the address.
        message = f"Can't listen on {host}, port {port}: {reason}. Choose another port with --port."
        raise SettingNotUsableYet(message) from error


def _with_address(settings: Settings, host: str, listener: socket.socket) -> Settings:
    if settings.base_url:
        return settings
    if not is_loopback(host):
        message = "Set READTRACK_BASE_URL to the address that people open, such as https://reading.example.org."
        raise SettingsError(message)
    host_text = f"[{host}]" if ":" in host else host
    return settings.model_copy(update={"base_url": f"http://{host_text}:{listener.getsockname()[1]}"})


def _announce(settings: Settings, database: Database) -> None:
    typer.echo(f"readtrack is at {settings.base_url}")
    with database.read() as tx:
        is_set_up = has_people(tx)
    if not is_set_up:
        with database.write() as tx:
            code = make_set_up_code(tx)
        typer.echo(f"Create the first account (link works once): {settings.base_url.rstrip('/')}/setup/{code}")
    sys.stdout.flush()
