"""Pages for summaries."""
