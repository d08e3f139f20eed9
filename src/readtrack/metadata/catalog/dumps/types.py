"""What a form of dump is: how its file falls into pieces, and what one piece says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from typing import NamedTuple

from readtrack.metadata.types import Metadata

LONGEST = 4_000_000  # bytes of one piece: the largest works, with ten thousand authors, have half of it


class DumpChunk(NamedTuple):
    """What a file says of one work, as it stands there. `why`: a sentence when that cannot be read."""

    line: int
    text: bytes
    why: str = ""


class DumpWork(NamedTuple):
    """One work. `name` is its own for ever in its dump, `dblp:conf/osdi/…`: said again, it replaces what was said."""

    name: str
    said: Metadata


@dataclass(frozen=True)
class DumpForm:
    """One form of dump. `read` gives None for what is no work (a person's home page); raises ValueError, a sentence."""

    name: str
    label: str
    pieces: Callable[[BufferedIOBase], Iterator[DumpChunk]]
    read: Callable[[bytes], DumpWork | None]
