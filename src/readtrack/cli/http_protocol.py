"""HTTP/1.1 on the wire: uvicorn's protocol with limits, and without what a proxy in front may read another way.

Each connection holds a bounded amount of memory, and none stays open for ever:

- A request line and headers, a chunk's extensions and trailers have at most `MAX_HEAD` bytes each.
- A head arrives within `HEAD_SECONDS` of the connection's start or of the previous answer, a body within
  `BODY_SECONDS`.
- While a body arrives, at least `MIN_PROGRESS` bytes come within each `BODY_STALL` seconds; as many leave within each
  `ANSWER_STALL` seconds while an answer is read. Time in which the application itself is busy does not count.
- Unfinished bodies of all connections have at most `MAX_BODIES` bytes.
- At most `MAX_PIPELINED` requests wait for the answer to an earlier one.
- There are fewer connections than uvicorn's `limit_concurrency`. A new one takes the place of the one that has waited
  longest for its client, so that connections without requests do not keep anyone out.

uvicorn's `timeout_keep_alive` closes connections on which no further request begins.
"""

import asyncio
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

VERSIONS = {"1.0", "1.1"}
MAX_HEAD = 65_536  # bytes
MAX_HEADERS = 200  # lines
MAX_PIPELINED = 10  # requests
HEAD_SECONDS = 20.0
BODY_SECONDS = 900.0  # enough for 50 MB at 60 kB/s
MAX_BODIES = 200_000_000  # bytes
COUNTED_BYTES = 500_000  # of a body, after which those of all connections are added up
BODY_STALL = 30.0  # seconds
ANSWER_STALL = 60.0  # seconds; longer, as the system's own buffer empties in large steps
MIN_PROGRESS = 4_096  # bytes
LINGER_SECONDS = 2.0  # in which the client of a refused request may read why
MAX_IGNORED = 1_000_000  # bytes that it may still send
CHECK_SECONDS = 1.0  # between two looks at a connection
PIECE = 8_192  # bytes given to the parser at once; the limit for heads is checked between pieces
SPARE_FILES = 128  # descriptors for the database, files, outgoing connections and those just accepted
MAX_CONNECTIONS = 1_000
MIN_CONNECTIONS = 16


