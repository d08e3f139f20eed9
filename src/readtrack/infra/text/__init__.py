"""Pure functions on text: URLs, titles, diffs, CSV."""
