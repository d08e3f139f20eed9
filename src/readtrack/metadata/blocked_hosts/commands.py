"""Closing hosts, and opening them again. The worker hears of it within half a minute."""

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
from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text.input_types import OneLine

MOST_HOSTS = 1_000
_HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}")


def _host(text: str) -> str:
    """The host of what was typed: a name, or any address on it."""
    try:
        name = urlsplit(text if "://" in text else f"//{text}").hostname or ""
        name = name.rstrip(".").encode("idna").decode() if name else ""
    except ValueError:
        name = ""
    if not _HOST.fullmatch(name):
        message = "name a host, as example.org or www.example.org"
        raise ValueError(message)
    return name


class BlockedHostCreate(TrimmedModel):
    """A host that is never asked, with everything below it; an address on it will do."""

    host: Annotated[str, Field(min_length=1, max_length=500), OneLine, AfterValidator(_host)]


def block_host(tx: Write, me: CurrentUser, wanted: BlockedHostCreate) -> tuple[int, bool]:
    """Its id; False when it was closed already. Raises Conflict when there are too many."""
    permissions.require(me, "close-hosts")
    known = tx.scalar(sa.select(col(BlockedHost.id)).where(col(BlockedHost.host) == wanted.host))
    if known is not None:
        return known, False
    if (tx.scalar(sa.select(sa.func.count()).select_from(BlockedHost)) or 0) >= MOST_HOSTS:
        message = _(
            "{most_hosts:,} hosts are closed, which is the most. Nothing was changed; close a domain above them."
        ).format(most_hosts=MOST_HOSTS)
        raise Conflict(message)
    closed = BlockedHost(host=wanted.host, added_by=me.id)
    tx.add(closed)
    tx.flush()
    events.record_event(tx, me, "host.closed", data={"host": wanted.host})
    return closed.id or 0, True


def unblock_host(tx: Write, me: CurrentUser, host_id: int) -> str:
    """It may be asked again; its name. Raises NotFound."""
    permissions.require(me, "close-hosts")
    closed = tx.get(BlockedHost, host_id)
    if closed is None:
        message = _("There is no closed host {host_id}.").format(host_id=host_id)
        raise NotFound(message)
    tx.delete(closed)
    events.record_event(tx, me, "host.opened", data={"host": closed.host})
    return closed.host
