"""Words of the team's in formulas: each stands for a piece of LaTeX, in every text."""
