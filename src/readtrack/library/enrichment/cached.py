"""Lookup of metadata in the local catalogue, to save requests to services."""

from collections.abc import Sequence

from readtrack.infra.http.types import CatalogHttp, CatalogLookup, Http
from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata, Ref, Service


def find_cached_metadata(http: Http, service: Service, keys: Sequence[str]) -> dict[str, Metadata]:
    """Return the cached metadata by key: by identifier for an authority, by title for a search index.

    A record counts only under its own identifier; identifiers it merely claims are left to their own service.
    """
    if not (keys and isinstance(http, CatalogHttp)):
        return {}
    if not service.own_schemes:
        return {key: metadata for key in keys if service.by_title and (metadata := _find_published(http.known, key))}
    refs = {Ref(scheme, key): key for scheme in service.own_schemes for key in keys}
    return {refs[ref]: metadata for ref, metadata in http.known.look_up(list(refs)).items() if metadata.ref == ref}


def _find_published(catalog: CatalogLookup, title: str) -> Metadata | None:
    """Return the published work with exactly this title; a preprint would add nothing."""
    works = (
        metadata
        for metadata in catalog.find_title(title)
        if metadata.stage == "published" and compare.is_same_title(metadata.title, title)
    )
    return next(works, None)
