"""Meetings: series with a rhythm and a rota, candidates and votes, agendas, notes, and calendars."""
