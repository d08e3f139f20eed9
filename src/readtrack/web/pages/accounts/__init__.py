"""People in a browser: the door itself, the team, and one's own settings."""
