"""Commands of meetings, series, agendas, minutes and candidates."""
