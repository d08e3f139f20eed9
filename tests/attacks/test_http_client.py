"""More ways to lead the way out astray: spellings of hosts, redirects, headers, slow handshakes, broken answers."""

import os
import socket
import time
from contextlib import contextmanager, nullcontext
from threading import Thread

import httpx2
import pytest

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http import blocked_hosts
from readtrack.infra.http.blocked_hosts import HostBlocklist
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.http.ssrf_guard import NetworkOrigin
from readtrack.infra.models import BlockedHost
from tests.depth import some
from tests.standin import StandIn, send

pytestmark = pytest.mark.slow  # `make check` is to be quick

PUBLIC = "93.184.215.14"
ODD = [
    "[fe80::1%25eth0]", "[::1%25lo]", "[fe80::1%eth0]", "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]", "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b:0:0:0:0:169.254.169.254]", "[2002:a9fe:a9fe::]", "[2002:7f00:1::1]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[0:0:0:0:0:0:0:1]", "[::ffff:10.0.0.1]", "[::FFFF:169.254.169.254]",
    "[100::1]", "[2001:20::1]", "[3fff::1]", "[5f00::1]", "[ff0e::1]", "[v1.fe80::a]", "127。0。0。1", "127．0．0．1",
    "１２７.0.0.1", "①②⑦.0.0.1", "0177.1", "0x7F000001", "127.000.000.001", "127.0.0.1..", "localhost..", "lⓄcalhost",
    "ｌｏｃａｌｈｏｓｔ", "localhost%00.example.org", "localhost%2e", "127%2e0%2e0%2e1", "u@127.0.0.1",
    "example.org@127.0.0.1", "example.org:80@127.0.0.1", "example.org%40127.0.0.1", "example.org\\@127.0.0.1",
    "example.org:99999", "example.org:0", "example.org:-1", "example.org:22", "example.org:8080", ".example.org",
    "example..org", "-", "_", "*.example.org", "wiki.corp.", "wiki。corp", "WIKI.CORP", "printer.LOCAL",
    "metadata.google.internal.", "metadata。google。internal", "instance-data", "kubernetes.default.svc.cluster.local",
    "host.docker.internal", "1.1", "1.1.1", "999.1.1.1", "0xffffffffff", "4294967296", "256.256.256.256",
    "127.0.0.1\t", "127.0.0.1\r\nHost: x", "exam\u200bple.org", "\u202eexample.org", "xn--", "",
]  # fmt: skip


def way_out(*bases, **settings):
    named = {str(number): base for number, base in enumerate(bases)}
    times = {"gate": UnlimitedRateLimiter(), "connect": 2, "total": 10, "max_bytes": 100_000, **settings}
    return HttpClient(agent="test", intervals={}, bases=named, **times)


def nobody_asks(host, port):
    message = f"{host}:{port} was to be resolved"
    raise AssertionError(message)


@pytest.fixture
def trap():
    """Listens on loopback; nobody should come."""
    with StandIn() as trap:
        yield trap
        assert trap.requests == []


class Leading(StandIn):
    """Leads to one address."""

    def __init__(self, there, **headers):
        super().__init__()
        self.there, self.headers = there, headers

    def answer(self, to, asked):
        if asked.path == "/end":
            send(to, 200, b"the end")
        else:
            send(to, 302, b"", {"location": self.there, **self.headers})


@pytest.mark.parametrize("host", ODD)
def test_a30_unusual_host_spellings_are_not_resolved(host, trap):
    for address in (f"http://{host}/", f"https://{host}/", f"//{host}/"):
        with pytest.raises(SourceRefused):
            way_out(resolve=nobody_asks).get(address)


@pytest.mark.parametrize("host", ODD[:-1:3])
def test_a32_a_redirect_to_an_unusual_host_spelling_is_not_followed(host):
    where = f"http://{host}/".replace("\r\n", "%0d%0a").encode().decode("latin-1")
    with Leading(where) as start, pytest.raises(SourceRefused):
        way_out(start.url).get(start.url)
    assert len(start.requests) == 1


@pytest.mark.parametrize(
    "where",
    ["https://example.org/%0d%0aX-Injected:%201", "/a\tb", "/" + "x" * 5000, "http://[", "http:///etc/passwd", "http:/",
     "https:127.0.0.1", "\\\\127.0.0.1\\share", "about:blank", "ws://example.org/", "jar:http://example.org!/",
     "view-source:http://example.org/", "HTTP://LOCALHOST/", "http://example.org:80:80/", "?x=1#\x85"],
)  # fmt: skip
def test_a32_a_malformed_location_header_injects_nothing(where, trap):
    with Leading(where) as start, pytest.raises((SourceRefused, SourceUnavailable)):
        way_out(start.url, resolve=lambda host, _: [host] if host == "127.0.0.1" else []).get(start.url)
    assert all("x-injected" not in asked.headers and "x-injected" not in asked.path for asked in start.requests)


@pytest.mark.parametrize("kept", ["cookie", "authorization"])
def test_a32_cookies_of_a_site_are_not_sent_back(kept):
    with Leading("/end", **{"set-cookie": "a=1; Path=/", "www-authenticate": 'Basic realm="x"'}) as start:
        way = way_out(start.url)
        for _ in range(2):
            assert way.get(start.url).body == b"the end"
    assert all(kept not in asked.headers for asked in start.requests)


