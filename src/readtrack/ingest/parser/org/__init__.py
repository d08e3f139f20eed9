"""Org notes: headings with status words, tags and drawers, and which of them are papers."""
