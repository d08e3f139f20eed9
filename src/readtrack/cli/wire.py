"""HTTP as uvicorn speaks it, but for one thing: what follows a body in chunks is no header of the request."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Wire(HttpToolsProtocol):
    """Uvicorn puts trailers among the headers, and proxies that take a header away from a request let it pass there."""

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self.headers = []  # the request keeps the list it has
