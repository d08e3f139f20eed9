"""Reading statistics of a person or the team: figures, charts, and their data as CSV."""
