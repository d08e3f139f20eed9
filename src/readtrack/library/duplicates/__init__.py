"""Duplicate papers: detection, merge and unmerge."""
