"""Entries hold the citation keys of their files."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("entry", sa.Column("citation_key", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("entry", "citation_key")
