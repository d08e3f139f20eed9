"""The library as a place to work: saved views, what was done to many papers at once, how a person looks at lists."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_text, _number, _moment = sa.String(), sa.Integer(), sa.DateTime(timezone=True)
_ALONE: dict[str, Any] = {"reflect_kwargs": {"resolve_fks": False}}  # paper has an index that cannot be read back
_COUNTED = {  # what the figures of progress count
    "ix_reading_finished": ["status", "private", "finished_on", "depth", "paper_id"],
    "ix_reading_finished_of": ["person_id", "status", "finished_on", "depth", "paper_id"],
    "ix_reading_added": ["private", "added_on", "paper_id"],
    "ix_reading_added_of": ["person_id", "added_on", "paper_id"],
    "ix_reading_readers": ["status", "private", "paper_id", "person_id"],
    "ix_reading_untouched": ["status", "private", "current", "updated_at", "paper_id"],
}
_UNLISTED = sa.text("deleted_at IS NOT NULL OR merged_into IS NOT NULL OR triage = 'rejected'")
_WAITING = sa.text("triage = 'inbox'")
_THROWN = sa.text("deleted_at IS NOT NULL")
_TELLING = sa.text("before IS NOT NULL OR after IS NOT NULL")


def upgrade() -> None:
    _make_views()
    _make_deeds()
    op.create_index("ix_paper_venue_order_id", "paper", [sa.text("substr(venue, 1, 100)"), "id"], unique=False)
    op.add_column("paper", sa.Column("swept_at", _moment, nullable=True))
    for table in ("paper", "summary", "comment"):
        name, columns = f"ix_{table}_trash", ["deleted_at", "id"]
        op.create_index(name, table, columns, sqlite_where=_THROWN, postgresql_where=_THROWN)
    op.create_index("ix_event_telling", "event", ["verb"], sqlite_where=_TELLING, postgresql_where=_TELLING)
    with op.batch_alter_table("person") as person:
        person.add_column(sa.Column("density", _text, nullable=False, server_default=""))
        person.add_column(sa.Column("start", _text, nullable=False, server_default=""))
        person.add_column(sa.Column("variants", sa.Boolean(), nullable=False, server_default=sa.false()))
        person.add_column(sa.Column("goal", _number, nullable=True))
        person.add_column(sa.Column("reading_limit", _number, nullable=False, server_default="3"))
    with op.batch_alter_table("token") as token:
        token.add_column(sa.Column("view_id", _number, nullable=True))
        token.create_foreign_key(op.f("fk_token_view_id"), "saved_view", ["view_id"], ["id"])
    _index_progress()
    _give_no_number_again()


def _give_no_number_again() -> None:
    """Undo and events name topics, questions and series by number: SQLite gave that of a deleted one to the next."""
    if op.get_bind().dialect.name == "sqlite":
        for table in ("topic", "question", "series"):
            with op.batch_alter_table(table, recreate="always", table_kwargs={"sqlite_autoincrement": True}, **_ALONE):
                pass


def _index_progress() -> None:
    op.add_column("reading", sa.Column("added_on", sa.Date(), nullable=False, server_default="1970-01-01"))
    op.execute("UPDATE reading SET added_on = date(created_at)")
    for name, columns in _COUNTED.items():
        op.create_index(name, "reading", columns, unique=False)
    op.create_index("ix_paper_unlisted", "paper", ["id"], sqlite_where=_UNLISTED, postgresql_where=_UNLISTED)
    op.create_index("ix_paper_inbox", "paper", ["id"], sqlite_where=_WAITING, postgresql_where=_WAITING)


def _make_views() -> None:
    op.create_table(
        "saved_view",
        sa.Column("id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("name", _text, nullable=False),
        sa.Column("q", _text, nullable=False),
        sa.Column("sort", _text, nullable=False),
        sa.Column("display", _text, nullable=False),
        sa.Column("grouping", _text, nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Float(), nullable=False),
        sa.Column("version", _number, nullable=False),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("updated_at", _moment, nullable=False),
        sa.Column("deleted_at", _moment, nullable=True),
        sa.CheckConstraint("display IN ('list', 'table', 'board')", name=op.f("ck_saved_view_display")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_saved_view_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_view")),
    )
    op.create_index("ix_saved_view_person_id_place", "saved_view", ["person_id", "place"], unique=False)
    op.create_index("ix_saved_view_shared", "saved_view", ["shared"], unique=False)


def _make_deeds() -> None:
    op.create_table(
        "deed",
        sa.Column("id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("verb", _text, nullable=False),
        sa.Column("at", _moment, nullable=False),
        sa.Column("undo", sa.JSON(), nullable=False),
        sa.Column("undone_at", _moment, nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_deed_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deed")),
    )
    op.create_index("ix_deed_person_id", "deed", ["person_id"], unique=False)
    op.create_index("ix_deed_at", "deed", ["at"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_paper_inbox", "paper")
    op.drop_index("ix_paper_unlisted", "paper")
    for name in _COUNTED:
        op.drop_index(name, "reading")
    with op.batch_alter_table("reading") as reading:
        reading.drop_column("added_on")
    with op.batch_alter_table("token") as token:
        token.drop_constraint(op.f("fk_token_view_id"), type_="foreignkey")
        token.drop_column("view_id")
    with op.batch_alter_table("person") as person:
        for name in ("density", "start", "variants", "goal", "reading_limit"):
            person.drop_column(name)
    op.drop_index("ix_event_telling", "event")
    for table in ("paper", "summary", "comment"):
        op.drop_index(f"ix_{table}_trash", table)
    op.drop_column("paper", "swept_at")
    op.drop_index("ix_paper_venue_order_id", "paper")
    op.drop_table("deed")
    op.drop_table("saved_view")
