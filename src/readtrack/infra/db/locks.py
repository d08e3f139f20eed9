"""Advisory locks held until the end of the transaction."""

import sqlalchemy as sa

from readtrack.infra.db import Write


def lock_name(tx: Write, name: str) -> None:
    """Take the advisory lock called `name`; it is released when the transaction ends.

    Later statements see what the previous holders committed. On SQLite there is only one writer, so no lock is needed.
    """
    if tx.get_bind().dialect.name != "sqlite":
        tx.execute(sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
