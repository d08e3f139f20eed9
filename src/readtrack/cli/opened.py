"""An opened library for a command that runs beside the server, and who it runs as."""

from collections.abc import Iterator
from contextlib import contextmanager

from readtrack import settings
from readtrack.db import Database, Read
from readtrack.opening import open_library
from readtrack.people.queries import get_visitor, the_only_active_person
from readtrack.policy import Visitor
from readtrack.settings import Settings


@contextmanager
def library() -> Iterator[tuple[Settings, Database]]:
    """Settings and database, migrated; closed afterwards."""
    ready = settings.load().ready()
    database = open_library(ready)
    try:
        yield ready, database
    finally:
        database.dispose()


def person(tx: Read, name: str) -> Visitor:
    """The person of that name, or the only active one when no name is given. Raises an error that lists the names."""
    return get_visitor(tx, name) if name else the_only_active_person(tx)
