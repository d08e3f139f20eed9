"""Papers: what the team tracks, with their names, links and records."""
