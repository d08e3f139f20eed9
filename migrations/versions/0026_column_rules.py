"""Import rules remember what the columns of a CSV file are read as."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_rule = sa.table("import_rule", sa.column("pattern"))


def upgrade() -> None:
    with op.batch_alter_table("import_rule") as table:
        table.add_column(sa.Column("columns", sa.JSON(), nullable=False, server_default="{}"))
        table.drop_constraint(op.f("ck_import_rule_pattern"), type_="check")
        table.drop_constraint(op.f("ck_import_rule_says"), type_="check")
        table.create_check_constraint(op.f("ck_import_rule_pattern"), "pattern IN ('host', 'heading', 'header')")
        table.create_check_constraint(
            op.f("ck_import_rule_says"), "says IN ('kind', 'topic', 'no_topic', 'skip', 'columns')"
        )


def downgrade() -> None:
    op.execute(sa.delete(_rule).where(_rule.c.pattern == "header"))
    with op.batch_alter_table("import_rule") as table:
        table.drop_column("columns")
        table.drop_constraint(op.f("ck_import_rule_pattern"), type_="check")
        table.drop_constraint(op.f("ck_import_rule_says"), type_="check")
        table.create_check_constraint(op.f("ck_import_rule_pattern"), "pattern IN ('host', 'heading')")
        table.create_check_constraint(op.f("ck_import_rule_says"), "says IN ('kind', 'topic', 'no_topic', 'skip')")
