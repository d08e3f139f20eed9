"""Queries on meetings, series, agendas and candidates."""
