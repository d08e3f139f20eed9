"""Made to fetch: addresses that lead inwards, answers that explode, and files that pretend to be pages."""

import ast
import json
import re
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from readtrack.bootstrap import open_egress
from readtrack.infra.config import load
from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.http.types import HttpResponse
from readtrack.infra.jobs import queue
from readtrack.metadata import sources
from readtrack.metadata.parsing import markup
from readtrack.metadata.parsing.html_head import parse_head
from readtrack.metadata.types import PaperDescription, Ref
from tests.attacks.bombs import BOMBS, BombStandIn
from tests.depth import DEEP, some
from tests.sample_library import carry_out, noted
from tests.standin import StandIn, send
from tests.tables import cases

pytestmark = pytest.mark.slow  # `make check` is to be quick

SOURCE = Path(__file__).parents[2] / "src/readtrack"
NEW = "- https://arxiv.org/abs/2401.00001\n- https://zenn.dev/a/articles/b1234567890123\n"
PUBLIC = "93.184.215.14"
INWARDS = [
    "127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "0x7f.1", "0x7f000001", "2130706433", "017700000001",
    "0177.0.0.1", "127.0.0.1.", "0", "0.0.0.0", "0x0", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255",
    "192.168.0.1", "192.168.1.254", "169.254.169.254", "169.254.170.2", "2852039166", "0xa9fea9fe", "100.64.0.1",
    "100.100.100.200", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.7", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[::7f00:1]",
    "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[2001:0:7f00:1::]", "[2002:7f00:1::]", "[2001:db8::1]", "[fe80::1]",
    "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "localhost", "localhost.", "LOCALHOST", "ip6-localhost",
    "a.localhost", "localhost.localdomain", "metadata.google.internal", "metadata", "wiki", "wiki.corp", "nas.local",
    "nas.lan", "router.home.arpa", "jira.corp.example.org", "vpn.example.org",
]  # fmt: skip


@pytest.fixture
def trap():
    """Listens on loopback; nobody should come."""
    with StandIn() as trap:
        yield trap
        assert trap.requests == []


def way_out(*bases, **settings):
    named = {str(number): base for number, base in enumerate(bases)}
    times = {"connect": 2, "total": 10, "max_bytes": 1_000_000, **settings}
    return HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, bases=named, **times)


def resolving(*answers):
    """A resolver that gives each answer once, the last one for ever, and counts."""
    asked = []

    def resolve(host, port):
        asked.append((host, port))
        return answers[min(len(asked), len(answers)) - 1]

    return resolve, asked


@cases("host", INWARDS)
def test_a30_no_spelling_of_a_private_address_is_connected_to(host, trap):
    for address in (f"http://{host}/", f"https://{host}/x", f"http://{host}:{trap.port}/"):
        with pytest.raises(SourceRefused):
            way_out().get(address)
        with pytest.raises(SourceRefused):
            way_out().post(address, {})
    assert trap.requests == []


@cases("inner", ["127.0.0.1", "::1", "::ffff:7f00:1", "169.254.169.254", "10.1.2.3", "fd00::7", "::"])
def test_a30_no_public_name_of_a_private_address_is_connected_to(inner, trap):
    resolve, _ = resolving([inner])
    with pytest.raises(SourceRefused, match="an internal address"):
        way_out(resolve=resolve).get("http://reading.example.org/")


def test_a30_readtrack_does_not_request_itself(database, tmp_path):
    given = load({}, data=tmp_path, base_url="https://reading.example.org", internal_hosts="wiki.example.com")
    egress = open_egress(given, database)
    for host in ("reading.example.org", "wiki.example.com", "a.wiki.example.com", "READING.example.org."):
        with pytest.raises(SourceRefused, match="is a blocked site"):
            egress.get(f"https://{host}/")


@pytest.fixture
def connecting(monkeypatch):
    """The places to which somebody wanted to connect; nobody listens anywhere."""
    places = []

    def connect(place, *_, **__):
        places.append(place)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(socket.socket, "connect", lambda _self, place: connect(place))
    return places


