"""Entries of readtrack's own exports hold the readings, texts and relations of their papers."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("entry", sa.Column("details", sa.JSON(), nullable=True))
    op.add_column("entry", sa.Column("language", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("entry") as table:
        table.drop_column("language")
        table.drop_column("details")
