"""Types of dump formats: how a file is split into chunks and how a chunk is read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from typing import NamedTuple

from readtrack.metadata.types import Metadata

# Maximum bytes of a chunk; the largest works, with ten thousand authors, have half of that.
MAX_RECORD_BYTES = 4_000_000


class DumpChunk(NamedTuple):
    """The raw text of one work in a dump. `error` is a sentence if it cannot be read."""

    line: int
    text: bytes
    error: str = ""


class DumpWork(NamedTuple):
    """A work in a dump.

    `name` is its permanent ID, e.g. `dblp:conf/osdi/…`; a repeated ID replaces the earlier work.
    """

    name: str
    metadata: Metadata


@dataclass(frozen=True)
class DumpForm:
    """A dump format.

    `read` returns None for entries that are no works (e.g. home pages); raises ValueError with a sentence.
    """

    name: str
    label: str
    split: Callable[[BufferedIOBase], Iterator[DumpChunk]]
    read: Callable[[bytes], DumpWork | None]