def test_a31_a_host_name_that_resolves_differently_after_the_check_gains_nothing(connecting):
    resolve, asked = resolving([PUBLIC], ["127.0.0.1"])
    with pytest.raises(SourceUnavailable):
        way_out(resolve=resolve).get("https://rebinding.example.org/")
    assert (connecting, asked) == ([(PUBLIC, 443)], [("rebinding.example.org", 443)])


def test_a31_a_host_name_is_checked_for_each_connection(connecting):
    """Over https it was outside, over http a moment later it is inside."""
    resolve, asked = resolving([PUBLIC], ["127.0.0.1"])
    with pytest.raises(SourceRefused, match="an internal address"):
        way_out(resolve=resolve).get("http://rebinding.example.org/")
    assert connecting == [(PUBLIC, 443)]
    assert [port for _, port in asked] == [443, 80]


@pytest.mark.parametrize(
    "mixed", [[PUBLIC, "127.0.0.1"], ["2606:2800:21f::1", "::1"], [PUBLIC, "::ffff:10.0.0.1"], ["fe80::1%lo", PUBLIC]]
)
def test_a31_one_private_address_among_public_ones_is_refused(mixed, trap):
    resolve, _ = resolving(mixed)
    with pytest.raises(SourceRefused, match="an internal address"):
        way_out(resolve=resolve).get("http://mixed.example.org/")


# A32: redirects; from https down to http, see tests/metadata/test_egress_proxy.py


class Leading(StandIn):
    """Leads to wherever the path says, or on and on."""

    def __init__(self, *there):
        super().__init__()
        self.there = list(there)

    def answer(self, to, asked):
        number = len(self.requests)
        where = self.there[number - 1] if number <= len(self.there) else f"/{number}"
        send(to, 302, b"", {"location": where})


@pytest.mark.parametrize(
    "where", ["file:///etc/passwd", "gopher://127.0.0.1:25/x", "ftp://127.0.0.1/", "data:,x", "//u:p@127.0.0.1/",
              *(f"http://{host}/" for host in INWARDS[::5]), *(f"//{host}/" for host in INWARDS[1::7])],
)  # fmt: skip
def test_a32_a_redirect_to_a_private_address_or_another_scheme_is_not_followed(where, trap):
    with Leading(where) as start, pytest.raises(SourceRefused):
        way_out(start.url).get(start.url)


@pytest.mark.parametrize("hops", range(5))
def test_a32_each_redirect_target_is_checked(hops, trap):
    with Leading(*(f"/{n}" for n in range(hops)), trap.url) as start, pytest.raises(SourceRefused, match="port"):
        way_out(start.url, total=5).get(start.url)
    assert len(start.requests) == hops + 1


def test_a32_a_chain_of_thirty_redirects_is_abandoned_after_five():
    with Leading() as start, pytest.raises(SourceRefused, match="more than 5 redirects"):
        way_out(start.url, total=5).get(start.url)
    assert len(start.requests) == 6


def test_a32_credentials_are_not_sent_to_another_host_on_redirect():
    with StandIn() as end, Leading(end.url) as start:
        way_out(start.url, end.url).get(start.url, {"authorization": "Bearer x", "cookie": "a=b", "x-api-key": "1"})
    assert not {"authorization", "cookie", "x-api-key"} & end.requests[0].headers.keys()


# A33: one gate; imports of libraries that speak to the network: tests/test_architecture.py, ONE_WAY_OUT


def test_a33_only_the_http_client_and_the_server_use_sockets():
    found = {}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\b(socket|ssl|select|selectors|socketserver|telnetlib|imaplib)\b", text):
            continue
        tree = ast.parse(text)
        named = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        named |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        if touching := named & {"socket", "ssl", "select", "selectors", "socketserver", "telnetlib", "imaplib"}:
            found[path.relative_to(SOURCE).as_posix()] = touching
    of_itself = {"cli/serve.py"}  # the port that it listens on
    letters = {"infra/mail.py"}
    assert {name for name in found if not name.startswith("infra/http/")} == of_itself | letters


def test_a33_importing_makes_no_requests_and_later_requests_use_the_shared_client(database, library, connecting):
    """Not a connection is made by anything but the way out that the jobs are given."""
    way = _Counting()
    carry_out(database, library.member, noted(database, library.member, NEW))
    assert (connecting, way.asked) == ([], [])
    while queue.run_due_job(database, way):
        pass
    assert connecting == []
    assert {urlsplit(address).hostname for address in way.asked} >= {"arxiv.example.org", "zenn.dev"}


