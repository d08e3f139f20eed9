"""Reading of responses: the body, and how long to wait before the next request.

Bodies are decompressed in steps with a size cap, which guards against decompression bombs. Wait times come from
Retry-After and rate limit headers.
"""

import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from readtrack.infra.errors import SourceRefused

DAY_SECONDS = 24 * 60 * 60.0
DEFAULT_WAIT_SECONDS = 60.0  # Seconds to wait if the quota is used up and no reset time is given.
_A_DATE = 1e9  # Larger values are Unix timestamps, smaller ones are seconds from now.
PLAIN = frozenset({"", "identity"})
GZIP = frozenset({"gzip", "x-gzip"})  # The only encoding that requests accept.
CHUNK_BYTES = 65_536  # Bytes decompressed at once.


def retry_after(header: str) -> float | None:
    """Return the seconds of a Retry-After header, between 0 and a day; None if it is unusable."""
    text = header.strip()
    if re.fullmatch(r"-?\d{1,300}", text, re.ASCII):
        return min(max(float(text), 0.0), DAY_SECONDS)
    try:
        parsed_time = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    aware_time = parsed_time if parsed_time.tzinfo else parsed_time.replace(tzinfo=UTC)
    return min(max((aware_time - datetime.now(UTC)).total_seconds(), 0.0), DAY_SECONDS)


def seconds_until_reset(status: int, headers: Mapping[str, str]) -> float | None:
    """Return the seconds until an exhausted request quota resets; None if requests are left."""
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return None
    seconds = retry_after(headers.get("retry-after", ""))
    reset = headers.get("x-ratelimit-reset", "").strip()
    if seconds is None and re.fullmatch(r"\d{1,12}", reset, re.ASCII):
        seconds = float(reset) - (time.time() if float(reset) > _A_DATE else 0.0)
    if seconds is None:
        return DEFAULT_WAIT_SECONDS if status in {403, 429} else None
    return min(max(seconds, 0.0), DAY_SECONDS)


def read_body(host: str, chunks: Iterable[bytes], *, encoding: str, limit: int) -> bytes:
    """Return the decompressed body.

    Raise SourceRefused if it exceeds `limit` bytes, EOFError or zlib.error if it is corrupt.
    """
    encoding_name = encoding.strip().lower()
    if encoding_name not in PLAIN | GZIP:
        raise SourceRefused(f"{host} sent an unsupported encoding: {encoding_name[:40]!r}.")
    body = bytearray()
    for chunk in chunks if encoding_name in PLAIN else _decompress(chunks):
        body += chunk
        if len(body) > limit:
            raise body_too_large(host, limit)
    return bytes(body)


def body_too_large(host: str, limit: int) -> SourceRefused:
    return SourceRefused(f"{host} sent more than {limit / 1e6:g} MB, which is the limit.")


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
        message = "the compressed response is truncated"
        raise EOFError(message)
