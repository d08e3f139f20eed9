"""How many requests to a host were answered and how many failed is counted, for monitoring."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

COLUMNS = ("answers", "errors")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("host_rate_limit", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("host_rate_limit") as table:
        for name in COLUMNS:
            table.drop_column(name)
