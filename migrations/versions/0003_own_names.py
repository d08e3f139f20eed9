"""Papers that were known by a plain address and have an identifier of their own by now: NeurIPS, MLSys, CVF and others."""

import sqlalchemy as sa
from alembic import op

from readtrack.metadata import sources
from readtrack.metadata.types import Ref

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NEW = ("neurips", "nips", "mlsys", "cvf", "aaai", "s2", "acm")
_identifier = sa.table(
    "identifier", sa.column("id", sa.Integer), sa.column("scheme", sa.String), sa.column("value", sa.String)
)


def upgrade() -> None:
    """Where another paper has the better name already, both stay as they are: that is for a person to merge."""
    connection = op.get_bind()
    every = connection.execute(sa.select(_identifier).order_by(_identifier.c.id)).all()
    taken = {(row.scheme, row.value) for row in every}
    for row in every:
        ref = sources.recognize(f"https://{row.value}") if row.scheme == "url" else None
        if ref is None or ref.scheme == "url" or (ref.scheme, ref.key) in taken:
            continue
        taken.add((ref.scheme, ref.key))
        renamed = sa.update(_identifier).where(_identifier.c.id == row.id)
        connection.execute(renamed.values(scheme=ref.scheme, value=ref.key))


def downgrade() -> None:
    """Plain addresses again, as an older version knows no other; which of a paper's addresses it was is not known."""
    connection = op.get_bind()
    for row in connection.execute(sa.select(_identifier).where(_identifier.c.scheme.in_(_NEW))).all():
        plain = sources.url(Ref(row.scheme, row.value)).partition("://")[2]
        renamed = sa.update(_identifier).where(_identifier.c.id == row.id)
        connection.execute(renamed.values(scheme="url", value=plain))
