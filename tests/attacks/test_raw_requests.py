"""A25, A26 on the wire: the server as `readtrack serve` runs it, and requests that no client library would send."""

import json
import socket
from collections.abc import Callable, Iterator
from threading import Thread

import pytest
import uvicorn

from readtrack.cli.serve import UVICORN
from readtrack.team.accounts import commands
from readtrack.team.accounts.identities import identity_from_header
from readtrack.web.app import create_app
from tests import make
from tests.processes import until

pytestmark = pytest.mark.slow  # a server of its own for each test

KEN = b"Remote-User: ken@corp"
Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def ask(settings, database) -> Iterator[Ask]:
    """`ask(header, …, then=body)` asks as the trusted proxy who one is; the status, and the name or the code."""
    with database.write() as tx:
        for name in ("Ken", "Eve"):
            known = identity_from_header("Remote-User", f"{name.lower()}@corp")
            commands.link_identity(tx, make.visitor(tx, name), known)
    given = {"auth_header": "Remote-User", "trusted_proxies": "127.0.0.1"}
    app = create_app(settings.model_copy(update=given), database)
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", **UVICORN))
    thread = Thread(target=server.run)
    thread.start()
    until(lambda: server.started, "the server listens")
    yield lambda *headers, then=b"": asked(server.servers[0].sockets[0].getsockname(), headers, then)
    server.should_exit = True
    thread.join()


def asked(place: tuple[str, int], headers: tuple[bytes, ...], then: bytes) -> tuple[int, str]:
    lines = [b"GET /api/v1/me HTTP/1.1", b"Host: 127.0.0.1:8000", b"Connection: close", *headers, b"", then]
    with socket.create_connection(place, 20) as connection:
        connection.sendall(b"\r\n".join(lines))
        head, _, body = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
    told = json.loads(body) if body.startswith(b"{") else {}
    return int(head.split()[1]), told.get("name") or told.get("code", "")


def test_a25_a_trailer_is_not_read_as_an_identity_header(ask):
    """What follows a body in chunks is passed on by proxies that take the header itself away."""
    chunked = b"Transfer-Encoding: chunked"
    assert ask(chunked, then=b"0\r\n" + KEN + b"\r\n\r\n") == (401, "not-signed-in")
    assert ask(chunked, b"Remote-User: eve@corp", then=b"0\r\n" + KEN + b"\r\n\r\n") == (200, "Eve")


def test_a26_a_trailer_is_not_read_as_a_client_address(ask, logged):
    ask(b"X-Forwarded-For: 192.0.2.1", b"Transfer-Encoding: chunked", then=b"0\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n")
    assert logged[-1]["address"] == "192.0.2.1"


def test_a25_the_identity_header_is_case_insensitive(ask):
    for header in (KEN, b"REMOTE-USER:ken@corp", b"Remote-User:\tken@corp \t"):
        assert ask(header) == (200, "Ken"), header


def test_a25_other_or_repeated_identity_headers_identify_nobody(ask):
    for headers in (
        [b"Remote_User: ken@corp"],
        [KEN, KEN.lower()],
        [b"Remote-User:", KEN],
        [b"Remote-User:"],
        [KEN + b", eve@corp"],
        [KEN + b"\xc2\xa0"],
        [b"Remote-User: " + b"k" * 60_000],
    ):
        assert ask(*headers) == (401, "not-signed-in"), headers


def test_a25_a_header_that_parsers_disagree_on_is_rejected(ask):
    for headers in (
        [b"Remote-User:", b" ken@corp"],
        [b"X: a", b" b", KEN],
        [b"Remote-User : ken@corp"],
        [b" " + KEN],
        [b"X: a\n" + KEN],
        [b"X: a\r" + KEN],
        [KEN + b"\x00"],
        [b"Content-Length: 4", b"Transfer-Encoding: chunked", KEN],
    ):
        assert ask(*headers)[0] == 400, headers


def test_a26_a_forwarded_chain_is_read_from_the_right(ask, logged):
    for forwarded, real in (
        (b"1.2.3.4, " * 7_000 + b"192.0.2.9", "192.0.2.9"),
        (b"fe80::1%eth0", "127.0.0.1"),
        (b"198.51.100.9, [2001:db8::5]:99", "2001:db8::5"),
    ):
        assert ask(KEN, b"X-Forwarded-For: " + forwarded) == (200, "Ken")
        assert logged[-1]["address"] == real
