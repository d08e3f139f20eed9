"""A first-come, first-served lock."""

import threading
from collections import deque


class FairLock:
    """A mutual exclusion lock with a FIFO queue.

    A thread that has just released a `threading.Lock` may take it again although others wait; a thread that writes one
    batch after another would starve them.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._queue: deque[threading.Event] = deque()

    @property
    def queue_length(self) -> int:
        """Return the number of waiting threads."""
        return len(self._queue)

    def acquire(self, *, blocking: bool = True, timeout: float | None = None) -> bool:
        """Take the lock.

        Return False if it is not free, or does not become free within `timeout` seconds.
        """
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            if not blocking:
                return False
            handover = threading.Event()
            self._queue.append(handover)
        if handover.wait(timeout):
            return True
        with self._guard:
            if handover.is_set():  # The lock was handed over just as the timeout expired.
                return True
            self._queue.remove(handover)
            return False

    def release(self) -> None:
        """Hand the lock to the thread that has waited longest, or free it if no thread waits."""
        with self._guard:
            if self._queue:
                self._queue.popleft().set()
            else:
                self._taken = False
