"""A furnished library on SQLite: what is asked here of the doors is the same on every database."""

from collections.abc import Iterator

import pytest

from tests.databases import Server
from tests.library import Library, furnished


@pytest.fixture
def database_url(sqlite_files: Server) -> Iterator[str]:
    url = sqlite_files.copy()
    yield url
    sqlite_files.drop(url)


@pytest.fixture
def library(database) -> Library:
    return furnished(database)
