"""HTTP as uvicorn speaks it, but for what a proxy in front may read another way: that is refused, or ends there."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

VERSIONS = {"1.0", "1.1"}


class Wire(HttpToolsProtocol):
    """Uvicorn puts trailers among the headers, and proxies that take a header away from a request let it pass there."""

    def on_headers_complete(self) -> None:
        if not self._plain():
            message = "not a request for a path of one host"
            raise ValueError(message)  # answered with 400, and the connection is closed
        super().on_headers_complete()
        self.headers = []  # the request keeps the list it has
        if self.parser.should_upgrade():  # to what is not spoken here: what follows is no request
            self.cycle.keep_alive = False

    def _plain(self) -> bool:
        """One host, a path and not a whole address, a version that is spoken here; no socket instead of answers."""
        version = self.parser.get_http_version()
        hosts = sum(name == b"host" for name, _ in self.headers)
        known = version in VERSIONS and (hosts == 1 or (hosts == 0 and version == "1.0"))
        return known and self.url.startswith(b"/") and not self._should_upgrade()
