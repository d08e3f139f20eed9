"""Topics as JSON: the same questions and verbs as the pages."""
