"""A52 on the wire: where one server sees one request and another two, a second one hides. Here nothing hides: what can
be read in two ways is refused, and the connection is closed.
"""

import re
import socket
from collections.abc import Callable, Iterator
from threading import Thread

import pytest
import uvicorn

from readtrack.cli.serve import UVICORN
from readtrack.web.app import create_app
from tests.databases import Server
from tests.processes import until

pytestmark = pytest.mark.slow  # a server of its own for each test

HOST = b"Host: 127.0.0.1:8000"
CLOSE = b"Connection: close"
HIDDEN = b"\r\n".join([b"GET /sign-in HTTP/1.1", HOST, CLOSE, b"", b""])
GET, POST = b"GET /sign-in HTTP/1.1", b"POST /sign-in HTTP/1.1"
CHUNKED = b"Transfer-Encoding: chunked"
ENDED = b"0\r\n\r\n" + HIDDEN  # the last chunk, and what would be a request then
Send = Callable[..., list[int]]


def long(length: int | bytes) -> bytes:
    return b"Content-Length: %b" % (length if isinstance(length, bytes) else b"%d" % length)


LENGTHS = {
    "and chunks": ([long(len(ENDED)), CHUNKED], ENDED),
    "after chunks": ([CHUNKED, long(4)], b"%x\r\n%b\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)),
    "two": ([long(0), long(len(HIDDEN))], HIDDEN),
    "twice the same": ([long(len(HIDDEN)), long(len(HIDDEN))], HIDDEN),
    "a list": ([long(b"0, 5")], HIDDEN),
    "with a sign": ([long(b"+5")], HIDDEN),
    "below nothing": ([long(b"-1")], HIDDEN),
    "in another base": ([long(b"0x5")], HIDDEN),
    "in pieces": ([long(b"1 0")], HIDDEN),
    "underlined": ([long(b"1_0")], HIDDEN),
    "none": ([long(b"")], HIDDEN),
}
CODINGS = {
    "identity": ([b"Transfer-Encoding: identity"], HIDDEN),
    "nearly": ([b"Transfer-Encoding: xchunked"], ENDED),
    "twice": ([CHUNKED, CHUNKED], ENDED),
    "not the last": ([b"Transfer-Encoding: chunked, identity"], ENDED),
    "after a tabulator of another kind": ([b"Transfer-Encoding:\x0bchunked", long(len(ENDED))], ENDED),
    "a space before the colon": ([b"Transfer-Encoding : chunked", long(len(ENDED))], ENDED),
    "on the next line": ([b"Transfer-Encoding:", b" chunked", long(len(ENDED))], ENDED),
    "a size that is none": ([CHUNKED], b"0x5\r\nAAAAA\r\n" + ENDED),
    "a size beyond all": ([CHUNKED], b"1" + b"0" * 21 + b"\r\n" + HIDDEN),
    "lines ended by half": ([CHUNKED], b"5\nAAAAA\n0\n\n" + HIDDEN),
    "half a line end in an extension": ([CHUNKED], b"5;\n\r\nAAAAA\r\n" + ENDED),
    "longer than it says": ([CHUNKED], b"5\r\nAAAAAXX" + ENDED),
}
HEADS = {
    "half a line end": [GET, HOST + b"\nX: a"],
    "the other half": [GET, HOST + b"\rX: a"],
    "half line ends only": [GET + b"\n" + HOST + b"\n\n" + HIDDEN],
    "a folded line": [GET, HOST, b"X: a", b" b"],
    "the address of another": [b"GET http://evil.example/sign-in HTTP/1.1", HOST],
    "the whole address": [b"GET http://127.0.0.1:8000/sign-in HTTP/1.1", HOST],
    "a tunnel": [b"CONNECT evil.example:443 HTTP/1.1", HOST],
    "no path": [b"OPTIONS * HTTP/1.1", HOST],
    "no host": [GET],
    "two hosts": [GET, HOST, b"Host: evil.example"],
    "no version": [b"GET /sign-in"],
    "a later version": [b"GET /sign-in HTTP/2.0", HOST],
    "no version there is": [b"GET /sign-in HTTP/1.2", HOST],
    "a preface": [b"PRI * HTTP/2.0", b"", b"SM"],
    "words between": [b"GET /sign-in HTTP/1.1\tx HTTP/1.1", HOST],
    "a socket": [
        GET,
        HOST,
        b"Connection: Upgrade",
        b"Upgrade: websocket",
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        b"Sec-WebSocket-Version: 13",
    ],
}


@pytest.fixture
def database_url(sqlite_files: Server) -> Iterator[str]:
    url = sqlite_files.copy()
    yield url
    sqlite_files.drop(url)


@pytest.fixture
def send(settings, database) -> Iterator[Send]:
    """`send(line, …, then=body)`: the codes of all answers until the server closes, as it must within seconds."""
    server = uvicorn.Server(uvicorn.Config(create_app(settings, database), port=0, lifespan="off", **UVICORN))
    thread = Thread(target=server.run)
    thread.start()
    until(lambda: server.started, "the server listens")
    yield lambda *lines, then=b"": sent(server.servers[0].sockets[0].getsockname(), lines, then)
    server.should_exit = True
    thread.join()


def sent(place: tuple[str, int], lines: tuple[bytes, ...], then: bytes) -> list[int]:
    with socket.create_connection(place, 20) as connection:
        connection.sendall(b"\r\n".join([*lines, b"", then]))
        answered = b"".join(iter(lambda: connection.recv(65536), b""))
    return [int(code) for code in re.findall(rb"HTTP/1\.[01] (\d{3})", answered)]


def test_a52_an_ambiguous_content_length_is_rejected_and_smuggles_no_request(send):
    assert send(GET, HOST, then=HIDDEN) == [200, 200]  # it would be answered
    for name, (headers, then) in {**LENGTHS, **CODINGS}.items():
        assert send(POST, HOST, *headers, then=then) == [400], name


def test_a52_an_ambiguous_header_is_rejected(send):
    for name, lines in HEADS.items():
        assert send(*lines) == [400], name


def test_a52_an_unexpected_body_is_not_parsed_as_another_request(send):
    assert send(GET, HOST, CLOSE, long(len(HIDDEN)), then=HIDDEN) == [200]
    assert send(b"POST /sign-in HTTP/1.0", HOST, CHUNKED, then=ENDED) == [403]


def test_a52_protocol_upgrades_are_ignored_and_smuggle_no_request(send):
    wish = [b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"]
    assert send(GET, HOST, *wish, then=b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == [200]
    assert send(GET, HOST, *wish, then=HIDDEN) == [200]
