"""Summaries in a browser."""
