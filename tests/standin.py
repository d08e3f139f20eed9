"""Stand-ins for the outside: an arXiv on loopback with switchable faults, and a trap that nobody should reach."""

import re
import socket
import struct
import threading
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

FAULTS = frozenset(
    {
        "429",  # without Retry-After; "429 after 7" has one, as has "429 after <date>"
        "503",
        "403",  # a page that asks whether we are human
        "400",  # for every batch
        "hang",
        "drip",  # a byte, now and then
        "reset",
        "html",
        "rate exceeded",  # with status 200
        "empty feed",
        "empty body",
        "truncated",
        "ill-formed",
        "wrong entry",
        "one of several",  # counts all entries and gives the first
        "all but one",  # counts all entries and never gives the last asked for
        "error entry",
        "huge",
        "endless",  # huge, and does not say so
        "redirect loop",
        "redirect inwards",
        "gzip bomb",
        "bad date",
        "entities",
    }
)
_KEY = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+/\d{7})(?:v\d+)?")


@dataclass(frozen=True)
class Paper:
    """What the stand-in knows of one paper; whatever is not given is made up from the id."""

    title: str = ""
    authors: tuple[str, ...] = ()
    abstract: str = ""
    published: str = ""
    updated: str = ""
    version: int = 1
    comment: str = ""
    journal_ref: str = ""
    doi: str = ""


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    at: float  # time.monotonic()
    path: str
    ids: tuple[str, ...]
    headers: Mapping[str, str] = field(repr=False)
    method: str = "GET"
    body: bytes = b""


