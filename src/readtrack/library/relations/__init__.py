"""Typed, directed links between papers, and suggestions for them."""
