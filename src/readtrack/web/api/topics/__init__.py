"""API endpoints for topics."""
