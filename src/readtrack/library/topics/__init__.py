"""Topics: named subjects with aliases, parents and papers."""
