"""Org notes: their headings with status words, tags and drawers, and which of them are papers. Pure."""
