"""API endpoints for meetings."""
