"""`python -m readtrack` runs the command line."""

import gc

gc.disable()  # Nothing loaded at startup is garbage; the collector took a sixth of the time.
from readtrack.cli import main  # noqa: E402 - after gc.disable()

gc.enable()

if __name__ == "__main__":
    main()
