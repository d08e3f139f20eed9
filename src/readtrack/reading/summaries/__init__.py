"""Summaries: each person’s text on a paper, every version kept."""
