"""Titles of works: cleaning, comparison and recognition."""
