"""A metadata request of a service with many hosts knows its host, so that a host with many requests hides no other."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

INDEX = "ix_metadata_request_host"
BATCH_SIZE = 5_000
WAITING = sa.text("state = 'waiting'")
_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?([^/?#]*)")
_request = sa.table("metadata_request", sa.column("id"), sa.column("service"), sa.column("key"), sa.column("host"))


def upgrade() -> None:
    op.add_column("metadata_request", sa.Column("host", sa.String(), nullable=False, server_default=""))
    _fill_hosts()
    op.create_index(
        INDEX, "metadata_request", ["service", "host", "not_before"], sqlite_where=WAITING, postgresql_where=WAITING
    )


def downgrade() -> None:
    op.drop_index(INDEX, "metadata_request")
    with op.batch_alter_table("metadata_request") as table:
        table.drop_column("host")


def _fill_hosts() -> None:
    """Fill in the hosts of web pages, the only service with many hosts."""
    connection, last_id = op.get_bind(), 0
    query = sa.select(_request.c.id, _request.c.key).where(_request.c.service == "url").order_by(_request.c.id)
    statement = sa.update(_request).where(_request.c.id == sa.bindparam("request_id"))
    while rows := connection.execute(query.where(_request.c.id > last_id).limit(BATCH_SIZE)).all():
        hosts = [{"request_id": row.id, "new_host": _HOST.match(row.key)[1]} for row in rows]  # type: ignore[index]
        connection.execute(statement.values(host=sa.bindparam("new_host")), hosts)
        last_id = rows[-1].id
