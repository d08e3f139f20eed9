"""`python -m readtrack` is `readtrack`."""

from readtrack.cli import main

main()
