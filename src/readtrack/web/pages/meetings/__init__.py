"""Meetings in a browser: those to come, one of them, its notes, series with their candidates, and the calendar."""
