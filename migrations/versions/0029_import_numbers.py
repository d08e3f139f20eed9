"""SQLite gave the ID of a canceled import to the next one, so that a page still open for the first acted on the second."""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _recreate(autoincrement=True)


def downgrade() -> None:
    _recreate(autoincrement=False)


def _recreate(*, autoincrement: bool) -> None:
    if op.get_bind().dialect.name == "sqlite":
        arguments = {"sqlite_autoincrement": autoincrement}
        with op.batch_alter_table("note_revision", recreate="always", table_kwargs=arguments):
            pass
