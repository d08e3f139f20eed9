"""Pages for papers: library, single papers, metadata decisions, and review."""
