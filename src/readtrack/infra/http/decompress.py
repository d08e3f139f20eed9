"""Incremental decompression of response bodies, with a size cap that guards against decompression bombs."""

import zlib
from collections.abc import Iterable, Iterator

from readtrack.infra.errors import SourceRefused

PLAIN = frozenset({"", "identity"})
GZIP = frozenset({"gzip", "x-gzip"})  # The only encoding that requests accept.
PIECE = 65_536  # Bytes decompressed at once.


def read_body(host: str, chunks: Iterable[bytes], *, encoding: str, limit: int) -> bytes:
    """Return the decompressed body.

    Raise SourceRefused if it exceeds `limit` bytes, EOFError or zlib.error if it is corrupt.
    """
    packing = encoding.strip().lower()
    if packing not in PLAIN | GZIP:
        message = f"{host} packed its answer as {packing[:40]!r}, which was not asked for. Nothing was kept."
        raise SourceRefused(message)
    body = bytearray()
    for piece in chunks if packing in PLAIN else _decompress(chunks):
        body += piece
        if len(body) > limit:
            raise body_too_large(host, limit)
    return bytes(body)


def body_too_large(host: str, limit: int) -> SourceRefused:
    return SourceRefused(f"{host} sent more than {limit / 1e6:g} MB, which readtrack does not read. Nothing was kept.")


def _decompress(chunks: Iterable[bytes]) -> Iterator[bytes]:
    packed = zlib.decompressobj(wbits=31)
    came = False
    for chunk in chunks:
        left, came = chunk, came or bool(chunk)
        while left and not packed.eof:
            yield packed.decompress(left, PIECE)
            left = packed.unconsumed_tail
    yield packed.flush()
    if came and not packed.eof:
        message = "its packed answer ends in the middle"
        raise EOFError(message)
