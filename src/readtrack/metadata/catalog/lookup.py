"""Read-only lookup in the catalog by identifier and title; thread-safe.

For jobs, CatalogClient is fault-tolerant: a catalog that cannot be read counts as empty.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog

from readtrack.infra.db import Database, Read
from readtrack.infra.errors import StorageUnavailable
from readtrack.infra.text.titles import compare
from readtrack.metadata.catalog import store
from readtrack.metadata.catalog.store import (
    DAMAGED,
    FILES,
    HINTS,
    LOOSE,
    OF_ANOTHER,
    WORKS,
    explain_storage_errors,
    is_readable,
    open_database,
)
from readtrack.metadata.types import Metadata, Ref

MIN_SIMILARITY = 0.85  # Minimum similarity of two titles that may name one work.
_AT_ONCE = 500  # Identifiers per statement.
# Candidates with the most hints in common; further ones would only share the generic beginning of a title.
_LOOKED_AT = 100
_STAGES = ("published", "preprint", "page")
_FACTS = (WORKS.c.facts, WORKS.c.name, FILES.c.name.label("file"), FILES.c.begun_at)


class Catalog:
    """Lookup in one catalog file.

    A missing file counts as an empty catalog; it may be loaded later.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._database: Database | None = None
        self._file: tuple[int, int] | None = None  # Identity of the open file, to notice when it is replaced.

    @classmethod
    def open(cls, path: Path) -> "Catalog":
        return cls(path)

    def look_up(self, refs: Sequence[Ref]) -> dict[Ref, Metadata]:
        """Return the work of each identifier.

        A work's own identifier takes precedence over one that a work only lists as another name.
        """
        database = self._open_database()
        works: dict[Ref, Metadata] = {}
        if database is None:
            return works
        remaining_refs = iter(dict.fromkeys(refs))
        with database.read() as tx:
            while batch := list(islice(remaining_refs, _AT_ONCE)):
                works |= _find_by_refs(tx, batch)
        return works

    def find_title(self, title: str, limit: int = 5) -> list[Metadata]:
        """Return works with exactly this title, or else similar ones, the most similar first."""
        database = self._open_database()
        if database is None or not compare.title_letters(title):
            return []
        with database.read() as tx:
            exact = [
                work
                for work in _find_by_hints(tx, {store.title_number(title)})
                if compare.title_similarity(title, work.title) == 1
            ]
            results = exact or [
                work for work in _find_by_hints(tx, store.similar_title_numbers(title)) if _is_likely(title, work.title)
            ]
        results.sort(key=lambda work: (-compare.title_similarity(title, work.title), _STAGES.index(work.stage)))
        return results[:limit]

    def files(self) -> list[Any]:
        """Return the loaded files in order: name, form, new, again, bad, position, begun_at, loaded_at."""
        database = self._open_database()
        if database is None:
            return []
        with database.read() as tx:
            return list(tx.execute(sa.select(FILES).order_by(FILES.c.begun_at, FILES.c.id)))

    def counts(self) -> tuple[int, bool]:
        """Return the number of works, and True if all of them are indexed."""
        database = self._open_database()
        if database is None:
            return 0, True
        with database.read() as tx:
            works = tx.scalar(sa.select(sa.func.max(WORKS.c.id))) or 0
            return works, tx.scalar(sa.select(LOOSE.c.work).limit(1)) is None

    def problem(self) -> str:
        """Return the reason why an existing file is unusable, as a sentence; "" if all is well."""
        try:
            is_well = self._open_database() is not None or not self._path.is_file()
        except StorageUnavailable as error:
            return error.message
        return "" if is_well else OF_ANOTHER.format(self._path)

    def close(self) -> None:
        """Close the connections; the next lookup opens new ones."""
        with self._lock:
            self._forget()

    def _open_database(self) -> Database | None:
        with self._lock:
            file = _file_identity(self._path)
            if file != self._file:
                self._forget()
            if file and self._database is None:
                self._database = _open_readable(self._path)
            self._file = file
            return self._database

    def _forget(self) -> None:
        if self._database is not None:
            self._database.dispose()
        self._database = None


def _file_identity(path: Path) -> tuple[int, int] | None:
    try:
        stat_result = path.stat()
    except OSError:
        return None
    return (stat_result.st_dev, stat_result.st_ino) if S_ISREG(stat_result.st_mode) else None


def _open_readable(path: Path) -> Database | None:
    database = open_database(path)
    try:
        with explain_storage_errors(path), database.read() as tx:
            if is_readable(tx):
                return database
    except StorageUnavailable:
        database.dispose()
        raise
    database.dispose()
    return None


def _find_by_refs(tx: Read, refs: Sequence[Ref]) -> dict[Ref, Metadata]:
    numbers = {store.ref_number(ref) for ref in refs}
    works = [_to_metadata(row) for row in tx.execute(_with_hints(numbers, None))]
    works.sort(key=lambda work: _STAGES.index(work.stage), reverse=True)
    by_identifier = {ref: work for work in works for ref in work.identifiers}
    by_ref = {work.ref: work for work in works}
    return {ref: mapping[ref] for mapping in (by_identifier, by_ref) for ref in refs if ref in mapping}


def _is_likely(left: str, right: str) -> bool:
    """Return True if the titles are similar, or equal up to a subtitle after a distinctive main title."""
    return compare.title_similarity(left, right) >= MIN_SIMILARITY or compare.is_same_title(left, right)


def _find_by_hints(tx: Read, numbers: Collection[int]) -> Iterable[Metadata]:
    return map(_to_metadata, tx.execute(_with_hints(numbers)))


def _with_hints(numbers: Collection[int], limit: int | None = _LOOKED_AT) -> sa.Select[Any]:
    """Return the query for works with any of the hints, those with the most hints first."""
    query = sa.select(HINTS.c.work).where(HINTS.c.number.in_(numbers)).group_by(HINTS.c.work)
    best = query.order_by(sa.func.count().desc()).limit(limit).subquery()
    works = sa.select(*_FACTS).join(FILES, FILES.c.id == WORKS.c.file)
    return works.join(best, best.c.work == WORKS.c.id)


def _to_metadata(row: Any) -> Metadata:  # noqa: ANN401 - a row of _FACTS
    try:
        work = store.unpack_facts(row.facts)
    except ValueError as error:
        raise StorageUnavailable(DAMAGED.format("The catalog")) from error
    source = f"in {row.file}, loaded on {row.begun_at[:10]}"
    result = replace(work, remark=f"{work.remark}; {source}" if work.remark else source)
    return replace(result, raw=store.serialize_facts(result))


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
        log.warning("failed to read catalog", problem=error.message)
        return default
