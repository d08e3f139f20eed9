"""`readtrack worker` and `migrate`."""

import signal
from typing import Any

import typer

from readtrack.bootstrap import open_egress, open_library
from readtrack.cli.context import open_existing_library
from readtrack.cli.logging import set_up_log
from readtrack.infra import config


def run_worker() -> None:
    """Run `readtrack worker`."""
    from readtrack.cli.worker import JobWorker

    with open_existing_library() as (given, database):
        ready = given.ready()
        set_up_log(ready.log_format)
        working = JobWorker(database, open_egress(ready, database))

        def stop(*_: Any) -> None:  # noqa: ANN401 - arguments of a signal handler
            working.stop()

        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, stop)
        typer.echo("Working; Ctrl+C ends it after the present step.", err=True)
        working.run()


def migrate() -> None:
    """Run `readtrack migrate`."""
    ready = config.load().ready()
    open_library(ready).dispose()
    typer.echo(f"The database is up to date: {ready.shown_url}")
