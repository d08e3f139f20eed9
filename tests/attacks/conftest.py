"""A furnished library, on both databases."""

import pytest

from tests.library import Library, furnished


@pytest.fixture
def library(database) -> Library:
    return furnished(database)
