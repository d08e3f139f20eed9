"""The offline library of facts: dumps of arXiv, DBLP and Crossref in one local file, asked before any network."""

from readtrack.catalogue.asked import Asked
from readtrack.catalogue.looking import Catalogue
from readtrack.catalogue.store import FILE

__all__ = ["FILE", "Asked", "Catalogue"]
