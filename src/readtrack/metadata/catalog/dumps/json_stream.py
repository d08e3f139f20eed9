"""Splitting of JSON dumps into works: one per line, or many in a list, `{"items": [ … ]}`."""

import codecs
import json
import re
from collections.abc import Iterator
from io import BufferedIOBase

from readtrack.infra.text.normalize import clean
from readtrack.metadata.catalog.dumps.types import MAX_RECORD_BYTES, DumpChunk

_CHUNK_BYTES = 1 << 18
_LIST = re.compile(r'\A\ufeff?\s*(?:\[|\{(?:[^\[\]]{0,4000}[\s{,])?"items"\s*:\s*\[)')
_BETWEEN = re.compile(r"[\s,]*")
_ESCAPED = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")  # NUL or a lone surrogate.
_DECODER = json.JSONDecoder()
_TOO_LONG = f"is longer than {MAX_RECORD_BYTES // 1_000_000} MB"


def is_list(head: str) -> bool:
    """Return True if the works are in a list."""
    return _LIST.match(head) is not None


def iter_lines(stream: BufferedIOBase) -> Iterator[DumpChunk]:
    """Yield each non-blank line."""
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES):
        number += 1
        if len(line) == MAX_RECORD_BYTES and not line.endswith(b"\n"):
            _skip_line(stream)
            yield DumpChunk(number, b"", _TOO_LONG)
        elif line.strip():
            yield DumpChunk(number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line)


def _skip_line(stream: BufferedIOBase) -> None:
    while (rest := stream.readline(MAX_RECORD_BYTES)) and not rest.endswith(b"\n"):
        pass


def iter_items(stream: BufferedIOBase) -> Iterator[DumpChunk]:
    """Yield each work of the list.

    Stop at an invalid one, because the start of the next is unknown.
    """
    buffer = _Buffer(stream)
    start = _LIST.match(buffer.text)
    buffer.cut(start.end() if start else 0)
    number = 0
    while (text := buffer.value()) is not None:
        number += 1
        if not text:
            yield DumpChunk(number, b"", "is not a complete record, and the rest of the file can't be read")
            return
        yield DumpChunk(number, text.encode(errors="replace"))


def parse_value(text: bytes) -> object:
    """Parse JSON and replace characters that cannot be stored.

    Raise ValueError with a sentence that lacks its subject.
    """
    try:
        tree = json.loads(text)
    except ValueError as error:
        message = "is not valid JSON or is truncated"
        raise ValueError(message) from error
    return _storable(tree) if _ESCAPED.search(text) else tree


def _storable(tree: object) -> object:
    if isinstance(tree, dict):
        return {clean(name): _storable(value) for name, value in tree.items()}
    if isinstance(tree, list):
        return [_storable(value) for value in tree]
    return clean(tree) if isinstance(tree, str) else tree


class _Buffer:
    """The current window of a long text."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.text = ""
        self.more()

    def more(self) -> bool:
        chunk = self._stream.read1(_CHUNK_BYTES)
        self.text += self._decoder.decode(chunk, final=not chunk)
        return bool(chunk)

    def cut(self, position: int) -> None:
        self.text = self.text[position:]

    def value(self) -> str | None:
        """Return the next value: "" if it is invalid, None at the end of the list."""
        while True:
            self._skip_between()
            if self.text.startswith("]"):
                return None
            try:
                _, end = _DECODER.raw_decode(self.text)
            except (ValueError, RecursionError):
                if len(self.text) > MAX_RECORD_BYTES or not self.more():
                    return ""
            else:
                value = self.text[:end]
                self.cut(end)
                return value

    def _skip_between(self) -> None:
        while True:
            gap = _BETWEEN.match(self.text)
            self.cut(gap.end() if gap else 0)
            if self.text or not self.more():
                return
