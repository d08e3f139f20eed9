"""Detection of dump formats by content, and opening of dumps as decompressed streams."""

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

_SAMPLE_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 16
_PACKED = b"\x1f\x8b"
_OTHERWISE_PACKED = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd")
_TAR = b"ustar"
_MAX_SAMPLE_LINES = 100  # Number of lines checked, as the first ones may be invalid.
UNPACK = "{} is an archive. Unpack it first."
UNKNOWN = (
    "{} is not a supported dump. Supported are the arXiv metadata snapshot (JSON lines), DBLP XML and Crossref works "
    "in JSON, plain or as .gz."
)


CANNOT_GO_ON = (EOFError, OSError, zlib.error)  # A compressed file is truncated or corrupt, or the disk fails.


@dataclass(frozen=True)
class Dump:
    """A dump file and its format.

    `fingerprint` hashes the size and both ends of the file, to recognize equal content.
    """

    path: Path
    form: DumpForm
    size: int
    fingerprint: str


@dataclass(frozen=True)
class OpenDump:
    """A decompressed stream and the number of bytes read from the file so far."""

    stream: io.BufferedIOBase
    bytes_read: Callable[[], int]


def inspect_dump(path: Path) -> Dump:
    """Detect the format of a dump.

    Raise Invalid if it is unknown, OSError if the file cannot be read.
    """
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        digest = hashlib.blake2b(str(size).encode(), digest_size=16)
        for offset in (0, max(0, size - _SAMPLE_BYTES)):
            file.seek(offset)
            digest.update(file.read(_SAMPLE_BYTES))
    return Dump(path, _detect_form(path), size, digest.hexdigest())


@contextmanager
def open_dump(path: Path) -> Iterator[OpenDump]:
    """Open a dump for reading, decompressed. Reading may raise CANNOT_GO_ON."""
    with path.open("rb") as file:
        is_gzip = file.read(2) == _PACKED
        file.seek(0)
        if not is_gzip:
            yield OpenDump(file, file.tell)
            return
        with gzip.GzipFile(fileobj=file) as stream:
            yield OpenDump(stream, file.tell)


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
    """Return the beginning of the file, or its readable part if it is truncated early."""
    sample = b""
    with open_dump(path) as dump:
        try:
            while len(sample) < _SAMPLE_BYTES and (chunk := dump.stream.read1(_CHUNK_BYTES)):
                sample += chunk
        except CANNOT_GO_ON as error:
            if not sample:
                message = f"{path.name} is damaged. Download it again."
                raise Invalid(message) from error
    return sample


def _json_form(text: str) -> DumpForm | None:
    for line in text.splitlines()[:_MAX_SAMPLE_LINES]:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if crossref_json.is_one(value):
            return crossref_json.LINES
        if arxiv_json.is_one(value):
            return arxiv_json.FORM
    is_list = json_stream.is_list(text) and '"DOI"' in text
    return crossref_json.ITEMS if is_list else None
