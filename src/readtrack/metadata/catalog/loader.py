"""Loading of dumps into the catalog in batches.

An interrupted load resumes where it stopped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.catalog import dumps
from readtrack.metadata.catalog.dumps import Dump
from readtrack.metadata.catalog.dumps.types import DumpChunk, DumpForm, DumpWork
from readtrack.metadata.catalog.store import Batch, Store

_AT_ONCE, _BYTES = 1_000, 8_000_000  # Chunks or bytes per commit, whichever is reached first.
_MAX_REPORTED_LINES = 20  # Maximum invalid lines reported.


@dataclass
class DumpLoad:
    """Loads one file into the catalog. `steps` does the work; the other fields hold the result."""

    store: Store
    dump: Dump
    abstracts: bool = True
    # Line and reason of the first invalid entries in this run.
    errors: list[tuple[int, str]] = field(default_factory=list)
    is_truncated: bool = False  # The file is truncated.

    def __post_init__(self) -> None:
        fingerprint = f"{self.dump.fingerprint}-{'whole' if self.abstracts else 'without abstracts'}"
        self._file = (fingerprint, self.dump.path.name, self.dump.form.name)
        self.row: Any = self.store.file(*self._file)

    @property
    def is_done(self) -> bool:
        """Return True if the file has been read completely, now or earlier."""
        return self.row.loaded_at is not None

    def steps(self) -> Iterator[int]:
        """Load the file and yield the number of bytes read after each commit."""
        with dumps.open_dump(self.dump.path) as source:
            chunks = _until_cut(self.dump.form.split(source.stream), self)
            position = sum(1 for _ in islice(chunks, self.row.position))
            for batch in _batches(chunks):
                position += len(batch)
                self._add(batch, position)
                yield source.bytes_read()
        if not self.is_truncated:
            self.store.close_file(self.row.id)
        self.row = self.store.file(*self._file)

    def _add(self, chunks: Sequence[DumpChunk], position: int) -> None:
        works, errors = [], []
        for chunk in chunks:
            try:
                work = read_chunk(self.dump.form, chunk)
            except ValueError as error:
                errors.append((chunk.line, str(error)))
                continue
            if work is not None:
                works.append(work if self.abstracts else _without_abstract(work))
        self.errors += errors[: _MAX_REPORTED_LINES - len(self.errors)]
        self.store.add(self.row.id, Batch(works, position, len(errors)))


def load_dump(store: Store, path: Path, *, abstracts: bool = True) -> DumpLoad:
    """Start or resume loading a file. Raise Invalid if its format is unknown."""
    return DumpLoad(store, dumps.inspect_dump(path), abstracts)


def read_chunk(form: DumpForm, chunk: DumpChunk) -> DumpWork | None:
    """Read a chunk. Raise ValueError with a sentence that lacks its subject if it is invalid."""
    if chunk.error:
        raise ValueError(chunk.error)
    try:
        return form.read(chunk.text)
    except SourceUnavailable as error:
        message = "is not a valid record"
        raise ValueError(message) from error
    except RecursionError as error:
        message = "is nested too deeply"
        raise ValueError(message) from error


def _batches(chunks: Iterator[DumpChunk]) -> Iterator[list[DumpChunk]]:
    batch, length = [], 0
    for chunk in chunks:
        batch.append(chunk)
        length += len(chunk.text)
        if len(batch) == _AT_ONCE or length > _BYTES:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _until_cut(chunks: Iterator[DumpChunk], load: DumpLoad) -> Iterator[DumpChunk]:
    """Yield chunks until the file ends or cannot be decompressed further."""
    try:
        yield from chunks
    except dumps.CANNOT_GO_ON:
        load.is_truncated = True


def _without_abstract(work: DumpWork) -> DumpWork:
    return DumpWork(work.name, replace(work.metadata, abstract=""))
