"""Members have webhooks, and their deliveries are kept for a while."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("team", sa.Boolean(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("view_id", sa.Integer(), nullable=True),
        sa.Column("salt", sa.String(), nullable=False),
        sa.Column("last_event_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('active', 'paused', 'disabled')", name=op.f("ck_webhook_state")),
        sa.CheckConstraint("format IN ('json', 'slack', 'mattermost', 'discord')", name=op.f("ck_webhook_format")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_webhook_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_index(op.f("ix_webhook_person_id"), "webhook", ["person_id"])
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("event_ids", sa.JSON(), nullable=False),
        sa.Column("verb", sa.String(), nullable=False),
        sa.Column("manual", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed', 'skipped')", name=op.f("ck_webhook_delivery_state")
        ),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhook.id"], name=op.f("fk_webhook_delivery_webhook_id_webhook")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("webhook_id", "event_id", name=op.f("uq_webhook_delivery_webhook_id_event_id")),
    )
    op.create_index(op.f("ix_webhook_delivery_created_at"), "webhook_delivery", ["created_at"])
    op.create_index("ix_webhook_delivery_webhook_id_created_at", "webhook_delivery", ["webhook_id", "created_at"])
    op.create_index("ix_webhook_delivery_state_next_attempt_at", "webhook_delivery", ["state", "next_attempt_at"])


def downgrade() -> None:
    op.drop_table("webhook_delivery")
    op.drop_table("webhook")
