"""API endpoints for imports: preview, decisions, commit, report, and imported notes."""
