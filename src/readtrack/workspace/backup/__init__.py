"""Backups of the whole library, their restoring, and the data of one person, all in one documented form."""
