"""Meetings: series with presenter rotation, candidates, agendas, minutes and calendars."""
