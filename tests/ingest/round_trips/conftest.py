"""Libraries to send round."""

from collections.abc import Callable, Iterator

import pytest

from tests.databases import Server
from tests.ingest.round_trips.libraries import Shelf


@pytest.fixture
def shelves(server: Server) -> Iterator[Callable[[], Shelf]]:
    """Hands out empty libraries."""
    opened: list[tuple[Shelf, str]] = []

    def open_shelf() -> Shelf:
        url = server.copy()
        opened.append((Shelf(url), url))
        return opened[-1][0]

    yield open_shelf
    for shelf, url in opened:
        shelf.database.dispose()
        server.drop(url)
