"""API endpoints for people, the current user, invitations, sessions and tokens."""
