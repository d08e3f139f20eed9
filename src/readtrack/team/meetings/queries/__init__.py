"""Questions about meetings, their series, agendas and candidates."""
