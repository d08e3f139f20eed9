"""API endpoints for papers."""
