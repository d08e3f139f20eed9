"""`readtrack worker` and `migrate`."""

import signal
from typing import Any

import typer

from readtrack import settings
from readtrack.cli.log import set_up_log
from readtrack.cli.opened import library
from readtrack.opening import open_egress, open_library


def run_worker() -> None:
    """`readtrack worker`."""
    from readtrack.worker import Worker

    with library() as (given, database):
        ready = given.ready()
        set_up_log(ready.log_format)
        working = Worker(database, open_egress(ready, database))

        def stop(*_: Any) -> None:  # noqa: ANN401 - what a signal's handler is given
            working.stop()

        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, stop)
        typer.echo("Working; Ctrl+C ends it after the present step.", err=True)
        working.run()


def migrate() -> None:
    """`readtrack migrate`."""
    ready = settings.load().ready()
    open_library(ready).dispose()
    typer.echo(f"The database is up to date: {ready.shown_url}")