def test_a32_credentials_are_not_read_from_the_environment(monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password secret\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HTTPS_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert "NETRC" in os.environ
    with StandIn() as site:
        way_out(site.url).get(site.url)
    assert "authorization" not in site.requests[0].headers


class Turning:
    """A gate at which somebody waits, while a name comes to mean something else."""

    def __init__(self):
        self.addresses = [PUBLIC]

    @contextmanager
    def acquire(self, _host, _interval):
        self.addresses = ["127.0.0.1"]
        yield None

    def resolve(self, _host, _port):
        return self.addresses


def test_a31_a_host_name_is_checked_after_waiting_for_the_rate_limit(trap):
    gate = Turning()
    with pytest.raises(SourceRefused, match="an internal address"):
        way_out(gate=gate, resolve=gate.resolve).get("https://rebinding.example.org/")


class Speaking:
    """A server that sends these bytes to whoever connects, as often as it is asked to, and counts connections."""

    def __init__(self, *pieces, pause=0.0, for_ever=False):
        self.pieces, self.pause, self.for_ever, self.connections = pieces, pause, for_ever, 0

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.over = False
        Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.server.close()

    @property
    def port(self):
        return self.server.getsockname()[1]

    def _accept(self):
        while not self.over:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._speak(connection)

    def _speak(self, connection):
        try:
            connection.recv(65_536)
            for piece in self.pieces:
                connection.sendall(piece)
            while self.for_ever and not self.over:
                connection.sendall(self.pieces[-1])
                time.sleep(self.pause)
        except OSError:
            return


def test_a35_a_handshake_that_never_completes_times_out():
    with Speaking(b"\x16\x03\x03\x40\x00", b"\x00", pause=0.05, for_ever=True) as slow:
        started = time.monotonic()
        with pytest.raises(SourceUnavailable):
            way_out(f"https://127.0.0.1:{slow.port}", total=1).get(f"https://127.0.0.1:{slow.port}/")
        assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    "head",
    some(
        [
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n",
            b"\r\n",
            b"HTTP/1.1 200 ",
            b"x",
        ],
        3,
    ),
)
def test_a35_a_response_that_never_starts_times_out(head):
    with Speaking(head, for_ever=True) as endless:
        started = time.monotonic()
        with pytest.raises(SourceUnavailable):
            way_out(f"http://127.0.0.1:{endless.port}", total=1).get(f"http://127.0.0.1:{endless.port}/")
        assert time.monotonic() - started < 20


def test_a52_leftover_bytes_of_a_response_are_not_read_as_the_next():
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\nhere"
    with Speaking(answer + answer.replace(b"here", b"evil")) as site:
        way, url = way_out(f"http://127.0.0.1:{site.port}"), f"http://127.0.0.1:{site.port}/"
        assert [way.get(url).body for _ in range(3)] == [b"here"] * 3
        assert site.connections == 3


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 9\r\n\r\nhere", None),
        (b"HTTP/1.1 200 OK\r\ncontent-length: -4\r\n\r\nhere", None),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nhere", None),
        (b"HTTP/1.1 200 OK\r\nx: a\nevil: b\r\ncontent-length: 4\r\n\r\nhere", b"here"),
        (b"HTTP/1.1 200 OK\r\nx: \x00\r\n\r\nhere", None),
        (b"HTTP/9.9 200 OK\r\ncontent-length: 4\r\n\r\nhere", b"here"),
        (b"HTTP/1.1 99999 OK\r\n\r\n", None),
        (b"HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n", None),
    ],
)
def test_a52_a_malformed_response_is_handled_with_an_error_message(answer, body):
    with Speaking(answer) as site:
        url = f"http://127.0.0.1:{site.port}/"
        with nullcontext() if body else pytest.raises((SourceUnavailable, SourceRefused), match=r"\.$"):
            assert way_out(url).get(url).body == body


@pytest.mark.parametrize(
    "spelt", ["bücher.example.com", "xn--bcher-kva.example.com", "BÜCHER.example.com", "a.bücher.example.com."]
)
@pytest.mark.parametrize("closing", ["bücher.example.com", "xn--bcher-kva.example.com"])
def test_a30_a_blocked_host_is_blocked_in_every_script(database, spelt, closing):
    way = way_out(closed=HostBlocklist(database, {closing}), resolve=nobody_asks)
    for scheme in ("http", "https"):
        with pytest.raises(SourceRefused, match="is a blocked site"):
            way.get(f"{scheme}://{spelt}/")


def test_a30_newly_blocked_hosts_take_effect_in_a_running_worker(database, monkeypatch):
    assert blocked_hosts.CACHE_SECONDS <= 30
    monkeypatch.setattr(blocked_hosts, "CACHE_SECONDS", 0.0)
    is_closed = HostBlocklist(database)
    assert not is_closed("papers.example.com")
    with database.write() as tx:
        tx.add(BlockedHost(host="example.com"))
    assert is_closed("papers.example.com")
    assert is_closed("EXAMPLE.com.")
    assert not is_closed("badexample.com")


@pytest.mark.parametrize("address", ["https://bücher.example.com/", "https://xn--bcher-kva.example.com./"])
def test_a_network_origin_uses_the_punycode_host_name(address):
    assert NetworkOrigin.from_url(httpx2.URL(address)) == NetworkOrigin("https", "xn--bcher-kva.example.com", 443)
