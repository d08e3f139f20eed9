"""Bibliographies in notes: BibTeX, RIS, EndNote and CSL-JSON entries, each with its lines."""
