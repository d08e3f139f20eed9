"""The form of an archive: a zip with a manifest, a JSON Lines file for each table, and files.

docs/backup.md describes it. It depends on no database: moments are UTC in ISO 8601, bytes are URL-safe Base64, and NULL
is a column left out.
"""

import errno
import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import SchemaValidator, core_schema, from_json, to_json

import readtrack
from readtrack.infra.clock import now
from readtrack.infra.db.tables import Columns, Kind, Row
from readtrack.infra.errors import Invalid

FORMAT, VERSION = "readtrack archive", 1
MANIFEST = "manifest.json"
COMPRESSION = 1  # Of zlib's nine levels: the others take much longer for little less.
CHUNK_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 28  # Longer rows are refused, so that no archive fills the memory.
MAX_MANIFEST_BYTES = 1 << 24

DAMAGED = "{name} is damaged or incomplete ({reason}). Choose another backup."
FOREIGN = "{name} isn't a readtrack archive."
NEWER = "{name} was made by a newer version of readtrack ({version}). Install that version or a newer one."


class TableEntry(BaseModel):
    """The description of a table. `last_id`: the highest ID ever given to a row, where the database remembers it."""

    columns: dict[str, Kind]
    count: int
    sha256: str
    last_id: int | None = None


class FileEntry(BaseModel):
    """The description of a file."""

    size: int
    sha256: str


class Manifest(BaseModel):
    """The description of an archive. `key_check` tells secret keys apart without revealing one."""

    model_config = ConfigDict(frozen=True)

    format: str = FORMAT
    version: int = VERSION
    kind: Literal["library", "person"]
    readtrack: str = readtrack.__version__
    revision: str
    database: str
    created_at: datetime
    key_check: str = ""
    tables: dict[str, TableEntry]
    files: dict[str, FileEntry] = {}

    @property
    def row_count(self) -> int:
        """Return the number of rows of all tables."""
        return sum(table.count for table in self.tables.values())


