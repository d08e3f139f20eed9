"""What notes say besides, the team's rules for them, and entries joined or split."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ORDER = "ix_entry_revision_id_first_line_part_position"


def _columns() -> list[sa.Column[Any]]:
    """With defaults, for the entries that are there already."""
    return [
        sa.Column("authors", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("published", sa.String(), nullable=False, server_default=""),
        sa.Column("read_on", sa.String(), nullable=False, server_default=""),
        sa.Column("rating", sa.String(), nullable=False, server_default=""),
        sa.Column("abstract", sa.String(), nullable=False, server_default=""),
        sa.Column("twin", sa.String(), nullable=False, server_default=""),
        sa.Column("apart", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("aliases", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("alias_taken", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("rules", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("joined_to", sa.Integer(), nullable=True),
        sa.Column("split_from", sa.Integer(), nullable=True),
        sa.Column("made", sa.Boolean(), nullable=False, server_default=sa.false()),
    ]


def upgrade() -> None:
    for column in _columns():
        op.add_column("entry", column)
    op.create_index(_ORDER, "entry", ["revision_id", "first_line", "part", "position"], unique=False)
    op.create_table(
        "import_rule",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pattern", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("value_key", sa.String(), nullable=False),
        sa.Column("says", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("pattern IN ('host', 'heading')", name=op.f("ck_import_rule_pattern")),
        sa.CheckConstraint("says IN ('kind', 'topic', 'no_topic', 'skip')", name=op.f("ck_import_rule_says")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_import_rule_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_rule")),
        sa.UniqueConstraint("pattern", "value_key", name=op.f("uq_import_rule_pattern_value_key")),
    )


def downgrade() -> None:
    op.drop_table("import_rule")
    op.drop_index(_ORDER, table_name="entry")
    for column in reversed(_columns()):
        op.drop_column("entry", column.name)
