"""A furnished library on SQLite: what is asked here of the doors is the same on every database."""

from collections.abc import Iterator

import pytest

from tests.databases import Server
from tests.description import described_once  # noqa: F401 - a fixture
from tests.sample_library import Library, furnished


@pytest.fixture
def database_url(sqlite_files: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    url = sqlite_files.copy(furnished if "library" in request.fixturenames else None)
    yield url
    sqlite_files.drop(url)


@pytest.fixture
def library(sqlite_files: Server, database_url: str) -> Library:
    """What `database_url` has in it."""
    return sqlite_files.told(furnished)
