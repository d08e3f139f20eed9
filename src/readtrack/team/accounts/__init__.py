"""People: accounts, sessions, invitations, tokens."""