class _Counting:
    """An Http that says no to everybody, and remembers."""

    def __init__(self):
        self.asked = []

    def get(self, url, headers=None):
        self.asked.append(url)
        raise SourceUnavailable("Nobody is there. Nothing was changed; it is asked again later.")

    def post(self, url, body, headers=None):
        return self.get(url)

    def base(self, name):
        return f"https://{name}.example.org"


@pytest.mark.slow
@pytest.mark.parametrize("bomb", some(sorted(BOMBS), 5))
def test_a35_no_response_consumes_much_memory_or_time(bomb):
    with BombStandIn(bomb) as server, StandIn() as calm:
        program = [sys.executable, "-m", "tests.attacks.bombs", calm.url, server.url]
        started = time.monotonic()
        told = subprocess.run(program, check=True, capture_output=True, text=True, timeout=60).stdout
        assert time.monotonic() - started < 20
    outcome = json.loads(told)
    assert outcome["error"] in {"SourceRefused", "SourceUnavailable"}
    assert outcome["seconds"] < 4
    assert outcome["growth"] < 50_000_000


class _Saying:
    """An Http that gives one answer to everything."""

    def __init__(self, body, content_type, status=200):
        self.body, self.content_type, self.status = body, content_type, status

    def get(self, url, headers=None):
        return HttpResponse(self.status, {"content-type": self.content_type}, self.body, url)

    def post(self, url, body, headers=None):
        return self.get(url)

    def base(self, name):
        return f"https://{name}.example.org"


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
FEED = '<feed xmlns="http://www.w3.org/2005/Atom"><title>{}</title></feed>'
NODES = 600_000 if DEEP else 30_000
XML = {
    "billion laughs": f'<!DOCTYPE feed [<!ENTITY l0 "ha">{LAUGHS}]>{FEED.format("&l9;")}'.encode(),
    "quadratic": f'<!DOCTYPE feed [<!ENTITY a "{"a" * 50_000}">]>{FEED.format("&a;" * 20_000)}'.encode(),
    "a file": f'<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]>{FEED.format("&x;")}'.encode(),
    "an address": f'<!DOCTYPE feed [<!ENTITY x SYSTEM "http://127.0.0.1:9/">]>{FEED.format("&x;")}'.encode(),
    "a DTD": f'<!DOCTYPE feed SYSTEM "http://127.0.0.1:9/x.dtd">{FEED.format("")}'.encode(),
    "parameters": b'<!DOCTYPE feed [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><feed/>',
    "deep": b"<feed>" + b"<a>" * NODES,
    "wide": b"<feed>" + b"<a/>" * NODES + b"</feed>",
    "attributes": b"<feed " + b" ".join(b'a%d="x"' % n for n in range(NODES // 3)) + b"/>",
    "UTF-7": b'<?xml version="1.0" encoding="UTF-7"?>+ADw-feed+AD4-+ADw-/feed+AD4-',
    "UTF-16": FEED.format("x").encode("utf-16"),
    "wrong encoding": b'<?xml version="1.0" encoding="utf-8"?><feed>\xff\xfe</feed>',
    "no such encoding": b'<?xml version="1.0" encoding="x-nothing"?><feed/>',
    "NUL": b"<feed>\x00</feed>",
}


@pytest.mark.parametrize("bomb", XML)
def test_a36_xml_cannot_expand_entities_open_files_or_pass_as_a_feed(bomb, trap):
    body = XML[bomb].replace(b"127.0.0.1:9", f"127.0.0.1:{trap.port}".encode())
    service = sources.service("arxiv")
    started = time.process_time()
    with pytest.raises(SourceUnavailable):
        service.fetch(_Saying(body, "application/atom+xml"), ["2401.00001"])
    assert time.process_time() - started < 10


@pytest.mark.parametrize("bomb", XML)
@cases("service", some(sources.all_services(), 4), ids=lambda service: service.name)
def test_a36_xml_bombs_are_harmless_to_html_and_json_readers(service, bomb, trap):
    body = XML[bomb].replace(b"127.0.0.1:9", f"127.0.0.1:{trap.port}".encode())
    started = time.process_time()
    for content_type in ("text/html", "application/json"):
        with suppress(SourceUnavailable, SourceRefused):
            assert "root:" not in repr(service.fetch(_Saying(body, content_type), keys_of(service)).records)
    assert time.process_time() - started < 10
    assert trap.requests == []


@pytest.mark.parametrize("bomb", XML)
def test_a36_xml_bombs_are_harmless_to_title_formula_parsing(bomb, trap):
    text = XML[bomb].decode("utf-8", "replace").replace("127.0.0.1:9", f"127.0.0.1:{trap.port}")
    started = time.process_time()
    for title in (f"<math>{text}</math>", f"<mml:math>{text.rpartition(']>')[2]}</mml:math>", text):
        assert "root:" not in markup.strip_markup(title)
    assert time.process_time() - started < 10


MANY = b" ".join(b'a%d="<>"' % n for n in range(100_000))
SLOW = {
    "attributes": b"<p " + MANY + b">",
    "attributes after a script": b'<script><a x="</script><p ' + MANY + b">",
    "a few attributes in many tags": (b"<p " + MANY[:50_000] + b">") * 90,
    "ends of nothing": b"<div>" * 400_000 + b"</p>" * 600_000,
    "ends in the wrong order": (b"<b>" * 300 + b"</i>" * 300) * 2000,
}


@pytest.mark.parametrize("page", SLOW)
def test_a36_a_page_that_is_slow_to_parse_is_not_read(page):
    started = time.process_time()
    with pytest.raises(SourceRefused, match="Open it in a browser"):
        parse_head(SLOW[page], "text/html")
    assert time.process_time() - started < 10


USUAL = {
    "long contents": b'<meta name="citation_abstract" content="' + b"a < b = c, d > e; " * 100_000 + b'">',
    "scripts": b"<script>for (i = 0; i<n; i++) { a => b && c; s = '" + b"x y=z " * 400_000 + b"'; }</script>",
    "many tags": b"<div class='a b' id=x data-x='y'><p>text <a href='/x'>y</a></p></div>" * 60_000,
    "never closed": b"<p><font size=1>text" * 100_000,
}


@pytest.mark.deep
@pytest.mark.parametrize("page", USUAL)
def test_a36_a_large_ordinary_page_is_read(page):
    assert parse_head(b"<html><head><title>A Title</title>" + USUAL[page], "text/html").title == "A Title"


PDF = (
    b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Title(A Paper Of Lies)/Type/Catalog>>\nendobj\n" + bytes(range(256)) * 40
)
ZIP = b"PK\x03\x04" + bytes(range(256)) * 40
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
PRETENDED = ["application/pdf", "text/html", "text/html; charset=utf-16", "application/json", "application/atom+xml",
             "application/octet-stream", "image/png", "video/mp4", "text/plain", ""]  # fmt: skip


def keys_of(service):
    """Keys with which it can be asked: those that its own examples name, else a DOI and a title."""
    about = PaperDescription(
        tuple(
            Ref(source.name, key)
            for source in sources.all_sources()
            for key in source.examples.values()
            if key and (source.name in service.own_schemes or source.name in {"doi", "arxiv"})
        ),
        "Attention Is What Some Say You Need",
        links=tuple(
            text for source in sources.all_sources() for text in source.examples if source.name in service.own_schemes
        ),
    )
    return list(service.select_keys(about))[:1]


@pytest.mark.parametrize("service", sources.all_services(), ids=lambda service: service.name)
@cases("body", [PDF, ZIP, PICTURE], ids=["pdf", "zip", "picture"])
def test_a64_a_file_path_is_never_read_however_it_is_spelled(service, body):
    keys = keys_of(service)
    assert keys, "nothing to ask it about"
    for content_type in PRETENDED:
        try:
            fetched = service.fetch(_Saying(body, content_type), keys)
        except (SourceUnavailable, SourceRefused):
            continue
        assert not fetched.records, content_type
        assert not fetched.missing, f"a file as {content_type!r} does not say that the paper is unknown"
        assert set(fetched.errors) == set(keys)
