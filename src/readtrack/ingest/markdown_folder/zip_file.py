"""Markdown folders as zip files: streamed export, and import within size limits."""

import lzma
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import BytesIO, RawIOBase
from typing import IO, Any

from readtrack.infra.db import Database
from readtrack.infra.errors import Invalid, TooLarge
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.markdown_folder import queries
from readtrack.ingest.markdown_folder.file_names import FolderNames
from readtrack.ingest.markdown_folder.note_format import serialize_note
from readtrack.ingest.markdown_folder.notes import ABOUT, PAPERS, SUFFIX, TOPICS
from readtrack.ingest.markdown_folder.queries import BATCH_SIZE

MEDIA_TYPE = "application/zip"
MAX_FILES = 200_000
MAX_BYTES = 500_000_000  # of all notes, uncompressed
MAX_UPLOAD_BYTES = (
    50_000_000  # the same for an uploaded zip, because a small file may contain very much data (zip bomb)
)
MAX_NOTE_BYTES = 2_000_000  # bytes
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, NotImplementedError, RuntimeError),
    *(EOFError, OSError, ValueError),
)
_UTF8_FLAG = 1 << 11  # the flag bit of a zip entry for a UTF-8 name
_HIDDEN = re.compile(r"(?:\A|/)(?:\.[^./]|__MACOSX/|logseq/bak/)")  # files that programs use internally or have deleted
_FIRST = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip can store, so that the same library gives the same file
_ABOUT = """# A library of papers

Written by readtrack. Open this folder in Obsidian or Logseq: papers are in `papers`, topics in `topics`, and the links
between them work. Bring it back into readtrack as it is: what stands between `---` and in `<!-- readtrack: … -->` says
what each note is.
"""


class _Sink(RawIOBase):
    """Write-only stream that buffers the zip's bytes until they are sent. It cannot seek."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401 - any bytes-like object
        self._waiting.append(bytes(data))
        return len(self._waiting[-1])

    def read_buffer(self) -> bytes:
        data = b"".join(self._waiting)
        self._waiting.clear()
        return data


def pack_folder(database: Database, me: CurrentUser, names: FolderNames) -> Iterator[bytes]:
    """Yield the zip of the folder in chunks, with a short transaction for each batch of papers."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as folder:
        _write_file(folder, f"{ABOUT}{SUFFIX}", _ABOUT)
        with database.read() as tx:
            topics = list(queries.topic_notes(tx, names))
        for name, note in topics:
            _write_file(folder, f"{TOPICS}/{name}{SUFFIX}", serialize_note(note))
        yield sink.read_buffer()
        ids = list(names.papers)
        for start in range(0, len(ids), BATCH_SIZE):
            with database.read() as tx:
                notes = list(queries.paper_notes(tx, me, names, ids[start : start + BATCH_SIZE]))
            for name, paper in notes:
                _write_file(folder, f"{PAPERS}/{name}{SUFFIX}", serialize_note(paper))
            yield sink.read_buffer()
    yield sink.read_buffer()


def unpack_folder(source: bytes | IO[bytes], *, max_bytes: int = MAX_BYTES) -> Mapping[str, str]:
    """Return the texts of the notes in a zip by file name, without folders and suffix.

    If two files have the same name, the later one keeps its folders in the name. Nothing is written to disk, so paths
    in the zip are harmless. Raise Invalid for a broken zip, and TooLarge if the notes have more than `max_bytes` bytes.
    """
    try:
        with zipfile.ZipFile(BytesIO(source) if isinstance(source, bytes) else source) as folder:
            return _read_notes(folder, max_bytes)
    except _UNREADABLE as problem:
        message = _("This zip file can't be read. Compress the folder again.")
        raise Invalid(message) from problem


def _read_notes(folder: zipfile.ZipFile, max_bytes: int) -> Mapping[str, str]:
    named_files = [(_decode_name(file), file) for file in folder.infolist() if not file.is_dir()]
    files = [(name, file) for name, file in named_files if name.endswith(SUFFIX) and not _HIDDEN.search(name)]
    if len(files) > MAX_FILES:
        raise TooLarge(
            _("This folder has {count:,} notes. The limit is {most:,}.").format(count=len(files), most=MAX_FILES)
        )
    remaining, notes = max_bytes, dict[str, str]()
    for name, file in files:
        with folder.open(file) as stream:
            text = stream.read(min(MAX_NOTE_BYTES, remaining) + 1)
        remaining -= len(text)
        if len(text) > MAX_NOTE_BYTES:
            message = _("“{name}” is too large. Remove it from the folder.")
            raise TooLarge(message.format(name=name[:100]))
        if remaining < 0:
            message = _(
                "This folder has more than {most} MB of notes. Import it in parts, or run “readtrack "
                "folder in” on the server."
            )
            raise TooLarge(message.format(most=max_bytes // 1_000_000))
        stem = name.rpartition("/")[2].removesuffix(SUFFIX)
        notes[name if stem in notes else stem] = text.decode("utf-8", "replace")
    return notes


def _decode_name(file: zipfile.ZipInfo) -> str:
    """Return the file's name in Unicode form NFC, as links use.

    Some programs write UTF-8 names without the flag, and some write decomposed letters.
    """
    name = file.filename
    if not file.flag_bits & _UTF8_FLAG:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return unicodedata.normalize("NFC", name.replace("\\", "/"))


def _write_file(folder: zipfile.ZipFile, name: str, text: str) -> None:
    folder.writestr(zipfile.ZipInfo(name, _FIRST), text.encode(), zipfile.ZIP_DEFLATED)
