"""How many rows a long task writes at once."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

SMALLEST = 25
TARGET_SECONDS = 0.04  # of a transaction, so that on SQLite a person who saves something does not notice it


class BatchSize:
    """A batch size that adapts until a transaction takes about TARGET_SECONDS."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self.size = min(largest, 50)

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the writing of one full batch, and choose the size of the next one."""
        started = time.monotonic()
        yield
        factor = TARGET_SECONDS / max(time.monotonic() - started, 1e-3)
        self.size = min(self._largest, max(SMALLEST, round(self.size * min(max(factor, 0.5), 2.0))))
