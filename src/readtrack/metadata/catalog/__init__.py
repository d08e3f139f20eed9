"""The offline library of facts: dumps of arXiv, DBLP and Crossref in one local file, asked before any network."""

from readtrack.metadata.catalog.client import CatalogClient
from readtrack.metadata.catalog.lookup import Catalog
from readtrack.metadata.catalog.store import FILE

__all__ = ["FILE", "Catalog", "CatalogClient"]
