"""Indexes of the foreign keys that had none: deleting a topic read every entry and notice to see whether one names it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_REFERENCES = {
    "entry": ("topic_id", "question_id"),
    "event": ("token_id",),
    "half_way": ("person_id", "invitation_id"),
    "lead": ("paper_id",),
    "notice": ("question_id", "summary_id", "topic_id", "assignment_id", "meeting_id", "import_id"),
    "paper": ("merged_into",),
    "reading_event": ("token_id",),
    "token": ("view_id",),
}


def upgrade() -> None:
    for table, columns in _REFERENCES.items():
        for column in columns:
            is_set = sa.text(f"{column} IS NOT NULL")  # most rows leave it null
            name = f"ix_{table}_{column}"
            op.create_index(name, table, [column], sqlite_where=is_set, postgresql_where=is_set)


def downgrade() -> None:
    for table, columns in _REFERENCES.items():
        for column in columns:
            op.drop_index(f"ix_{table}_{column}", table)
