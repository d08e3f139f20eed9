"""How much this run tries: `make test` enough to notice a mistake within minutes, `make test-all` everything."""

import os

# In the environment, as decorators ask for it while modules are imported, and processes that tests start do as well.
DEEP = "READTRACK_TEST_DEEP" in os.environ


def examples(few: int) -> int:
    """How many examples of a law are tried: `few`, or twenty times as many in a deep run."""
    return few * 20 if DEEP else few
