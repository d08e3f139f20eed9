"""Verbs of meetings, their series, agendas, notes and candidates."""
