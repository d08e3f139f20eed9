"""Queries on blocked hosts."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.models import BlockedHost, Person
from readtrack.infra.permissions import CurrentUser


def list_blocked_hosts(tx: Read, me: CurrentUser) -> Sequence[sa.Row[Any]]:
    """Return all blocked hosts by name: id, host, person, added_at.

    Not paginated, because MAX_HOSTS limits the list.
    """
    permissions.require(me, "see")
    columns: Sequence[Any] = (BlockedHost.id, BlockedHost.host, col(Person.name).label("person"), BlockedHost.added_at)
    query: sa.Select[Any] = sa.select(*columns).join(Person, col(Person.id) == col(BlockedHost.added_by), isouter=True)
    return tx.execute(query.order_by(col(BlockedHost.host))).all()
