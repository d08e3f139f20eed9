"""When each periodic task of the workers is due, and how its last run failed."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_text, _moment = sa.String(), sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "periodic_task",
        sa.Column("name", _text, nullable=False),
        sa.Column("next_at", _moment, nullable=False),
        sa.Column("problem", _text, nullable=False),
        sa.Column("failed_at", _moment, nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_periodic_task")),
    )


def downgrade() -> None:
    op.drop_table("periodic_task")
