"""Metadata sources: recognition of URLs and identifiers, and clients for arXiv, Crossref and others."""
