"""Matching of papers known only by title: search, suggestions, and their review."""
