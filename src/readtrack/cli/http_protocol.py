"""HTTP/1.1 protocol: uvicorn's with resource limits and strict parsing against request smuggling.

Each connection uses a bounded amount of memory, and none stays open forever:

- Request line and headers, a chunk's extensions, and trailers are limited to `MAX_HEAD` bytes each.
- A head must arrive within `HEAD_SECONDS` of the connection's start or the previous response, a body within
  `BODY_SECONDS`.
- While a body is sent, at least `MIN_PROGRESS` bytes must arrive every `BODY_STALL` seconds; while a response is read,
  as many must leave every `ANSWER_STALL` seconds. Time in which the application itself is busy does not count.
- The unfinished bodies of all connections are limited to `MAX_BODIES` bytes.
- At most `MAX_PIPELINED` requests wait for the response to an earlier one.
- The number of connections is limited by uvicorn's `limit_concurrency`. A new connection replaces the one that has
  waited longest for its client, so that idle connections do not keep anyone out.

uvicorn's `timeout_keep_alive` closes connections on which no further request begins.
"""

import asyncio
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

VERSIONS = {"1.0", "1.1"}
MAX_HEAD_BYTES = 65_536
MAX_HEADERS = 200  # Lines.
MAX_PIPELINED = 10  # Requests.
HEAD_SECONDS = 20.0
BODY_SECONDS = 1800.0  # Enough for 200 MB at 120 kB/s.
MAX_BODIES_BYTES = 450_000_000  # of all requests together: two of the largest files
COUNTED_BYTES = 500_000  # Bytes of a body from which on it counts towards MAX_BODIES_BYTES.
BODY_STALL = 30.0  # Seconds.
ANSWER_STALL = 60.0  # Seconds; longer, because the kernel's send buffer drains in large steps.
MIN_PROGRESS_BYTES = 4_096
LINGER_SECONDS = 2.0  # Seconds for the client of a refused request to read the response.
MAX_IGNORED_BYTES = 1_000_000  # Bytes the client may still send.
CHECK_SECONDS = 1.0  # Seconds between two checks of a connection.
CHUNK_BYTES = 8_192  # Bytes per call of the parser; head limits are checked between the calls.
SPARE_FILES = 128  # File descriptors reserved for the database, files, outgoing and just accepted connections.
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

    Trailers are dropped: uvicorn adds them to the headers, so a header that a proxy removes could be smuggled in a
    trailer.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        now = self.loop.time()
        self.waiting_since = now  # Since when the client owes a head or a body.
        self._in_body = False
        self._ignores_input = False  # Input is discarded from now on.
        self._refusal = HTTPStatus.BAD_REQUEST  # Status for errors of the parser.
        self._ignored = 0  # Bytes.
        self._unparsed = 0  # Bytes since the last one that completed a head or belonged to a body.
        self._parsed = False  # Set by the parser callbacks for such a byte.
        self._arrived = self._arrived_before = 0  # Bytes of the body in total, and at the last progress.
        self._arrived_at = self._left_at = now  # Time of the last sufficient progress of a body or response.
        self._unsent = 0  # Maximum bytes in the write buffer since then.
        self._check = self.loop.call_later(CHECK_SECONDS, self._check_progress)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), CHUNK_BYTES):
            if self._ignores_input or self.transport.is_closing():
                self._ignore(len(data) - start)
                return
            chunk = data[start : start + CHUNK_BYTES]
            self._parsed = False
            super().data_received(chunk)
            self._unparsed = 0 if self._parsed else self._unparsed + len(chunk)
            if self._unparsed > MAX_HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def _ignore(self, size: int) -> None:
        self._ignored += size
        if self._ignored > MAX_IGNORED_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        if self._ignores_input:
            message = "this connection is about to end"
            raise ValueError(message)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if not self._is_supported_request():
            message = "not a request for a path of one host"
            raise ValueError(message)  # Answered with 400; the connection is closed.
        if len(self.headers) > MAX_HEADERS or self._head_size() > MAX_HEAD_BYTES:
            self._refusal = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            message = "too many or too long headers"
            raise ValueError(message)
        super().on_headers_complete()
        self.headers = []  # The request keeps its own list.
        if self.parser.should_upgrade():  # An unsupported upgrade: the following bytes are no request.
            self.cycle.keep_alive = False
        if len(self.pipeline) >= MAX_PIPELINED:
            self.cycle.keep_alive = False
            self._ignores_input = True  # Ignore further requests; clients repeat those that get no response.
        self._parsed = self._in_body = True
        self._arrived = self._arrived_before = 0
        self.waiting_since = self._arrived_at = self.loop.time()

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._parsed = True
        is_check_due = self._arrived % COUNTED_BYTES + len(body) >= COUNTED_BYTES
        self._arrived += len(body)
        if (
            is_check_due
            and sum(
                connection.unfinished_bytes
                for connection in self.connections
                if isinstance(connection, LimitedHttpProtocol)
            )
            > MAX_BODIES_BYTES
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
        """Return True if the application has to answer a request whose head is complete."""
        cycle: RequestResponseCycle | None = self.cycle
        return bool(self.pipeline) or not (cycle is None or cycle.response_complete or cycle.disconnected)

    @property
    def is_idle(self) -> bool:
        """Return True between two requests and before the first one."""
        return not (self._in_body or self.is_answering or self.transport.get_write_buffer_size())

    @property
    def unfinished_bytes(self) -> int:
        """Return the bytes of a body received so far while the application may be buffering it."""
        return self._arrived if self._in_body and self.is_answering else 0

    @property
    def waits_for_client(self) -> bool:
        """Return True if only the client can proceed, by sending a head or body or by reading the response."""
        if self.transport.get_write_buffer_size():
            return True
        return self._waits_for_body() if self._in_body else not self.is_answering

    def _is_supported_request(self) -> bool:
        """Return True if the request is supported.

        It must have one Host header, a path instead of a full URL, a supported version, and no WebSocket upgrade.
        """
        version = self.parser.get_http_version()
        hosts = sum(name == b"host" for name, _ in self.headers)
        is_known = version in VERSIONS and (hosts == 1 or (hosts == 0 and version == "1.0"))
        return is_known and self.url.startswith(b"/") and not self._should_upgrade()

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _waits_for_body(self) -> bool:
        """Return False while the application has to proceed first.

        It has enough data, or it has not asked for the body.
        """
        return not self.flow.read_paused and not (self.is_answering and self.cycle.waiting_for_100_continue)

    def _make_room(self) -> None:
        """Make room for this connection if the limit is reached.

        Close the connection that has waited longest for its client, or refuse this one if there is none.
        """
        if self.limit_concurrency is None or len(self.connections) < self.limit_concurrency:
            return
        connections = (
            connection
            for connection in self.connections
            if isinstance(connection, LimitedHttpProtocol) and connection is not self
        )
        waiting_connections = [connection for connection in connections if connection.waits_for_client]
        if not waiting_connections:
            self._ignores_input = True
            self._answer_without_request(HTTPStatus.SERVICE_UNAVAILABLE)
            self.transport.close()
            self.connections.discard(self)
            return
        longest_waiting = min(
            waiting_connections, key=lambda connection: (not connection.is_idle, connection.waiting_since)
        )
        self.connections.discard(longest_waiting)
        longest_waiting.transport.abort()

    def _check_progress(self) -> None:
        """Close the connection if its client is too slow, else check again later."""
        self._check = self.loop.call_later(CHECK_SECONDS, self._check_progress)
        now = self.loop.time()
        unsent_bytes = self.transport.get_write_buffer_size()
        if self._is_not_reading(unsent_bytes, now):
            self.transport.abort()  # close() would wait until everything is read.
        elif unsent_bytes or self.transport.is_closing():
            return
        elif self._ignores_input and not self.is_answering:
            if now - self.waiting_since > LINGER_SECONDS:
                self.transport.abort()
        elif self._in_body:
            if self._is_late_with_body(now):
                self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif not self.is_answering and now - self.waiting_since > HEAD_SECONDS:
            self._end_wait_for_head()

    def _is_not_reading(self, unsent_bytes: int, now: float) -> bool:
        if not unsent_bytes or unsent_bytes <= self._unsent - MIN_PROGRESS_BYTES:
            self._unsent, self._left_at = unsent_bytes, now
        self._unsent = max(self._unsent, unsent_bytes)
        return now - self._left_at > ANSWER_STALL

    def _is_late_with_body(self, now: float) -> bool:
        if not self._waits_for_body() or self._arrived - self._arrived_before >= MIN_PROGRESS_BYTES:
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
        """Stop reading and respond with that status unless a response has begun, then close the connection."""
        self._ignores_input = True
        if self.is_answering and not self._in_body:
            self.cycle.keep_alive = False  # The connection ends after the previous response.
        elif self.is_answering and (self.pipeline or self.cycle.response_started):
            self.transport.close()
        else:
            if self.cycle is not None:
                # Tells the application that the client is gone, so that it cannot respond.
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            self._answer_without_request(status)
            self.transport.write_eof()  # An immediate close with unread bytes would send RST and discard the response.
            self.waiting_since = self.loop.time()

    def _answer_without_request(self, status: HTTPStatus) -> None:
        text = f"{status.phrase}\n".encode()
        header_lines = [f"HTTP/1.1 {status} {status.phrase}", "content-type: text/plain; charset=utf-8"]
        header_lines += [f"content-length: {len(text)}", "connection: close", "", ""]
        self.transport.write("\r\n".join(header_lines).encode() + text)
