"""`readtrack jobs`."""

import typer

from readtrack.cli.context import open_existing_library
from readtrack.infra.jobs import queue


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
