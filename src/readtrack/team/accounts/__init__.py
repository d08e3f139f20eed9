"""Accounts: people, sessions, invitations and tokens."""
