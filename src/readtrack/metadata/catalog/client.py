"""Fault-tolerant access to the catalog for jobs: a catalog that cannot be read counts as empty."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import structlog

from readtrack.infra.errors import StorageUnavailable
from readtrack.metadata.catalog.lookup import Catalog
from readtrack.metadata.types import Metadata, Ref

Result = TypeVar("Result")
log = structlog.get_logger()


class CatalogClient:
    """Wraps a catalog; logs errors and returns empty results instead."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalogue = catalog

    def look_up(self, refs: Sequence[Ref]) -> Mapping[Ref, Metadata]:
        return _fall_back_to(lambda: self._catalogue.look_up(refs), {})

    def find_title(self, title: str) -> Sequence[Metadata]:
        return _fall_back_to(lambda: self._catalogue.find_title(title), [])


def _fall_back_to(lookup: Callable[[], Result], default: Result) -> Result:
    try:
        return lookup()
    except StorageUnavailable as error:
        log.warning("the catalogue cannot be read", problem=error.message)
        return default
