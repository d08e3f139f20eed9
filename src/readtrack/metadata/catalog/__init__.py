"""The offline library of facts: dumps of arXiv, DBLP and Crossref in one local file, asked before any network."""

from readtrack.metadata.catalog.client import Asked
from readtrack.metadata.catalog.lookup import Catalogue
from readtrack.metadata.catalog.store import FILE

__all__ = ["FILE", "Asked", "Catalogue"]
