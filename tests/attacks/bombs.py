"""Answers without measure, and a program that asks for one and tells what it cost: python -m tests.attacks.bombs."""

import json
import resource
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler

from readtrack.infra.errors import ReadtrackError
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from tests.standin import Request, StandIn

GZIP, CHUNKED = {"content-encoding": "gzip"}, {"transfer-encoding": "chunked"}


def _packed(million: int = 10) -> Iterator[bytes]:
    """Zeros without end, a thousand times smaller."""
    squeeze = zlib.compressobj(level=9, wbits=31)
    yield squeeze.compress(bytes(million * 1_000_000)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    again = squeeze.compress(bytes(million * 1_000_000)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    while True:
        yield again


def _plain() -> Iterator[bytes]:
    while True:
        yield bytes(1_000_000)


def _chunks() -> Iterator[bytes]:
    while True:
        yield b"f4240\r\n" + bytes(1_000_000) + b"\r\n"


def _crumbs() -> Iterator[bytes]:
    while True:
        yield b"1;" + b"x" * 50 + b"\r\n \r\n"


def _drops() -> Iterator[bytes]:
    while True:
        time.sleep(0.05)
        yield b" "


def _header_lines() -> Iterator[bytes]:
    while True:
        yield b"x-%d: " % time.monotonic_ns() + b"y" * 1000 + b"\r\n"


def _one_header() -> Iterator[bytes]:
    yield b"x-long: "
    while True:
        yield b"y" * 100_000


BOMBS: dict[str, tuple[dict[str, str] | None, Callable[[], Iterator[bytes]]]] = {
    "gzip": (GZIP, _packed),
    "gzip in chunks": (GZIP | CHUNKED, lambda: (b"%x\r\n%b\r\n" % (len(part), part) for part in _packed())),
    "gzip of gzip": ({"content-encoding": "gzip, gzip"}, _packed),
    "br": ({"content-encoding": "br"}, _plain),
    "zstd": ({"content-encoding": "zstd"}, _plain),
    "plain": ({}, _plain),
    "plain that says 300 MB": ({"content-length": "300000000"}, _plain),
    "plain that says less": ({"content-length": "10", "connection": "keep-alive"}, lambda: iter([bytes(5)])),
    "chunks": (CHUNKED, _chunks),
    "crumbs": (CHUNKED, _crumbs),
    "a byte now and then": ({"content-length": "100000"}, _drops),
    "headers": (None, _header_lines),
    "a header": (None, _one_header),
}


class BombStandIn(StandIn):
    """Sends one of BOMBS until the other side has enough."""

    def __init__(self, bomb: str) -> None:
        super().__init__()
        self.headers, self.body = BOMBS[bomb]

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        with suppress(OSError):
            to.wfile.write(b"HTTP/1.1 200 OK\r\n")
            if self.headers is not None:
                lines = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
                to.wfile.write(f"{lines}\r\n".encode())
            for part in self.body():
                if self.stopping.is_set():
                    return
                to.wfile.write(part)


def main(calm: str, bomb: str) -> None:
    """Memory and time that the bomb takes, after a first answer that took what any answer takes."""
    bases = {"calm": calm, "bomb": bomb}
    egress = HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases=bases, connect=2, total=2)
    egress.get(calm)
    before, started, error = _memory(), time.monotonic(), ""
    try:
        egress.get(bomb)
    except ReadtrackError as problem:
        error = type(problem).__name__
    print(json.dumps({"error": error, "seconds": time.monotonic() - started, "growth": _memory() - before}))


def _memory() -> int:
    """The most it ever was, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main(*sys.argv[1:])
