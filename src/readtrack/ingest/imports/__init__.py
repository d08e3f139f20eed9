"""Imports: notes stored, previewed, decided and carried out."""
