"""`readtrack worker`, `jobs` and `migrate`."""

from collections.abc import Mapping

import typer

from readtrack.bootstrap import open_library
from readtrack.cli.context import open_existing_library, open_unmigrated_database
from readtrack.infra import config, db
from readtrack.infra.config import Settings
from readtrack.infra.db import Read, Write, migrations
from readtrack.infra.db.library_lock import hold_library
from readtrack.infra.jobs import queue
from readtrack.infra.permissions import OPERATOR


def run_worker() -> None:
    """Run `readtrack worker`."""
    from readtrack.cli import worker

    with open_existing_library() as (loaded_settings, database):
        database.dispose()  # Only its version was to be checked.
        settings = loaded_settings.ready()
        typer.echo("Worker running. Press Ctrl+C to stop after the current step.", err=True)
        worker.run_worker(settings)


def migrate(*, back_up: bool) -> None:
    """Run `readtrack migrate`."""
    settings = config.load().ready()
    with hold_library(settings.url):
        open_library(settings, back_up=back_up).dispose()
    typer.echo(f"Database is up to date: {settings.shown_url}")


def show_migrations(*, back_up: bool) -> None:
    """Run `readtrack migrate --dry-run`."""
    settings = config.load()
    current = None
    if db.database_exists(settings.url):
        with open_unmigrated_database(settings) as database:
            current = db.revision_of(database)
    if current is not None and not migrations.is_older(current):
        typer.echo(f"Database is up to date: {settings.shown_url}")
        return
    if back_up and current is not None:
        typer.echo(f"Back up to {settings.backup_folder}")
    for revision, purpose in migrations.pending(current):
        typer.echo(f"{revision}\t{purpose}")


def show_jobs(*, failed: bool, retry: int | None, source_actions: Mapping[str, str | None]) -> None:
    """Run `readtrack jobs`. `source_actions`: pause, resume, try-now, cancel or restore -> the source's name."""
    with open_existing_library() as (settings, database):
        if retry is not None:
            with database.write() as tx:
                queue.retry_job(tx, retry)
        for action, name in source_actions.items():
            if name is not None:
                with database.write() as tx:
                    _change_source(tx, action, name, settings)
        with database.read() as tx:
            if not failed:
                _print_sources_and_imports(tx, settings)
            for job in queue.list_jobs(tx, failed=failed):
                progress = f"{job.progress_done}/{job.total}" if job.total else str(job.progress_done)
                typer.echo(f"{job.id}\t{job.kind}\t{job.state}\t{progress}\t{job.run_at:%Y-%m-%d %H:%M}\t{job.error}")


def _change_source(tx: Write, action: str, name: str, settings: Settings) -> None:
    from readtrack.library.enrichment import source_commands

    if action == "try-now":
        source_commands.try_source_now(tx, OPERATOR, name, settings.bases)
        return
    commands = {
        "pause": source_commands.pause_source,
        "resume": source_commands.resume_source,
        "cancel": source_commands.cancel_requests,
        "restore": source_commands.restore_requests,
    }
    commands[action](tx, OPERATOR, name)


def _print_sources_and_imports(tx: Read, settings: Settings) -> None:
    """Print a line for each source and each import of which something is waited for."""
    from readtrack.ingest.job_overview import list_import_progress
    from readtrack.library.enrichment.pending import format_time
    from readtrack.library.enrichment.source_status import list_sources

    for source in list_sources(tx, settings.bases, offline=settings.offline):
        if source.is_active:
            details = [f"{source.waiting}{'+' if source.has_more_waiting else ''} waiting"]
            if source.last_answer_at:
                details.append(f"last answer {source.last_answer_at:%Y-%m-%d %H:%M} UTC")
            if source.next_try_at:
                details.append(f"next try {format_time(source.next_try_at)}")
            if source.failures:
                details.append(f"{source.failures} failures in a row")
            typer.echo(f"source\t{source.name}\t{source.state}\t{', '.join(details)}\t{source.reason}")
    for progress in list_import_progress(tx):
        done = f"{progress.progress_done}/{progress.total}" if progress.total else str(progress.progress_done)
        waiting = f"{progress.papers_waiting}{'+' if progress.has_more_waiting else ''}"
        typer.echo(
            f"import\t{progress.id}\t{progress.state}\t{done}, {waiting} papers waiting for metadata\t{progress.title}"
        )
