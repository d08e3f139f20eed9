"""A lock that is handed to whoever has waited longest."""

import threading
from collections import deque


class FairLock:
    """A mutual exclusion lock with a queue.

    `threading.Lock` may be taken again by the thread that has just released it, however many others wait: a thread that
    writes one slice after another would keep them all out.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._queue: deque[threading.Event] = deque()

    @property
    def queue_length(self) -> int:
        """The number of threads in the queue."""
        return len(self._queue)

    def acquire(self, *, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take the lock; return False if it is not free, or does not become free within `timeout` seconds."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            if not blocking:
                return False
            mine = threading.Event()
            self._queue.append(mine)
        if mine.wait(timeout):
            return True
        with self._guard:
            if mine.is_set():  # it was handed over at this very moment
                return True
            self._queue.remove(mine)
            return False

    def release(self) -> None:
        """Hand the lock to the thread that has waited longest; it is free if there is none."""
        with self._guard:
            if self._queue:
                self._queue.popleft().set()
            else:
                self._taken = False