class ArchiveWriter:
    """Writes an archive, a part of a table in memory at a time."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._zip = file
        self._tables: dict[str, TableEntry] = {}
        self._files: dict[str, FileEntry] = {}

    @classmethod
    @contextmanager
    def open(cls, file: IO[bytes]) -> Iterator[Self]:
        """Write to an open file."""
        archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION)
        try:
            yield cls(archive)
            archive.close()
        finally:
            with suppress(OSError):  # After an error; the disk may be full, and the file is of no use anyway.
                archive.close()

    def add_table(self, name: str, columns: Columns, rows: Iterable[Row], *, last_id: int | None = None) -> None:
        """Write the rows of a table."""
        digest, count = hashlib.sha256(), 0
        with self._zip.open(_member(table_path(name)), "w", force_zip64=True) as member:
            for lines in _chunks(rows):
                count += lines.count(b"\n")
                digest.update(lines)
                member.write(lines)
        entry = TableEntry(columns=dict(columns), count=count, sha256=digest.hexdigest(), last_id=last_id)
        self._tables[name] = entry

    def add_file(self, name: str, content: bytes) -> None:
        """Write a file."""
        self._zip.writestr(_member(file_path(name)), content)
        self._files[name] = FileEntry(size=len(content), sha256=hashlib.sha256(content).hexdigest())

    def finish(self, **header: Any) -> Manifest:  # noqa: ANN401 - the other fields of Manifest
        """Write the manifest."""
        manifest = Manifest(created_at=now(), tables=self._tables, files=self._files, **header)
        self._zip.writestr(_member(MANIFEST), manifest.model_dump_json(indent=1))
        return manifest


class Archive:
    """An archive that is open for reading. Its methods raise Invalid if it is damaged."""

    def __init__(self, name: str, file: zipfile.ZipFile, manifest: Manifest) -> None:
        self.name, self.manifest, self._zip = name, manifest, file

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table. Raise Invalid at its end if they are not those of the manifest."""
        entry = self.manifest.tables[table]
        decode = _rows_validator(entry.columns).validate_json
        digest, count = hashlib.sha256(), 0
        with _report_damage(self.name), self._zip.open(table_path(table)) as member:
            for lines in _read_lines(member):
                digest.update(lines)
                rows = decode(b"[%b]" % lines.rstrip(b"\n").replace(b"\n", b","))
                count += len(rows)
                yield from rows
        self._compare_table(table, count, digest.hexdigest())

    def read_file(self, name: str) -> bytes:
        """Return the content of a file."""
        entry = self.manifest.files[name]
        with _report_damage(self.name), self._zip.open(file_path(name)) as member:
            content = member.read(entry.size + 1)
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            raise Invalid(DAMAGED.format(name=self.name, reason=f"file {name}"))
        return content

    def verify(self) -> None:
        """Compare everything with the manifest, without parsing the rows."""
        for table in self.manifest.tables:
            digest, count = hashlib.sha256(), 0
            with _report_damage(self.name), self._zip.open(table_path(table)) as member:
                while chunk := member.read(CHUNK_BYTES):
                    digest.update(chunk)
                    count += chunk.count(b"\n")
            self._compare_table(table, count, digest.hexdigest())
        for name in self.manifest.files:
            self.read_file(name)

    def _compare_table(self, table: str, count: int, sha256: str) -> None:
        entry = self.manifest.tables[table]
        if (count, sha256) != (entry.count, entry.sha256):
            raise Invalid(DAMAGED.format(name=self.name, reason=f"table {table}"))


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive and read its manifest. Raise Invalid if it is none, damaged, or of a newer form."""
    try:
        file = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise Invalid(_reason_for(path)) from error
    except (ValueError, NotImplementedError, struct.error) as error:  # names, versions or sizes that can't be
        raise Invalid(DAMAGED.format(name=path.name, reason="its directory can't be read")) from error
    with file:
        yield Archive(path.name, file, _read_manifest(path.name, file))


def table_path(name: str) -> str:
    return f"tables/{name}.jsonl"


def file_path(name: str) -> str:
    return f"files/{name}"


def key_check(secret_key: str) -> str:
    """Return a short hash of a secret key."""
    return hashlib.sha256(f"readtrack archive {secret_key}".encode()).hexdigest()[:16] if secret_key else ""


def _read_manifest(name: str, file: zipfile.ZipFile) -> Manifest:
    if MANIFEST not in file.namelist():
        raise Invalid(FOREIGN.format(name=name))
    with _report_damage(name), file.open(MANIFEST) as member:
        fields = from_json(member.read(MAX_MANIFEST_BYTES))
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise Invalid(FOREIGN.format(name=name))
    if fields.get("version") != VERSION:
        raise Invalid(NEWER.format(name=name, version=fields.get("readtrack", "?")))
    try:
        manifest = Manifest.model_validate(fields)
    except ValidationError as error:
        raise Invalid(DAMAGED.format(name=name, reason="manifest")) from error
    expected = {MANIFEST, *map(table_path, manifest.tables), *map(file_path, manifest.files)}
    if missing := sorted(expected.difference(file.namelist())):
        raise Invalid(DAMAGED.format(name=name, reason=f"{missing[0]} is missing"))
    return manifest


def _reason_for(path: Path) -> str:
    """Tell a torn archive, whose directory at the end is missing, from another kind of file."""
    with path.open("rb") as file:
        is_zip = file.read(4) == b"PK\x03\x04"
    return DAMAGED.format(name=path.name, reason="its end is missing") if is_zip else FOREIGN.format(name=path.name)


@contextmanager
def _report_damage(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # a place before the beginning of the file
            raise
        raise Invalid(DAMAGED.format(name=name, reason=str(error) or "its end is missing")) from error
    except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        raise Invalid(DAMAGED.format(name=name, reason="a row isn't as described")) from error


def _member(path: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(path, now().astimezone(UTC).timetuple()[:6])
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o600 << 16
    return member


def _chunks(rows: Iterable[Row]) -> Iterator[bytes]:
    chunk = bytearray()
    for row in rows:
        chunk += to_json(row, bytes_mode="base64", inf_nan_mode="constants")
        chunk += b"\n"
        if len(chunk) >= CHUNK_BYTES:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)


def _read_lines(member: IO[bytes]) -> Iterator[bytes]:
    """Yield whole lines, many at once. Raise ValueError if one is too long."""
    begun: list[bytes] = []
    while chunk := member.read(CHUNK_BYTES):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*begun, chunk[:end]])
            begun = []
        begun.append(chunk[end:])
        if sum(map(len, begun)) > MAX_LINE_BYTES:
            raise ValueError(MAX_LINE_BYTES)
    if rest := b"".join(begun):
        yield rest


_VALUES: Mapping[Kind, core_schema.CoreSchema] = {
    "boolean": core_schema.bool_schema(),
    "datetime": core_schema.datetime_schema(tz_constraint="aware"),
    "date": core_schema.date_schema(),
    "json": core_schema.any_schema(),
    "bytes": core_schema.bytes_schema(),
    "integer": core_schema.int_schema(),
    "number": core_schema.float_schema(),
    "text": core_schema.str_schema(),
}


def _rows_validator(columns: Columns) -> SchemaValidator:
    """Return what reads rows of a table and checks the types of their values."""
    fields = {name: core_schema.typed_dict_field(_VALUES[kind], required=False) for name, kind in columns.items()}
    config = core_schema.CoreConfig(strict=True, extra_fields_behavior="forbid", val_json_bytes="base64")
    return SchemaValidator(core_schema.list_schema(core_schema.typed_dict_schema(fields, config=config)))
