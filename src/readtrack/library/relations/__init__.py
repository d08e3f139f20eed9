"""Typed, directed relations between papers, and suggestions for them."""
