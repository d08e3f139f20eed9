"""`readtrack check`: settings, and problems of database, search index, jobs and catalog."""

from collections.abc import Iterator

import typer
from rich.console import Console

from readtrack import search
from readtrack.cli.context import open_unmigrated_database
from readtrack.infra import config, db
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.db.sqlite import sqlite3
from readtrack.infra.http.types import OFFLINE
from readtrack.infra.jobs import queue, scheduler
from readtrack.metadata.catalog import FILE, Catalog

NOT_SET = "(not set)"
HIDDEN = "(set, not shown)"


def check() -> int:
    """Run `readtrack check` and return the exit code, 1 if there are problems. Changes nothing."""
    settings = config.load()
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"SQLite {sqlite3.sqlite_version}")
    for line in _setting_lines(settings):
        console.print(line, markup=False)
    problems = find_problems(settings)
    for problem in problems:
        typer.echo(problem, err=True)
    typer.echo("No problems found." if not problems else f"Problems found: {len(problems)}.")
    return 1 if problems else 0


def find_problems(settings: Settings) -> list[str]:
    """Return problems as sentences with what to do; empty if there are none."""
    if not db.database_exists(settings.url):
        return [f"No library at {settings.shown_url}. Create one with `readtrack serve` or `readtrack migrate`."]
    with open_unmigrated_database(settings) as database:
        problems = _check_migrations(database) or [
            *db.integrity_problems(database),
            *_check_search_index(database),
            *_check_periodic_tasks(database),
            *_check_failed_jobs(database, settings),
            *db.version_problems(database),
        ]
    return problems + _check_catalog(settings)


def _check_migrations(database: Database) -> list[str]:
    current, expected = db.current_revision(database)
    if current == expected:
        return []
    state_text = f"The database schema is {current}" if current else "The database has no readtrack tables"
    return [f"{state_text}; this version needs {expected}. Back up, then run `readtrack migrate`."]


def _check_search_index(database: Database) -> list[str]:
    with database.read() as tx:
        return search.check(tx)


def _check_failed_jobs(database: Database, settings: Settings) -> list[str]:
    """Report failed jobs, without those that only wait for READTRACK_OFFLINE to end."""
    with database.read() as tx:
        count = queue.count_failed_jobs(tx, except_error=OFFLINE if settings.offline else "")
    if not count:
        return []
    jobs = "1 job has failed" if count == 1 else f"{count} jobs have failed"
    return [f"{jobs}. List them with `readtrack jobs --failed`, retry one with `readtrack jobs --retry ID`."]


def _check_periodic_tasks(database: Database) -> list[str]:
    with database.read() as tx:
        failures = scheduler.list_failures(tx)
    return [
        f"The periodic task “{failure.name}” failed at {failure.failed_at:%Y-%m-%d %H:%M} UTC ({failure.error}). "
        f"Next try at {failure.next_at:%H:%M}. See the worker's log for details."
        for failure in failures
    ]


def _check_catalog(settings: Settings) -> list[str]:
    catalog = Catalog.open(settings.data / FILE)
    problem = catalog.problem()
    catalog.close()
    return [problem] if problem else []


def _setting_lines(settings: Settings) -> Iterator[str]:
    for name, field in type(settings).model_fields.items():
        yield f"READTRACK_{name.upper()} = {_format_value(settings, name)}: {field.description}"


def _format_value(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    if name == "database_url":
        return settings.shown_url
    if value == "":
        return NOT_SET
    if not Settings.model_fields[name].repr:
        return HIDDEN
    return str(int(value)) if isinstance(value, bool) else str(value)
