"""The first page: what waits for one person today, and what the team did."""
