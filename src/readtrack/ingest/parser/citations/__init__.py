"""Split of a reference into title, authors and the rest."""
