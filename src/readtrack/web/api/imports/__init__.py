"""Imports and notes as JSON: what lines become and why, every decision on it, the commit, and each line's fate."""
