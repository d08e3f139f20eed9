"""Suggested relations between papers, and the choice of a paper by title."""
