"""LRU cache of rendered texts, limited by total size, because a single result may have a megabyte."""

import threading
from collections import OrderedDict
from collections.abc import Hashable


class RenderCache:
    """An LRU cache. `most` is the maximum total weight in characters."""

    def __init__(self, max_weight: int) -> None:
        self._most = max_weight
        self._held = 0
        self._results: OrderedDict[Hashable, tuple[str, int]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> str | None:
        """Return the cached result, marked as most recently used, or None."""
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][0]

    def keep(self, key: Hashable, result: str, *, weight: int) -> None:
        """Store a result and evict the least recently used ones.

        `weight` is the size of result and key in characters.
        """
        with self._lock:
            self._held += weight - self._results.pop(key, ("", 0))[1]
            self._results[key] = result, weight
            while self._held > self._most:
                self._held -= self._results.popitem(last=False)[1][1]
