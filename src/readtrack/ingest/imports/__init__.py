"""Imports: note storage, preview, decisions and commit."""
