"""How much SQLite does, in steps of its machine: the same on every computer, however busy."""

from collections.abc import Iterator
from contextlib import contextmanager

from readtrack.infra.db import Read

FINEST = 100  # steps between two looks


@contextmanager
def steps(tx: Read) -> Iterator[list[int]]:
    """Counts those that are made in the block, to within a hundred for each statement: the one number in the list."""
    counted = [0]

    def look() -> int:
        counted[0] += FINEST
        return 0

    connection = tx.connection().connection.driver_connection
    assert connection is not None
    connection.set_progress_handler(look, FINEST)
    try:
        yield counted
    finally:
        connection.set_progress_handler(None, 0)
