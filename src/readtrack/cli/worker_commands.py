"""`readtrack worker`, `jobs` and `migrate`."""

import typer

from readtrack.bootstrap import open_library
from readtrack.cli.context import open_existing_library
from readtrack.cli.logging import set_up_log
from readtrack.infra import config
from readtrack.infra.jobs import queue


def run_worker() -> None:
    """Run `readtrack worker`."""
    from readtrack.cli import worker

    with open_existing_library() as (loaded_settings, database):
        database.dispose()  # Only its version was to be checked.
        settings = loaded_settings.ready()
        set_up_log(settings.log_format)
        typer.echo("Worker running. Press Ctrl+C to stop after the current step.", err=True)
        worker.run_worker(settings)


def migrate() -> None:
    """Run `readtrack migrate`."""
    settings = config.load().ready()
    open_library(settings).dispose()
    typer.echo(f"Database is up to date: {settings.shown_url}")


def show_jobs(*, failed: bool, retry: int | None) -> None:
    """Run `readtrack jobs`."""
    with open_existing_library() as (_, database):
        if retry is not None:
            with database.write() as tx:
                queue.retry_job(tx, retry)
        with database.read() as tx:
            for job in queue.list_jobs(tx, failed=failed):
                progress = f"{job.progress_done}/{job.total}" if job.total else str(job.progress_done)
                typer.echo(f"{job.id}\t{job.kind}\t{job.state}\t{progress}\t{job.run_at:%Y-%m-%d %H:%M}\t{job.error}")
