"""The catalogue as jobs ask it: one that cannot be read now is as good as none, and holds nothing up."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import structlog

from readtrack.infra.errors import StorageUnavailable
from readtrack.metadata.catalog.lookup import Catalogue
from readtrack.metadata.types import Metadata, Ref

Told = TypeVar("Told")
log = structlog.get_logger()


class Asked:
    """What is known, or nothing; the log says why."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def look_up(self, refs: Sequence[Ref]) -> Mapping[Ref, Metadata]:
        return _or_nothing(lambda: self._catalogue.look_up(refs), {})

    def find_title(self, title: str) -> Sequence[Metadata]:
        return _or_nothing(lambda: self._catalogue.find_title(title), [])


def _or_nothing(ask: Callable[[], Told], nothing: Told) -> Told:
    try:
        return ask()
    except StorageUnavailable as error:
        log.warning("the catalogue cannot be read", problem=error.message)
        return nothing
