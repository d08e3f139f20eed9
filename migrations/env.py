"""How Alembic reaches the database: always through a connection that readtrack.infra.db opened."""

from typing import Literal

from alembic import context
from sqlmodel import SQLModel

import readtrack.infra.models  # noqa: F401 - fills SQLModel.metadata
from readtrack.infra.db import change_triggers, migrations

connection = context.config.attributes.get("connection")
if connection is None:
    message = "Migrations run through `readtrack migrate`, not through the alembic command."
    raise RuntimeError(message)


def include_object(_thing: object, name: str | None, kind: str, *_: object) -> bool:
    """The search index lives outside migrations."""
    return not (kind in {"table", "index"} and name is not None and name.startswith(("search_", "ix_search_")))


def render_item(kind: str, thing: object, _context: object) -> str | Literal[False]:
    """Old migrations must not depend on how our column types are written today."""
    if kind != "type" or not type(thing).__module__.startswith(("sqlmodel", "readtrack")):
        return False
    return "sa.DateTime(timezone=True)" if type(thing).__name__ == "Moment" else "sa.String()"


context.configure(
    connection=connection,
    target_metadata=SQLModel.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    include_object=include_object,
    compare_type=True,
    render_item=render_item,
)
with context.begin_transaction():
    change_triggers.drop_triggers(connection)
    context.run_migrations()
    if migrations.stored_revision(connection) == migrations.wanted_revision():
        change_triggers.install_triggers(connection)
