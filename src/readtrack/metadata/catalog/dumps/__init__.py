"""The files that are loaded: told apart by their content, packed or not, and opened as a stream."""

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from readtrack.infra.errors import Invalid
from readtrack.metadata.catalog.dumps import arxiv_json, crossref_json, dblp_xml, json_stream
from readtrack.metadata.catalog.dumps.types import DumpForm

_SAMPLE = 1 << 20
_CHUNK = 1 << 16
_PACKED = b"\x1f\x8b"
_OTHERWISE_PACKED = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd")
_TAR = b"ustar"
_TRIED = 100  # lines: the first ones may be broken
UNPACK = "{} is an archive. Nothing was loaded; unpack it and give its files."
UNKNOWN = (
    "{} is none of the dumps that are known: arXiv's metadata snapshot (JSON lines), DBLP's XML, works of Crossref in "
    "JSON; each plain or as .gz. Nothing was loaded."
)


CANNOT_GO_ON = (EOFError, OSError, zlib.error)  # a packed file is cut or damaged, or a disk is


@dataclass(frozen=True)
class Dump:
    """A file and its form. `fingerprint`: the same for the same content, read as far as its ends tell."""

    path: Path
    form: DumpForm
    size: int
    fingerprint: str


@dataclass(frozen=True)
class OpenDump:
    """What stands in it, and how many bytes of the file were taken for that."""

    stream: io.BufferedIOBase
    taken: Callable[[], int]


def inspect_dump(path: Path) -> Dump:
    """Which dump it is. Raises Invalid when it is none; OSError when it cannot be read."""
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        digest = hashlib.blake2b(str(size).encode(), digest_size=16)
        for place in (0, max(0, size - _SAMPLE)):
            file.seek(place)
            digest.update(file.read(_SAMPLE))
    return Dump(path, _detect_form(path), size, digest.hexdigest())


@contextmanager
def open_dump(path: Path) -> Iterator[OpenDump]:
    """The content, unpacked. Reading it raises CANNOT_GO_ON."""
    with path.open("rb") as file:
        packed = file.read(2) == _PACKED
        file.seek(0)
        if not packed:
            yield OpenDump(file, file.tell)
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield OpenDump(unpacked, file.tell)


def _detect_form(path: Path) -> DumpForm:
    sample = _read_sample(path)
    if sample.startswith(_OTHERWISE_PACKED) or sample[257:262] == _TAR:
        raise Invalid(UNPACK.format(path.name))
    text = sample.decode(errors="replace").removeprefix("\ufeff").lstrip()
    if text.startswith("<") and "<dblp" in text:
        dblp_xml.check_head(sample)
        return dblp_xml.FORM
    if text.startswith(("{", "[")) and (form := _json_form(text)):
        return form
    raise Invalid(UNKNOWN.format(path.name))


def _read_sample(path: Path) -> bytes:
    """The beginning; of a file that is cut off early, what can be read of it."""
    sample = b""
    with open_dump(path) as dump:
        try:
            while len(sample) < _SAMPLE and (more := dump.stream.read1(_CHUNK)):
                sample += more
        except CANNOT_GO_ON as error:
            if not sample:
                message = f"{path.name} cannot be unpacked: it is damaged. Nothing was loaded; get it again."
                raise Invalid(message) from error
    return sample


def _json_form(text: str) -> DumpForm | None:
    for line in text.splitlines()[:_TRIED]:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if crossref_json.is_one(value):
            return crossref_json.LINES
        if arxiv_json.is_one(value):
            return arxiv_json.FORM
    listed = json_stream.is_list(text) and '"DOI"' in text
    return crossref_json.ITEMS if listed else None
