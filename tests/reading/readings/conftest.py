"""A library with its search index, as `serve` would open it."""

import pytest

from readtrack import search
from readtrack.infra.db import Database


@pytest.fixture
def database(database: Database) -> Database:
    with database.write() as tx:
        search.ensure(tx)
    return database
