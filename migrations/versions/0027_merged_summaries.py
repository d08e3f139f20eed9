"""Triggers of changes: private summaries of merged papers are hidden and shown with the paper that survived.

The triggers themselves are created after each migration.
"""

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
