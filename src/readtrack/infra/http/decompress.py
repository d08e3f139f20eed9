"""Incremental decompression of response bodies, with a size cap that guards against decompression bombs."""

import zlib
from collections.abc import Iterable, Iterator

from readtrack.infra.errors import SourceRefused

PLAIN = frozenset({"", "identity"})
GZIP = frozenset({"gzip", "x-gzip"})  # The only encoding that requests accept.
CHUNK_BYTES = 65_536  # Bytes decompressed at once.


def read_body(host: str, chunks: Iterable[bytes], *, encoding: str, limit: int) -> bytes:
    """Return the decompressed body.

    Raise SourceRefused if it exceeds `limit` bytes, EOFError or zlib.error if it is corrupt.
    """
    encoding_name = encoding.strip().lower()
    if encoding_name not in PLAIN | GZIP:
        message = f"{host} packed its answer as {encoding_name[:40]!r}, which was not asked for. Nothing was kept."
        raise SourceRefused(message)
    body = bytearray()
    for chunk in chunks if encoding_name in PLAIN else _decompress(chunks):
        body += chunk
        if len(body) > limit:
            raise body_too_large(host, limit)
    return bytes(body)


def body_too_large(host: str, limit: int) -> SourceRefused:
    return SourceRefused(f"{host} sent more than {limit / 1e6:g} MB, which readtrack does not read. Nothing was kept.")


def _decompress(chunks: Iterable[bytes]) -> Iterator[bytes]:
    decompressor = zlib.decompressobj(wbits=31)
    has_data = False
    for chunk in chunks:
        remaining, has_data = chunk, has_data or bool(chunk)
        while remaining and not decompressor.eof:
            yield decompressor.decompress(remaining, CHUNK_BYTES)
            remaining = decompressor.unconsumed_tail
    yield decompressor.flush()
    if has_data and not decompressor.eof:
        message = "its packed answer ends in the middle"
        raise EOFError(message)
