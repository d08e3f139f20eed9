"""What one client may make the server hold: how large a head is, how long a connection waits, how many there are."""

import asyncio
import re
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import uvicorn
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from readtrack.cli import http_protocol
from readtrack.cli.serve import UVICORN
from tests.browser.serving import serving
from tests.depth import DEEP
from tests.processes import until

pytestmark = pytest.mark.slow  # servers of its own

HEAD = b"GET /quick HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST = b"POST /body HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
SHORT = 0.2  # seconds, where a client is to be given up
LONG = 3600.0  # where it is not


class Application:
    """Answers at once, after the body, never, or with more than any buffer holds."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.free = Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        self.begun.append(path)
        try:
            await getattr(self, path[1:])(receive, send, scope)
        finally:
            self.ended.append(path)

    async def quick(self, receive: Receive, send: Send, scope: Scope) -> None:
        await PlainTextResponse("ok")(scope, receive, send)

    async def body(self, receive: Receive, send: Send, scope: Scope) -> None:
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            size += len(message["body"])
            if not message["more_body"]:
                break
        await Response(str(size))(scope, receive, send)

    async def busy(self, receive: Receive, send: Send, scope: Scope) -> None:
        await asyncio.to_thread(self.free.wait)
        await PlainTextResponse("at last")(scope, receive, send)

    async def huge(self, receive: Receive, send: Send, scope: Scope) -> None:
        await Response(bytes(30_000_000))(scope, receive, send)

    async def stream(self, receive: Receive, send: Send, scope: Scope) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(1_000):
            await send({"type": "http.response.body", "body": bytes(30_000), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class Running:
    """A server as `readtrack serve` runs it, over that application."""

    def __init__(self, server: uvicorn.Server, application: Application) -> None:
        self._server, self.application = server, application

    @property
    def place(self) -> tuple[str, int]:
        place: tuple[str, int] = self._server.servers[0].sockets[0].getsockname()
        return place

    @property
    def connections(self) -> set[Any]:
        return set(self._server.server_state.connections)

    def connect(self, receives: int = 0) -> socket.socket:
        connection = socket.socket()
        connection.settimeout(30)
        if receives:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        connection.connect(self.place)
        return connection

    def send(self, *pieces: bytes) -> list[int]:
        """The codes of all answers until the server closes."""
        with self.connect() as connection:
            with suppress(ConnectionError):
                for piece in pieces:
                    connection.sendall(piece)
            return codes(connection)

    def answers(self) -> bool:
        return self.send(HEAD + b"Connection: close\r\n\r\n") == [200]


def codes(connection: socket.socket) -> list[int]:
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3})", everything(connection))]


def send_what_is_read(connection: socket.socket, content: bytes) -> None:
    with suppress(ConnectionError):
        connection.sendall(content)


def everything(connection: socket.socket) -> bytes:
    received = bytearray()
    with suppress(ConnectionError):
        while more := connection.recv(65_536):
            received += more
    return bytes(received)


def read_to_end(connection: socket.socket, gone: Event) -> None:
    everything(connection)
    gone.set()


def send_until(gone: Event, connection: socket.socket, drop: bytes) -> None:
    """A few bytes now and then, until the server has had enough; not for ever where it never has."""
    for _ in range(1_000):
        if gone.wait(0.01):
            return
        connection.sendall(drop)
    pytest.fail("the connection is still open")


@contextmanager
def running(**given: Any) -> Iterator[Running]:
    application = Application()
    config = uvicorn.Config(application, port=0, lifespan="off", **{**UVICORN, **given})
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    until(lambda: server.started, "the server listens")
    try:
        yield Running(server, application)
    finally:
        application.free.set()
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module", params=["uvloop", "asyncio"] if DEEP else ["uvloop"])
def loop(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def shared(loop: str) -> Iterator[Running]:
    with running(loop=loop) as server:
        yield server


@pytest.fixture
def server(shared: Running) -> Running:
    """One without connections."""
    until(lambda: not shared.connections, "earlier connections are gone")
    application = shared.application
    application.begun.clear()
    application.ended.clear()
    application.free.clear()
    return shared


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`times(BODY_STALL=0.2)` shortens that one, and makes all others very long."""

    def shorten(**given: float) -> None:
        monkeypatch.setattr(http_protocol, "CHECK_SECONDS", 0.02)
        for name in ("HEAD_SECONDS", "BODY_SECONDS", "BODY_STALL", "ANSWER_STALL", "LINGER_SECONDS"):
            monkeypatch.setattr(http_protocol, name, given.get(name, LONG))

    return shorten


