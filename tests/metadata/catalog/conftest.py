"""A catalogue for each test, empty."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.metadata.catalog.samples import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path)
    yield library
    library.known.close()
