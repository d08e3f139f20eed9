"""What the local catalogue knows of what a service would be asked, so that it need not be."""

from collections.abc import Sequence

from readtrack.infra.http.types import CatalogHttp, CatalogLookup, Http
from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata, Ref, Service


def find_cached_metadata(http: Http, service: Service, keys: Sequence[str]) -> dict[str, Metadata]:
    """Key -> the work that has that very name, for whoever speaks for it; and for an index that is asked by titles.

    A work that only claims a name says nothing for the one whose name it is: that is for its own site to say.
    """
    if not (keys and isinstance(http, CatalogHttp)):
        return {}
    if not service.own:
        return {key: said for key in keys if service.by_title and (said := _find_published(http.known, key))}
    refs = {Ref(scheme, key): key for scheme in service.own for key in keys}
    return {refs[ref]: said for ref, said in http.known.look_up(list(refs)).items() if said.ref == ref}


def _find_published(known: CatalogLookup, title: str) -> Metadata | None:
    """The published form of that very title; a preprint adds nothing to what is known."""
    works = (
        said
        for said in known.find_title(title)
        if said.stage == "published" and compare.is_same_title(said.title, title)
    )
    return next(works, None)
