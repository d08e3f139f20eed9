"""Pages for saved searches and their feeds."""