class StandIn:
    """A server on loopback in a thread of its own, which notes every request. Give it an `answer` method."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.stopping = threading.Event()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                ids = parse_qs(urlsplit(self.path).query).get("id_list", [""])[0]
                headers = {name.lower(): value for name, value in self.headers.items()}
                keys = tuple(filter(None, ids.split(",")))
                body = self.rfile.read(int(headers.get("content-length", 0)))
                asked = Request(time.monotonic(), self.path, keys, headers, self.command, body)
                stand_in.requests.append(asked)
                self.close_connection = True
                stand_in.answer(self, asked)

            def do_POST(self) -> None:
                self.do_GET()

            def do_CONNECT(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that hangs up is what several faults are about."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        send(to, 200, b"here")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()


class ArxivStandIn(StandIn):
    """Answers `id_list` as arXiv's query API does. Set `fault` to one of FAULTS to misbehave, "" to be well again.

    `papers` are known by id without version; other ids get a made-up paper, unless listed in `unknown`.
    """

    def __init__(self, papers: Mapping[str, Paper] | None = None, unknown: Iterable[str] = (), fault: str = "") -> None:
        super().__init__()
        self.papers = dict(papers or {})
        self.unknown = set(unknown)
        self.fault = fault
        self.inwards = ""  # where "redirect inwards" leads

    @property
    def url(self) -> str:
        return f"{super().url}/api/query"

    @property
    def asked(self) -> list[tuple[str, ...]]:
        """The ids of every request, in order."""
        return [request.ids for request in self.requests]

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        fault, _, detail = self.fault.partition(" after ")
        if fault and fault not in FAULTS:
            send(to, 500, f"the stand-in has no fault {fault!r}".encode())
        elif fault in _ROUGH:
            _ROUGH[fault](self, to)
        elif fault in _ANSWERS:
            status, content_type, body = _ANSWERS[fault]
            send(to, status, body, {"content-type": content_type, **({"retry-after": detail} if detail else {})})
        else:
            self._feed(to, asked.ids, fault)

    def _feed(self, to: BaseHTTPRequestHandler, ids: tuple[str, ...], fault: str) -> None:
        malformed = [key for key in ids if not _KEY.fullmatch(key)]
        if malformed or fault in {"400", "error entry"}:
            send(to, 200 if fault == "error entry" else 400, _error((malformed or list(ids))[0]), ATOM)
            return
        known = [key for key in dict.fromkeys(re.sub(r"v\d+$", "", given) for given in ids) if key not in self.unknown]
        entries = [entry(key, self.papers.get(key, Paper())) for key in reversed(known)]  # not in the order of asking
        send(to, 200, _spoilt(entries, ids, fault), ATOM)


ATOM = {"content-type": "application/atom+xml; charset=utf-8"}
HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"'
    ' xmlns="http://www.w3.org/2005/Atom">\n  <id>https://arxiv.org/api/standin</id>\n  <title>arXiv Query</title>\n'
    "  <updated>2026-01-01T00:00:00Z</updated>\n"
)


def feed(entries: Iterable[str], total: int) -> str:
    counts = f"<opensearch:itemsPerPage>100</opensearch:itemsPerPage>\n  <opensearch:totalResults>{total}"
    counts += "</opensearch:totalResults>\n  <opensearch:startIndex>0</opensearch:startIndex>"
    return f"{HEAD}  {counts}\n{''.join(entries)}</feed>\n"


def entry(key: str, paper: Paper) -> str:
    """One entry in the form that arXiv gives since the end of 2025."""
    named = f"{key}v{paper.version}"
    year, month = made_up_month(key)
    published = paper.published or f"{year}-{month}-17T12:00:00Z"
    extras = {"comment": paper.comment, "journal_ref": paper.journal_ref, "doi": paper.doi}
    lines = [
        f"<id>http://arxiv.org/abs/{named}</id>",
        f"<title>{escape(paper.title or made_up_title(key))}</title>",
        f"<updated>{paper.updated or published}</updated>",
        f'<link href="https://arxiv.org/abs/{named}" rel="alternate" type="text/html"/>',
        f'<link href="https://arxiv.org/pdf/{named}" rel="related" type="application/pdf" title="pdf"/>',
        f"<summary>{escape(paper.abstract or f'  What {key} is about, said by the stand-in. ')}</summary>",
        '<category term="cs.DC" scheme="http://arxiv.org/schemas/atom"/>',
        f"<published>{published}</published>",
        *(f"<arxiv:{name}>{escape(text)}</arxiv:{name}>" for name, text in extras.items() if text),
        '<arxiv:primary_category term="cs.DC"/>',
        *(
            f"<author>\n      <name>{escape(name)}</name>\n    </author>"
            for name in paper.authors or made_up_authors(key)
        ),
    ]
    return "  <entry>\n" + "".join(f"    {line}\n" for line in lines) + "  </entry>\n"


def made_up_title(key: str) -> str:
    return f"On the Matter of {key}: A Paper of the Stand-In"


def made_up_authors(key: str) -> tuple[str, ...]:
    given, family = ("Ada", "Bo", "Chika", "Dana"), ("Example", "Muster", "山田", "Örn")
    number = sum(map(ord, key))
    return f"{given[number % 4]} {family[number // 4 % 4]}", f"{given[number // 3 % 4]} {family[number // 7 % 4]} Jr."


def made_up_month(key: str) -> tuple[int, str]:
    digits = re.sub(r"\D", "", key)
    century = 1900 if "/" in key and digits[0] == "9" else 2000
    return century + int(digits[:2]), digits[2:4]


def _spoilt(entries: list[str], ids: tuple[str, ...], fault: str) -> bytes:
    total = len(entries)
    if fault == "wrong entry":
        entries, total = [entry("0901.0001", Paper())], 1
    elif fault == "one of several":
        entries = entries[:1]
    elif fault == "all but one":
        entries = [text for text in entries if f"/{ids[-1]}v" not in text]
    elif fault == "empty feed":
        entries, total = [], len(ids)
    elif fault == "bad date":
        entries = [
            re.sub(r"<published>[^<]*", "<published>last Tuesday", text, count=1) for text in entries[:1]
        ] + entries[1:]
    text = feed(entries, total)
    if fault == "entities":
        text = text.replace("<feed", '<!DOCTYPE feed [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]>\n<feed', 1)
    if fault == "ill-formed":
        text = text.replace("</title>", "</titel>")
    raw = text.encode()
    return raw[: len(raw) * 2 // 3] if fault == "truncated" else raw


def _error(key: str) -> bytes:
    where = f"https://arxiv.org/api/errors#incorrect_id_format_for_{escape(key)}"
    lines = f"<id>{where}</id><title>Error</title><updated>2026-01-01T00:00:00Z</updated>"
    return feed([f"  <entry>{lines}<summary>incorrect id format for {escape(key)}</summary></entry>\n"], 1).encode()


_ANSWERS = {
    "429": (429, "text/plain", b"Rate exceeded."),
    "503": (503, "text/html", b"<h1>Service Unavailable</h1>"),
    "403": (403, "text/html", b"<html><title>Are you human?</title></html>"),
    "html": (200, "text/html", b"<!doctype html><html><head><title>arXiv</title></head><body>Down<br></body></html>"),
    "rate exceeded": (200, "text/plain", b"Rate exceeded."),
    "empty body": (200, "application/atom+xml", b""),
}


def send(to: BaseHTTPRequestHandler, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
    to.send_response(status)
    for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
        to.send_header(name, value)
    to.end_headers()
    to.wfile.write(body)


def _hang(stand_in: ArxivStandIn, _to: BaseHTTPRequestHandler) -> None:
    stand_in.stopping.wait(60)


def _drip(stand_in: ArxivStandIn, to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.send_header("content-length", "100000")
    to.end_headers()
    while not stand_in.stopping.wait(0.05):
        to.wfile.write(b" ")


def _reset(_stand_in: ArxivStandIn, to: BaseHTTPRequestHandler) -> None:
    to.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    to.connection.close()


def _huge(stand_in: ArxivStandIn, to: BaseHTTPRequestHandler) -> None:
    """300 MB; "endless" the same without saying so."""
    to.send_response(200)
    if stand_in.fault == "huge":
        to.send_header("content-length", str(300_000_000))
    to.end_headers()
    for _ in range(300):
        to.wfile.write(b" " * 1_000_000)


def _redirect_loop(stand_in: ArxivStandIn, to: BaseHTTPRequestHandler) -> None:
    send(to, 302, b"", {"location": stand_in.url + "?again"})


def _redirect_inwards(stand_in: ArxivStandIn, to: BaseHTTPRequestHandler) -> None:
    send(to, 302, b"", {"location": stand_in.inwards})


def _gzip_bomb(_stand_in: ArxivStandIn, to: BaseHTTPRequestHandler) -> None:
    send(to, 200, _bomb(), {"content-encoding": "gzip"})


@cache
def _bomb() -> bytes:
    """50 MB of nothing."""
    squeeze = zlib.compressobj(level=1, wbits=31)
    return b"".join(squeeze.compress(bytes(1_000_000)) for _ in range(50)) + squeeze.flush()


_ROUGH = {
    "hang": _hang,
    "drip": _drip,
    "reset": _reset,
    "huge": _huge,
    "endless": _huge,
    "redirect loop": _redirect_loop,
    "redirect inwards": _redirect_inwards,
    "gzip bomb": _gzip_bomb,
}
