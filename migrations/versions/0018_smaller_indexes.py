"""Indexes that are the beginning of another one go, and those of an entry's results leave out entries without one."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_COVERED = (
    ("event", "person_id"),
    ("note_revision", "note_id"),
    ("version", "paper_id"),
    ("summary_version", "summary_id"),
)
_OFTEN_NULL = (("entry", "paper_id"), ("entry", "lead_id"))


def upgrade() -> None:
    for table, column in (*_COVERED, *_OFTEN_NULL):
        op.drop_index(f"ix_{table}_{column}", table)
    for table, column in _OFTEN_NULL:
        is_set = sa.text(f"{column} IS NOT NULL")
        op.create_index(f"ix_{table}_{column}", table, [column], sqlite_where=is_set, postgresql_where=is_set)


def downgrade() -> None:
    for table, column in _OFTEN_NULL:
        op.drop_index(f"ix_{table}_{column}", table)
    for table, column in (*_COVERED, *_OFTEN_NULL):
        op.create_index(f"ix_{table}_{column}", table, [column])
