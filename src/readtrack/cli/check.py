"""`readtrack check`: settings, and problems of database, search index, jobs and catalog."""

from collections.abc import Iterator

import typer
from rich.console import Console

from readtrack import search
from readtrack.cli.context import open_unmigrated_database
from readtrack.infra import config, db
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.jobs import periodic
from readtrack.metadata.catalog import FILE, Catalog

NOT_SET = "(not set)"
HIDDEN = "(set, not shown)"


def check() -> int:
    """Run `readtrack check` and return the exit code, 1 if there are problems. Changes nothing."""
    given = config.load()
    console = Console(highlight=False, soft_wrap=True)
    for line in _setting_lines(given):
        console.print(line, markup=False)
    problems = find_problems(given)
    for problem in problems:
        typer.echo(problem, err=True)
    typer.echo("All is well." if not problems else f"{len(problems)} to look at.")
    return 1 if problems else 0


def find_problems(given: Settings) -> list[str]:
    """Return problems as sentences with what to do; empty if there are none."""
    if not db.database_exists(given.url):
        return [
            f"There is no library at {given.shown_url} yet. `readtrack serve` makes one, as does `readtrack migrate`."
        ]
    with open_unmigrated_database(given) as database:
        own = _check_migrations(database) or [
            *db.integrity_problems(database),
            *_check_search_index(database),
            *_check_failed_jobs(database),
        ]
    return own + _check_catalog(given)


def _check_migrations(database: Database) -> list[str]:
    at, wanted = db.current_revision(database)
    if at == wanted:
        return []
    stands = f"The tables stand at {at}" if at else "There are no tables of readtrack"
    return [f"{stands}; this readtrack needs {wanted}. Back up, then run `readtrack migrate`."]


def _check_search_index(database: Database) -> list[str]:
    with database.read() as tx:
        return search.check(tx)


def _check_failed_jobs(database: Database) -> list[str]:
    with database.read() as tx:
        failures = periodic.list_failures(tx)
    return [
        f"The periodic task “{failure.name}” failed at {failure.failed_at:%Y-%m-%d %H:%M} UTC ({failure.error}). "
        f"It is tried again at {failure.next_at:%H:%M}; the log of the worker has the details."
        for failure in failures
    ]


def _check_catalog(given: Settings) -> list[str]:
    known = Catalog.open(given.data / FILE)
    problem = known.problem()
    known.close()
    return [problem] if problem else []


def _setting_lines(given: Settings) -> Iterator[str]:
    for name, field in type(given).model_fields.items():
        yield f"READTRACK_{name.upper()} = {_format_value(given, name)}: {field.description}"


def _format_value(given: Settings, name: str) -> str:
    value = getattr(given, name)
    if name == "database_url":
        return given.shown_url
    if value == "":
        return NOT_SET
    if not Settings.model_fields[name].repr:
        return HIDDEN
    return str(int(value)) if isinstance(value, bool) else str(value)
