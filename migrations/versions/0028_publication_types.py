"""Papers, records of services and entries have a publication type: article, conference paper, book, thesis …"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_TYPES = "'', 'journal_article', 'conference_paper', 'book', 'chapter', 'thesis', 'masters_thesis', 'report'"


def upgrade() -> None:
    # In place, with its constraint: a new table would lack the indexes over expressions.
    op.execute(
        "ALTER TABLE paper ADD COLUMN publication_type VARCHAR DEFAULT '' NOT NULL "
        f"CONSTRAINT ck_paper_publication_type CHECK (publication_type IN ({_TYPES}))"
    )
    for table in ("metadata_record", "entry"):
        op.add_column(table, sa.Column("publication_type", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("paper", "metadata_record", "entry"):
        op.drop_column(table, "publication_type")
