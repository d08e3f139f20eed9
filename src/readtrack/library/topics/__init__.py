"""Topics with aliases, parents and papers."""