def count_allowed_connections() -> int:
    """Return how many connections one process accepts, so that its file descriptors suffice."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:
        return MAX_CONNECTIONS
    files = getrlimit(RLIMIT_NOFILE)[0]
    if files == RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, files - SPARE_FILES))


class LimitedHttpProtocol(HttpToolsProtocol):
    """Uvicorn's protocol with the limits above.

    Uvicorn also puts trailers among the headers, and proxies that take a header away from a request let it pass there.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        now = self.loop.time()
        self.waiting_since = now  # for the client, to send a head or a body
        self._in_body = False
        self._ignores_input = False  # nothing more is read from this connection
        self._refusal = HTTPStatus.BAD_REQUEST  # the status of what the parser refuses
        self._ignored = 0  # bytes
        self._unparsed = 0  # bytes since the last one that completed a head or belonged to a body
        self._parsed = False  # set by the parser when such a byte came
        self._arrived = self._arrived_before = 0  # bytes of the body: all, and those at the time of the last progress
        self._arrived_at = self._left_at = now  # when enough of a body arrived, or of an answer left
        self._unsent = 0  # the most bytes in the write buffer since then
        self._check = self.loop.call_later(CHECK_SECONDS, self._check_progress)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            if self._ignores_input or self.transport.is_closing():
                self._ignore(len(data) - start)
                return
            piece = data[start : start + PIECE]
            self._parsed = False
            super().data_received(piece)
            self._unparsed = 0 if self._parsed else self._unparsed + len(piece)
            if self._unparsed > MAX_HEAD:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def _ignore(self, size: int) -> None:
        self._ignored += size
        if self._ignored > MAX_IGNORED:
            self.transport.abort()

    def on_message_begin(self) -> None:
        if self._ignores_input:
            message = "this connection is about to end"
            raise ValueError(message)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if not self._is_supported_request():
            message = "not a request for a path of one host"
            raise ValueError(message)  # answered with 400, and the connection is closed
        if len(self.headers) > MAX_HEADERS or self._head_size() > MAX_HEAD:
            self._refusal = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            message = "too many or too long headers"
            raise ValueError(message)
        super().on_headers_complete()
        self.headers = []  # the request keeps the list it has
        if self.parser.should_upgrade():  # to what is not spoken here: what follows is no request
            self.cycle.keep_alive = False
        if len(self.pipeline) >= MAX_PIPELINED:
            self.cycle.keep_alive = False
            self._ignores_input = True  # of further requests; a client repeats those without an answer
        self._parsed = self._in_body = True
        self._arrived = self._arrived_before = 0
        self.waiting_since = self._arrived_at = self.loop.time()

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._parsed = True
        due = self._arrived % COUNTED_BYTES + len(body) >= COUNTED_BYTES
        self._arrived += len(body)
        if (
            due
            and sum(other.unfinished_bytes for other in self.connections if isinstance(other, LimitedHttpProtocol))
            > MAX_BODIES
        ):
            self._refusal = HTTPStatus.SERVICE_UNAVAILABLE
            message = "too many long bodies at once"
            raise ValueError(message)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._parsed, self._in_body = True, False
        self.waiting_since = self.loop.time()
        if self.parser.should_upgrade():
            self._ignores_input = True

    def on_response_complete(self) -> None:
        if not self._in_body:
            self.waiting_since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        self._unsent, self._left_at = 0, self.loop.time()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the status says enough
        """Refuse what the parser cannot read. Called by uvicorn."""
        if not self._ignores_input:
            self._refuse(self._refusal)

    @property
    def is_answering(self) -> bool:
        """True if the application is still to answer a request whose head is complete."""
        cycle: RequestResponseCycle | None = self.cycle
        return bool(self.pipeline) or not (cycle is None or cycle.response_complete or cycle.disconnected)

    @property
    def is_idle(self) -> bool:
        """True between two requests, and before the first one."""
        return not (self._in_body or self.is_answering or self.transport.get_write_buffer_size())

    @property
    def unfinished_bytes(self) -> int:
        """How much of a body has come so far, if the application may be collecting it."""
        return self._arrived if self._in_body and self.is_answering else 0

    @property
    def waits_for_client(self) -> bool:
        """True if only the client can go on: with a head, a body or by reading what was sent."""
        if self.transport.get_write_buffer_size():
            return True
        return self._waits_for_body() if self._in_body else not self.is_answering

    def _is_supported_request(self) -> bool:
        """One host, a path and not a whole address, a version that is spoken here; no socket instead of answers."""
        version = self.parser.get_http_version()
        hosts = sum(name == b"host" for name, _ in self.headers)
        known = version in VERSIONS and (hosts == 1 or (hosts == 0 and version == "1.0"))
        return known and self.url.startswith(b"/") and not self._should_upgrade()

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _waits_for_body(self) -> bool:
        """False while the application is to go on first: it has enough to read, or has not asked for the body."""
        return not self.flow.read_paused and not (self.is_answering and self.cycle.waiting_for_100_continue)

    def _make_room(self) -> None:
        """Close the connection that has waited longest for its client when there are too many, or refuse this one."""
        if self.limit_concurrency is None or len(self.connections) < self.limit_concurrency:
            return
        others = (other for other in self.connections if isinstance(other, LimitedHttpProtocol) and other is not self)
        waiting = [other for other in others if other.waits_for_client]
        if not waiting:
            self._ignores_input = True
            self._answer_without_request(HTTPStatus.SERVICE_UNAVAILABLE)
            self.transport.close()
            self.connections.discard(self)
            return
        longest = min(waiting, key=lambda other: (not other.is_idle, other.waiting_since))
        self.connections.discard(longest)
        longest.transport.abort()

    def _check_progress(self) -> None:
        """Close the connection when its client is too slow; else look again later."""
        self._check = self.loop.call_later(CHECK_SECONDS, self._check_progress)
        now = self.loop.time()
        unsent = self.transport.get_write_buffer_size()
        if self._is_not_reading(unsent, now):
            self.transport.abort()  # to close would be to wait until all is read
        elif unsent or self.transport.is_closing():
            return
        elif self._ignores_input and not self.is_answering:
            if now - self.waiting_since > LINGER_SECONDS:
                self.transport.abort()
        elif self._in_body:
            if self._is_late_with_body(now):
                self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif not self.is_answering and now - self.waiting_since > HEAD_SECONDS:
            self._end_wait_for_head()

    def _is_not_reading(self, unsent: int, now: float) -> bool:
        if not unsent or unsent <= self._unsent - MIN_PROGRESS:
            self._unsent, self._left_at = unsent, now
        self._unsent = max(self._unsent, unsent)
        return now - self._left_at > ANSWER_STALL

    def _is_late_with_body(self, now: float) -> bool:
        if not self._waits_for_body() or self._arrived - self._arrived_before >= MIN_PROGRESS:
            self._arrived_before, self._arrived_at = self._arrived, now
        return now - self._arrived_at > BODY_STALL or (
            now - self.waiting_since > BODY_SECONDS and self._waits_for_body()
        )

    def _end_wait_for_head(self) -> None:
        if self._unparsed:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.close()

    def _refuse(self, status: HTTPStatus) -> None:
        """Read no more; answer with that status, unless an answer has begun, and end the connection."""
        self._ignores_input = True
        if self.is_answering and not self._in_body:
            self.cycle.keep_alive = False  # it ends after the answer to what came before
        elif self.is_answering and (self.pipeline or self.cycle.response_started):
            self.transport.close()
        else:
            if self.cycle is not None:
                self.cycle.disconnected = True  # the application is told so, and can no longer answer
                self.cycle.message_event.set()
            self._answer_without_request(status)
            self.transport.write_eof()  # closed at once, unread bytes would make the system take the answer back
            self.waiting_since = self.loop.time()

    def _answer_without_request(self, status: HTTPStatus) -> None:
        text = f"{status.phrase}\n".encode()
        head = [f"HTTP/1.1 {status} {status.phrase}", "content-type: text/plain; charset=utf-8"]
        head += [f"content-length: {len(text)}", "connection: close", "", ""]
        self.transport.write("\r\n".join(head).encode() + text)
