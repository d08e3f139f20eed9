"""New and changed papers are compared with those that share a key, and waiting requests are found by an index.

No paper has keys yet, so `compared_version` 0 has the worker compare them all once.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

UNCOMPARED = sa.text("version != compared_version")
WAITING = sa.text("state = 'waiting'")
UNKNOWN = sa.text("state IN ('unknown', 'refused')")
REQUEST_INDEXES = (
    ("ix_metadata_request_due", ["service", "not_before", "id"], WAITING),
    ("ix_metadata_request_waiting", ["service", "paper_id"], WAITING),
    ("ix_metadata_request_unknown", ["id"], UNKNOWN),
)


def upgrade() -> None:
    op.create_table(
        "duplicate_key",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_duplicate_key_paper_id")),
        sa.PrimaryKeyConstraint("paper_id", "key", name=op.f("pk_duplicate_key")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_duplicate_key_key_paper_id", "duplicate_key", ["key", "paper_id"])
    op.add_column("paper", sa.Column("compared_version", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("ix_paper_uncompared", "paper", ["id"], sqlite_where=UNCOMPARED, postgresql_where=UNCOMPARED)
    for name, columns, rows in REQUEST_INDEXES:
        op.create_index(name, "metadata_request", columns, sqlite_where=rows, postgresql_where=rows)
    # SQLite took it to find the requests of a few papers, and read all that wait.
    op.drop_index("ix_metadata_request_state_service_id", "metadata_request")


def downgrade() -> None:
    op.create_index("ix_metadata_request_state_service_id", "metadata_request", ["state", "service", "id"])
    for name, _, _ in REQUEST_INDEXES:
        op.drop_index(name, "metadata_request")
    op.drop_index("ix_paper_uncompared", "paper")
    op.drop_column("paper", "compared_version")
    op.drop_table("duplicate_key")
