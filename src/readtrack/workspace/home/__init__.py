"""The home page: what is due for one person today, and what the team did."""
