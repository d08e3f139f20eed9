"""Citations reported by services, between papers of the library and of works missing from it."""
