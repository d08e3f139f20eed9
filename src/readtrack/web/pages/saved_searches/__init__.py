"""Saved views in a browser, and their feeds."""
