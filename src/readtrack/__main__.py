"""`python -m readtrack` is `readtrack`."""

import gc

gc.disable()  # nothing that is loaded at start is garbage; to look for some took a sixth of the time
from readtrack.cli import main  # noqa: E402 - after that

gc.enable()

if __name__ == "__main__":
    main()
