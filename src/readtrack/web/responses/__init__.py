"""Answers shared by pages and API: JSON with entity tags, errors, redirects."""