ENDLESS = {
    "a path": b"GET /",
    "a method": b"",
    "a header's name": HEAD,
    "a header's value": HEAD + b"X: ",
    "empty lines": b"",
    "a chunk's extension": CHUNKED + b"1;",
    "a trailer": CHUNKED + b"0\r\nX: ",
    "a chunk's size": CHUNKED + b"0",
    "a version": b"GET / HTTP/1.1",
}
FILLING = {"empty lines": b"\r\n", "a chunk's size": b"0"}


@pytest.mark.parametrize("what", ENDLESS)
def test_an_endless_request_is_rejected_while_it_arrives(what, server):
    filling = FILLING.get(what, b"A") * 1_000
    sent = 0
    with server.connect() as connection:
        with suppress(ConnectionError):
            connection.sendall(ENDLESS[what])
            while sent < 20_000_000:
                connection.sendall(filling)
                sent += len(filling)
        assert codes(connection) in ([431], [400], [])  # what is still sent may take the answer away
    assert sent < 20_000_000


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 66_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        HEAD + b"X: " + b"a" * 66_000 + b"\r\n\r\n",
        HEAD + b"a" * 66_000 + b": x\r\n\r\n",
        HEAD + b"X: %b\r\n" % (b"a" * 1_000) * 66 + b"\r\n",
        HEAD + b"a:b\r\n" * 10_000 + b"\r\n",
        HEAD + b"X: " + b"a" * 300_000 + b"\r\n\r\n",
    ],
    ids=["path", "value", "name", "headers", "lines", "far-too-long"],
)
def test_request_headers_that_are_too_long_get_431(head, server):
    assert server.send(head) == [431]
    assert server.application.begun == []


def test_request_headers_within_the_limit_are_accepted_however_they_arrive(server):
    head = HEAD + b"Connection: close\r\nX: " + b"a" * 60_000 + b"\r\n\r\n"
    assert server.send(head) == [200]
    assert server.send(*[head[start : start + 7_001] for start in range(0, len(head), 7_001)]) == [200]


