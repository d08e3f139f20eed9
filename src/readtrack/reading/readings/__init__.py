"""Readings: who reads what, in which state."""
