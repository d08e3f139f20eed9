"""How many rows a long task writes at once."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from readtrack.infra.db import Database

SMALLEST = 25
TARGET_SECONDS = 0.04  # of a transaction, so that on SQLite a person who saves something does not notice it


class BatchSize:
    """A batch size that adapts until a transaction takes about TARGET_SECONDS.

    On PostgreSQL it is the largest at once: a writer there does not wait for others.
    """

    def __init__(self, database: Database, largest: int) -> None:
        self._largest, self._is_fixed = largest, database.max_writers > 1
        self.size = largest if self._is_fixed else min(largest, 50)

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the writing of one full batch, and choose the size of the next one."""
        started = time.monotonic()
        yield
        if self._is_fixed:
            return
        factor = TARGET_SECONDS / max(time.monotonic() - started, 1e-3)
        self.size = min(self._largest, max(SMALLEST, round(self.size * min(max(factor, 0.5), 2.0))))
