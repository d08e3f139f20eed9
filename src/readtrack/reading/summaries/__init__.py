"""Summaries: each person's text on a paper, with all versions."""
