"""The text of a revision: short ones in its row, long ones in chunks that are written and read one by one."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Database, Read
from readtrack.infra.models import NoteChunk, NoteRevision
from readtrack.infra.text import normalize
from readtrack.ingest.imports.uploads import count_unreadable

LINE_END = re.compile(r"\r\n|\r|\n")  # the only line ends: docs/model.md, law 1
CHUNK_CHARS = 60_000  # less than 256 kB in any language
CHUNKS_PER_TRANSACTION = 4
SAMPLE_CHARS = 20_000
MAX_LINE_CHARS = 20_000  # of a line of a long text, when lines are shown
_CHUNKS: sa.Table = NoteChunk.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True)
class LongText:
    """A file with a long text. `sha256`: of the text with LF as line end.

    `unreadable_count`: how many characters could not be decoded.
    """

    file: IO[bytes]
    encoding: str
    sha256: str
    chars: int
    line_count: int
    sample: str
    is_blank: bool
    unreadable_count: int

    def pieces(self) -> Iterator[str]:
        """Yield the text in pieces, without a byte order mark and characters that databases cannot store."""
        return _clean_pieces(self.file, self.encoding)


@dataclass(frozen=True)
class Chunk:
    """A piece of text, its offset and the number of its first line."""

    start: int
    first_line: int
    text: str


def inspect_file(file: IO[bytes], size: int) -> LongText:
    """Read a file of `size` bytes once and return what must be known before it is stored."""
    from readtrack.ingest.parser import encodings  # the parser is loaded when it is needed

    encoding = encodings.detect(file, size)
    digest, chars, sample, last_line, is_blank = hashlib.sha256(), 0, "", 1, True
    unreadable_count = 0
    for chunk in split_chunks(_clean_pieces(file, encoding)):
        text = chunk.text if "\r" not in chunk.text else LINE_END.sub("\n", chunk.text)
        digest.update(text.encode())
        is_blank = is_blank and not text.strip()
        sample += chunk.text if len(sample) < SAMPLE_CHARS else ""
        chars = chunk.start + len(chunk.text)
        unreadable_count += count_unreadable(chunk.text)
        last_line = chunk.first_line + count_line_ends(chunk.text) - chunk.text.endswith(("\n", "\r"))
    return LongText(file, encoding, digest.hexdigest(), chars, last_line, sample, is_blank, unreadable_count)


def hash_notes(notes: str | LongText) -> str:
    """Return the hash by which notes are known, as they are sent or lie in a file."""
    return hash_text(normalize.clean(notes.removeprefix("\ufeff"))) if isinstance(notes, str) else notes.sha256


def hash_text(text: str) -> str:
    """Return the hash of a text. Line ends do not matter: browsers send CR LF where files have LF."""
    return hashlib.sha256(LINE_END.sub("\n", text).encode()).hexdigest()


def split_chunks(pieces: Iterable[str]) -> Iterator[Chunk]:
    """Cut a text into chunks that end at line ends, unless a line is longer than a chunk."""
    rest, start, line = "", 0, 1
    for piece in pieces:
        rest += piece
        while len(rest) > CHUNK_CHARS:
            end = max(rest.rfind("\n", 0, CHUNK_CHARS), rest.rfind("\r", 0, CHUNK_CHARS - 1)) + 1 or CHUNK_CHARS
            end += rest[end - 1 : end + 1] == "\r\n"
            yield Chunk(start, line, rest[:end])
            line += count_line_ends(rest[:end])
            rest, start = rest[end:], start + end
    if rest:
        yield Chunk(start, line, rest)


def store_chunks(database: Database, revision_id: int, text: LongText) -> int:
    """Store a text in short transactions and return the number of its chunks."""
    count, waiting = 0, list[Chunk]()
    for chunk in split_chunks(text.pieces()):
        waiting.append(chunk)
        if len(waiting) == CHUNKS_PER_TRANSACTION:
            count += _store(database, revision_id, count, waiting)
            waiting = []
    return count + _store(database, revision_id, count, waiting)


def iter_chunks(database: Database, revision_id: int, offset: int = 0) -> Iterator[str]:
    """Yield a long text from an offset on, each chunk from its own transaction."""
    with database.read() as tx:
        query = sa.select(col(NoteChunk.number)).where(
            col(NoteChunk.revision_id) == revision_id, col(NoteChunk.start) <= offset
        )
        number = tx.scalar(query.order_by(col(NoteChunk.number).desc()).limit(1))
    while number is not None:
        with database.read() as tx:
            columns = sa.select(col(NoteChunk.start), col(NoteChunk.text))
            chunk = tx.execute(columns.where(_is_chunk(revision_id), col(NoteChunk.number) == number)).one_or_none()
        if chunk is None:
            return
        yield chunk.text[max(offset - chunk.start, 0) :]
        number += 1


def read_text(tx: Read, revision_id: int) -> str:
    """Return the whole text of a revision."""
    text = tx.scalar(sa.select(col(NoteRevision.text)).where(col(NoteRevision.id) == revision_id)) or ""
    query = sa.select(col(NoteChunk.text)).where(_is_chunk(revision_id)).order_by(col(NoteChunk.number))
    return text or "".join(tx.scalars(query))


def read_sample(tx: Read, revision_id: int) -> str:
    """Return the text of a revision, or the first lines of a long one."""
    if not is_long(tx, revision_id):
        return read_text(tx, revision_id)
    query = sa.select(col(NoteChunk.text)).where(_is_chunk(revision_id), col(NoteChunk.number) == 0)
    return tx.scalar(query) or ""


def count_chars(tx: Read, revision_id: int) -> int:
    """Return the length of a text that is stored in chunks."""
    length = col(NoteChunk.start) + sa.func.length(col(NoteChunk.text))
    return tx.scalar(sa.select(sa.func.max(length)).where(_is_chunk(revision_id))) or 0


def is_long(tx: Read, revision_id: int) -> bool:
    """Return True if the text is stored in chunks."""
    return bool(tx.scalar(sa.select(col(NoteRevision.chunk_count)).where(col(NoteRevision.id) == revision_id)))


def read_lines(tx: Read, revision_id: int, first: int, last: int) -> list[str]:
    """Return a range of lines. Lines of long texts are cut at MAX_LINE_CHARS."""
    if not is_long(tx, revision_id):
        return split_lines(read_text(tx, revision_id))[first - 1 : last]
    before = sa.select(sa.func.max(col(NoteChunk.number))).where(
        _is_chunk(revision_id), col(NoteChunk.first_line) < first
    )
    is_in_range = col(NoteChunk.number) >= sa.func.coalesce(before.scalar_subquery(), 0)
    query = sa.select(col(NoteChunk.first_line), col(NoteChunk.text)).where(
        _is_chunk(revision_id), is_in_range, col(NoteChunk.first_line) <= last
    )
    lines = dict[int, str]()
    for chunk in tx.execute(query.order_by(col(NoteChunk.number)).execution_options(yield_per=1)):
        for number, text in enumerate(LINE_END.split(chunk.text), chunk.first_line):
            lines[number] = (lines.get(number, "") + text)[:MAX_LINE_CHARS]
    line_count = tx.scalar(sa.select(col(NoteRevision.line_count)).where(col(NoteRevision.id) == revision_id)) or 0
    return [lines.get(number, "") for number in range(first, min(last, line_count) + 1)]


def split_lines(text: str) -> list[str]:
    """Return the lines of a note. A line end at the end of the text does not begin another line."""
    texts = LINE_END.split(text)
    if texts and not texts[-1]:
        texts.pop()
    return texts


def count_line_ends(text: str) -> int:
    return len(LINE_END.findall(text)) if "\r" in text else text.count("\n")


def _is_chunk(revision_id: int) -> sa.ColumnElement[bool]:
    return col(NoteChunk.revision_id) == revision_id


def _store(database: Database, revision_id: int, count: int, chunks: Sequence[Chunk]) -> int:
    rows = [
        {"revision_id": revision_id, "number": count + number, **vars(chunk)} for number, chunk in enumerate(chunks)
    ]
    if rows:
        with database.write() as tx:
            tx.connection().execute(sa.insert(_CHUNKS), rows)
        database.pause()
    return len(rows)


def _clean_pieces(file: IO[bytes], encoding: str) -> Iterator[str]:
    from readtrack.ingest.parser import encodings

    is_first = True
    for piece in encodings.read_pieces(file, encoding):
        yield normalize.clean(piece.removeprefix("\ufeff") if is_first else piece)
        is_first = is_first and not piece
