"""Access to a library for commands that run next to the server.

Also finds the person a command acts for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, ValidationError

from readtrack.bootstrap import open_library
from readtrack.cli.logging import set_up_log
from readtrack.infra import config, db
from readtrack.infra.config import Settings
from readtrack.infra.db import Database, Read, migrations
from readtrack.infra.db.library_lock import hold_library
from readtrack.infra.errors import NewerSchema, NotFound, StorageUnavailable
from readtrack.infra.permissions import CurrentUser
from readtrack.team.accounts.queries import get_only_active_person, get_visitor
from readtrack.web.dependencies.forms import to_invalid_error
from readtrack.workspace.backup.upgrade import describe_newer_schema

NO_LIBRARY = "No library at {url}. Check {setting}, or create a library with `readtrack serve`."
OLDER = (
    "The library at {url} has schema {at}; this version needs {wanted}. Stop other readtrack processes, then run "
    " `readtrack serve` or `readtrack migrate`."
)


@contextmanager
def open_existing_library() -> Iterator[tuple[Settings, Database]]:
    """Open settings and database without creating or migrating it.

    An older readtrack may be serving it. Raise NotFound if there is no library, StorageUnavailable if its schema
    version differs.
    """
    settings = config.load()
    refuse_without_library(settings)
    with open_unmigrated_database(settings) as database:
        _refuse_other_version(settings, database)
        yield settings, database


@contextmanager
def open_or_create_library() -> Iterator[tuple[Settings, Database]]:
    """Like `open_existing_library`, but create the library if it is missing, for the first person of a team."""
    settings = config.load()
    if not db.database_exists(settings.url) or _is_empty(settings):
        open_library(settings.ready()).dispose()
    with open_existing_library() as library:
        yield library


def refuse_without_library(settings: Settings) -> None:
    """Raise NotFound if there is no library. Does not open it."""
    if not db.database_exists(settings.url):
        raise _no_library(settings)


def _refuse_other_version(settings: Settings, database: Database) -> None:
    current, expected = db.current_revision(database)
    if current is None:
        raise _no_library(settings)
    try:
        is_older = migrations.is_older(current)
    except NewerSchema as error:
        raise describe_newer_schema(settings, error) from error
    if is_older:
        raise StorageUnavailable(OLDER.format(url=settings.shown_url, at=current, wanted=expected))


def _no_library(settings: Settings) -> NotFound:
    setting_name = "READTRACK_DATABASE_URL" if settings.database_url else "READTRACK_DATA"
    return NotFound(NO_LIBRARY.format(url=settings.shown_url, setting=setting_name))


def _is_empty(settings: Settings) -> bool:
    with open_unmigrated_database(settings) as database:
        return db.revision_of(database) is None


@contextmanager
def open_unmigrated_database(settings: Settings) -> Iterator[Database]:
    """Open the database without creating or migrating it, and the log. No restore can replace it meanwhile."""
    set_up_log(settings.log_format)
    with hold_library(settings.url):
        database = Database(settings.url, background=True)
        try:
            yield database
        finally:
            database.dispose()


def get_acting_person(tx: Read, name: str) -> CurrentUser:
    """Return the person with that name, or the only active one if no name is given.

    Raise an error that lists the names if there is no such person.
    """
    return get_visitor(tx, name) if name else get_only_active_person(tx)


def validate_input(model: type[BaseModel], **values: Any) -> Any:  # noqa: ANN401 - an instance of the model
    """Validate command-line input with a model. Raise Invalid with the details as its message."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problem = to_invalid_error(error)
        problem.message = " ".join(field_error.detail for field_error in problem.errors)
        problem.args = (problem.message,)
        raise problem from error
