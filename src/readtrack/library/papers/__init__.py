"""Papers with their identifiers, links and metadata."""
