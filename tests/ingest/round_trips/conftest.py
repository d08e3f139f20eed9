"""Libraries to send round."""

from collections.abc import Callable, Iterator

import pytest

from tests.databases import Server
from tests.ingest.round_trips.libraries import Shelf

MAX_OPEN = 8  # one example opens six


@pytest.fixture
def shelves(server: Server) -> Iterator[Callable[[], Shelf]]:
    """Hands out empty libraries, of which the latest few stay open: each example of a property has some of its own."""
    opened: list[tuple[Shelf, str]] = []

    def close(shelf: Shelf, url: str) -> None:
        shelf.database.dispose()
        server.drop(url)

    def open_shelf() -> Shelf:
        url = server.copy()
        opened.append((Shelf(url), url))
        if len(opened) > MAX_OPEN:
            close(*opened.pop(0))
        return opened[-1][0]

    yield open_shelf
    for shelf, url in opened:
        close(shelf, url)
