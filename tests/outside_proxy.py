"""A proxy on loopback behind which any host can be played, over http and https, with certificates of its own."""

import socket
import ssl
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.standin import Request, StandIn, send

MAKE = (
    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
    "-subj", "/CN=stand-in", "-addext", "subjectAltName=DNS:*.example.org", "-keyout", "key.pem", "-out", "cert.pem",
)  # fmt: skip


@dataclass(frozen=True)
class Certificate:
    """Of *.example.org, by an authority that only a test believes."""

    folder: Path

    @classmethod
    def made_in(cls, folder: Path) -> "Certificate":
        subprocess.run(MAKE, cwd=folder, check=True, capture_output=True)
        return cls(folder)

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "cert.pem", self.folder / "key.pem")
        return context

    def believed(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / "cert.pem"))


class ProxyStandIn(StandIn):
    """`pages`: what an address answers, (status, headers, body); http addresses not in it answer 200.

    https addresses answer only with a `certificate`; without one their hosts cannot be connected.
    """

    def __init__(self, certificate: Certificate | None = None) -> None:
        super().__init__()
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[str] = []  # addresses, in order; a tunnel that came to nothing is "CONNECT host:443"
        self.names: list[tuple[str, str | None]] = []  # of each request in a tunnel: Host, and the name in TLS
        self._tls = certificate.server() if certificate else None
        self._sni: list[str | None] = []
        if self._tls:
            self._tls.sni_callback = lambda _socket, name, _context: self._sni.append(name)
        self.tunnels_http = False  # else a tunnel to port 80 is refused, as most proxies do

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        at = len(self.asked)  # noted before anything is answered: whoever hears of a failure may look at once
        self.asked.append(f"CONNECT {asked.path}" if asked.method == "CONNECT" else asked.path)
        if asked.method != "CONNECT":
            status, headers, body = self.pages.get(asked.path, (200, {}, b"over http"))
            send(to, status, body, headers)
        elif asked.path.endswith(":80") and self.tunnels_http:
            to.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            with suppress(OSError):
                self._speak(to.connection, at, "http", ":80")
        elif self._tls is None or asked.path.endswith(":80"):
            send(to, 502, b"")
        else:
            to.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            with suppress(OSError), self._tls.wrap_socket(to.connection, server_side=True) as secure:
                self._speak(secure, at, "https", ":443")

    def _speak(self, connection: socket.socket, at: int, scheme: str, port: str) -> None:
        head = connection.recv(65_536).decode()
        path = head.split(" ")[1]
        host = next(line.partition(": ")[2] for line in head.split("\r\n") if line.lower().startswith("host:"))
        self.names.append((host, getattr(connection, "context", None) and self._sni.pop()))
        target = self.asked[at].removeprefix("CONNECT ").removesuffix(port)
        self.asked[at] = address = f"{scheme}://{target}{path}"
        status, headers, body = self.pages.get(address, (200, {}, f"over {scheme}".encode()))
        lines = [f"HTTP/1.1 {status} So", f"content-length: {len(body)}", *(f"{k}: {v}" for k, v in headers.items())]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
