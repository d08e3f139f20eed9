"""Lists: their items, what these are, where each ends, and what is nested below it."""
