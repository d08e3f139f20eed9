"""What helps to search: how a search may go on, and what the search understands."""
