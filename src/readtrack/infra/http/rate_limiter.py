"""The rate limiter interface used by the HTTP client.

`rate_limit` implements it for all processes.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class RateLimitSlot(Protocol):
    """Permission to send one request to a host."""

    def wait(self, seconds: float) -> None:
        """Record that the host asked to wait this many seconds, which counts as a failure."""
        ...

    def pause(self, seconds: float, reason: str) -> None:
        """Record that the host asked for a pause although it answered correctly.

        `reason` is a sentence.
        """
        ...

    def failed(self, problem: str) -> None:
        """Record that the request failed. `problem` is a sentence."""
        ...


class RateLimiter(Protocol):
    """A limiter that allows one request per host at a time, an interval apart."""

    def acquire(self, host: str, interval: float, /) -> AbstractContextManager[RateLimitSlot]: ...


class _UnlimitedSlot:
    def wait(self, seconds: float) -> None:
        """Do nothing, because no state is shared."""

    def pause(self, seconds: float, reason: str) -> None:
        """Do nothing, because no state is shared."""

    def failed(self, problem: str) -> None:
        """Do nothing, because no state is shared."""


class UnlimitedRateLimiter:
    """A limiter that never waits, for single requests from the command line."""

    def acquire(self, _host: str, _interval: float) -> AbstractContextManager[RateLimitSlot]:
        return nullcontext(_UnlimitedSlot())