def test_a_long_body_in_small_chunks_is_read_completely(server):
    with server.connect() as connection:
        connection.sendall(CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        for _ in range(100):
            connection.sendall(b"1;ignored=yes\r\nA\r\n" * 1_000)
        connection.sendall(b"0\r\nX: a trailer\r\n\r\n")
        assert everything(connection).endswith(b"100000")


def test_many_requests_on_one_connection_are_all_answered(server):
    with server.connect() as connection:
        for _ in range(30):
            connection.sendall((HEAD + b"\r\n") * 3)
            seen = b""
            while seen.count(b"HTTP/1.1 200") < 3 or not seen.endswith(b"ok"):
                seen += connection.recv(65_536)


def test_pipelined_requests_are_not_buffered_without_limit(server):
    with server.connect() as connection:
        connection.sendall(HEAD.replace(b"quick", b"busy") + b"\r\n")
        connection.sendall((HEAD + b"\r\n") * 5_000)
        until(lambda: server.application.begun, "the first request has come")
        server.application.free.set()
        assert codes(connection) == [200] * (1 + http_protocol.MAX_PIPELINED)


def test_garbage_after_a_request_does_not_spoil_its_response(server):
    with server.connect() as connection:
        connection.sendall(HEAD.replace(b"quick", b"busy") + b"\r\n" + b"nonsense\r\n\r\n")
        until(lambda: server.application.begun, "the first request has come")
        server.application.free.set()
        assert everything(connection).endswith(b"at last")


@pytest.mark.parametrize("sent", [b"", b"G", HEAD, HEAD + b"X: ", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"])
def test_unfinished_request_headers_time_out(sent, server, times):
    times(HEAD_SECONDS=SHORT, LINGER_SECONDS=SHORT)
    with server.connect() as connection:
        connection.sendall(sent)
        assert codes(connection) in ([], [408], [400])
    until(lambda: not server.connections, "the connection is gone")


def test_trickling_bytes_do_not_extend_the_header_timeout(server, times):
    times(HEAD_SECONDS=SHORT, LINGER_SECONDS=SHORT)
    gone = Event()
    with server.connect() as connection:
        reader = Thread(target=read_to_end, args=(connection, gone))
        reader.start()
        with suppress(ConnectionError):
            connection.sendall(HEAD)
            send_until(gone, connection, b"X: a\r\n")
        reader.join()
    until(lambda: not server.connections, "the connection is gone")


def test_each_following_request_gets_its_own_header_timeout(loop, times):
    times(HEAD_SECONDS=SHORT, LINGER_SECONDS=SHORT)
    with running(loop=loop, timeout_keep_alive=3600) as server:
        for begun in (b"", HEAD):
            with server.connect() as connection:
                connection.sendall(HEAD + b"\r\n" + begun)
                assert codes(connection) in ([200], [200, 408])
        until(lambda: not server.connections, "the connections are gone")


@pytest.mark.parametrize("begun", [b"Content-Length: 9\r\n\r\n", b"Content-Length: 9\r\n\r\nhalf"])
@pytest.mark.parametrize("limit", ["BODY_STALL", "BODY_SECONDS"])
def test_an_unfinished_body_times_out(begun, limit, server, times):
    times(**{limit: SHORT}, LINGER_SECONDS=SHORT)
    assert server.send(POST + begun) == [408]
    until(lambda: server.application.ended and not server.connections, "request and connection are gone")


@pytest.mark.parametrize("drop", [b"1\r\nA\r\n", b"1;" + b"x" * 50 + b"\r\nA\r\n", b"X"])
def test_trickling_bytes_do_not_extend_the_body_timeout(drop, server, times):
    times(BODY_STALL=SHORT, LINGER_SECONDS=SHORT)
    head = CHUNKED if len(drop) > 1 else POST + b"Content-Length: 1000000\r\n\r\n"
    gone = Event()
    with server.connect() as connection:
        reader = Thread(target=read_to_end, args=(connection, gone))
        reader.start()
        with suppress(ConnectionError):
            connection.sendall(head)
            send_until(gone, connection, drop)
        reader.join()
    until(lambda: server.application.ended and not server.connections, "request and connection are gone")


def test_a_slow_but_steady_body_is_accepted(server, times):
    times(BODY_STALL=1.0)
    pieces = 15
    with server.connect() as connection:
        connection.sendall(
            POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % (pieces * http_protocol.MIN_PROGRESS_BYTES)
        )
        for _ in range(pieces):
            connection.sendall(bytes(http_protocol.MIN_PROGRESS_BYTES))
            Event().wait(0.1)
        assert codes(connection) == [200]


def test_all_unfinished_bodies_share_a_size_limit(server, times, monkeypatch):
    times(LINGER_SECONDS=SHORT)
    monkeypatch.setattr(http_protocol, "MAX_BODIES_BYTES", 2_000_000)
    begun = POST + b"Connection: close\r\nContent-Length: 900000\r\n\r\n"
    with server.connect() as first, server.connect() as second:
        for connection in (first, second):
            connection.sendall(begun + bytes(899_999))
        until(lambda: sum(one.unfinished_bytes for one in server.connections) == 2 * 899_999, "both have come")
        assert server.send(begun + bytes(899_999)) == [503]
        for connection in (first, second):
            connection.sendall(b"X")
            assert codes(connection) == [200]


def test_a_body_after_an_early_response_is_not_awaited_forever(loop, times):
    times(BODY_STALL=SHORT, LINGER_SECONDS=SHORT)
    with running(loop=loop, timeout_keep_alive=3600) as server:
        assert server.send(POST.replace(b"body", b"quick") + b"Content-Length: 9\r\n\r\nhalf") == [200, 408]
        until(lambda: not server.connections, "the connection is gone")


def test_application_time_does_not_count_towards_the_timeout(server, times):
    times(HEAD_SECONDS=SHORT, BODY_STALL=SHORT, BODY_SECONDS=SHORT)
    length = 5_000_000  # more than is read before the application asks for it
    with server.connect() as connection, server.connect() as asking:
        asking.sendall(
            POST.replace(b"body", b"busy") + b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: 9\r\n\r\n"
        )
        busy = POST.replace(b"body", b"busy") + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % length
        sending = Thread(target=send_what_is_read, args=(connection, busy + bytes(length)))
        sending.start()
        until(lambda: len(server.application.begun) == 2, "the requests have come")
        Event().wait(4 * SHORT)
        server.application.free.set()
        assert codes(connection) == codes(asking) == [200]
        sending.join()


@pytest.mark.parametrize("path", [b"huge", b"stream"])
@pytest.mark.parametrize("end", [b"", b"Connection: close\r\n"])
def test_a_response_that_nobody_reads_is_abandoned(path, end, server, times):
    times(ANSWER_STALL=SHORT)
    with server.connect(receives=4_096) as connection:
        connection.sendall(HEAD.replace(b"quick", path) + end + b"\r\n")
        until(lambda: server.application.begun, "the request has come")
        until(lambda: server.application.ended and not server.connections, "request and connection are gone")


def test_a_response_read_too_slowly_is_abandoned(server, times, monkeypatch):
    times(ANSWER_STALL=1.0)
    monkeypatch.setattr(http_protocol, "MIN_PROGRESS_BYTES", 100_000_000)
    received = 0
    with server.connect(receives=65_536) as connection:
        connection.sendall(HEAD.replace(b"quick", b"huge") + b"Connection: close\r\n\r\n")
        with suppress(ConnectionError):
            while more := connection.recv(65_536):
                received += len(more)
                Event().wait(0.005)
    assert received < 30_000_000


def test_a_response_read_slowly_but_steadily_is_sent_completely(server, times):
    times(ANSWER_STALL=1.0)
    received = 0
    with server.connect(receives=65_536) as connection:
        connection.sendall(HEAD.replace(b"quick", b"huge") + b"Connection: close\r\n\r\n")
        while more := connection.recv(1_000_000):
            received += len(more)
            Event().wait(0.005)
    assert received > 30_000_000


def test_a_rejected_client_that_stays_connected_is_disconnected(server, times):
    times(LINGER_SECONDS=SHORT)
    with server.connect() as connection:
        connection.sendall(b"nonsense\r\n\r\n")
        assert codes(connection) == [400]
        until(lambda: not server.connections, "the connection is gone")


def test_idle_connections_are_closed_to_make_room_for_others(loop, times):
    times()
    with running(loop=loop, limit_concurrency=20) as server, ExitStack() as open_ones:
        for begun in (b"", b"G", HEAD, b"") * 15:
            open_ones.enter_context(server.connect()).sendall(begun)
            assert len(server.connections) <= 21
        assert server.answers()


def test_an_idle_connection_is_closed_before_one_that_sends_a_body(loop, times):
    times()
    with running(loop=loop, limit_concurrency=5) as server, ExitStack() as open_ones:
        sending = open_ones.enter_context(server.connect())
        sending.sendall(POST + b"Connection: close\r\nContent-Length: 9\r\n\r\nhalf")
        until(lambda: server.application.begun, "the request has come")
        for _ in range(3):
            open_ones.enter_context(server.connect())
        until(lambda: len(server.connections) == 4, "all connections are there")
        assert server.answers()
        sending.sendall(b" more")
        assert codes(sending) == [200]


def test_unfinished_bodies_and_unread_responses_are_dropped_to_make_room_for_others(loop, times):
    times()
    with running(loop=loop, limit_concurrency=20) as server, ExitStack() as open_ones:
        for begun in (POST + b"Content-Length: 9\r\n\r\n", HEAD.replace(b"quick", b"huge") + b"\r\n") * 12:
            server.application.begun.clear()
            open_ones.enter_context(server.connect(receives=4_096)).sendall(begun)
            until(lambda: server.application.begun, "the request has come")
        assert server.answers()


def test_requests_in_progress_are_not_dropped_for_new_ones(loop, times):
    times()
    with running(loop=loop, limit_concurrency=5) as server, ExitStack() as open_ones:
        busy = [open_ones.enter_context(server.connect()) for _ in range(4)]
        for connection in busy:
            connection.sendall(HEAD.replace(b"quick", b"busy") + b"Connection: close\r\n\r\n")
        until(lambda: len(server.application.begun) == 4, "the requests have come")
        assert server.send(HEAD + b"\r\n") == [503]
        server.application.free.set()
        assert [codes(connection) for connection in busy] == [[200]] * 4
        assert server.answers()


def test_a_reset_connection_leaves_nothing_behind(server):
    for begun in (b"", HEAD, POST + b"Content-Length: 9\r\n\r\n", HEAD.replace(b"quick", b"huge") + b"\r\n"):
        with server.connect() as connection:
            connection.sendall(begun)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    until(lambda: not server.connections, "the connections are gone")


def test_the_connection_limit_is_below_the_file_descriptor_limit(monkeypatch):
    resource = pytest.importorskip("resource")
    for files, allowed in ((256, 128), (1_024, 896), (1_000_000, 1_000), (resource.RLIM_INFINITY, 1_000), (64, 16)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert http_protocol.count_allowed_connections() == allowed


@pytest.mark.deep
def test_f31_a_server_with_few_file_descriptors_keeps_responding(tmp_path):
    resource = pytest.importorskip("resource")
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as open_ones:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, usual[1]))  # for the process to be started
        try:
            live = open_ones.enter_context(serving(tmp_path, "http://127.0.0.1:9"))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        here = urlsplit(live.url)
        for _ in range(400):
            connection = open_ones.enter_context(socket.create_connection((here.hostname, here.port), timeout=30))
            connection.sendall(HEAD)
        for path in ("/healthz", "/sign-in"):
            assert httpx2.get(live.url + path).status_code == 200
        until(lambda: httpx2.get(live.url + "/readyz").status_code == 200, "its worker has given a sign of life")
