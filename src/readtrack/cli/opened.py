"""An opened library for a command that runs beside the server, and who it runs as."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ValidationError

from readtrack import settings
from readtrack.db import Database, Read
from readtrack.opening import open_library
from readtrack.people.queries import get_visitor, the_only_active_person
from readtrack.policy import Visitor
from readtrack.settings import Settings
from readtrack.web.forms import invalid

As = Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does it; the only active person when not said.")]


@contextmanager
def library() -> Iterator[tuple[Settings, Database]]:
    """Settings and database, migrated; closed afterwards."""
    ready = settings.load().ready()
    database = open_library(ready)
    try:
        yield ready, database
    finally:
        database.dispose()


@contextmanager
def as_it_is(given: Settings) -> Iterator[Database]:
    """The database neither made nor migrated, to be looked at."""
    database = Database(given.url)
    try:
        yield database
    finally:
        database.dispose()


def person(tx: Read, name: str) -> Visitor:
    """The person of that name, or the only active one when no name is given. Raises an error that lists the names."""
    return get_visitor(tx, name) if name else the_only_active_person(tx)


def checked(model: type[BaseModel], **given: Any) -> Any:  # noqa: ANN401 - the model's own value
    """What was typed, as a command takes it. Raises Invalid with the details as its sentence."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        problem = invalid(error)
        problem.message = " ".join(wrong.detail for wrong in problem.errors)
        problem.args = (problem.message,)
        raise problem from error
