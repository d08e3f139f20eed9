"""Metadata services, one module each with a SERVICE; some also have a SOURCE."""
