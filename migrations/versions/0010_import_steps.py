"""A preview of many lines is stored in steps: until it is complete, its revision is being parsed."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_ALONE: dict[str, Any] = {"reflect_kwargs": {"resolve_fks": False}}  # paper has an index that cannot be read back
_revision = sa.table("note_revision", sa.column("id"), sa.column("note_id"), sa.column("state"))


def upgrade() -> None:
    _allow("'parsing', 'preview', 'committing', 'committed'")


def downgrade() -> None:
    """Notes that were being read are given in again: an older version cannot go on with them."""
    unfinished = sa.select(_revision.c.id).where(_revision.c.state == "parsing")
    entry, note = sa.table("entry", sa.column("revision_id")), sa.table("note", sa.column("id"))
    op.execute(sa.delete(entry).where(entry.c.revision_id.in_(unfinished)))
    op.execute(sa.delete(_revision).where(_revision.c.state == "parsing"))
    op.execute(sa.delete(note).where(note.c.id.not_in(sa.select(_revision.c.note_id))))
    _allow("'preview', 'committing', 'committed'")


def _allow(states: str) -> None:
    with op.batch_alter_table("note_revision", **_ALONE) as table:
        table.drop_constraint(op.f("ck_note_revision_state"), type_="check")
        table.create_check_constraint(op.f("ck_note_revision_state"), f"state IN ({states})")
