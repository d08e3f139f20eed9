"""How often a text was saved that shows an image: by that, unused ones are found without holding up who writes."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("image", sa.Column("uses", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("image", "uses")
