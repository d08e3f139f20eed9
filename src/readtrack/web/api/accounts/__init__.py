"""People as JSON: the team, oneself, invitations, sessions, tokens."""
