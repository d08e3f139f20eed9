"""The blocklist of hosts: those set by the operator, those blocked by the team, and readtrack's own."""

import time
from collections.abc import Collection, Iterable
from threading import Lock

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Database, Read
from readtrack.infra.models import BlockedHost

CACHE_SECONDS = 30.0  # Seconds for which the team's list is cached.


class HostBlocklist:
    """A callable that returns True if a host or one of its parent domains is blocked."""

    def __init__(self, database: Database, always: Collection[str] = ()) -> None:
        self._database, self._always = database, frozenset(map(_in_ascii, always))
        self._known: frozenset[str] = frozenset()
        self._until = 0.0
        self._looking = Lock()

    def __call__(self, host: str) -> bool:
        return not _host_and_parents(host).isdisjoint(self._always | self._current_hosts())

    def _current_hosts(self) -> frozenset[str]:
        with self._looking:
            if time.monotonic() >= self._until:
                with self._database.read() as tx:
                    self._known = blocked_host_names(tx)
                self._until = time.monotonic() + CACHE_SECONDS
            return self._known


def blocked_host_names(tx: Read) -> frozenset[str]:
    """Return the hosts blocked by the team."""
    return frozenset(tx.scalars(sa.select(col(BlockedHost.host))))


def _in_ascii(host: str) -> str:
    """Return the host in its IDNA (ASCII) form."""
    try:
        return host.encode("idna").decode()
    except UnicodeError:  # Not a valid host name.
        return host


def _host_and_parents(host: str) -> frozenset[str]:
    """Return the host and all its parent domains."""
    labels = host.lower().rstrip(".").split(".")
    return frozenset(_parent_domains(labels))


def _parent_domains(labels: list[str]) -> Iterable[str]:
    return (".".join(labels[start:]) for start in range(len(labels)))
