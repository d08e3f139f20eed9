"""The local catalog: dumps of arXiv, DBLP and Crossref in one file, consulted before any online service."""

from readtrack.metadata.catalog.lookup import Catalog, CatalogClient
from readtrack.metadata.catalog.store import FILE

__all__ = ["FILE", "Catalog", "CatalogClient"]
