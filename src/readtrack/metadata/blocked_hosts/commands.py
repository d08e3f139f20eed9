"""Commands that block and unblock hosts. The worker applies a change within half a minute."""

import re
from typing import Annotated
from urllib.parse import urlsplit

import sqlalchemy as sa
from pydantic import AfterValidator, Field
from sqlmodel import col

from readtrack.infra import events, permissions
from readtrack.infra.db import Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import BlockedHost
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import OneLine, TrimmedModel

MAX_HOSTS = 1_000
_HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}")


def _host(text: str) -> str:
    """Return the host of a host name or URL. Raise ValueError if there is none."""
    try:
        name = urlsplit(text if "://" in text else f"//{text}").hostname or ""
        name = name.rstrip(".").encode("idna").decode() if name else ""
    except ValueError:
        name = ""
    if not _HOST.fullmatch(name):
        message = "enter a host like example.org or www.example.org"
        raise ValueError(message)
    return name


class BlockedHostCreate(TrimmedModel):
    """Input for blocking a host and its subdomains; a URL on the host is accepted too."""

    host: Annotated[str, Field(min_length=1, max_length=500), OneLine, AfterValidator(_host)]


def block_host(tx: Write, me: CurrentUser, blocked_host: BlockedHostCreate) -> tuple[int, bool]:
    """Block a host and return its ID, and False if it was blocked already.

    Raise Conflict if the list is full.
    """
    permissions.require(me, "close-hosts")
    existing_id = tx.scalar(sa.select(col(BlockedHost.id)).where(col(BlockedHost.host) == blocked_host.host))
    if existing_id is not None:
        return existing_id, False
    if (tx.scalar(sa.select(sa.func.count()).select_from(BlockedHost)) or 0) >= MAX_HOSTS:
        message = _("You can block at most {most_hosts:,} sites. Block a parent domain instead.").format(
            most_hosts=MAX_HOSTS
        )
        raise Conflict(message)
    row = BlockedHost(host=blocked_host.host, added_by=me.id)
    tx.add(row)
    tx.flush()
    events.record_event(tx, me, "host.closed", data={"host": blocked_host.host})
    return row.id or 0, True


def unblock_host(tx: Write, me: CurrentUser, host_id: int) -> str:
    """Unblock a host and return its name. Raise NotFound if it is not blocked."""
    permissions.require(me, "close-hosts")
    row = tx.get(BlockedHost, host_id)
    if row is None:
        message = _("Blocked site {host_id} not found.").format(host_id=host_id)
        raise NotFound(message)
    tx.delete(row)
    events.record_event(tx, me, "host.opened", data={"host": row.host})
    return row.host
