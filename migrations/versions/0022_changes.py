"""What changed is recorded in order, so that copies of the library can follow."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("reader", sa.Integer(), nullable=False),
        sa.Column("audience", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change")),
        sa.UniqueConstraint("kind", "item", "reader", "audience", name=op.f("uq_change_kind_item_reader_audience")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "change_feed",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("incarnation", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_feed")),
    )


def downgrade() -> None:
    op.drop_table("change_feed")
    op.drop_table("change")
