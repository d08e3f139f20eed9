"""The interface of a rate limiter, as the HTTP client uses it; `rate_limit` has the one shared by all processes."""

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class RateLimitSlot(Protocol):
    """The right to ask a host once."""

    def wait(self, seconds: float) -> None:
        """The host wants to be left alone for so long."""
        ...

    def rest(self, seconds: float, reason: str) -> None:
        """The host answers as it should, and no more for so long; why, as a sentence."""
        ...

    def failed(self, problem: str) -> None:
        """The host did not answer, or could not; said in a sentence."""
        ...


class RateLimiter(Protocol):
    """Lets requests to one host through one at a time, an interval apart."""

    def turn(self, host: str, interval: float, /) -> AbstractContextManager[RateLimitSlot]: ...


class _UnlimitedSlot:
    def wait(self, seconds: float) -> None:
        """Nobody else is there to be told."""

    def rest(self, seconds: float, reason: str) -> None:
        """Nobody else is there to be told."""

    def failed(self, problem: str) -> None:
        """Nobody else is there to be told."""


class UnlimitedRateLimiter:
    """A gate that never waits, for a single question from the command line."""

    def turn(self, _host: str, _interval: float) -> AbstractContextManager[RateLimitSlot]:
        return nullcontext(_UnlimitedSlot())
