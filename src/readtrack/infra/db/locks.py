"""Locks that last as long as the transaction that holds them."""

import sqlalchemy as sa

from readtrack.infra.db import Write


def lock_name(tx: Write, name: str) -> None:
    """Wait until no other transaction holds that name, then hold it until this one ends.

    What the others committed is seen by the statements that follow. SQLite has one writer, who holds every name.
    """
    if tx.get_bind().dialect.name != "sqlite":
        tx.execute(sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
