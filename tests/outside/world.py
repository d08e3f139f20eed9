"""One stand-in for every service that readtrack asks: they all speak from the same facts, each below its own path."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any

from readtrack.infra.db import Database
from readtrack.infra.http.client import HttpClient
from readtrack.infra.http.rate_limiter import DatabaseRateLimiter
from tests.outside import arxiv, crossref, datacite, dblp, github, oembed, openalex, semanticscholar, usenix
from tests.outside.asking import Asked, Reply
from tests.outside.facts import Facts, known
from tests.outside.faults import FAULTS, NOT_FOUND, SILENT, fall_silent, spoilt
from tests.standin import Request, StandIn, send

SERVICES: Mapping[str, Callable[[Facts, Asked], Reply]] = {
    "arxiv": arxiv.answer,
    "crossref": crossref.answer,
    "datacite": datacite.answer,
    "dblp": dblp.answer,
    "github": github.answer,
    "oembed": oembed.answer,
    "openalex": openalex.answer,
    "semanticscholar": semanticscholar.answer,
    "usenix": usenix.answer,
}


class World(StandIn):
    """Set `faults[service]` to one of FAULTS to make it misbehave; `unknown` are identifiers that nobody knows."""

    def __init__(self, facts: Facts | None = None, unknown: Iterable[str] = ()) -> None:
        super().__init__()
        self.facts = (facts or known()).without(unknown)
        self.faults: dict[str, str] = {}

    def asked(self, service: str) -> list[Request]:
        """Every request to that service, in order."""
        return [request for request in self.requests if request.path.startswith(f"/{service}/")]

    def base(self, service: str) -> str:
        """Where it is reached."""
        return f"{self.url}/{service}{'/api/query' if service == 'arxiv' else ''}"

    def answer(self, to: BaseHTTPRequestHandler, asked: Request) -> None:
        service, question = Asked.of(asked)
        fault = self.faults.get(service, "")
        if fault.partition(" after ")[0] not in {*FAULTS, ""}:
            raise ValueError(f"The stand-in has no fault {fault!r}; it has {', '.join(sorted(FAULTS))}.")
        if fault in SILENT:
            fall_silent(fault, self, to)
            return
        facts = Facts() if fault == NOT_FOUND else self.facts
        reply = SERVICES[service](facts, question) if service in SERVICES else Reply(b"Nobody lives here.", status=404)
        _send(to, spoilt(fault, reply), question)


def _send(to: BaseHTTPRequestHandler, reply: Reply, asked: Asked) -> None:
    """The reply with its validator; 304 and nothing else when the client has it already."""
    tag = f'"{hashlib.sha256(reply.body).hexdigest()[:16]}"'
    headers = {"content-type": reply.content_type, **reply.headers}
    if reply.status != 200:
        send(to, reply.status, reply.body, headers)
    elif asked.headers.get("if-none-match") == tag:
        send(to, 304, b"", {"etag": tag})
    else:
        send(to, 200, reply.body, {**headers, "etag": tag})


def settings_for(world: World) -> dict[str, str]:
    """The settings that lead every question to the stand-in."""
    return {f"{service}_url": world.base(service) for service in SERVICES}


def egress_for(
    world: World, database: Database, intervals: Mapping[str, float] | None = None, **more: Any
) -> HttpClient:
    """The way out to the stand-in and to nobody else. `intervals`: seconds between two questions, by service.

    Each service is a host of its own there, so that each has its own pace; without `intervals` none pauses.
    """
    hosts = {service: f"{service}.test" for service in SERVICES}
    return HttpClient(
        agent="readtrack tests",
        gate=DatabaseRateLimiter(database),
        intervals={host: (intervals or {}).get(service, 0.0) for service, host in hosts.items()},
        bases={service: world.base(service).replace("127.0.0.1", host) for service, host in hosts.items()},
        resolve=partial(_resolved, frozenset(hosts.values())),
        **more,
    )


def _resolved(hosts: Collection[str], host: str, _port: int) -> list[str]:
    if host not in hosts:
        raise OSError(f"{host} does not exist in the world of the tests")
    return ["127.0.0.1"]
