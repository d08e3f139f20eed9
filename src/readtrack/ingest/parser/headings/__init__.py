"""Headings: which of them are topics, papers, parts of the notes on one, or noise; and what stands below. Pure."""
