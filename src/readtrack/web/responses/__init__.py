"""Responses shared by pages and API: JSON with ETags, errors, redirects."""
