"""What was formatted before, the last used of it: bounded by its size, as one text may have a megabyte. Pure."""

import threading
from collections import OrderedDict
from collections.abc import Hashable


class RenderCache:
    """Results by what they were made of. `most`: characters of all of them together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._results: OrderedDict[Hashable, tuple[str, int]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> str | None:
        """The result, which is now the last used."""
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][0]

    def keep(self, key: Hashable, result: str, *, weight: int) -> None:
        """Keeps one, and forgets those that nobody used for longest. `weight`: characters of it and of its key."""
        with self._lock:
            self._held += weight - self._results.pop(key, ("", 0))[1]
            self._results[key] = result, weight
            while self._held > self._most:
                self._held -= self._results.popitem(last=False)[1][1]
