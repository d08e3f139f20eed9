"""Refuse requests whose Host header names another site, so that DNS rebinding reads nothing from a private service.

A page of evil.example may make its own name resolve to 127.0.0.1 and then read what answers there as if it were its
own. The browser sends `Host: evil.example` with such a request.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from readtrack.infra.config import Settings
from readtrack.infra.errors import UnknownHost
from readtrack.infra.i18n import gettext as _
from readtrack.web.responses import errors

PROBES = frozenset({"/healthz", "/readyz"})  # asked by address of the machine, and without any secret in the answer
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?", re.IGNORECASE)


class HostCheck:
    """Lets requests pass for BASE_URL's host, ALLOWED_HOSTS and localhost, and probes for any host.

    Other names and addresses of loopback are refused too: with a BASE_URL of its own, a service is not meant to be
    opened by them.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._base_url = settings.base_url
        self._hosts = list_host_spellings(["localhost", urlsplit(settings.base_url).hostname or "", *settings.hosts])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES or self._is_known(Headers(scope=scope).getlist("host")):
            await self._app(scope, receive, send)
            return
        message = _("Unknown host name. Open {address}, or add this host to ALLOWED_HOSTS.")
        error = UnknownHost(message.format(address=self._base_url or "http://localhost"))
        await errors.error_response(Request(scope), error)(scope, receive, send)

    def _is_known(self, given: list[str]) -> bool:
        found = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        host = (found[1] or found[2]).lower().rstrip(".") if found else ""
        return host in self._hosts


def list_host_spellings(hosts: Iterable[str]) -> frozenset[str]:
    """Return the hosts in lower case, each also in the ASCII form that browsers send."""
    spellings = {host.strip().lower().strip("[]").rstrip(".") for host in hosts}
    for host in list(spellings):
        with suppress(UnicodeError):
            spellings.add(host.encode("idna").decode("ascii"))
    return frozenset(spellings - {""})
