"""Version history of topics: list, compare, merge and restore."""
