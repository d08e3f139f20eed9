"""LaTeX macros of the team, usable in the formulas of every text."""
