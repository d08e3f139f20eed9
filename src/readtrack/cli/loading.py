"""Loading of modules."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def load_modules() -> Iterator[None]:
    """Collect no garbage: what is loaded is none, and looking through it takes a sixth of the start.

    It is not looked through later either, so processes forked afterwards share its memory.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
