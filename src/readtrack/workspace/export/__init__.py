"""Papers and what the team wrote, as files."""
