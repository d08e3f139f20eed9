"""Notes know the files of folders that they are of, and canceled imports are remembered."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("note", sa.Column("path", sa.String(), nullable=False, server_default=""))
    op.create_index(op.f("ix_note_path"), "note", ["path"])
    op.create_table(
        "canceled_text",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_canceled_text")),
    )


def downgrade() -> None:
    op.drop_table("canceled_text")
    op.drop_index(op.f("ix_note_path"), "note")
    op.drop_column("note", "path")
