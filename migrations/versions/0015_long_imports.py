"""Long texts are stored in chunks and read by a job; imports can be cancelled."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_ALONE: dict[str, Any] = {"reflect_kwargs": {"resolve_fks": False}}  # paper has an index that cannot be read back
_COUNTED = ["revision_id", "kind", "decision", "paper_kind", "joined_to", "part", "first_line", "last_line"]
_revision = sa.table(
    "note_revision", sa.column("id"), sa.column("note_id"), sa.column("state"), sa.column("chunk_count")
)


def upgrade() -> None:
    op.create_table(
        "note_chunk",
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("first_line", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["note_revision.id"], name=op.f("fk_note_chunk_revision_id_note_revision")
        ),
        sa.PrimaryKeyConstraint("revision_id", "number", name=op.f("pk_note_chunk")),
    )
    op.create_index("ix_entry_counts", "entry", _COUNTED)
    with op.batch_alter_table("note_revision", **_ALONE) as table:
        table.add_column(sa.Column("chunk_count", sa.Integer(), nullable=False, server_default="0"))
        table.add_column(sa.Column("reading", sa.JSON(), nullable=False, server_default="{}"))
        table.drop_constraint(op.f("ck_note_revision_state"), type_="check")
        table.create_check_constraint(
            op.f("ck_note_revision_state"),
            "state IN ('uploading', 'parsing', 'preview', 'committing', 'committed', 'cancelled', 'discarded')",
        )


def downgrade() -> None:
    """Unfinished and long imports are given in again: an older version cannot go on with them."""
    is_new = sa.or_(
        _revision.c.state.in_(("uploading", "discarded")),
        sa.and_(_revision.c.chunk_count > 0, _revision.c.state.in_(("parsing", "preview"))),
    )
    entry, note = sa.table("entry", sa.column("revision_id")), sa.table("note", sa.column("id"))
    op.execute(sa.delete(entry).where(entry.c.revision_id.in_(sa.select(_revision.c.id).where(is_new))))
    op.drop_index("ix_entry_counts", "entry")
    op.drop_table("note_chunk")
    op.execute(sa.delete(_revision).where(is_new))
    op.execute(sa.update(_revision).where(_revision.c.state == "cancelled").values(state="committed"))
    op.execute(sa.delete(note).where(note.c.id.not_in(sa.select(_revision.c.note_id))))
    with op.batch_alter_table("note_revision", **_ALONE) as table:
        table.drop_column("reading")
        table.drop_column("chunk_count")
        table.drop_constraint(op.f("ck_note_revision_state"), type_="check")
        table.create_check_constraint(
            op.f("ck_note_revision_state"), "state IN ('parsing', 'preview', 'committing', 'committed')"
        )
