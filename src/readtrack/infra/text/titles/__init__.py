"""Titles of works: cleaned, compared, told from other text."""
