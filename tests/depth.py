"""How much this run tries: `make test` enough to notice a mistake within minutes, `make test-all` everything."""

import os
from collections.abc import Iterable
from typing import TypeVar
from zlib import crc32

# In the environment, as decorators ask for it while modules are imported, and processes that tests start do as well.
DEEP = "READTRACK_TEST_DEEP" in os.environ
T = TypeVar("T")


def examples(few: int) -> int:
    """How many examples of a law are tried: half of `few`, or twenty times `few` in a deep run."""
    return few * 20 if DEEP else (few + 1) // 2


def some(cases: Iterable[T], few: int) -> list[T]:
    """Of many cases `few`, from the first to the last at even distances; in a deep run all of them."""
    every = list(cases)
    if DEEP or len(every) <= few:
        return every
    return [every[number * (len(every) - 1) // max(few - 1, 1)] for number in range(few)]


def one_in(times: int, *name: object) -> bool:
    """Whether this one of many is tried: every one in a deep run, else one in so many; by its name always the same."""
    return DEEP or crc32(repr(name).encode()) % times == 0
