"""Readings: who reads which paper, with which status."""
