"""An admin can pause a source, and the time of a host's last answer is kept."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _set_job_states("'queued', 'paused', 'running', 'done', 'failed'")
    op.add_column("host_rate_limit", sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.execute("UPDATE job SET state = 'queued' WHERE state = 'paused'")
    _set_job_states("'queued', 'running', 'done', 'failed'")
    with op.batch_alter_table("host_rate_limit") as table:
        table.drop_column("answered_at")


def _set_job_states(states: str) -> None:
    with op.batch_alter_table("job") as table:
        table.drop_constraint(op.f("ck_job_state"), type_="check")
        table.create_check_constraint(op.f("ck_job_state"), f"state IN ({states})")
